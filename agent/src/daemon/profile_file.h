/*
 * Profiles of controllers, drives, batteries and enclosures: JSON files
 * DIRECTORY/controllers/NAME.json, drives/, batteries/ and enclosures/, one model each. A file with
 * an unknown key, a wrong type or a value out of bounds is refused as a whole.
 */
#ifndef ARRAYWRIGHT_DAEMON_PROFILE_FILE_H
#define ARRAYWRIGHT_DAEMON_PROFILE_FILE_H

#include <stddef.h>

#include "base/attrs.h"
#include "ctl/profile.h"
#include "ctl/quirk.h"
#include "emulate/drive_profile.h"
#include "emulate/emulated_battery.h"

#define PROFILE_TEXT_BYTES 512u
#define PROFILE_BATTERIES_MAX 8u

struct controller_profile_file {
    struct controller_profile profile;
    char manufacturer[41];
    uint64_t cache_fitted_bytes;   /* without an upgrade */
    uint64_t cache_upgraded_bytes; /* 0: there is none */
    bool takes_any_battery;      /* the native one */
    uint32_t battery_count;
    char batteries[PROFILE_BATTERIES_MAX][33];
    uint32_t quirk_count;
    struct controller_quirk quirks[PROFILE_QUIRKS_MAX];
};

struct enclosure_profile {
    char name[33];
    char model[41];
    uint32_t slots, rows, columns;
    bool column_major;
    bool hot_swap;               /* drives are changed while it runs */
};

/* mirror_reads of profiles and scenarios. */
extern const char *const mirror_policy_words[MIRROR_POLICY_MAX];
extern const char *const write_through_words[2]; /* [1]: past the drives' buffers */

/* "native" needs no file. 0, or -errno with a sentence in text that names the file. */
MUST_CHECK int controller_profile_read(const char *directory, const char *name,
                                       struct controller_profile_file *ret,
                                       char text[PROFILE_TEXT_BYTES]);
MUST_CHECK int battery_profile_read(const char *directory, const char *name,
                                    struct battery_profile *ret, char text[PROFILE_TEXT_BYTES]);
MUST_CHECK int drive_profile_read(const char *directory, const char *name,
                                  struct drive_profile *ret, char text[PROFILE_TEXT_BYTES]);
MUST_CHECK int enclosure_profile_read(const char *directory, const char *name,
                                      struct enclosure_profile *ret, char text[PROFILE_TEXT_BYTES]);
bool profile_name_is_valid(const char *name);
/* Does the controller take an emulated battery of that name? */
bool controller_takes_battery(const struct controller_profile_file *file, const char *battery);

#endif

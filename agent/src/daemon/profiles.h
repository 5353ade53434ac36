/*
 * The profiles a configuration names, read and fitted together.
 */
#ifndef ARRAYWRIGHT_DAEMON_PROFILES_H
#define ARRAYWRIGHT_DAEMON_PROFILES_H

#include "ctl/ctl.h"
#include "daemon/config.h"

/* Fills the profile and the battery of the options. 0, or -errno with "LINE: …" in text: where
 * in the configuration, and what is wrong. */
MUST_CHECK int profiles_read(const struct daemon_config *config,
                             const struct config_controller *controller,
                             struct ctl_options *options, char *text, size_t text_bytes);

/* Gives emulated drives that name a profile what it says; the size only if none is configured.
 * Errors as above. */
MUST_CHECK int profiles_drives_read(struct daemon_config *config, char *text, size_t text_bytes);

/* Gives enclosures that name a profile its shape, and looks that their drives have a place in it.
 * Errors as above. */
MUST_CHECK int profiles_enclosures_read(struct daemon_config *config, char *text,
                                        size_t text_bytes);

#endif

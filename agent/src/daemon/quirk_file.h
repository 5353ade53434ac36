/* Quirks in the profile of a controller: see ctl/quirk.h. */
#ifndef ARRAYWRIGHT_DAEMON_QUIRK_FILE_H
#define ARRAYWRIGHT_DAEMON_QUIRK_FILE_H

#include "ctl/quirk.h"
#include "daemon/profile_reader.h"

/* value: a list of at most PROFILE_QUIRKS_MAX. */
MUST_CHECK bool quirks_read(struct profile_reader *reader, const json_t *value,
                            struct controller_quirk *quirks, uint32_t *ret_count);

#endif

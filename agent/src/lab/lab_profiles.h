/* What there is to choose from: the profiles of controllers, drives and workloads, read and
 * checked by the readers that predictions use. */
#ifndef ARRAYWRIGHT_LAB_LAB_PROFILES_H
#define ARRAYWRIGHT_LAB_LAB_PROFILES_H

#include <jansson.h>

#include "daemon/profile_file.h"

/* catalogue.schema.json, sorted by name. NULL with a sentence if a folder or a file cannot be
 * read. */
json_t *lab_profiles_doc(const char *directory, char text[PROFILE_TEXT_BYTES]);

#endif

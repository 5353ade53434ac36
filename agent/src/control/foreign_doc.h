/*
 * The document of foreign configurations: answer of the query `foreign` (protocol/commands).
 */
#ifndef ARRAYWRIGHT_CONTROL_FOREIGN_DOC_H
#define ARRAYWRIGHT_CONTROL_FOREIGN_DOC_H

#include <jansson.h>

struct ctl;

json_t *foreign_doc(const struct ctl *ctl);

#endif

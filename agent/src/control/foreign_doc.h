/*
 * The document of foreign configurations: answer of the query `foreign` (protocol/commands).
 */
#ifndef ARRAYWRIGHT_CONTROL_FOREIGN_DOC_H
#define ARRAYWRIGHT_CONTROL_FOREIGN_DOC_H

#include <jansson.h>

struct ctl_host;

/* Of the controller with this key; NULL: of all. */
json_t *foreign_doc(const struct ctl_host *host, const char *controller);

#endif

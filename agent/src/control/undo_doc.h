/*
 * The document of saved metadata: answer of the query `undo` (protocol/commands).
 */
#ifndef ARRAYWRIGHT_CONTROL_UNDO_DOC_H
#define ARRAYWRIGHT_CONTROL_UNDO_DOC_H

#include <jansson.h>

struct ctl_host;

/* Of the controller with this key; NULL: of all. Never NULL. */
json_t *undo_doc(const struct ctl_host *host, const char *controller);

#endif

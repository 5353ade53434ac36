/* The consistency check of a virtual drive as JSON. */
#ifndef ARRAYWRIGHT_CONTROL_CHECK_DOC_H
#define ARRAYWRIGHT_CONTROL_CHECK_DOC_H

#include <jansson.h>

#include "ctl/view.h"

/* null: there was none. */
json_t *check_doc(const struct check_view *view, const struct geometry *geometry);

#endif

/* The lists in the document of a drive group, as JSON. */
#ifndef ARRAYWRIGHT_CONTROL_GROUP_DOC_H
#define ARRAYWRIGHT_CONTROL_GROUP_DOC_H

#include <jansson.h>

#include "ctl/view.h"

json_t *group_span_states_doc(const struct drive_group_view *view);
json_t *group_members_doc(const struct drive_group_view *view);
json_t *group_spare_choices_doc(const struct drive_group_view *view);

#endif

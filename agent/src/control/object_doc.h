/*
 * From the controller's views to the documents of protocol/objects.schema.json, and the
 * other things the agent tells: reasons, events, the answer to a preview. Only upwards;
 * control/command_args.h is the way down.
 */
#ifndef ARRAYWRIGHT_CONTROL_OBJECT_DOC_H
#define ARRAYWRIGHT_CONTROL_OBJECT_DOC_H

#include <jansson.h>

#include "base/reason.h"
#include "ctl/ctl.h"
#include "ctl/view.h"
#include "port/event_port.h"

/* {kind, key, rev, config_rev, doc}; the view's type follows head->kind. */
json_t *object_doc(const struct object_head *head, const void *view);
/* {kind, key, rev} */
json_t *tombstone_doc(const struct object_head *head);
/* {code, params, text} */
json_t *reason_doc(const struct reason *reason);
json_t *event_doc(const struct event *event);
json_t *policy_preview_doc(const struct ctl_policy_preview *preview);
json_t *preview_doc(const struct ctl_preview *preview);
/* Count, mean, percentiles and largest of one kind. */
json_t *latency_figures_doc(const struct latency_histogram *histogram);
/* latency_answer; since_us is a wall clock's. */
json_t *load_doc(const struct ctl_load *load, uint64_t since_us);

/* "raid5" */
const char *raid_level_word(enum raid_level level);
bool raid_level_word_parse(const char *word, enum raid_level *ret_level);

#endif

/*
 * See group_doc.h.
 */
#include "control/group_doc.h"

#include "base/assert.h"
#include "control/json_text.h"
#include "control/object_doc.h"

json_t *group_span_states_doc(const struct drive_group_view *view)
{
    json_t *doc = json_new_array();

    ASSERT(view->span_count <= RAID_SPANS_MAX);
    for (uint32_t span = 0; span < view->span_count; span++) {
        json_append_text(doc, virtual_drive_state_word(view->span_states[span]));
    }
    return doc;
}

json_t *group_members_doc(const struct drive_group_view *view)
{
    json_t *doc = json_new_array();

    ASSERT(view->member_count <= GROUP_MEMBERS_MAX);
    for (uint32_t i = 0; i < view->member_count; i++) {
        const struct member_view *member = &view->members[i];
        json_t *entry = json_new_object();

        json_put_u64(entry, "span", member->span);
        json_put_u64(entry, "row", member->row);
        json_put_text_or_null(entry, "drive", member->drive);
        json_put_text(entry, "state", drive_state_word(member->state));
        json_put_text(entry, "serial", member->serial);
        json_put_bool(entry, "last_copy", member->last_copy);
        json_append(doc, entry);
    }
    return doc;
}

json_t *group_spare_choices_doc(const struct drive_group_view *view)
{
    json_t *doc = json_new_array();

    for (uint32_t i = 0; i < view->choice_count; i++) {
        json_t *entry = json_new_object();

        json_put_text(entry, "drive", view->choices[i].drive);
        json_put_bool(entry, "chosen", view->choices[i].chosen);
        json_put(entry, "reason", reason_doc(&view->choices[i].reason));
        json_append(doc, entry);
    }
    return doc;
}

/*
 * See foreign_doc.h.
 */
#include "control/foreign_doc.h"

#include "base/assert.h"
#include "control/json_text.h"
#include "control/object_doc.h"
#include "ctl/ctl_host.h"

struct collector {
    json_t *sets;
    json_t *damaged;
    /* Borrowed: of the last set, and of its last virtual drive. */
    json_t *drives;
    json_t *drive_states;
    json_t *vds;
    json_t *members;
};

static void put_reason(json_t *doc, const char *key, const struct reason *reason)
{
    if (reason->code == REASON_OK) {
        json_put_null(doc, key);
    } else {
        json_put(doc, key, reason_doc(reason));
    }
}

static void collect_set(void *context, const struct foreign_set_view *view)
{
    struct collector *collector = context;
    json_t *doc = json_new_object();

    collector->drives = json_new_array();
    collector->drive_states = json_new_array();
    collector->vds = json_new_array();
    collector->members = NULL;
    json_put_text(doc, "format", foreign_format_word(view->format));
    json_put_text(doc, "id", view->id);
    json_put_text(doc, "version", view->version);
    json_put_u64(doc, "sequence", view->sequence);
    json_put_text(doc, "name", view->name);
    json_put_text(doc, "origin", view->origin);
    json_put_text(doc, "digest", view->digest);
    json_put_text(doc, "outcome", foreign_outcome_word(view->outcome));
    put_reason(doc, "refusal", &view->refusal);
    json_put(doc, "drives", collector->drives);
    json_put(doc, "drive_states", collector->drive_states);
    json_put(doc, "virtual_drives", collector->vds);
    json_append(collector->sets, doc);
}

static void collect_set_drive(void *context, const struct foreign_drive_view *view)
{
    struct collector *collector = context;
    json_t *doc = json_new_object();

    json_append_text(collector->drives, view->key);
    json_put_text(doc, "drive", view->key);
    json_put_u64(doc, "sequence", view->sequence);
    json_put_text(doc, "state", foreign_member_state_word(view->state));
    json_put_text(doc, "outcome", foreign_drive_outcome_word(view->outcome));
    json_append(collector->drive_states, doc);
}

static void collect_vd(void *context, const struct foreign_vd_view *view)
{
    struct collector *collector = context;
    json_t *doc = json_new_object();

    collector->members = json_new_array();
    json_put_text(doc, "name", view->name);
    json_put_text(doc, "level", view->level);
    json_put_u64(doc, "size_bytes", view->size_bytes);
    json_put_u64(doc, "strip_bytes", view->strip_bytes);
    json_put_bool(doc, "consistent", view->consistent);
    json_put_text(doc, "state", foreign_state_word(view->state));
    put_reason(doc, "reason", &view->reason);
    json_put_text(doc, "outcome", foreign_outcome_word(view->outcome));
    if (view->imported_as != NULL) {
        json_put_text(doc, "imported_as", view->imported_as);
        json_put_u64(doc, "target_id", view->target_id);
    } else {
        json_put_null(doc, "imported_as");
        json_put_null(doc, "target_id");
    }
    json_put(doc, "members", collector->members);
    json_append(collector->vds, doc);
}

static void collect_member(void *context, const struct foreign_member_view *view)
{
    json_t *doc = json_new_object();

    json_put_text_or_null(doc, "drive", view->drive != NULL ? view->drive : "");
    json_put_text(doc, "serial", view->serial);
    json_put_text(doc, "state", foreign_member_state_word(view->state));
    json_put_text(doc, "outcome", foreign_drive_outcome_word(view->outcome));
    json_append(((struct collector *)context)->members, doc);
}

static void collect_damaged(void *context, const char *key, const struct reason *reason)
{
    json_t *doc = json_new_object();

    json_put_text(doc, "drive", key);
    json_put(doc, "reason", reason_doc(reason));
    json_append(((struct collector *)context)->damaged, doc);
}

json_t *foreign_doc(const struct ctl_host *host, const char *controller)
{
    struct collector collector = {.sets = json_new_array(), .damaged = json_new_array()};
    const struct ctl_foreign_visitor visitor = {.set = collect_set,
                                                .set_drive = collect_set_drive,
                                                .vd = collect_vd,
                                                .member = collect_member,
                                                .damaged = collect_damaged,
                                                .context = &collector};
    json_t *doc = json_new_object();

    ASSERT(host != NULL);
    ctl_host_foreign(host, controller, &visitor);
    json_put(doc, "sets", collector.sets);
    json_put(doc, "damaged", collector.damaged);
    return doc;
}

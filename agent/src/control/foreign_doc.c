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
    json_t *vds;
    json_t *members;
};

static void collect_set(void *context, const struct foreign_set_view *view)
{
    struct collector *collector = context;
    json_t *doc = json_new_object();

    collector->drives = json_new_array();
    collector->vds = json_new_array();
    collector->members = NULL;
    json_put_text(doc, "format", foreign_format_word(view->format));
    json_put_text(doc, "id", view->id);
    json_put_text(doc, "version", view->version);
    json_put_u64(doc, "sequence", view->sequence);
    json_put(doc, "drives", collector->drives);
    json_put(doc, "virtual_drives", collector->vds);
    json_append(collector->sets, doc);
}

static void collect_set_drive(void *context, const char *key)
{
    json_append_text(((struct collector *)context)->drives, key);
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
    if (view->reason.code == REASON_OK) {
        json_put_null(doc, "reason");
    } else {
        json_put(doc, "reason", reason_doc(&view->reason));
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

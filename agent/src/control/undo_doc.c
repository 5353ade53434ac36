/*
 * See undo_doc.h.
 */
#include "control/undo_doc.h"

#include "base/assert.h"
#include "control/json_text.h"
#include "control/object_doc.h"
#include "ctl/ctl_host.h"

struct collector {
    json_t *entries;
    json_t *drives; /* borrowed: of the last entry */
};

static void put_refusal(json_t *doc, const struct reason *reason)
{
    if (reason->code == REASON_OK) {
        json_put_null(doc, "refusal");
    } else {
        json_put(doc, "refusal", reason_doc(reason));
    }
}

static void collect_entry(void *context, const struct undo_view *view)
{
    struct collector *collector = context;
    json_t *doc = json_new_object();

    collector->drives = json_new_array();
    json_put_u64(doc, "undo", view->number);
    json_put_text(doc, "kind", undo_kind_word(view->kind));
    json_put_text(doc, "name", view->name);
    json_put_text(doc, "who", view->who);
    json_put_u64(doc, "saved_at_us", view->saved_us);
    json_put_u64(doc, "until_us", view->until_us);
    put_refusal(doc, &view->refusal);
    json_put(doc, "drives", collector->drives);
    json_append(collector->entries, doc);
}

static void collect_drive(void *context, const struct undo_drive_view *view)
{
    json_t *doc = json_new_object();

    json_put_text(doc, "drive", view->key);
    json_put_text(doc, "serial", view->serial);
    put_refusal(doc, &view->refusal);
    json_append(((struct collector *)context)->drives, doc);
}

json_t *undo_doc(const struct ctl_host *host, const char *controller)
{
    struct collector collector = {.entries = json_new_array()};
    const struct ctl_undo_visitor visitor = {
        .entry = collect_entry, .drive = collect_drive, .context = &collector};
    json_t *doc = json_new_object();

    ASSERT(host != NULL);
    ctl_host_undo(host, controller, &visitor);
    json_put(doc, "entries", collector.entries);
    return doc;
}

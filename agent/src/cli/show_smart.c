/*
 * "show smart": what the drives say of their own health.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "cli/error.h"
#include "cli/rows.h"
#include "cli/show.h"

static const char *state_shown(const json_t *health)
{
    static const struct {
        const char *word, *shown;
    } states[] = {
        {"unread", "Not read"}, {"unsupported", "Not supported"}, {"asleep", "Asleep"},
        {"good", "Good"},       {"failing", "Failing"},
    };

    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
        if (strcmp(doc_text(health, "state"), states[i].word) == 0) {
            return states[i].shown;
        }
    }
    return "Not asked";
}

static void figure_row(json_t *rows, const char *name, const json_t *doc, const char *field)
{
    if (doc_is_null(doc, field)) {
        row_text(rows, name, "N/A");
    } else {
        row_number(rows, name, doc_u64(doc, field));
    }
}

static void drive_visit(struct cli_context *context UNUSED, const struct model_object *drive,
                        void *data)
{
    const json_t *health = json_object_get(drive->doc, "health");
    const json_t *reason = json_object_get(health, "reason");
    json_t *rows = json_object();
    char name[96];

    row_text(rows, "State", state_shown(health));
    row_text(rows, "Why", json_is_object(reason) ? doc_text(reason, "text") : "-");
    row_text(rows, "S.M.A.R.T alert flagged by drive", doc_bool(health, "failing") ? "Yes" : "No");
    figure_row(rows, "Temperature (C)", drive->doc, "temperature_c");
    figure_row(rows, "Power On Hours", health, "power_on_hours");
    figure_row(rows, "Reallocated Sectors", health, "reallocated_sectors");
    figure_row(rows, "Pending Sectors", health, "pending_sectors");
    figure_row(rows, "Media Errors", health, "media_errors");
    figure_row(rows, "Wear (%)", health, "wear_percent");
    (void)snprintf(name, sizeof(name), "Smart Data Info %s", doc_text(drive->doc, "path"));
    row_set(data, name, rows);
}

void show_drive_smart(struct cli_context *context)
{
    json_t *missing = json_array();
    json_t *data = json_object();

    cli_each_drive(context, missing, drive_visit, data);
    show_finish(context, "Show Drive Smart Info Succeeded.", missing, data);
}

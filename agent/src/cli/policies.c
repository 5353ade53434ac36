/*
 * The policies of a virtual drive as they are asked for and as they hold, and the presets of the
 * controller. 3ware calls its presets StorSave profiles: protect, balance, perform.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/change.h"
#include "cli/rows.h"
#include "cli/show.h"

static void row_append(json_t *rows, uint64_t vd, const char *policy, const json_t *state)
{
    json_t *row = json_object();

    row_number(row, "VD", vd);
    row_text(row, "Policy", policy);
    row_text(row, "Requested", doc_text(state, "requested"));
    row_text(row, "Effective", doc_text(state, "effective"));
    row_text(row, "Reason", doc_text(json_object_get(state, "reason"), "text"));
    rows_append(rows, row);
}

static void row_append_either(json_t *rows, const struct model_object *vd, const char *policy,
                              const json_t *state, const char *asked)
{
    json_t *unknown = json_pack("{s:s, s:s, s:{s:s}}", "requested", asked, "effective", "unknown",
                                "reason", "text", "The agent does not say.");

    row_append(rows, doc_u64(vd->doc, "index"), policy, json_is_object(state) ? state : unknown);
    json_decref(unknown);
}

/* An agent that does not say what holds has said what is asked for. */
static void row_append_known(json_t *rows, const struct model_object *vd, const char *policy,
                             const char *name, const char *asked)
{
    row_append_either(rows, vd, policy, json_object_get(vd->doc, name), doc_text(vd->doc, asked));
}

/* Not offered without redundancy. */
static void switch_append(json_t *rows, const struct model_object *vd, const char *policy,
                          const char *name, const char *asked)
{
    if (!doc_is_null(vd->doc, asked)) {
        const json_t *holds = json_object_get(vd->doc, name);
        bool automatic = strcmp(doc_text(holds, "requested"), "auto") == 0;

        row_append_either(rows, vd, policy, holds,
                          automatic                  ? "auto"
                          : doc_bool(vd->doc, asked) ? "on"
                                                     : "off");
    }
}

static void ahead_append(json_t *rows, const struct model_object *vd)
{
    const json_t *ahead = json_object_get(vd->doc, "read_ahead");
    json_t *row = json_object();

    row_number(row, "VD", doc_u64(vd->doc, "index"));
    row_text(row, "State", json_is_object(ahead) ? doc_text(ahead, "state") : "no cache");
    row_number(row, "Streams", doc_u64(ahead, "streams"));
    row_number(row, "Window KiB", doc_u64(ahead, "window_bytes") / 1024);
    rows_append(rows, row);
}

struct tables {
    json_t *policies, *ahead, *presets, *risks;
};

static void shown_visit(struct cli_context *context UNUSED, const struct model_object *vd,
                        void *data)
{
    const struct tables *tables = data;
    uint64_t index = doc_u64(vd->doc, "index");
    const char *preset = doc_text(vd->doc, "preset");
    json_t *row = json_object();

    row_append(tables->policies, index, "Write", json_object_get(vd->doc, "write_policy"));
    row_append(tables->policies, index, "Read", json_object_get(vd->doc, "read_policy"));
    row_append_known(tables->policies, vd, "IO", "effective_io_policy", "io_policy");
    row_append_known(tables->policies, vd, "Disk Cache", "effective_drive_cache",
                     "drive_cache_policy");
    row_append_known(tables->policies, vd, "On Degrade", "effective_degraded_policy",
                     "degraded_policy");
    row_append_known(tables->policies, vd, "Access", "effective_access", "access");
    switch_append(tables->policies, vd, "Stripe Log", "effective_stripe_log", "stripe_log");
    switch_append(tables->policies, vd, "Hedged Reads", "effective_hedged_reads", "hedged_reads");
    row_number(row, "VD", index);
    row_text(row, "Preset", preset[0] != '\0' ? preset : "-");
    rows_append(tables->presets, row);
    ahead_append(tables->ahead, vd);
}

const char *storsave_preset(const char *typed)
{
    static const char *const words[][2] = {{"protect", "storsave-protection"},
                                           {"balance", "storsave-balance"},
                                           {"perform", "storsave-performance"}};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcasecmp(typed, words[i][0]) == 0) {
            return words[i][1];
        }
    }
    return typed;
}

static const char *preset_typed(const struct cli_context *context)
{
    const char *storsave = option_value(context, "storsave");

    return storsave != NULL ? storsave_preset(storsave) : option_value(context, "preset");
}

/* What a preset would make of it; nothing is changed. */
static void asked_visit(struct cli_context *context, const struct model_object *vd, void *data)
{
    const struct tables *tables = data;
    struct client_answer answer;
    uint64_t index = doc_u64(vd->doc, "index");
    size_t at = 0;
    const json_t *risk = NULL;
    json_t *query = json_pack("{s:s, s:{s:s, s:s}}", "name", "preview_vd_set", "args",
                              "virtual_drive", vd->key, "preset", preset_typed(context));

    if (context->failed ||
        !client_ask(context->client, "query", query, &answer, context->failure)) {
        context->failed = true;
        return;
    }
    const json_t *policies = json_object_get(answer.result, "policies");
    const json_t *refusals = json_object_get(answer.result, "refusals");
    row_append(tables->policies, index, "Write", json_object_get(policies, "write_policy"));
    row_append(tables->policies, index, "Read", json_object_get(policies, "read_policy"));
    row_append(tables->policies, index, "IO", json_object_get(policies, "io_policy"));
    row_append(tables->policies, index, "Disk Cache",
               json_object_get(policies, "drive_cache_policy"));
    row_append(tables->policies, index, "On Degrade", json_object_get(policies, "degraded_policy"));
    json_array_foreach(json_object_get(answer.result, "risks"), at, risk)
    {
        rows_append(tables->risks, json_pack("{s:I, s:s, s:s}", "VD", (json_int_t)index, "Kind",
                                             "Risk", "Text", doc_text(risk, "text")));
    }
    json_array_foreach(refusals, at, risk)
    {
        rows_append(tables->risks, json_pack("{s:I, s:s, s:s}", "VD", (json_int_t)index, "Kind",
                                             "Refused", "Text", doc_text(risk, "text")));
    }
    json_decref(answer.result);
    json_decref(answer.reason);
}

void show_vd_policies(struct cli_context *context)
{
    bool asked = preset_typed(context) != NULL;
    struct tables tables = {json_array(), json_array(), json_array(), json_array()};
    json_t *missing = json_array();
    json_t *data = json_object();

    cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing,
                      asked ? asked_visit : shown_visit, &tables);
    row_set(data, asked ? "POLICIES WITH THE PRESET" : "POLICIES", tables.policies);
    if (asked) {
        row_set(data, "TO BE ACCEPTED", tables.risks);
        json_decref(tables.presets);
        json_decref(tables.ahead);
    } else {
        row_set(data, "PRESET", tables.presets);
        row_set(data, "READ AHEAD", tables.ahead);
        json_decref(tables.risks);
    }
    show_finish(context, "None", missing, data);
}

void show_presets(struct cli_context *context)
{
    json_t *rows = json_array();
    json_t *data = json_object();
    const json_t *preset = NULL;
    size_t at = 0;

    const struct model_object *controller = cli_controller(context);

    json_array_foreach(json_object_get(controller != NULL ? controller->doc : NULL, "presets"), at,
                       preset)
    {
        json_t *row = json_object();

        row_text(row, "Preset", doc_text(preset, "name"));
        row_text(row, "Write", doc_text(preset, "write_policy"));
        row_text(row, "Read", doc_text(preset, "read_policy"));
        row_text(row, "IO", doc_text(preset, "io_policy"));
        row_text(row, "Disk Cache", doc_text(preset, "drive_cache_policy"));
        row_text(row, "On Degrade", doc_text(preset, "degraded_policy"));
        rows_append(rows, row);
    }
    row_set(data, "PRESETS", rows);
    cli_answer(context, "None", data);
}

/* Arguments of vd_set and vd_create. */
bool preset_put(const struct cli_context *context, json_t *args)
{
    const char *preset = preset_typed(context);

    if (preset == NULL) {
        return false;
    }
    row_text(args, "preset", preset);
    if (option_has(context, "acceptrisk")) {
        (void)json_object_set_new(args, "accept_risk", json_true());
    }
    return true;
}

/*
 * Consistency checks of virtual drives: start, stop, pause, resume.
 */
#include <stdio.h>
#include <string.h>

#include "cli/change.h"
#include "cli/rows.h"
#include "cli/show.h"

#define OP "consistency_check"

/* To take the data as right, right or wrong, needs the name. */
static void start_visit(struct cli_context *context, const struct model_object *vd, void *data)
{
    bool correct = option_has(context, "correct");
    const char *confirm = option_value(context, "confirm");
    const char *name = doc_text(vd->doc, "name");
    char typed[80];
    char message[REQUEST_TEXT_BYTES] = "";
    int error = CLI_ERROR_GENERIC;

    if (correct && confirm == NULL &&
        change_name_ask("makes redundancy agree with the data, right or wrong, of",
                        doc_text(vd->doc, "path"), name, typed)) {
        confirm = typed;
    }
    if (correct && confirm == NULL) {
        (void)snprintf(message, sizeof(message),
                       "Silent damage would look consistent. Repeat with confirm=%s", name);
    } else {
        error = cli_execute(context, OP,
                            json_pack("{s:s, s:s, s:b}", "virtual_drive", vd->key, "action",
                                      "start", "correct", correct),
                            correct ? confirm : NULL, message);
    }
    change_row_vd(data, vd->doc, error, message);
}

void change_vd_check_start(struct cli_context *context)
{
    struct change change = {.rows = json_array(), .verb = "Start CC Operation", .operation = "CC"};
    json_t *missing = json_array();

    cli_each_numbered(context, OBJECT_KIND_VIRTUAL_DRIVE, missing, start_visit, &change);
    change_finish(context, &change, missing);
}

static json_t *args_check(struct cli_context *context, const struct model_object *vd)
{
    return json_pack("{s:s, s:s}", "virtual_drive", vd->key, "action", change_task_word(context));
}

void change_vd_check(struct cli_context *context)
{
    char verb[64];

    (void)snprintf(verb, sizeof(verb), "%s CC Operation", change_task_word(context)); /* it fits */
    verb[0] = (char)(verb[0] - 'a' + 'A');
    change_vds(context,
               (struct change){.verb = verb, .operation = "CC", .op = OP, .make_args = args_check});
}

/* The last one, or that which runs. */

static json_t *result_row(const struct model_object *vd, const json_t *check)
{
    json_t *row = json_object();
    char text[FORMAT_BYTES];

    row_number(row, "VD", doc_u64(vd->doc, "index"));
    row_text(row, "State", doc_text(check, "state"));
    row_text(row, "Ended", format_moment(doc_u64(check, "ended_at_us"), text));
    row_text(row, "Compared", format_size(doc_u64(check, "compared_bytes"), text));
    row_text(row, "LeftOut", format_size(doc_u64(check, "left_out_bytes"), text));
    row_text(row, "Unreadable", format_size(doc_u64(check, "unreadable_bytes"), text));
    row_number(row, "Corrected", doc_u64(check, "corrected_count"));
    row_number(row, "Inconsistent", doc_u64(check, "inconsistent_count"));
    row_number(row, "Earlier", doc_u64(check, "earlier_inconsistent_count"));
    return row;
}

static json_t *place_row(const struct model_object *vd, const json_t *place)
{
    uint64_t block_bytes = doc_u64(vd->doc, "block_bytes");
    uint64_t first = 0;
    json_t *row = json_object();
    char text[64];

    row_number(row, "VD", doc_u64(vd->doc, "index"));
    row_number(row, "Strip", doc_u64(place, "strip"));
    if (block_bytes == 0 || doc_u64(place, "piece_count") == 0) {
        row_text(row, "Blocks", "-");
    } else {
        first = doc_u64(place, "offset_bytes") / block_bytes;
        (void)snprintf(text, sizeof(text), "%llu-%llu", (unsigned long long)first,
                       (unsigned long long)(first + doc_u64(place, "piece_bytes") / block_bytes -
                                            1)); /* it fits */
        row_text(row, "Blocks", text);
    }
    row_number(row, "Pieces", doc_u64(place, "piece_count"));
    if (block_bytes == 0) {
        row_text(row, "Distance", "-");
    } else {
        row_number(row, "Distance", doc_u64(place, "piece_distance_bytes") / block_bytes);
    }
    if (doc_is_null(place, "member")) {
        row_text(row, "Member", "-");
    } else {
        row_number(row, "Member", doc_u64(place, "member"));
    }
    row_text(row, "Corrected", doc_bool(place, "corrected") ? "Yes" : "No");
    row_text(row, "Earlier", doc_bool(place, "earlier") ? "Yes" : "No");
    return row;
}

void check_text(const json_t *vd, char out[CHECK_TEXT_BYTES])
{
    const json_t *check = json_object_get(vd, "consistency_check");
    uint64_t earlier_count = doc_u64(check, "earlier_inconsistent_count");
    char text[FORMAT_BYTES];
    char earlier[80] = "";

    out[0] = '\0';
    if (earlier_count > 0) {
        (void)snprintf(earlier, sizeof(earlier), ", %llu from an earlier check, not compared since",
                       (unsigned long long)earlier_count);
    }
    if (json_is_object(check)) {
        (void)snprintf(
            out, CHECK_TEXT_BYTES,
            "%s, %s compared; %llu places corrected, %llu are inconsistent%s",
            doc_text(check, "state"), format_size(doc_u64(check, "compared_bytes"), text),
            (unsigned long long)doc_u64(check, "corrected_count"),
            (unsigned long long)doc_u64(check, "inconsistent_count"), earlier); /* it fits */
    }
}

void check_rows(const struct model_object *vd, json_t *results, json_t *places)
{
    const json_t *check = json_object_get(vd->doc, "consistency_check");
    const json_t *all = json_object_get(check, "places");

    if (!json_is_object(check)) {
        return;
    }
    rows_append(results, result_row(vd, check));
    for (size_t i = 0; i < json_array_size(all); i++) {
        rows_append(places, place_row(vd, json_array_get(all, i)));
    }
}

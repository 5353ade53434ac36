/*
 * /cX add vd: from StorCLI's words to the arguments of vd_create.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/assert.h"
#include "cli/change.h"
#include "cli/rows.h"

#define PLACES_MAX 256u
#define SERIALS_MAX 16u

struct vd_wish {
    const char *level; /* "raid5" */
    uint32_t place_count;
    struct cli_place places[PLACES_MAX];
    uint32_t spare_count;
    struct cli_place spares[PLACES_MAX];
    uint64_t size_bytes;
    uint64_t strip_bytes;
    uint64_t drives_per_span;
};

static bool refuse(char text[REQUEST_TEXT_BYTES], const char *message)
{
    (void)snprintf(text, REQUEST_TEXT_BYTES, "%s", message);
    return false;
}

/* "r5" as a word, or type=raid5 / type=r5 */
static bool level_parse(const struct cli_context *context, struct vd_wish *wish)
{
    static const struct {
        const char *option;
        const char *level;
    } levels[] = {{"r0", "raid0"},   {"r1", "raid1"},   {"r5", "raid5"},   {"r6", "raid6"},
                  {"r10", "raid10"}, {"r50", "raid50"}, {"r60", "raid60"}, {"r1e", "raid1e"}};
    const char *type = option_value(context, "type");

    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        bool typed = type != NULL && (strcasecmp(type, levels[i].level) == 0 ||
                                      strcasecmp(type, levels[i].option) == 0);

        if (!typed && !option_has(context, levels[i].option)) {
            continue;
        }
        if (wish->level != NULL) {
            return false; /* two levels */
        }
        wish->level = levels[i].level;
    }
    return wish->level != NULL;
}

static bool number_option(const struct cli_context *context, const char *name, uint64_t *ret_number)
{
    return option_value(context, name) == NULL ||
           (option_number(context, name, ret_number) && *ret_number <= 1u << 20);
}

static bool wish_parse(const struct cli_context *context, struct vd_wish *wish,
                       char text[REQUEST_TEXT_BYTES])
{
    const char *drives = option_value(context, "drives");
    const char *spares = option_value(context, "spares");
    const char *size = option_value(context, "size");

    if (!level_parse(context, wish)) {
        return refuse(text, "name one RAID level: r0, r1, r1e, r5, r6, r10, r50 or r60");
    }
    if (drives == NULL || !places_parse(drives, wish->places, PLACES_MAX, &wish->place_count)) {
        return refuse(text, "drives= must name drives as enclosure:slot, for example "
                            "drives=252:0-3,5, or by their numbers outside the enclosures, for "
                            "example drives=:0-3");
    }
    if (spares != NULL && !places_parse(spares, wish->spares, PLACES_MAX, &wish->spare_count)) {
        return refuse(text, "spares= must name drives as drives= does, for example spares=252:6 or "
                            "spares=:6");
    }
    if (size != NULL && !cli_size_parse(size, &wish->size_bytes)) {
        return refuse(text, "size= must be a size such as 100GB, or all");
    }
    if (!number_option(context, "strip", &wish->strip_bytes)) {
        return refuse(text, "strip= must be a number of KiB");
    }
    if (!number_option(context, "pdperarray", &wish->drives_per_span)) {
        return refuse(text, "PDperArray= must be a number of drives");
    }
    wish->strip_bytes *= 1024;
    /* As on MegaRAID, r1 over four or more drives stripes mirrored pairs. */
    if (strcmp(wish->level, "raid1") == 0 && wish->drives_per_span == 0 && wish->place_count >= 4 &&
        wish->place_count % 2 == 0) {
        wish->level = "raid10";
    } else if (strcmp(wish->level, "raid1") == 0 && wish->drives_per_span != 0 &&
               wish->drives_per_span < wish->place_count) {
        wish->level = "raid10";
    }
    return true;
}

static const struct model_object *place_refuse(char text[REQUEST_TEXT_BYTES],
                                               const struct cli_place *place)
{
    if (place->has_eid) {
        (void)snprintf(text, REQUEST_TEXT_BYTES, "there is no drive %u:%u", place->eid,
                       place->slot);
    } else if (place->outside) {
        (void)snprintf(text, REQUEST_TEXT_BYTES,
                       "there is no drive :%u outside the enclosures (/cX/s%u)", place->slot,
                       place->slot);
    } else {
        (void)snprintf(text, REQUEST_TEXT_BYTES,
                       "there is no drive %u, neither outside the enclosures nor in slot %u of one",
                       place->slot, place->slot);
    }
    return NULL;
}

/*
 * A bare number is a drive outside all enclosures, as StorCLI has it, or a slot where there is one
 * enclosure and nothing else the number could mean. Which of two drives is meant is never guessed.
 */
static const struct model_object *bare_find(const struct model *model, uint32_t number,
                                            char text[REQUEST_TEXT_BYTES])
{
    const struct model_list *enclosures = &model->lists[OBJECT_KIND_ENCLOSURE];
    const struct model_object *found = model_drive_at(model, false, 0, number);

    for (uint32_t i = 0; i < enclosures->count; i++) {
        const struct model_object *other =
            model_drive_at(model, true, doc_u64(enclosures->items[i].doc, "eid"), number);

        if (other != NULL && found != NULL) {
            (void)snprintf(text, REQUEST_TEXT_BYTES,
                           "%u can be %s or %s: write enclosure:slot, or :number for a drive "
                           "outside the enclosures",
                           number, doc_text(found->doc, "path"), doc_text(other->doc, "path"));
            return NULL;
        }
        found = other != NULL ? other : found;
    }
    return found != NULL
               ? found
               : place_refuse(text, &(struct cli_place){.has_eid = false, .slot = number});
}

/* NULL with text. */
static const struct model_object *place_find(const struct model *model,
                                             const struct cli_place *place,
                                             char text[REQUEST_TEXT_BYTES])
{
    if (!place->has_eid && !place->outside) {
        return bare_find(model, place->slot, text);
    }
    const struct model_object *found =
        model_drive_at(model, place->has_eid, place->eid, place->slot);

    return found != NULL ? found : place_refuse(text, place);
}

json_t *change_drive_keys(const struct model *model, const struct cli_place *places, uint32_t count,
                          json_t *serials, char text[REQUEST_TEXT_BYTES])
{
    json_t *keys = json_array();

    for (uint32_t i = 0; i < count; i++) {
        const struct model_object *drive = place_find(model, &places[i], text);

        if (drive == NULL) {
            json_decref(keys);
            return NULL;
        }
        (void)json_array_append_new(keys, json_string(drive->key));
        if (!doc_is_null(drive->doc, "unsuitable") && serials != NULL &&
            json_array_size(serials) < SERIALS_MAX) {
            (void)json_array_append_new(serials, json_string(doc_text(drive->doc, "serial")));
        }
    }
    return keys;
}

static void policies_set(const struct cli_context *context, json_t *args)
{
    static const struct {
        const char *option;
        const char *argument;
        const char *word;
    } flags[] = {{"wt", "write_policy", "write_through"},
                 {"wb", "write_policy", "write_back"},
                 {"awb", "write_policy", "always_write_back"},
                 {"nora", "read_policy", "no_read_ahead"},
                 {"ra", "read_policy", "read_ahead"},
                 {"adra", "read_policy", "adaptive_read_ahead"},
                 {"direct", "io_policy", "direct"},
                 {"cached", "io_policy", "cached"}};
    const char *drive_cache = option_value(context, "pdcache");
    const char *on_degrade = option_value(context, "ondegrade");

    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        if (option_has(context, flags[i].option)) {
            row_text(args, flags[i].argument, flags[i].word);
        }
    }
    if (drive_cache != NULL) {
        row_text(args, "drive_cache_policy", drive_cache);
    }
    if (on_degrade != NULL) {
        row_text(args, "degraded_policy",
                 strcasecmp(on_degrade, "wt") == 0 ? "write_through" : on_degrade);
    }
    (void)preset_put(context, args); /* for the rest of them */
}

/* Whole rows as the agent's planner counts them. */
bool change_size_round(struct cli_context *context, json_t *args, uint64_t size_bytes,
                       char text[REQUEST_TEXT_BYTES])
{
    struct client_answer answer;

    if (!client_ask(context->client, "query",
                    json_pack("{s:s, s:O}", "name", "preview_vd_create", "args", args), &answer,
                    context->failure)) {
        context->failed = true;
        return false;
    }
    uint64_t row_bytes = doc_u64(answer.result, "row_bytes");
    bool answered = answer.result != NULL;
    if (!answered) {
        (void)snprintf(text, REQUEST_TEXT_BYTES, "%s", doc_text(answer.reason, "text"));
    }
    json_decref(answer.result);
    json_decref(answer.reason);
    if (row_bytes != 0) {
        size_bytes = (size_bytes + row_bytes - 1) / row_bytes * row_bytes;
    }
    row_number(args, "size_bytes", size_bytes);
    return answered;
}

static json_t *args_make(struct cli_context *context, const struct vd_wish *wish,
                         char text[REQUEST_TEXT_BYTES])
{
    const char *name = option_value(context, "name");
    json_t *serials = json_array();
    json_t *drives =
        change_drive_keys(context->model, wish->places, wish->place_count, serials, text);
    json_t *spares = drives != NULL ? change_drive_keys(context->model, wish->spares,
                                                        wish->spare_count, serials, text)
                                    : NULL;

    if (drives == NULL || spares == NULL) {
        json_decref(serials);
        json_decref(drives);
        return NULL;
    }
    json_t *args = json_pack("{s:s, s:s, s:o, s:o}", "controller", cli_controller(context)->key,
                             "level", wish->level, "drives", drives, "spares", spares);
    if (option_has(context, "force")) {
        (void)json_object_set(args, "serials", serials);
        (void)json_object_set_new(args, "force", json_true());
    }
    json_decref(serials);
    if (name != NULL) {
        row_text(args, "name", name);
    }
    if (wish->strip_bytes != 0) {
        row_number(args, "strip_bytes", wish->strip_bytes);
    }
    if (wish->drives_per_span != 0) {
        row_number(args, "drives_per_span", wish->drives_per_span);
    }
    policies_set(context, args);
    if (wish->size_bytes != 0 && !change_size_round(context, args, wish->size_bytes, text)) {
        json_decref(args);
        return NULL;
    }
    return args;
}

/* One virtual drive. 0, or an error with text. */
static int vd_add(struct cli_context *context, const struct vd_wish *wish,
                  char text[REQUEST_TEXT_BYTES])
{
    json_t *args = args_make(context, wish, text);

    return args != NULL ? cli_execute(context, "vd_create", args, NULL, text) : CLI_ERROR_GENERIC;
}

/* "each": every drive becomes a RAID 0 of its own. Stops at the first that fails. */
static int vd_add_each(struct cli_context *context, const struct vd_wish *wish,
                       char text[REQUEST_TEXT_BYTES])
{
    static struct vd_wish one; /* large; one per run of the program */
    int error = 0;

    if (strcmp(wish->level, "raid0") != 0 || wish->spare_count > 0 ||
        option_value(context, "name") != NULL) {
        (void)refuse(text, "each makes a RAID 0 of every drive; it goes with r0 only, without "
                           "name= and spares=");
        return CLI_ERROR_GENERIC;
    }
    for (uint32_t i = 0; i < wish->place_count && error == 0; i++) {
        one = *wish;
        one.place_count = 1;
        one.places[0] = wish->places[i];
        error = vd_add(context, &one, text);
    }
    return error;
}

void change_vd_add(struct cli_context *context)
{
    static struct vd_wish wish; /* large; one per run of the program */
    char text[REQUEST_TEXT_BYTES] = "";
    int error = CLI_ERROR_GENERIC;

    memset(&wish, 0, sizeof(wish));
    if (wish_parse(context, &wish, text)) {
        error = option_has(context, "each") ? vd_add_each(context, &wish, text)
                                            : vd_add(context, &wish, text);
    }
    if (error == 0) {
        cli_answer(context, "Add VD Succeeded.", NULL);
    } else {
        cli_refuse(context, "Add VD Failed.", error, text);
    }
}

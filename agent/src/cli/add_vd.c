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
#define SERIALS_MAX (PLACES_MAX + 16u) /* of the drives and the spares a command takes */
#define VDS_MAX 16u /* of a drive group */

/* One or several virtual drives of one drive group. */
struct vd_wish {
    const char *level; /* "raid5" */
    const struct model_object *group; /* that exists already; NULL: a new one over the drives */
    uint32_t count;
    uint64_t sizes[VDS_MAX]; /* 0: all that is left */
    char names[VDS_MAX][80]; /* "": one is chosen */
    uint32_t place_count;
    struct cli_place places[PLACES_MAX];
    uint32_t spare_count;
    struct cli_place spares[PLACES_MAX];
    uint64_t strip_bytes;
    uint64_t drives_per_span;
};

static bool refuse(char text[REQUEST_TEXT_BYTES], const char *message)
{
    (void)snprintf(text, REQUEST_TEXT_BYTES, "%s", message);
    return false;
}

const char *cli_level_named(const char *word)
{
    static const struct {
        const char *option;
        const char *level;
    } levels[] = {{"r0", "raid0"},   {"r1", "raid1"},   {"r5", "raid5"},   {"r6", "raid6"},
                  {"r10", "raid10"}, {"r50", "raid50"}, {"r60", "raid60"}, {"r1e", "raid1e"}};

    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        if (strcasecmp(word, levels[i].level) == 0 || strcasecmp(word, levels[i].option) == 0) {
            return levels[i].level;
        }
    }
    return NULL;
}

/* "r5" as a word, or type=raid5 / type=r5; of these, one may be given */
static bool level_parse(const struct cli_context *context, struct vd_wish *wish)
{
    const char *type = option_value(context, "type");

    wish->level = type != NULL ? cli_level_named(type) : NULL;
    for (uint32_t i = 0; i < context->option_count && type == NULL && wish->level == NULL; i++) {
        char name[32];

        (void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(context->options[i].name, "|= "),
                       context->options[i].name);
        wish->level = cli_level_named(name);
    }
    return wish->level != NULL;
}

static bool number_option(const struct cli_context *context, const char *name, uint64_t *ret_number)
{
    return option_value(context, name) == NULL ||
           (option_number(context, name, ret_number) && *ret_number > 0 && *ret_number <= 1u << 20);
}

/* "20GB*3" stands for three of them. */
static bool size_take(struct vd_wish *wish, char *item)
{
    char *star = strchr(item, '*');
    char *end = NULL;
    unsigned long copies = 1;
    uint64_t bytes = 0;

    if (star != NULL) {
        *star = '\0';
        copies = star[1] >= '1' && star[1] <= '9' ? strtoul(star + 1, &end, 10) : 0;
    }
    if ((star != NULL && (copies == 0 || *end != '\0')) || copies > VDS_MAX - wish->count ||
        (strcasecmp(item, "remaining") != 0 && !cli_size_parse(item, &bytes)) ||
        (bytes == 0 && copies > 1)) {
        return false;
    }
    for (; copies > 0; copies--) {
        wish->sizes[wish->count++] = bytes;
    }
    return true;
}

/* "20GB,1TB,remaining": a virtual drive each. Nothing can come behind what takes all the rest. */
static bool sizes_parse(const char *typed, struct vd_wish *wish, char text[REQUEST_TEXT_BYTES])
{
    char list[REQUEST_TEXT_BYTES];

    if (typed == NULL) {
        wish->sizes[wish->count++] = 0;
        return true;
    }
    bool good = (size_t)snprintf(list, sizeof(list), "%s", typed) < sizeof(list);
    for (char *item = list, *next = NULL; good && item != NULL; item = next) {
        next = strchr(item, ',');
        if (next != NULL) {
            *next++ = '\0';
        }
        good = size_take(wish, item) && (next == NULL || wish->sizes[wish->count - 1] != 0);
    }
    return good || refuse(text, "size= must be a size such as 100GB, or all; for several virtual "
                                "drives of one drive group (16 at most) a list such as "
                                "100GB,1TB,remaining or 100GB*4");
}

static bool names_parse(const char *typed, struct vd_wish *wish, char text[REQUEST_TEXT_BYTES])
{
    uint32_t count = 0;

    while (typed != NULL && *typed != '\0') {
        size_t length = strcspn(typed, ",");

        if (count == wish->count) {
            return refuse(text, "name= has more names than size= has sizes");
        }
        /* One that is too long is too long for the agent as well. */
        (void)snprintf(wish->names[count++], sizeof(wish->names[0]), "%.*s", (int)length, typed);
        typed += length + (typed[length] == ',' ? 1 : 0);
    }
    return true;
}

/* How many of a drive group's places have a drive. */
static size_t group_drives(const struct model_object *group)
{
    const json_t *member;
    size_t index;
    size_t count = 0;

    json_array_foreach(json_object_get(group->doc, "members"), index, member)
    {
        count += !doc_is_null(member, "drive");
    }
    return count;
}

static bool is_repeated(const json_t *keys, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (json_equal(json_array_get(keys, i), json_array_get(keys, index))) {
            return true;
        }
    }
    return false;
}

/* The drive group of which all the drives were named; NULL: they are not those of one. */
static const struct model_object *group_of_drives(const struct model *model, const json_t *keys)
{
    const struct model_object *group = NULL;
    const json_t *key;
    size_t index;

    json_array_foreach(keys, index, key)
    {
        const struct model_object *drive =
            model_find(model, OBJECT_KIND_DRIVE, json_string_value(key));
        const struct model_object *own =
            model_find(model, OBJECT_KIND_DRIVE_GROUP, doc_text(drive->doc, "drive_group"));

        if (own == NULL || (group != NULL && own != group) || is_repeated(keys, index)) {
            return NULL;
        }
        group = own;
    }
    return group != NULL && json_array_size(keys) == group_drives(group) ? group : NULL;
}

/* What names a drive group that is there already; NULL: nothing does. */
static const char *group_option(const struct cli_context *context)
{
    return option_value(context, "drivegroup") != NULL ? "drivegroup"
           : option_value(context, "array") != NULL    ? "array"
           : option_value(context, "aftervd") != NULL  ? "aftervd"
                                                       : NULL;
}

static bool group_named(const struct cli_context *context, struct vd_wish *wish,
                        char text[REQUEST_TEXT_BYTES])
{
    const char *option = group_option(context);
    bool by_vd = strcmp(option, "aftervd") == 0;
    enum object_kind kind = by_vd ? OBJECT_KIND_VIRTUAL_DRIVE : OBJECT_KIND_DRIVE_GROUP;
    uint64_t number = 0;
    const struct model_object *object = option_number(context, option, &number)
                                            ? model_numbered(context->model, kind, number)
                                            : NULL;

    wish->group = by_vd && object != NULL ? model_find(context->model, OBJECT_KIND_DRIVE_GROUP,
                                                       doc_text(object->doc, "drive_group"))
                                          : object;
    return wish->group != NULL ||
           refuse(text,
                  by_vd ? "aftervd= must be the number of a virtual drive that is there"
                        : "drivegroup= (array=) must be the number of a drive group that is there");
}

/* The drive group the virtual drives are made in: the one that is named, or whose drives are. */
static bool group_parse(const struct cli_context *context, struct vd_wish *wish,
                        char text[REQUEST_TEXT_BYTES])
{
    if (group_option(context) != NULL && !group_named(context, wish, text)) {
        return false;
    }
    if (wish->place_count > 0) {
        json_t *keys =
            change_drive_keys(context->model, wish->places, wish->place_count, NULL, text);
        const struct model_object *group =
            keys != NULL ? group_of_drives(context->model, keys) : NULL;
        bool found = keys != NULL;

        json_decref(keys);
        if (!found) {
            return false;
        }
        if (wish->group != NULL && wish->group != group) {
            return refuse(text, "drives= and drivegroup= do not name the same drives");
        }
        wish->group = group;
    }
    if (wish->group != NULL && wish->spare_count > 0) {
        return refuse(text,
                      "spares= goes with a new drive group; for one that exists use /cX/eX/sX "
                      "add hotsparedrive dgs=N");
    }
    return true;
}

/* drives=, or the enclosure and the slots on their own. e= without a number is no enclosure;
 * without e= a slot is meant as in a list of bare numbers. NULL: no drives are named. */
static const char *drives_named(const struct cli_context *context, char list[REQUEST_TEXT_BYTES])
{
    const char *enclosure = option_value(context, "e");
    const char *slots = option_value(context, "s");

    if (slots == NULL || option_has(context, "drives")) {
        return option_value(context, "drives");
    }
    int length = snprintf(list, REQUEST_TEXT_BYTES, "%s%s%s", enclosure != NULL ? enclosure : "",
                          enclosure != NULL ? ":" : "", slots);

    return (size_t)length < REQUEST_TEXT_BYTES ? list : ""; /* no part of it, which names fewer */
}

static bool wish_parse(const struct cli_context *context, struct vd_wish *wish,
                       char text[REQUEST_TEXT_BYTES])
{
    char list[REQUEST_TEXT_BYTES];
    const char *drives = drives_named(context, list);
    const char *spares = option_value(context, "spares");
    const char *slots = option_value(context, "s");
    bool in_group = group_option(context) != NULL;

    if ((option_has(context, "s") && option_has(context, "drives")) ||
        (option_has(context, "e") && !option_has(context, "s"))) {
        return refuse(text, "e= goes with s=, and both with no drives=");
    }
    if (slots != NULL && strchr(slots, ':') != NULL) {
        return refuse(text, "s= names slots alone, for example e=252 s=0-3; the enclosure is e=");
    }
    if (!level_parse(context, wish)) {
        return refuse(text, "name one RAID level: r0, r1, r1e, r5, r6, r10, r50 or r60");
    }
    if (drives == NULL ? !in_group
                       : !places_parse(drives, wish->places, PLACES_MAX, &wish->place_count)) {
        return refuse(text, "drives= must name drives as enclosure:slot, for example "
                            "drives=252:0-3,5, or by their numbers outside the enclosures, for "
                            "example drives=:0-3");
    }
    if (spares != NULL && !places_parse(spares, wish->spares, PLACES_MAX, &wish->spare_count)) {
        return refuse(text, "spares= must name drives as drives= does, for example spares=252:6 or "
                            "spares=:6");
    }
    if (!sizes_parse(option_value(context, "size"), wish, text) ||
        !names_parse(option_value(context, "name"), wish, text)) {
        return false;
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

/* The drives of a new drive group; NULL with text. */
static json_t *args_over_drives(struct cli_context *context, const struct vd_wish *wish,
                                char text[REQUEST_TEXT_BYTES])
{
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
    if (wish->drives_per_span != 0) {
        row_number(args, "drives_per_span", wish->drives_per_span);
    }
    return args;
}

/* Of the virtual drive `number` of those that were asked for; NULL with text. */
static json_t *args_make(struct cli_context *context, const struct vd_wish *wish, uint32_t number,
                         char text[REQUEST_TEXT_BYTES])
{
    json_t *args = wish->group == NULL
                       ? args_over_drives(context, wish, text)
                       : json_pack("{s:s, s:s, s:s}", "controller", cli_controller(context)->key,
                                   "level", wish->level, "drive_group", wish->group->key);

    if (args == NULL) {
        return NULL;
    }
    if (wish->names[number][0] != '\0') {
        row_text(args, "name", wish->names[number]);
    }
    if (wish->strip_bytes != 0) {
        row_number(args, "strip_bytes", wish->strip_bytes);
    }
    policies_set(context, args);
    if (wish->sizes[number] != 0) {
        row_number(args, "size_bytes", wish->sizes[number]);
    }
    return args;
}

/* One virtual drive. 0, or an error with text. */
static int vd_add(struct cli_context *context, const struct vd_wish *wish, uint32_t number,
                  char text[REQUEST_TEXT_BYTES])
{
    json_t *args = args_make(context, wish, number, text);

    return args != NULL ? cli_execute(context, "vd_create", args, NULL, text) : CLI_ERROR_GENERIC;
}

/* Do all of them fit into a new drive group? Asked before the first is made. False with text. */
static bool sizes_fit(struct cli_context *context, const struct vd_wish *wish,
                      char text[REQUEST_TEXT_BYTES])
{
    struct vd_wish all = *wish;
    struct client_answer answer;
    uint64_t row_bytes = 0;
    uint64_t left_bytes = 0;
    bool fit = true;

    all.sizes[0] = 0;
    json_t *args = args_make(context, &all, 0, text);
    if (args == NULL) {
        return false;
    }
    if (!client_ask(context->client, "query",
                    json_pack("{s:s, s:o}", "name", "preview_vd_create", "args", args), &answer,
                    context->failure)) {
        context->failed = true;
        return false;
    }
    row_bytes = doc_u64(answer.result, "row_bytes");
    left_bytes = doc_u64(answer.result, "size_bytes");
    /* What cannot be planned at all is refused in the planner's words when it is made. */
    for (uint32_t i = 0; i < wish->count && doc_bool(answer.result, "ok") && row_bytes != 0; i++) {
        uint64_t bytes = wish->sizes[i] != 0
                             ? (wish->sizes[i] + row_bytes - 1) / row_bytes * row_bytes
                             : row_bytes;

        fit = fit && bytes <= left_bytes;
        left_bytes -= fit ? bytes : 0;
    }
    json_decref(answer.result);
    json_decref(answer.reason);
    return fit ||
           refuse(text, "the drives have no room for virtual drives of these sizes; none was "
                        "made");
}

/* The group that has just been made over the first drive. False with text. */
static bool group_made(struct cli_context *context, struct vd_wish *wish,
                       char text[REQUEST_TEXT_BYTES])
{
    if (!cli_picture_renew(context)) {
        return false;
    }
    wish->group = NULL;
    wish->spare_count = 0; /* they are made already */
    return group_parse(context, wish, text) &&
           (wish->group != NULL || refuse(text, "the new drive group is not there any more"));
}

/* All of them, one after the other. Stops at the first that fails, and says what was made. */
static int vds_add(struct cli_context *context, struct vd_wish *wish, char text[REQUEST_TEXT_BYTES])
{
    char why[REQUEST_TEXT_BYTES] = "";
    int error = CLI_ERROR_GENERIC;

    if (wish->count == 1) {
        return vd_add(context, wish, 0, text);
    }
    if (!sizes_fit(context, wish, text)) {
        return CLI_ERROR_GENERIC;
    }
    for (uint32_t i = 0; i < wish->count; i++) {
        error = i > 0 && !group_made(context, wish, why) ? CLI_ERROR_GENERIC
                                                         : vd_add(context, wish, i, why);
        if (error != 0) {
            (void)snprintf(text, REQUEST_TEXT_BYTES,
                           "%u of %u virtual drives were made, then: %.300s", i, wish->count, why);
            return error;
        }
    }
    return 0;
}

/* "each": every drive becomes a RAID 0 of its own. Stops at the first that fails. */
static int vd_add_each(struct cli_context *context, const struct vd_wish *wish,
                       char text[REQUEST_TEXT_BYTES])
{
    static struct vd_wish one; /* large; one per run of the program */
    int error = 0;

    if (strcmp(wish->level, "raid0") != 0 || wish->spare_count > 0 || wish->count > 1 ||
        wish->place_count == 0 || option_value(context, "name") != NULL) {
        (void)refuse(text, "each makes a RAID 0 of every drive; it goes with r0 and drives= only, "
                           "with one size and without name= and spares=");
        return CLI_ERROR_GENERIC;
    }
    for (uint32_t i = 0; i < wish->place_count && error == 0; i++) {
        one = *wish;
        one.place_count = 1;
        one.places[0] = wish->places[i];
        error = vd_add(context, &one, 0, text);
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
        if (option_has(context, "each")) {
            error = vd_add_each(context, &wish, text);
        } else if (group_parse(context, &wish, text)) {
            error = vds_add(context, &wish, text);
        }
    }
    if (error == 0) {
        cli_answer(context, "Add VD Succeeded.", NULL);
    } else {
        cli_refuse(context, "Add VD Failed.", error, text);
    }
}

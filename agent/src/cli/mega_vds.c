/*
 * Virtual drives as MegaCLI shows them: -LDInfo and what is near it.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/mega.h"
#include "cli/rows.h"

#define CACHE_BYTES 128u

static const char *level_text(const json_t *vd)
{
    static const struct {
        const char *level, *shown;
    } levels[] = {{"raid0", "Primary-0, Secondary-0, RAID Level Qualifier-0"},
                  {"raid1", "Primary-1, Secondary-0, RAID Level Qualifier-0"},
                  {"raid5", "Primary-5, Secondary-0, RAID Level Qualifier-3"},
                  {"raid6", "Primary-6, Secondary-0, RAID Level Qualifier-3"},
                  {"raid10", "Primary-1, Secondary-3, RAID Level Qualifier-0"},
                  {"raid1e", "Primary-17, Secondary-0, RAID Level Qualifier-1"},
                  {"raid50", "Primary-5, Secondary-3, RAID Level Qualifier-3"},
                  {"raid60", "Primary-6, Secondary-3, RAID Level Qualifier-3"}};

    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        if (strcmp(doc_text(vd, "level"), levels[i].level) == 0) {
            return levels[i].shown;
        }
    }
    return doc_text(vd, "level");
}

static const char *state_text(const json_t *vd)
{
    static const struct {
        const char *state, *shown;
    } states[] = {{"optimal", "Optimal"},
                  {"partially_degraded", "Partially Degraded"},
                  {"degraded", "Degraded"}};

    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
        if (strcmp(doc_text(vd, "state"), states[i].state) == 0) {
            return states[i].shown;
        }
    }
    return "Offline";
}

static const char *access_text(const char *access)
{
    return strcmp(access, "read_write") == 0  ? "Read/Write"
           : strcmp(access, "read_only") == 0 ? "Read Only"
                                              : "Blocked";
}

/* "WriteBack, ReadAhead, Direct, No Write Cache if Bad BBU", of what is asked for or of what holds.
 */
static void cache_text(const json_t *vd, const char *which, char out[CACHE_BYTES])
{
    const json_t *write = json_object_get(vd, "write_policy");
    const char *held = doc_text(write, which);
    const char *read = doc_text(json_object_get(vd, "read_policy"), which);
    bool always = strcmp(doc_text(write, "requested"), "always_write_back") == 0;

    (void)snprintf(out, CACHE_BYTES, "%s, %s, %s, %s",
                   strcmp(held, "write_through") == 0 ? "WriteThrough" : "WriteBack",
                   strcmp(read, "no_read_ahead") == 0         ? "ReadAheadNone"
                   : strcmp(read, "adaptive_read_ahead") == 0 ? "ReadAdaptive"
                                                              : "ReadAhead",
                   strcmp(doc_text(vd, "io_policy"), "cached") == 0 ? "Cached" : "Direct",
                   always ? "Write Cache OK if Bad BBU" : "No Write Cache if Bad BBU");
}

/* What redundancy takes: all drives without the data. */
static void redundancy_print(const json_t *vd)
{
    uint64_t size = doc_u64(vd, "size_bytes");
    uint64_t span_drives = doc_u64(vd, "drives_per_span");
    const char *level = doc_text(vd, "level");
    bool mirror = word_is_one_of(level, "raid1|raid10|raid1e");
    uint64_t parity = word_is_one_of(level, "raid5|raid50")   ? 1
                      : word_is_one_of(level, "raid6|raid60") ? 2
                                                              : 0;
    char text[FORMAT_BYTES];

    if (mirror) {
        (void)printf("Mirror Data         : %s\n", mega_size(size, text));
    } else {
        (void)printf(
            "Parity Size         : %s\n",
            mega_size(span_drives > parity ? size / (span_drives - parity) * parity : 0, text));
    }
}

static const char *work_name(const json_t *operation)
{
    const char *kind = doc_text(operation, "kind");

    return strcmp(kind, "background_init") == 0     ? "Background Initialization"
           : strcmp(kind, "consistency_check") == 0 ? "Check Consistency"
           : strcmp(kind, "resync") == 0            ? "Check Consistency"
                                                    : NULL;
}

static unsigned minutes_taken(const json_t *operation)
{
    uint64_t started_s = doc_u64(operation, "started_at_us") / 1000000;
    uint64_t now_s = (uint64_t)time(NULL);

    return now_s > started_s ? (unsigned)((now_s - started_s) / 60) : 0;
}

static void work_print(const struct model *model, const struct model_object *vd)
{
    const struct model_object *running = model_operation(model, vd->key);
    const char *name = running != NULL ? work_name(running->doc) : NULL;

    if (name != NULL) {
        (void)printf("Ongoing Progresses:\n  %-25s: Completed %u%%, Taken %u min.\n", name,
                     operation_percent(running->doc), minutes_taken(running->doc));
    }
}

/* Hot spares that are dedicated to the drive group. */
static void spares_print(const struct model *model, const json_t *vd)
{
    const struct model_list *drives = &model->lists[OBJECT_KIND_DRIVE];
    const struct model_object *spares[64];
    uint32_t count = 0;

    for (uint32_t i = 0; i < drives->count && count < 64; i++) {
        if (spare_is_dedicated(drives->items[i].doc, doc_text(vd, "drive_group"))) {
            spares[count++] = &drives->items[i];
        }
    }
    if (count > 0) {
        (void)printf("Number of Dedicated Hot Spares: %u\n", count);
    }
    for (uint32_t i = 0; i < count; i++) {
        char place[32] = "N/A";

        if (!doc_is_null(spares[i]->doc, "eid")) {
            (void)snprintf(place, sizeof(place), "%llu",
                           (unsigned long long)doc_u64(spares[i]->doc, "eid"));
        }
        (void)printf("    %u : EnclId - %s SlotId - %llu \n", i, place,
                     (unsigned long long)drive_number(spares[i]->doc));
    }
}

static void layout_print(const struct model *model, const struct model_object *vd,
                         const json_t *properties)
{
    uint64_t spans = doc_u64(vd->doc, "span_count");
    json_t *row = vd_row(model, vd->doc);
    char text[FORMAT_BYTES];
    char size[FORMAT_BYTES];

    (void)printf("Name                :%s\n", mega_cell(row, "Name", text));
    (void)printf("RAID Level          : %s\n", level_text(vd->doc));
    (void)printf("Size                : %s\n", mega_size_text(mega_cell(row, "Size", text), size));
    (void)printf("Sector Size         : %llu\n",
                 (unsigned long long)doc_u64(vd->doc, "block_bytes"));
    (void)printf("Is VD emulated      : %s\n", mega_cell(properties, "VD has Emulated PD", text));
    redundancy_print(vd->doc);
    (void)printf("State               : %s\n", state_text(vd->doc));
    (void)printf("Strip Size          : %s\n", mega_size(doc_u64(vd->doc, "strip_bytes"), text));
    (void)printf(spans > 1 ? "Number Of Drives per span:%llu\n" : "Number Of Drives    : %llu\n",
                 (unsigned long long)doc_u64(vd->doc, "drives_per_span"));
    (void)printf("Span Depth          : %llu\n", (unsigned long long)spans);
    json_decref(row);
}

static void policies_print(const json_t *vd, const json_t *properties)
{
    const json_t *access = json_object_get(vd, "effective_access");
    char requested[CACHE_BYTES];
    char holds[CACHE_BYTES];
    char text[FORMAT_BYTES];

    cache_text(vd, "requested", requested);
    cache_text(vd, "effective", holds);
    (void)printf("Default Cache Policy: %s\nCurrent Cache Policy: %s\n", requested, holds);
    (void)printf("Default Access Policy: %s\nCurrent Access Policy: %s\n",
                 access_text(doc_text(vd, "access")),
                 access_text(json_is_object(access) ? doc_text(access, "effective")
                                                    : doc_text(vd, "access")));
    (void)printf("Disk Cache Policy   : %s\n", mega_cell(properties, "Disk Cache Policy", text));
}

void mega_vd_print(const struct model *model, const struct model_object *vd)
{
    json_t *properties = vd_properties(model, vd);
    uint64_t index = doc_u64(vd->doc, "index");
    char text[FORMAT_BYTES];

    (void)printf("Virtual Drive: %llu (Target Id: %llu)\n", (unsigned long long)index,
                 (unsigned long long)index);
    layout_print(model, vd, properties);
    policies_print(vd->doc, properties);
    work_print(model, vd);
    (void)printf("Encryption Type     : %s\n", mega_cell(properties, "Encryption", text));
    (void)printf("Bad Blocks Exist: %s\nPI type: No PI\n\nIs VD Cached: No\n",
                 doc_u64(vd->doc, "bad_block_count") > 0 ? "Yes" : "No");
    spares_print(model, vd->doc);
    json_decref(properties);
}

/* Those of the adapter that were named; how many. */
static uint32_t vds_each(struct cli_context *context, const struct mega_request *request,
                         void (*visit)(const struct model *, const struct model_object *))
{
    const struct model_list *vds = &context->model->lists[OBJECT_KIND_VIRTUAL_DRIVE];
    uint32_t count = 0;

    for (uint32_t i = 0; i < vds->count; i++) {
        if (!request->has_vds || numbers_have(&request->vds, doc_u64(vds->items[i].doc, "index"))) {
            visit(context->model, &vds->items[i]);
            count++;
        }
    }
    return count;
}

static void vd_info_visit(const struct model *model, const struct model_object *vd)
{
    mega_vd_print(model, vd);
    (void)fputs("\n\n", stdout);
}

/* What is still starting is no virtual drive that is missing, and none that is gone. */
static int none_print(struct cli_context *context, const struct mega_request *request)
{
    bool all = !request->has_vds || request->vds.all;
    bool starting = context->model->starting;

    (void)printf("\nAdapter %d: %s\n", context->number,
                 starting ? "Virtual drives are still starting."
                 : all    ? "No Virtual Drive Configured."
                          : "Virtual Drive does not exist.");
    return all && !starting ? 0 : 1;
}

int mega_vds_show(struct cli_context *context, const struct mega_request *request)
{
    const struct model_list *vds = &context->model->lists[OBJECT_KIND_VIRTUAL_DRIVE];
    bool any = false;

    for (uint32_t i = 0; i < vds->count; i++) {
        any = any || !request->has_vds ||
              numbers_have(&request->vds, doc_u64(vds->items[i].doc, "index"));
    }
    if (!any) {
        return none_print(context, request);
    }
    (void)printf("\n\nAdapter %d -- Virtual Drive Information:\n", context->number);
    (void)vds_each(context, request, vd_info_visit);
    return 0;
}

int mega_vds_count(struct cli_context *context, const struct mega_request *request UNUSED)
{
    (void)printf("\n Number of Virtual Drives Configured on Adapter %d: %u\n", context->number,
                 context->model->lists[OBJECT_KIND_VIRTUAL_DRIVE].count);
    return 0;
}

/* The members of one span, in the order of their rows. */
static void span_print(const struct model *model, const json_t *members, uint64_t span)
{
    const json_t *member;
    size_t index;
    unsigned count = 0;

    json_array_foreach(members, index, member)
    {
        count += doc_u64(member, "span") == span;
    }
    (void)printf("Span: %llu - Number of PDs: %u\n\n", (unsigned long long)span, count);
    count = 0;
    json_array_foreach(members, index, member)
    {
        const struct model_object *drive =
            model_find(model, OBJECT_KIND_DRIVE, doc_text(member, "drive"));

        if (doc_u64(member, "span") != span) {
            continue;
        }
        (void)printf("PD: %u Information\n", count++);
        if (drive != NULL && doc_bool(drive->doc, "present")) {
            mega_drive_print(model, drive);
        }
        (void)fputs("\n\n", stdout);
    }
}

static void vd_drives_visit(const struct model *model, const struct model_object *vd)
{
    const struct model_object *group =
        model_find(model, OBJECT_KIND_DRIVE_GROUP, doc_text(vd->doc, "drive_group"));
    uint64_t spans = doc_u64(vd->doc, "span_count");

    mega_vd_print(model, vd);
    (void)printf("Number of Spans: %llu\n", (unsigned long long)spans);
    for (uint64_t i = 0; group != NULL && i < spans; i++) {
        span_print(model, json_object_get(group->doc, "members"), i);
    }
}

int mega_vds_drives_show(struct cli_context *context, const struct mega_request *request)
{
    (void)printf("\nAdapter #%d\n\nNumber of Virtual Disks: %u\n", context->number,
                 context->model->lists[OBJECT_KIND_VIRTUAL_DRIVE].count);
    (void)vds_each(context, request, vd_drives_visit);
    return 0;
}

int mega_vd_property_show(struct cli_context *context, const struct mega_request *request)
{
    const struct model_list *vds = &context->model->lists[OBJECT_KIND_VIRTUAL_DRIVE];

    for (uint32_t i = 0; i < vds->count; i++) {
        const json_t *vd = vds->items[i].doc;
        char value[160];
        char cache[CACHE_BYTES];
        char text[FORMAT_BYTES];

        if (request->has_vds && !numbers_have(&request->vds, doc_u64(vd, "index"))) {
            continue;
        }
        if (mega_word(request, "Name")) {
            (void)snprintf(value, sizeof(value), "Name: %s", doc_text(vd, "name"));
        } else if (mega_word(request, "Access")) {
            (void)snprintf(value, sizeof(value), "Access Policy: %s",
                           access_text(doc_text(vd, "access")));
        } else if (mega_word(request, "DskCache")) {
            json_t *properties = vd_properties(context->model, &vds->items[i]);

            (void)snprintf(value, sizeof(value), "Disk Write Cache : %s",
                           mega_cell(properties, "Disk Cache Policy", text));
            json_decref(properties);
        } else {
            cache_text(vd, "effective", cache);
            (void)snprintf(value, sizeof(value), "Cache Policy:%s", cache);
        }
        (void)printf("\nAdapter %d-VD %llu(target id: %llu): %s\n", context->number,
                     (unsigned long long)doc_u64(vd, "index"),
                     (unsigned long long)doc_u64(vd, "index"), value);
    }
    return 0;
}

int mega_vd_work_show(struct cli_context *context, const struct mega_request *request)
{
    const struct model_list *vds = &context->model->lists[OBJECT_KIND_VIRTUAL_DRIVE];
    bool check = word_is_one_of(request->verb, "LDCC");
    const char *name = check ? "Check Consistency" : "Background Initialization";

    for (uint32_t i = 0; i < vds->count; i++) {
        uint64_t index = doc_u64(vds->items[i].doc, "index");
        const struct model_object *running = model_operation(context->model, vds->items[i].key);
        const char *found = running != NULL ? work_name(running->doc) : NULL;

        if (request->has_vds && !numbers_have(&request->vds, index)) {
            continue;
        }
        if (found != NULL && strcmp(found, name) == 0) {
            (void)printf("\n%s on VD #%llu (target id #%llu) Completed %u%% in %u Minutes.\n", name,
                         (unsigned long long)index, (unsigned long long)index,
                         operation_percent(running->doc), minutes_taken(running->doc));
        } else {
            (void)printf("\n%s on VD #%llu (target id #%llu) is not in Progress.\n", name,
                         (unsigned long long)index, (unsigned long long)index);
        }
    }
    return 0;
}

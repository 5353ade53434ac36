/*
 * What a preview says in words: tolerance, warnings, the same as a CLI command, and the
 * fingerprint by which a creation recognizes its preview.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/sha256.h"
#include "ctl/ctl_private.h"

void preview_tolerance(const struct geometry *geometry, char *out, size_t capacity)
{
    uint32_t tolerance = geometry_span_tolerance(geometry);
    const char *each = geometry->level == RAID_LEVEL_10 ? "mirror" : "span";

    if (tolerance == 0) {
        (void)snprintf(out, capacity, "No drive may fail.");
    } else if (raid_level_info(geometry->level)->adjacent_pairs) {
        (void)snprintf(out, capacity, "Any one drive may fail%s",
                       geometry->members_per_span > 3 ? ", and others that are not its neighbors."
                                                      : ".");
    } else if (geometry->span_count == 1) {
        (void)snprintf(out, capacity,
                       tolerance == 1 ? "Any one drive may fail." : "Any %u drives may fail.",
                       tolerance);
    } else if (tolerance == 1) {
        (void)snprintf(out, capacity, "Any one drive may fail, and one in every other %s as well.",
                       each);
    } else {
        (void)snprintf(out, capacity, "Any %u drives may fail, and %u in every other %s as well.",
                       tolerance, tolerance, each);
    }
}

/* Warnings */

static bool models_differ(const struct creation *creation)
{
    for (uint32_t i = 1; i < creation->drive_count; i++) {
        if (strcmp(creation->drives[i]->identity.model, creation->drives[0]->identity.model) != 0) {
            return true;
        }
    }
    return false;
}

/* Would any spare, given with the command or there already, serve these drives? */
static bool spare_would_serve(const struct ctl *ctl, const struct creation *creation)
{
    if (creation->spare_count > 0) {
        return true;
    }
    LIST_FOR_EACH (node, &ctl->drives) {
        const struct ctl_drive *cd = list_entry(node, const struct ctl_drive, link);

        if (creation->group != NULL
                ? spare_serves(cd, creation->group)
                : cd->spare && cd->spare_group_count == 0 && cd->present &&
                      cd->block_bytes <= creation->vd.geometry.block_bytes &&
                      cd->identity.media == creation->drives[0]->identity.media &&
                      cd_room_bytes(cd) >= creation->vd.geometry.extent_bytes) {
            return true;
        }
    }
    return false;
}

static void warn_of_drive(const struct ctl_drive *cd, struct ctl_preview *preview)
{
    struct reason reason;
    char path[PATH_TEXT_BYTES];
    char count[24];
    uint64_t errors = 0;

    drive_path(cd, path, sizeof(path));
    if (cd->drive != NULL) {
        const struct drive_counters *counters = drive_counters(cd->drive);

        errors = counters->media_errors + counters->other_errors + counters->timeouts;
    }
    if (errors > 0) {
        (void)snprintf(count, sizeof(count), "%llu", (unsigned long long)errors);
        reason_set(&reason, REASON_WARNING_DRIVE_ERRORS, "drive", path, "count", count, NULL);
        preview_warn(preview, &reason);
    }
    if (cd->signature[0] != '\0' && cd->group == NULL) {
        reason_set(&reason, REASON_WARNING_DATA_DESTROYED, "drive", path, "signature",
                   cd->signature, NULL);
        preview_warn(preview, &reason);
    }
}

void preview_warnings(const struct ctl *ctl, const struct creation *creation,
                      struct ctl_preview *preview)
{
    struct reason reason;
    char wasted[24];

    if (geometry_span_tolerance(&creation->vd.geometry) == 0) {
        reason_set(&reason, REASON_WARNING_NO_REDUNDANCY, NULL);
        preview_warn(preview, &reason);
    } else if (creation->drive_count > 0 && !spare_would_serve(ctl, creation)) {
        reason_set(&reason, REASON_WARNING_NO_SPARE, NULL);
        preview_warn(preview, &reason);
    }
    if (preview->wasted_bytes > 0) {
        (void)snprintf(wasted, sizeof(wasted), "%llu", (unsigned long long)preview->wasted_bytes);
        reason_set(&reason, REASON_WARNING_SIZES_DIFFER, "wasted_bytes", wasted, NULL);
        preview_warn(preview, &reason);
    }
    if (models_differ(creation)) {
        reason_set(&reason, REASON_WARNING_MODELS_DIFFER, NULL);
        preview_warn(preview, &reason);
    }
    for (uint32_t i = 0; i < creation->drive_count; i++) {
        warn_of_drive(creation->drives[i], preview);
    }
}

/* The same as a CLI command */

struct text_out {
    char *text;
    size_t capacity;
    size_t used;
    bool cut;
};

static void out_add(struct text_out *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A line that does not fit is given up in the end: what is left of it would be another command. */
static void out_add(struct text_out *out, const char *format, ...)
{
    va_list list;
    int length = 0;

    va_start(list, format);
    length = vsnprintf(out->text + out->used, out->capacity - out->used, format, list);
    va_end(list);
    ASSERT(length >= 0);
    out->used += (size_t)length;
    if (out->used >= out->capacity) {
        out->used = out->capacity - 1;
        out->cut = true;
    }
}

static bool drive_follows(const struct ctl_drive *a, const struct ctl_drive *b)
{
    return a->identity.eid == b->identity.eid &&
           drive_address_number(b) == drive_address_number(a) + 1;
}

/* 252:0-3,5,:7-8, the last two outside all enclosures; in the order of the members. */
static void out_drives(struct text_out *out, struct ctl_drive *const *drives, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t eid = drives[i]->identity.eid;
        uint32_t last = i;

        while (last + 1 < count && drive_follows(drives[last], drives[last + 1])) {
            last++;
        }
        out_add(out, "%s", i > 0 ? "," : "");
        if ((i == 0 || drives[i - 1]->identity.eid != eid) && eid == EID_NONE) {
            out_add(out, ":");
        } else if (i == 0 || drives[i - 1]->identity.eid != eid) {
            out_add(out, "%u:", eid);
        }
        out_add(out, "%u", drive_address_number(drives[i]));
        if (last > i) {
            out_add(out, "-%u", drive_address_number(drives[last]));
        }
        i = last;
    }
}

static const char *write_policy_cli(enum write_policy policy)
{
    switch (policy) {
    case WRITE_POLICY_WRITE_THROUGH:
        return "wt";
    case WRITE_POLICY_WRITE_BACK:
        return "wb";
    case WRITE_POLICY_ALWAYS_WRITE_BACK:
        return "awb";
    case WRITE_POLICY_MAX:
        break;
    }
    UNREACHABLE();
}

static void out_policies(struct text_out *out, const struct vd_config *vd)
{
    out_add(out, " %s %s %s", write_policy_cli(vd->write_policy),
            vd->read_policy == READ_POLICY_NO_READ_AHEAD ? "nora" : "ra",
            vd->io_policy == IO_POLICY_DIRECT ? "direct" : "cached");
    if (vd->drive_cache_policy != DRIVE_CACHE_POLICY_DEFAULT) {
        out_add(out, " pdcache=%s", drive_cache_policy_word(vd->drive_cache_policy));
    }
    if (vd->degraded_policy != DEGRADED_POLICY_KEEP) {
        out_add(out, " ondegrade=wt");
    }
}

static void out_size(struct text_out *out, const struct vd_config *vd, bool all)
{
    uint64_t kib = vd->size_bytes / 1024;

    if (all) {
        out_add(out, " size=all");
    } else if (kib % 1024 == 0) {
        out_add(out, " size=%llumb", (unsigned long long)(kib / 1024));
    } else {
        out_add(out, " size=%llukb", (unsigned long long)kib);
    }
}

void preview_cli(const struct ctl *ctl, const struct command_vd_create *args,
                 const struct creation *creation, bool all, char *text, size_t capacity)
{
    const struct geometry *geometry = &creation->vd.geometry;
    struct text_out out = {.text = text, .capacity = capacity};
    const char *level = raid_level_info(geometry->level)->adjacent_pairs
                            ? "1e"
                            : raid_level_info(geometry->level)->name + 4;

    ASSERT(capacity > 0);
    out_add(&out, "arrayctl /c%u add vd type=r%s", ctl->options.index, level);
    out_size(&out, &creation->vd, all);
    out_add(&out, " name=%s", creation->vd.name);
    if (creation->group != NULL) {
        out_add(&out, " drivegroup=%u", cg_config(creation->group)->index);
    } else {
        out_add(&out, " drives=");
        out_drives(&out, creation->drives, creation->drive_count);
        if (geometry->span_count > 1 ||
            (geometry->level == RAID_LEVEL_1 && geometry->members_per_span > 2)) {
            out_add(&out, " pdperarray=%u", geometry->members_per_span);
        }
    }
    out_policies(&out, &creation->vd);
    out_add(&out, " strip=%u", geometry->strip_bytes / 1024);
    if (creation->spare_count > 0) {
        out_add(&out, " spares=");
        out_drives(&out, creation->spares, creation->spare_count);
    }
    if (args->force) {
        out_add(&out, " force");
    }
    if (out.cut) {
        text[0] = '\0';
    }
}

/* The fingerprint: everything that decides what would be built and destroyed. */

static void digest_add(struct sha256 *sha, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void digest_add(struct sha256 *sha, const char *format, ...)
{
    char line[400];
    va_list list;
    int length = 0;

    va_start(list, format);
    length = vsnprintf(line, sizeof(line), format, list);
    va_end(list);
    ASSERT(length > 0 && (size_t)length < sizeof(line));
    sha256_add(sha, line, (size_t)length + 1);
}

static void digest_drives(struct sha256 *sha, const char *what, struct ctl_drive *const *drives,
                          uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct ctl_drive *cd = drives[i];

        digest_add(sha, "%s %s rev=%llu usable=%llu block=%u signature=%s", what, cd->object.key,
                   (unsigned long long)cd->object.config_rev,
                   (unsigned long long)cd_usable_bytes(cd), cd->block_bytes, cd->signature);
    }
}

void preview_digest(const struct creation *creation, const struct command_vd_create *args,
                    char out[65])
{
    const struct vd_config *vd = &creation->vd;
    const struct geometry *geometry = &vd->geometry;
    struct sha256 sha;

    sha256_init(&sha);
    digest_add(&sha, "level=%u spans=%u members=%u strip=%u block=%u extent=%llu start=%llu",
               (unsigned)geometry->level, geometry->span_count, geometry->members_per_span,
               geometry->strip_bytes, geometry->block_bytes,
               (unsigned long long)geometry->extent_bytes,
               (unsigned long long)vd->extent_start_bytes);
    digest_add(&sha, "size=%llu name=%s policies=%u,%u,%u,%u,%u",
               (unsigned long long)vd->size_bytes, args->name, (unsigned)vd->write_policy,
               (unsigned)vd->read_policy, (unsigned)vd->io_policy, (unsigned)vd->drive_cache_policy,
               (unsigned)vd->degraded_policy);
    if (creation->group != NULL) {
        digest_add(&sha, "group=%s", creation->group->object.key);
    }
    digest_drives(&sha, "drive", creation->drives,
                  creation->group == NULL ? creation->drive_count : 0);
    digest_drives(&sha, "spare", creation->spares, creation->spare_count);
    sha256_hex(&sha, out);
}

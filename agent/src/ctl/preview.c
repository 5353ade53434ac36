/*
 * The planner of creations: what a vd_create would do, or every reason why not. Pure: it looks
 * at the controller and changes nothing; ctl_preview() and the command both go through it.
 *
 * Sizes: every member gives an extent that starts on a whole MiB and is a multiple of the
 * strip. A new group takes the smallest usable size of its drives; an existing one its first
 * gap that fits (for "all": its largest). A given size is rounded down to whole rows, as
 * MegaRAID does.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/checked.h"
#include "ctl/undo_damage.h"
#include "ctl/vd_policies.h"

void preview_refuse(struct ctl_preview *preview, const struct reason *reason)
{
    preview->ok = false;
    for (uint32_t i = 0; i < preview->refusal_count; i++) {
        if (reason_equal(&preview->refusals[i], reason)) {
            return;
        }
    }
    if (preview->refusal_count < sizeof(preview->refusals) / sizeof(preview->refusals[0])) {
        preview->refusals[preview->refusal_count++] = *reason;
    }
}

void preview_warn(struct ctl_preview *preview, const struct reason *reason)
{
    if (preview->warning_count < sizeof(preview->warnings) / sizeof(preview->warnings[0])) {
        preview->warnings[preview->warning_count++] = *reason;
    }
}

static void refuse_number(struct ctl_preview *preview, enum reason_code code, const char *level,
                          const char *limit_name, uint32_t limit, uint32_t given)
{
    struct reason reason;
    char limit_text[16];
    char given_text[16];

    (void)snprintf(limit_text, sizeof(limit_text), "%u", limit);
    (void)snprintf(given_text, sizeof(given_text), "%u", given);
    reason_set(&reason, code, "level", level, limit_name, limit_text, "given", given_text, NULL);
    preview_refuse(preview, &reason);
}

static void refuse_plain(struct ctl_preview *preview, enum reason_code code)
{
    struct reason reason;

    reason_set(&reason, code, NULL);
    preview_refuse(preview, &reason);
}

static void refuse_text(struct ctl_preview *preview, enum reason_code code, const char *name,
                        const char *value)
{
    struct reason reason;

    reason_set(&reason, code, name, value, NULL);
    preview_refuse(preview, &reason);
}

static void refuse_argument(struct ctl_preview *preview, const char *field, const char *problem)
{
    struct reason reason;

    reason_set(&reason, REASON_INVALID_ARGUMENT, "field", field, "problem", problem, NULL);
    preview_refuse(preview, &reason);
}

/* Drives */

static bool serial_is_given(const struct command_vd_create *args, const struct ctl_drive *cd)
{
    for (uint32_t i = 0; i < args->serial_count && i < COMMAND_SERIALS_MAX; i++) {
        if (cd_has_serial(cd, args->serials[i])) {
            return true;
        }
    }
    return false;
}

static struct ctl_drive *drive_pick(struct ctl *ctl, const struct command_vd_create *args,
                                    const char *key, struct ctl_preview *preview)
{
    struct ctl_drive *cd = drive_by_key(ctl, key);
    struct reason reason;

    if (cd == NULL) {
        refuse_text(preview, REASON_DRIVE_GONE, "drive", key);
        return NULL;
    }
    if (!rule_drive_for_use(cd, LIFE_CREATE, args->force, serial_is_given(args, cd), &reason)) {
        preview_refuse(preview, &reason);
    }
    return cd;
}

static void repeated_check(struct ctl_drive *const *drives, uint32_t count,
                           const struct ctl_drive *cd, struct ctl_preview *preview)
{
    char path[PATH_TEXT_BYTES];

    for (uint32_t i = 0; i < count; i++) {
        if (drives[i] == cd) {
            drive_path(cd, path, sizeof(path));
            refuse_text(preview, REASON_DRIVE_REPEATED, "drive", path);
        }
    }
}

static void drives_collect(struct ctl *ctl, const struct command_vd_create *args,
                           struct creation *creation, struct ctl_preview *preview)
{
    for (uint32_t i = 0; i < args->drive_count && i < COMMAND_DRIVES_MAX; i++) {
        struct ctl_drive *cd = drive_pick(ctl, args, args->drives[i], preview);

        if (cd != NULL) {
            repeated_check(creation->drives, creation->drive_count, cd, preview);
            creation->drives[creation->drive_count++] = cd;
        }
    }
    for (uint32_t i = 0; i < args->spare_count && i < COMMAND_SPARES_MAX; i++) {
        struct ctl_drive *cd = drive_pick(ctl, args, args->spares[i], preview);

        if (cd != NULL) {
            repeated_check(creation->drives, creation->drive_count, cd, preview);
            repeated_check(creation->spares, creation->spare_count, cd, preview);
            creation->spares[creation->spare_count++] = cd;
        }
    }
}

static void drives_mix_check(const struct creation *creation, const struct ctl_drive *cd,
                             struct ctl_preview *preview)
{
    const struct ctl_drive *first = creation->drives[0];
    struct reason reason;
    char one[16];
    char two[16];

    if (cd->block_bytes != first->block_bytes) {
        (void)snprintf(one, sizeof(one), "%u", first->block_bytes);
        (void)snprintf(two, sizeof(two), "%u", cd->block_bytes);
        reason_set(&reason, REASON_MIXED_SECTOR_SIZES, "first", one, "second", two, NULL);
        preview_refuse(preview, &reason);
    }
    if (!drives_may_mix(first, cd, &reason)) {
        preview_refuse(preview, &reason);
    }
}

/* Shape */

/* Whether `raid1` means RAID 10 here: four drives and more, unless one mirror is asked for. */
static enum raid_level level_wanted(const struct command_vd_create *args,
                                    const struct ctl_group *cg)
{
    if (args->level != RAID_LEVEL_1) {
        return args->level;
    }
    if (cg != NULL) {
        return cg_config(cg)->vds[0].geometry.level == RAID_LEVEL_10 ? RAID_LEVEL_10 : RAID_LEVEL_1;
    }
    if (args->drive_count >= 4 && args->drives_per_span != args->drive_count) {
        return RAID_LEVEL_10;
    }
    return RAID_LEVEL_1;
}

static void spans_set(const struct command_vd_create *args, struct creation *creation,
                      struct ctl_preview *preview)
{
    struct geometry *geometry = &creation->vd.geometry;
    const struct raid_level_info *info = raid_level_info(geometry->level);
    struct level_rule_view rule;
    uint32_t given = args->drive_count;
    uint32_t per_span = args->drives_per_span;

    level_rule(geometry->level, &rule);
    if (per_span == 0) {
        per_span = info->striped_spans ? rule.drives_per_span_default : given;
    }
    if (given < rule.drives_min) {
        refuse_number(preview, REASON_TOO_FEW_DRIVES, info->name, "minimum", rule.drives_min,
                      given);
        return;
    }
    if (given > rule.drives_max || per_span > info->span_members_max) {
        refuse_number(preview, REASON_TOO_MANY_DRIVES, info->name, "maximum",
                      given > rule.drives_max ? rule.drives_max : info->span_members_max, given);
        return;
    }
    if (!info->striped_spans && per_span != given) {
        refuse_argument(preview, "drives_per_span",
                        "this level has one span, which takes all the drives");
        return;
    }
    if (info->mirrored && !info->adjacent_pairs && args->drives_per_span == 0 && given % 2 != 0) {
        refuse_number(preview, REASON_DRIVE_COUNT_MULTIPLE, info->name, "multiple", 2, given);
        return;
    }
    if (per_span < info->span_members_min || given % per_span != 0) {
        refuse_number(preview, REASON_DRIVE_COUNT_MULTIPLE, info->name, "multiple",
                      max_u32(per_span, info->span_members_min), given);
        return;
    }
    geometry->members_per_span = per_span;
    geometry->span_count = given / per_span;
    if (geometry->span_count > info->spans_max) {
        refuse_number(preview, REASON_TOO_MANY_DRIVES, info->name, "maximum",
                      info->spans_max * per_span, given);
    } else if (geometry->span_count < info->spans_min) {
        refuse_number(preview, REASON_TOO_FEW_DRIVES, info->name, "minimum",
                      info->spans_min * per_span, given);
    }
}

static void refuse_strip(const struct controller_profile *profile, uint32_t strip_bytes,
                         struct ctl_preview *preview)
{
    struct reason reason;
    char given[16];
    char sizes[80] = "";

    (void)snprintf(given, sizeof(given), "%u", strip_bytes);
    for (uint32_t size = RAID_STRIP_MIN_BYTES; size <= RAID_STRIP_MAX_BYTES; size *= 2) {
        size_t used = strlen(sizes);

        if (controller_profile_has_strip(profile, size)) {
            (void)snprintf(sizes + used, sizeof(sizes) - used, "%s%u", used > 0 ? ", " : "", size);
        }
    }
    reason_set(&reason, REASON_STRIP_UNSUPPORTED, "model", profile->model, "given", given, "sizes",
               sizes, NULL);
    preview_refuse(preview, &reason);
}

static void strip_set(const struct ctl *ctl, const struct command_vd_create *args,
                      struct creation *creation, struct ctl_preview *preview)
{
    const struct controller_profile *profile = &ctl->options.profile;
    uint32_t strip =
        args->strip_bytes != 0 ? args->strip_bytes : controller_profile_strip_default(profile);

    if (strip < RAID_STRIP_MIN_BYTES || strip > RAID_STRIP_MAX_BYTES || !is_power_of_two(strip)) {
        refuse_plain(preview, REASON_STRIP_INVALID);
        strip = controller_profile_strip_default(profile);
    } else if (!controller_profile_has_strip(profile, strip)) {
        refuse_strip(profile, strip, preview);
    }
    creation->vd.geometry.strip_bytes = strip;
}

/* Sizes */

static void refuse_size(struct ctl_preview *preview, uint64_t row_bytes, uint64_t maximum_bytes)
{
    struct reason reason;
    char row[24];
    char maximum[24];

    (void)snprintf(row, sizeof(row), "%llu", (unsigned long long)row_bytes);
    (void)snprintf(maximum, sizeof(maximum), "%llu", (unsigned long long)maximum_bytes);
    reason_set(&reason, REASON_SIZE_INVALID, "row_bytes", row, "maximum_bytes", maximum, NULL);
    preview_refuse(preview, &reason);
}

static uint64_t drives_usable_min(const struct creation *creation)
{
    uint64_t usable_bytes = UINT64_MAX;

    for (uint32_t i = 0; i < creation->drive_count; i++) {
        usable_bytes = min_u64(usable_bytes, cd_usable_bytes(creation->drives[i]));
    }
    return usable_bytes;
}

static void refuse_small_drives(const struct creation *creation, uint64_t needed_bytes,
                                struct ctl_preview *preview)
{
    for (uint32_t i = 0; i < creation->drive_count; i++) {
        const struct ctl_drive *cd = creation->drives[i];
        struct reason reason;

        if (cd_usable_bytes(cd) >= needed_bytes) {
            continue;
        }
        reason_too_small(&reason, REASON_DRIVE_TOO_SMALL, cd, NULL, cd_usable_bytes(cd),
                         needed_bytes);
        preview_refuse(preview, &reason);
    }
}

/* The extent a size needs on each member; 0 if the size is not acceptable. */
static uint64_t extent_for_size(const struct command_vd_create *args, struct creation *creation,
                                uint64_t extent_max, struct ctl_preview *preview)
{
    struct geometry *geometry = &creation->vd.geometry;
    uint64_t row_bytes = geometry_row_bytes(geometry);
    uint64_t maximum_bytes = geometry_rows_within(geometry, extent_max) * row_bytes;
    uint64_t rows = args->size_bytes / row_bytes;

    if (args->size_bytes == 0) {
        creation->vd.size_bytes = maximum_bytes;
        return align_down_u64(extent_max, geometry->strip_bytes);
    }
    if (rows == 0) {
        refuse_size(preview, row_bytes, maximum_bytes);
        return 0;
    }
    if (args->size_bytes > maximum_bytes && creation->group != NULL) {
        char path[PATH_TEXT_BYTES];

        group_path(creation->group, path, sizeof(path));
        refuse_text(preview, REASON_GROUP_FULL, "group", path);
        return 0;
    }
    if (args->size_bytes > maximum_bytes) {
        refuse_size(preview, row_bytes, maximum_bytes);
        if (rows < UINT64_MAX / row_bytes / 2) {
            refuse_small_drives(
                creation,
                geometry_extent_for(
                    geometry, min_u64(rows, geometry_rows_within(geometry, MEMBER_BYTES_MAX))),
                preview);
        }
        return 0;
    }
    creation->vd.size_bytes = rows * row_bytes;
    return geometry_extent_for(geometry, rows);
}

static void sizes_new_group(const struct command_vd_create *args, struct creation *creation,
                            struct ctl_preview *preview)
{
    uint64_t usable_bytes = drives_usable_min(creation);

    if (usable_bytes < creation->vd.geometry.strip_bytes) {
        refuse_small_drives(creation, VD_EXTENT_ALIGN_BYTES, preview);
        return;
    }
    creation->vd.extent_start_bytes = 0;
    creation->vd.geometry.extent_bytes = extent_for_size(args, creation, usable_bytes, preview);
}

static void sizes_in_group(const struct command_vd_create *args, struct creation *creation,
                           struct ctl_preview *preview)
{
    struct geometry *geometry = &creation->vd.geometry;
    uint64_t start_bytes = 0;
    uint64_t gap_bytes = 0;
    uint64_t extent_bytes = 0;
    char path[PATH_TEXT_BYTES];

    group_path(creation->group, path, sizeof(path));
    if (!group_space_find(creation->group, 0, &start_bytes, &gap_bytes) ||
        gap_bytes < geometry->strip_bytes) {
        refuse_text(preview, REASON_GROUP_FULL, "group", path);
        return;
    }
    extent_bytes = extent_for_size(args, creation, gap_bytes, preview);
    if (extent_bytes == 0) {
        return;
    }
    if (args->size_bytes != 0 &&
        !group_space_find(creation->group, extent_bytes, &start_bytes, &gap_bytes)) {
        refuse_text(preview, REASON_GROUP_FULL, "group", path);
        return;
    }
    creation->vd.extent_start_bytes = start_bytes;
    geometry->extent_bytes = extent_bytes;
}

/* Names and numbers */

static void name_set(const struct ctl *ctl, const struct command_vd_create *args,
                     struct creation *creation, struct ctl_preview *preview)
{
    const struct ctl_vd *other = NULL;
    char path[PATH_TEXT_BYTES];
    struct reason reason;
    char maximum[16];

    while (creation->vd.target_id <= VD_TARGET_ID_MAX &&
           ctl_target_is_taken(ctl, creation->vd.target_id)) {
        creation->vd.target_id++;
    }
    if (creation->vd.target_id > VD_TARGET_ID_MAX ||
        (creation->group == NULL && ctl->record->group_count == CONTROLLER_GROUPS_MAX)) {
        (void)snprintf(maximum, sizeof(maximum), "%u", VD_TARGET_ID_MAX + 1);
        refuse_text(preview, REASON_TOO_MANY_VIRTUAL_DRIVES, "maximum", maximum);
        return;
    }
    if (args->name[0] == '\0') {
        uint32_t names_max = (CTL_HOST_CONTROLLERS_MAX + 1) * (VD_TARGET_ID_MAX + 1) +
                             CTL_HOST_ENDED_EXPORTS + CTL_HOST_CONTROLLERS_MAX * UNDO_ENTRIES_MAX;

        for (uint32_t i = creation->vd.target_id; i < names_max; i++) {
            (void)snprintf(creation->vd.name, sizeof(creation->vd.name), "vd%u", i);
            if (vd_by_name(ctl, creation->vd.name) == NULL &&
                !ctl_host_name_is_recent(ctl->host, creation->vd.name)) {
                return;
            }
        }
        UNREACHABLE(); /* fewer names are taken or remembered than numbers are tried */
    }
    if (!vd_name_is_valid(args->name)) {
        refuse_plain(preview, REASON_NAME_INVALID);
        return;
    }
    (void)snprintf(creation->vd.name, sizeof(creation->vd.name), "%s", args->name);
    other = vd_by_name(ctl, args->name);
    if (other != NULL) {
        vd_path(other, path, sizeof(path));
        reason_set(&reason, REASON_NAME_TAKEN, "name", args->name, "key", path, NULL);
        preview_refuse(preview, &reason);
    }
}

/* The model's own rules, besides those of the level. */
static void profile_check(const struct ctl *ctl, enum raid_level level, uint32_t drive_count,
                          struct ctl_preview *preview)
{
    const char *name = raid_level_info(level)->name;
    uint32_t drives_min = ctl->options.profile.levels[level].drives_min;

    if (!ctl->options.profile.levels[level].offered) {
        refuse_text(preview, REASON_LEVEL_UNSUPPORTED, "level", name);
    } else if (drive_count < drives_min) {
        refuse_number(preview, REASON_TOO_FEW_DRIVES, name, "minimum", drives_min, drive_count);
    }
}

static void profile_spans_check(const struct ctl *ctl, const struct geometry *geometry,
                                struct ctl_preview *preview)
{
    const struct controller_profile *profile = &ctl->options.profile;
    struct reason reason;
    char maximum[16];
    char given[16];

    if (profile->spans_max == 0 || geometry->span_count <= profile->spans_max) {
        return;
    }
    (void)snprintf(maximum, sizeof(maximum), "%u", profile->spans_max);
    (void)snprintf(given, sizeof(given), "%u", geometry->span_count);
    reason_set(&reason, REASON_TOO_MANY_SPANS, "model", profile->model, "maximum", maximum, "given",
               given, NULL);
    preview_refuse(preview, &reason);
}

/* The two kinds of creation */

static void plan_new_group(struct ctl *ctl, const struct command_vd_create *args,
                           struct creation *creation, struct ctl_preview *preview)
{
    struct geometry *geometry = &creation->vd.geometry;
    struct reason reason;

    geometry->level = level_wanted(args, NULL);
    if (preview->ok) {
        profile_check(ctl, geometry->level, args->drive_count, preview);
    }
    drives_collect(ctl, args, creation, preview);
    if (!rule_ports(ctl, args->drive_count + args->spare_count, &reason)) {
        preview_refuse(preview, &reason);
    }
    spans_set(args, creation, preview);
    profile_spans_check(ctl, geometry, preview);
    if (creation->drive_count == 0) {
        return;
    }
    geometry->block_bytes = creation->drives[0]->block_bytes;
    for (uint32_t i = 1; i < creation->drive_count; i++) {
        drives_mix_check(creation, creation->drives[i], preview);
    }
    for (uint32_t i = 0; i < creation->spare_count; i++) {
        drives_mix_check(creation, creation->spares[i], preview);
    }
    if (geometry->members_per_span != 0 && creation->drive_count == args->drive_count) {
        sizes_new_group(args, creation, preview);
    }
}

static void refuse_level_differs(const struct ctl_group *cg, struct ctl_preview *preview)
{
    struct reason reason;
    char path[PATH_TEXT_BYTES];

    group_path(cg, path, sizeof(path));
    reason_set(&reason, REASON_LEVEL_DIFFERS, "group", path, "level",
               raid_level_info(cg_config(cg)->vds[0].geometry.level)->name, NULL);
    preview_refuse(preview, &reason);
}

static void plan_in_group(struct ctl *ctl, const struct command_vd_create *args,
                          struct creation *creation, struct ctl_preview *preview)
{
    struct ctl_group *cg = group_by_key(ctl, args->drive_group);
    struct geometry *geometry = &creation->vd.geometry;
    const struct geometry *first = NULL;
    struct reason reason;
    uint32_t strip_bytes = geometry->strip_bytes;

    if (cg == NULL) {
        reason_set(&reason, REASON_UNKNOWN_OBJECT, "kind", "drive_group", "key", args->drive_group,
                   NULL);
        preview_refuse(preview, &reason);
        return;
    }
    creation->group = cg;
    first = &cg_config(cg)->vds[0].geometry;
    if (args->drive_count > 0 || args->spare_count > 0) {
        refuse_argument(preview, "drives", "a virtual drive in an existing group takes none");
    }
    if (level_wanted(args, cg) != first->level) {
        refuse_level_differs(cg, preview);
    }
    *geometry = *first;
    geometry->strip_bytes = strip_bytes;
    geometry->extent_bytes = 0;
    for (uint32_t i = 0; i < cg_config(cg)->member_count; i++) {
        if (cg->members[i] != NULL) {
            creation->drives[creation->drive_count++] = cg->members[i];
        }
    }
    if (!rule_group_create(cg, &reason)) {
        preview_refuse(preview, &reason);
        return;
    }
    sizes_in_group(args, creation, preview);
}

/* What the preview says of a plan that has a shape */

static void preview_sizes(const struct creation *creation, struct ctl_preview *preview)
{
    const struct geometry *geometry = &creation->vd.geometry;
    uint64_t smallest = drives_usable_min(creation);

    for (uint32_t i = 0; i < creation->drive_count; i++) {
        const struct ctl_drive *cd = creation->drives[i];
        uint64_t wasted = cd_usable_bytes(cd) - smallest;

        preview->raw_bytes += cd->size_bytes;
        if (wasted > 0 && creation->group == NULL) {
            memcpy(preview->wasted[preview->wasted_count].drive, cd->object.key,
                   sizeof(preview->wasted[0].drive));
            preview->wasted[preview->wasted_count++].bytes = wasted;
            preview->wasted_bytes += wasted;
        }
    }
    preview->size_bytes = creation->vd.size_bytes;
    preview->span_count = geometry->span_count;
    preview->drives_per_span = geometry->members_per_span;
    preview->strip_bytes = geometry->strip_bytes;
    preview->block_bytes = geometry->block_bytes;
    preview->row_bytes = geometry_row_bytes(geometry);
    preview->drive_failures_tolerated = geometry_span_tolerance(geometry);
}

static void preview_policies(const struct ctl *ctl, const struct creation *creation,
                             struct ctl_preview *preview)
{
    struct policies_subject subject = {.ctl = ctl,
                                       .vd = &creation->vd,
                                       .drives = creation->drives,
                                       .drive_count = creation->drive_count,
                                       .cg = creation->group,
                                       .asked = true,
                                       .ahead = true};

    preview->has_policies = true;
    policies_judge(&subject, &preview->policies);
    policies_risks(&subject, NULL, &preview->risks);
}

void creation_plan(struct ctl *ctl, const struct command_vd_create *args,
                   struct creation *ret_creation, struct ctl_preview *ret_preview)
{
    struct creation *creation = ret_creation;
    struct ctl_preview *preview = ret_preview;
    struct reason reason;

    *creation = (struct creation){0};
    *preview = (struct ctl_preview){.ok = true, .init_seconds = -1};
    if (!rule_online(ctl, &reason)) {
        preview_refuse(preview, &reason);
        return;
    }
    if (strcmp(args->controller, controller_key(ctl)) != 0) {
        reason_set(&reason, REASON_UNKNOWN_OBJECT, "kind", "controller", "key", args->controller,
                   NULL);
        preview_refuse(preview, &reason);
        return;
    }
    if ((unsigned)args->level >= RAID_LEVEL_MAX) {
        char number[24];

        (void)snprintf(number, sizeof(number), "number %u", (unsigned)args->level);
        refuse_text(preview, REASON_LEVEL_UNSUPPORTED, "level", number);
        return;
    }
    strip_set(ctl, args, creation, preview);
    if (args->drive_group[0] != '\0') {
        plan_in_group(ctl, args, creation, preview);
    } else {
        plan_new_group(ctl, args, creation, preview);
    }
    name_set(ctl, args, creation, preview);
    if (!rule_write_policy(ctl, args->write_policy, &reason)) {
        preview_refuse(preview, &reason);
    }
    if (!rule_drive_cache(creation->drives, creation->drive_count, args->drive_cache_policy,
                          &reason)) {
        preview_refuse(preview, &reason);
    }
    creation->vd.write_policy = args->write_policy;
    creation->vd.read_policy = args->read_policy;
    creation->vd.io_policy = args->io_policy;
    creation->vd.drive_cache_policy = args->drive_cache_policy;
    creation->vd.degraded_policy = args->degraded_policy;
    preview->level = creation->vd.geometry.level;
    if (creation->vd.geometry.extent_bytes == 0) {
        ASSERT(!preview->ok);
        return;
    }
    preview_sizes(creation, preview);
    preview_tolerance(&creation->vd.geometry, preview->tolerance, sizeof(preview->tolerance));
    preview_policies(ctl, creation, preview);
    preview_warnings(ctl, creation, preview);
    preview_cli(ctl, args, creation, args->size_bytes == 0, preview->cli, sizeof(preview->cli));
    preview_digest(creation, args, preview->plan_digest);
}

void ctl_preview(struct ctl *ctl, struct command_vd_create *args, struct ctl_preview *ret_preview)
{
    struct creation creation;
    struct reason reason;
    bool filled = ctl_preset_fill_create(ctl, args, &reason);

    ctl_refresh(ctl);
    creation_plan(ctl, args, &creation, ret_preview);
    if (ret_preview->has_policies) {
        ctl_default_tell(ctl, args, &ret_preview->policies);
    }
    if (!filled) {
        preview_refuse(ret_preview, &reason);
    }
}

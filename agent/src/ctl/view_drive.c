/*
 * Documents of drives.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/attrs.h"
#include "ctl/ctl_await.h"
#include "ctl/ctl_private.h"
#include "ctl/ctl_unclaimed.h"
#include "meta/bad_blocks.h"

static void drive_blocked(const struct ctl_drive *cd, struct blocked *blocked)
{
    struct reason reason UNINITIALIZED;

    for (uint32_t i = 0; i < LIFE_COMMAND_MAX; i++) {
        const struct life_command_info *info = life_command_info((enum life_command)i);

        if (info->is_shown && !rule_drive(cd, (enum life_command)i, &reason)) {
            blocked_add(blocked, info->op, info->action, &reason);
        }
    }
    if (!rule_fault_inject(cd, &reason)) {
        blocked_add(blocked, CTL_OP_FAULT_INJECT, NULL, &reason);
    }
}

static void drive_role(const struct ctl_drive *cd, struct drive_view *view)
{
    if (cd->group != NULL) {
        const struct geometry *geometry = &cg_config(cd->group)->vds[0].geometry;

        memcpy(view->group, cd->group->object.key, sizeof(view->group));
        view->span = cd->member / geometry->members_per_span;
        view->row = cd->member % geometry->members_per_span;
    }
    view->spare = cd->spare;
    view->spare_affinity = cd->spare_affinity;
    view->spare_revertible = !cd->spare_committable;
    view->spare_kind = cd->spare_group_count == 0 ? SPARE_KIND_GLOBAL : SPARE_KIND_DEDICATED;
    for (uint32_t i = 0; i < cd->spare_group_count && cd->spare; i++) {
        guid_format(&cd->spare_groups[i], view->spare_groups[i]);
        view->spare_group_count++;
    }
}

static void drive_counts(const struct ctl_drive *cd, struct drive_view *view)
{
    for (uint32_t i = 0; cd->group != NULL && i < cg_config(cd->group)->bad_count; i++) {
        const struct bad_blocks *range = &cg_config(cd->group)->bad[i];

        view->bad_blocks += range->member == cd->member
                                ? range->block_count / (cg_block_bytes(cd->group) / BAD_BLOCK_BYTES)
                                : 0;
    }
    if (cd->drive != NULL) {
        const struct drive_counters *counters = drive_counters(cd->drive);

        view->media_errors = counters->media_errors;
        view->other_errors = counters->other_errors + counters->timeouts;
        view->predictive_failures = counters->predictive_failures;
        view->timeouts = counters->timeouts;
        view->retries = counters->retries;
        view->slow_commands = counters->slow_commands;
        view->slow = drive_is_slow(cd->drive);
    } else {
        view->predictive_failures = cd->smart_failing; /* counted once it is in use */
    }
}

static void drive_digest_identity(const struct drive_view *view, struct view_digest *digest)
{
    const struct drive_identity *identity = view->identity;

    digest_text(digest, true, view->path);
    digest_text(digest, true, identity->model);
    digest_text(digest, true, identity->serial);
    digest_text(digest, true, identity->firmware);
    digest_text(digest, true, identity->device);
    digest_text(digest, true, identity->vendor);
    digest_number(digest, true, identity->rotation_rpm);
    digest_number(digest, false, identity->link.speed_mbps);
    digest_number(digest, false, identity->link.lanes);
    digest_number(digest, false, identity->link.device_mbps);
    digest_number(digest, true, view->size_bytes);
    digest_number(digest, true, view->block_bytes);
    digest_number(digest, true, view->physical_block_bytes);
}

static void drive_digest_health(const struct drive_view *view, struct view_digest *digest)
{
    const struct drive_health *health = view->health;

    digest_number(digest, true, view->smart_failing);
    digest_number(digest, false, health != NULL);
    if (health == NULL) {
        return;
    }
    digest_number(digest, false, (uint64_t)health->state);
    digest_reason(digest, false, &health->reason);
    digest_number(digest, false, health->checked_us);
    for (uint32_t i = 0; i < SMART_FIGURE_MAX; i++) {
        digest_number(digest, false, health->told[i] ? health->figures[i] : UINT64_MAX);
    }
}

static void drive_digest(const struct drive_view *view, struct view_digest *digest)
{
    drive_digest_identity(view, digest);
    digest_number(digest, true, (uint64_t)view->state);
    digest_number(digest, true, view->present);
    digest_number(digest, true, view->foreign);
    digest_number(digest, false, view->locating);
    digest_number(digest, false, view->spun_down);
    digest_number(digest, false, view->locate_end_us);
    digest_number(digest, false, view->has_temperature);
    digest_number(digest, false, (uint64_t)view->temperature_c);
    drive_digest_health(view, digest);
    digest_number(digest, true, (uint64_t)view->write_cache);
    digest_text(digest, true, view->group);
    digest_number(digest, true, view->span);
    digest_number(digest, true, view->row);
    digest_number(digest, true, view->spare);
    digest_number(digest, true, view->spare && view->spare_affinity);
    digest_number(digest, true, view->spare && view->spare_revertible);
    for (uint32_t i = 0; i < view->spare_group_count; i++) {
        digest_text(digest, true, view->spare_groups[i]);
    }
    digest_number(digest, false, view->media_errors);
    digest_number(digest, false, view->other_errors);
    digest_number(digest, false, view->predictive_failures);
    digest_number(digest, false, view->timeouts);
    digest_number(digest, false, view->retries);
    digest_number(digest, false, view->slow_commands);
    digest_number(digest, false, view->slow);
    digest_number(digest, true, view->bad_blocks);
    if (view->has_unsuitable) {
        digest_reason(digest, true, &view->unsuitable);
    }
    if (view->has_state_reason) {
        digest_reason(digest, true, &view->state_reason);
    }
    for (uint32_t i = 0; view->emulated != NULL && i < emulated_drive_fault_count(view->emulated);
         i++) {
        const struct emulated_fault *fault = emulated_drive_fault(view->emulated, i);

        digest_number(digest, false, (uint64_t)fault->kind);
        digest_number(digest, false, fault->lba);
        digest_number(digest, false, fault->count);
        digest_number(digest, false, fault->latency_ms);
    }
    /* What is read on the way is told with the next change: no document for each piece. */
    digest_number(digest, false, view->patrol_done_us);
    digest_number(digest, false, view->patrol_skips ? (uint64_t)view->patrol_skipped.code : 0);
    digest_blocked(digest, &view->blocked);
}

void view_drive(const struct ctl_drive *cd, struct drive_view *view, struct view_digest *digest)
{
    const struct ctl *ctl = cd->ctl;

    memcpy(view->controller, ctl->controller.key, sizeof(view->controller));
    drive_path(cd, view->path, sizeof(view->path));
    for (uint32_t i = 0; i < ctl->options.enclosure_count; i++) {
        if (ctl->enclosures[i].config->eid == cd->identity.eid) {
            memcpy(view->enclosure, ctl->enclosures[i].object.key, sizeof(view->enclosure));
        }
    }
    view->identity = &cd->identity;
    view->state = cd_is_starting(cd) ? DRIVE_STATE_STARTING : cd_state(cd);
    view->present = cd->present;
    /* Of one that is not claimed, DDF metadata may be those of our own member. */
    view->foreign =
        cd->foreign || (cd->found != NULL && !cd_is_starting(cd) && !cd_is_unclaimed(cd));
    view->locating = cd->locating;
    view->spun_down = cd_is_spun_down(cd);
    view->locate_end_us = cd->locate_end_us != 0 ? cd->locate_end_wall_us : 0;
    view->size_bytes = cd->size_bytes;
    view->usable_bytes = cd_usable_bytes(cd);
    view->uncoerced_bytes = cd_room_bytes(cd);
    view->block_bytes = cd->block_bytes;
    view->physical_block_bytes = cd->physical_block_bytes;
    view->has_temperature = cd->has_temperature;
    view->temperature_c = cd->temperature_c;
    view->health = cd->has_health ? &cd->health : NULL;
    view->smart_failing = cd->smart_failing;
    view->write_cache = cd->write_cache;
    drive_role(cd, view);
    drive_counts(cd, view);
    view->has_unsuitable = cd->has_unsuitable;
    view->unsuitable = cd->unsuitable;
    view->has_state_reason = cd_state_reason(cd, &view->state_reason);
    view->emulated = cd->emulated;
    view->patrol_done_us = cd->patrol.done_wall_us;
    view->patrol_read_bytes = cd->patrol.read_bytes;
    view->patrol_skips = cd_patrol_reason(cd, &view->patrol_skipped);
    drive_blocked(cd, &view->blocked);
    drive_digest(view, digest);
}

/*
 * The rules of a group configuration. Arithmetic on offsets is safe because every offset and
 * length is first proved to be at most MEMBER_BYTES_MAX.
 */
#include "meta/config_check.h"

#include <errno.h>
#include <string.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/checked.h"
#include "drive/drive_layout.h"
#include "meta/bad_blocks.h"

bool vd_name_is_valid(const char *name)
{
    size_t length = strlen(name);

    if (length == 0 || length > VD_NAME_MAX) {
        return false;
    }
    return strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") ==
           length;
}

static bool text_is_printable(const char *text, size_t capacity)
{
    for (size_t i = 0; i < capacity; i++) {
        if (text[i] == '\0') {
            return true;
        }
        if ((unsigned char)text[i] < 0x20 || (unsigned char)text[i] > 0x7e) {
            return false;
        }
    }
    return false;
}

/* All ones are free entries in DDF, and name nobody. */
static bool guid_is_nobodys(const struct guid *guid)
{
    return guid_is_zero(guid) || bytes_are_all(guid->bytes, sizeof(guid->bytes), 0xFF);
}

static const char *member_problem(const struct group_config *config, uint32_t index)
{
    const struct member_config *member = &config->members[index];

    if ((unsigned)member->state >= MEMBER_STATE_MAX) {
        return "A member has an unknown state.";
    }
    if ((unsigned)member->why >= REASON_MAX) {
        return "A member has an unknown reason.";
    }
    if (uuid_is_zero(&member->drive)) {
        return "A member has no drive identity.";
    }
    if (!text_is_printable(member->serial, sizeof(member->serial))) {
        return "A member's serial number is not printable.";
    }
    if (member->place_known && member->slot == UINT16_MAX) {
        return "A member's slot is out of range.";
    }
    if (member->rebuilt_bytes > MEMBER_BYTES_MAX) {
        return "A rebuild cursor lies outside any drive.";
    }
    for (uint32_t i = 0; i < index; i++) {
        if (uuid_equal(&config->members[i].drive, &member->drive)) {
            return "A drive is named twice.";
        }
    }
    return NULL;
}

static const char *policy_problem(const struct vd_config *vd)
{
    if ((unsigned)vd->write_policy >= WRITE_POLICY_MAX ||
        (unsigned)vd->read_policy >= READ_POLICY_MAX || (unsigned)vd->io_policy >= IO_POLICY_MAX ||
        (unsigned)vd->drive_cache_policy >= DRIVE_CACHE_POLICY_MAX ||
        (unsigned)vd->degraded_policy >= DEGRADED_POLICY_MAX ||
        (unsigned)vd->access >= ACCESS_POLICY_MAX) {
        return "A virtual drive has an unknown policy.";
    }
    return NULL;
}

static const char *extent_problem(const struct vd_config *vd)
{
    if (vd->geometry.extent_bytes > MEMBER_BYTES_MAX || vd->extent_start_bytes > MEMBER_BYTES_MAX) {
        return "An extent lies outside any drive.";
    }
    if (!is_aligned_u64(vd->extent_start_bytes, VD_EXTENT_ALIGN_BYTES)) {
        return "An extent does not start on a whole MiB.";
    }
    return NULL;
}

static const char *stripe_problem(const struct vd_config *vd)
{
    const struct vd_stripe *stripe = &vd->stripe;

    if (uuid_is_zero(&stripe->uuid)) {
        return stripe->name[0] == '\0' && stripe->position == 0 && stripe->count == 0 &&
                       stripe->strip_bytes == 0 && stripe->member_bytes == 0
                   ? NULL
                   : "A virtual drive in no stripe has a place in one.";
    }
    if (!vd_name_is_valid(stripe->name) || stripe->count < STRIPE_MEMBERS_MIN ||
        stripe->count > STRIPE_MEMBERS_MAX || stripe->position >= stripe->count ||
        stripe->strip_bytes < STRIPE_STRIP_MIN_BYTES ||
        stripe->strip_bytes > STRIPE_STRIP_MAX_BYTES ||
        (stripe->strip_bytes & (stripe->strip_bytes - 1)) != 0) {
        return "A virtual drive's place in a stripe is not valid.";
    }
    if (stripe->member_bytes == 0 || stripe->member_bytes > vd->size_bytes ||
        stripe->member_bytes % stripe->strip_bytes != 0) {
        return "A stripe does not fit on its virtual drive.";
    }
    return NULL;
}

static const char *vd_problem(const struct group_config *config, const struct vd_config *vd)
{
    const char *why = extent_problem(vd);

    if (why != NULL) {
        return why;
    }
    if (geometry_check(&vd->geometry, &why) != 0) {
        return why;
    }
    if (geometry_member_count(&vd->geometry) != config->member_count) {
        return "A virtual drive does not span the members of its group.";
    }
    if (guid_is_nobodys(&vd->guid) || !vd_name_is_valid(vd->name) ||
        vd->target_id > VD_TARGET_ID_MAX) {
        return "A virtual drive's identity is not valid.";
    }
    if (vd->size_bytes == 0 || vd->size_bytes > geometry_size_bytes(&vd->geometry) ||
        !is_aligned_u64(vd->size_bytes, vd->geometry.block_bytes)) {
        return "A virtual drive's size is not valid.";
    }
    if (vd->consistent_rows > geometry_row_count(&vd->geometry)) {
        return "A virtual drive has more consistent rows than rows.";
    }
    if (vd->map_slot > REGION_MAP_SLOTS || (vd->map_slot == 0 && vd->map_ready)) {
        return "A virtual drive's region map has no place.";
    }
    why = stripe_problem(vd);
    return why != NULL ? why : policy_problem(vd);
}

static bool vds_overlap(const struct vd_config *a, const struct vd_config *b)
{
    return a->extent_start_bytes < b->extent_start_bytes + b->geometry.extent_bytes &&
           b->extent_start_bytes < a->extent_start_bytes + a->geometry.extent_bytes;
}

static const char *vd_pair_problem(const struct vd_config *a, const struct vd_config *b)
{
    if (vds_overlap(a, b)) {
        return "Two virtual drives overlap.";
    }
    if (a->map_slot != 0 && a->map_slot == b->map_slot) {
        return "Two virtual drives have their region maps in the same place.";
    }
    if (guid_equal(&a->guid, &b->guid) || a->target_id == b->target_id ||
        strcmp(a->name, b->name) == 0) {
        return "Two virtual drives have the same identity.";
    }
    if (a->geometry.level != b->geometry.level ||
        a->geometry.span_count != b->geometry.span_count ||
        a->geometry.members_per_span != b->geometry.members_per_span ||
        a->geometry.block_bytes != b->geometry.block_bytes) {
        return "The virtual drives of a group differ in shape.";
    }
    return NULL;
}

static bool bad_blocks_are_sorted(const struct bad_blocks *a, const struct bad_blocks *b)
{
    return a->member < b->member ||
           (a->member == b->member &&
            a->offset_bytes + (uint64_t)a->block_count * BAD_BLOCK_BYTES <= b->offset_bytes);
}

static const char *bad_blocks_problem(const struct group_config *config)
{
    if (config->bad_count > BAD_BLOCKS_MAX) {
        return "There are too many bad blocks.";
    }
    for (uint32_t i = 0; i < config->bad_count; i++) {
        const struct bad_blocks *range = &config->bad[i];

        if (range->member >= config->member_count || range->offset_bytes > MEMBER_BYTES_MAX ||
            !is_aligned_u64(range->offset_bytes, BAD_BLOCK_BYTES) || range->block_count == 0 ||
            (uint64_t)range->block_count * BAD_BLOCK_BYTES > MEMBER_BYTES_MAX ||
            (unsigned)range->kind >= BAD_BLOCK_KIND_MAX) {
            return "A bad block is not on a member.";
        }
        if (i > 0 && !bad_blocks_are_sorted(&config->bad[i - 1], range)) {
            return "The bad blocks are not in order.";
        }
    }
    return NULL;
}

static const char *copyback_problem(const struct group_config *config)
{
    const struct copyback_config *copyback = &config->copyback;

    if (!copyback->active) {
        return NULL;
    }
    if (copyback->member >= config->member_count || uuid_is_zero(&copyback->drive) ||
        copyback->copied_bytes > MEMBER_BYTES_MAX) {
        return "A copyback has no member or no drive.";
    }
    for (uint32_t i = 0; i < config->member_count; i++) {
        if (uuid_equal(&config->members[i].drive, &copyback->drive)) {
            return "A drive is named twice.";
        }
    }
    return NULL;
}

static const char *group_problem(const struct group_config *config)
{
    const char *why = NULL;

    if (guid_is_nobodys(&config->guid)) {
        return "The drive group has no identity.";
    }
    if (config->sequence > GROUP_SEQUENCE_MAX) {
        return "The sequence number is out of range.";
    }
    if (config->member_count == 0 || config->member_count > GROUP_MEMBERS_MAX ||
        config->vd_count > GROUP_VDS_MAX) {
        return "The drive group has too many or too few parts.";
    }
    for (uint32_t i = 0; i < config->member_count && why == NULL; i++) {
        why = member_problem(config, i);
    }
    for (uint32_t i = 0; i < config->vd_count && why == NULL; i++) {
        why = vd_problem(config, &config->vds[i]);
        for (uint32_t j = 0; j < i && why == NULL; j++) {
            why = vd_pair_problem(&config->vds[i], &config->vds[j]);
        }
    }
    why = why != NULL ? why : copyback_problem(config);
    return why != NULL ? why : bad_blocks_problem(config);
}

int group_config_check(const struct group_config *config, const char **ret_why)
{
    const char *why = NULL;

    ASSERT(config != NULL);
    ASSERT(ret_why != NULL);
    why = group_problem(config);
    if (why != NULL) {
        *ret_why = why;
        return -EINVAL;
    }
    return 0;
}

/*
 * The codecs of group records, labels and the controller's record: what is written is read
 * back; what is damaged is refused or, with its checksum repaired, still means something valid.
 */
#include <errno.h>
#include <string.h>

#include "aw_test.h"
#include "base/bytes.h"
#include "base/crc.h"
#include "drive/drive_layout.h"
#include "meta/group_record.h"
#include "meta/seal.h"
#include "meta_samples.h"

#define LABEL_RECORD 512u /* where its record begins */

#define ROUNDS 400u
#define MUTATIONS 20000u

static uint8_t buffer[128 * 1024];
static uint8_t again[128 * 1024];

static void test_group_round_trip(void **state)
{
    static struct group_config config;
    static struct group_config read;
    struct rng rng;

    (void)state;
    rng_seed(&rng, aw_test_seed("group_round_trip", 1));
    for (uint32_t i = 0; i < ROUNDS; i++) {
        size_t bytes = 0;
        size_t bytes_again = 0;
        const char *why = "";

        sample_group(&rng, &config);
        if (group_config_check(&config, &why) != 0) {
            fail_msg("sample: %s", why);
        }
        assert_int_equal(group_record_encode(&config, buffer, sizeof(buffer), &bytes), 0);
        assert_int_equal(group_record_decode(buffer, bytes, &read), 0);
        assert_int_equal(group_record_encode(&read, again, sizeof(again), &bytes_again), 0);
        assert_int_equal(bytes, bytes_again);
        assert_memory_equal(buffer, again, bytes);
        assert_int_equal(read.vd_count, config.vd_count);
        assert_true(read.compact == config.compact);
        assert_memory_equal(&read.members[0], &config.members[0], sizeof(read.members[0]));
        assert_int_equal(group_record_encode(&config, buffer, bytes - 1, &bytes), -EMSGSIZE);
    }
}

/* Every field that matters comes back as it was. */
static void test_group_fields(void **state)
{
    static struct group_config config;
    static struct group_config read;
    struct rng rng;
    size_t bytes = 0;

    (void)state;
    rng_seed(&rng, 77);
    do {
        sample_group(&rng, &config);
    } while (config.vd_count < 2);
    assert_int_equal(group_record_encode(&config, buffer, sizeof(buffer), &bytes), 0);
    assert_int_equal(group_record_decode(buffer, bytes, &read), 0);
    assert_true(read.sequence == config.sequence && read.index == config.index);
    assert_true(read.compact == config.compact);
    for (uint32_t i = 0; i < config.vd_count; i++) {
        const struct vd_config *a = &config.vds[i];
        const struct vd_config *b = &read.vds[i];

        assert_true(guid_equal(&a->guid, &b->guid));
        assert_string_equal(a->name, b->name);
        assert_memory_equal(&a->geometry, &b->geometry, sizeof(a->geometry));
        assert_true(
            a->target_id == b->target_id && a->size_bytes == b->size_bytes &&
            a->extent_start_bytes == b->extent_start_bytes && a->write_policy == b->write_policy &&
            a->read_policy == b->read_policy && a->io_policy == b->io_policy &&
            a->access == b->access && a->drive_cache_policy == b->drive_cache_policy &&
            a->degraded_policy == b->degraded_policy && a->created_us == b->created_us &&
            a->dirty == b->dirty && a->resync == b->resync &&
            a->resync_unlogged == b->resync_unlogged && a->consistent_rows == b->consistent_rows);
    }
}

static void crc_repair(uint8_t *record, size_t bytes)
{
    put_le32(record + 16, 0);
    put_le32(record + 16, crc32c(0, record, bytes));
}

/* Bad blocks of 4096 bytes are written as earlier versions read them; sectors need a later one. */
static void test_bad_blocks_of_sectors(void **state UNUSED)
{
    static struct group_config config;
    static struct group_config read;
    const struct bad_blocks blocks = {
        .member = 0, .kind = BAD_BLOCK_KIND_LOST, .offset_bytes = 8192, .block_count = 16};
    const struct bad_blocks sectors = {
        .member = 0, .kind = BAD_BLOCK_KIND_PUNCTURED, .offset_bytes = 8704, .block_count = 3};
    struct rng rng;
    size_t bytes = 0;
    uint32_t plain = 0;

    rng_seed(&rng, 79);
    sample_group(&rng, &config);
    config.bad_count = 1;
    config.bad[0] = blocks;
    assert_int_equal(group_record_encode(&config, buffer, sizeof(buffer), &bytes), 0);
    plain = get_le32(buffer + 8);
    assert_int_equal((plain - 1) & 8, 0);
    assert_int_equal(group_record_decode(buffer, bytes, &read), 0);
    assert_memory_equal(&read.bad[0], &blocks, sizeof(blocks));
    config.bad[0] = sectors;
    assert_int_equal(group_record_encode(&config, buffer, sizeof(buffer), &bytes), 0);
    assert_int_equal(get_le32(buffer + 8), plain + 8);
    assert_int_equal(group_record_decode(buffer, bytes, &read), 0);
    assert_memory_equal(&read.bad[0], &sectors, sizeof(sectors));
}

/* A record without it is that of a virtual drive which goes on as before: what is kept is what
 * was written before there was a choice, and a choice is a flag no reader of then lets pass. */
static void test_degraded_policy_of_old_records(void **state)
{
    static struct group_config config;
    static struct group_config read;
    struct rng rng;
    size_t bytes = 0;
    size_t flags = 0;

    (void)state;
    rng_seed(&rng, 78);
    do {
        sample_group(&rng, &config);
    } while (config.vd_count == 0 || config.vds[0].degraded_policy == DEGRADED_POLICY_KEEP);
    assert_int_equal(group_record_encode(&config, buffer, sizeof(buffer), &bytes), 0);
    flags = GROUP_RECORD_HEAD_BYTES + config.member_count * GROUP_RECORD_MEMBER_BYTES + 50;
    assert_int_equal(buffer[flags] & 64, 64);
    buffer[flags] &= (uint8_t)~64u;
    crc_repair(buffer, bytes);
    assert_int_equal(group_record_decode(buffer, bytes, &read), 0);
    assert_int_equal(read.vds[0].degraded_policy, DEGRADED_POLICY_KEEP);
    config.vds[0].degraded_policy = DEGRADED_POLICY_KEEP;
    assert_int_equal(group_record_encode(&config, again, sizeof(again), &bytes), 0);
    assert_memory_equal(buffer, again, bytes);
    config.vds[0].degraded_policy = DEGRADED_POLICY_MAX;
    assert_int_equal(group_record_encode(&config, again, sizeof(again), &bytes), -EINVAL);
}

/* Any single damage is seen; with the checksum repaired the reader still answers safely, and
 * what it accepts it can write again. */
static void test_group_mutations(void **state)
{
    static struct group_config config;
    static struct group_config read;
    struct rng rng;
    size_t bytes = 0;
    uint32_t accepted = 0;

    (void)state;
    rng_seed(&rng, aw_test_seed("group_mutations", 2));
    for (uint32_t i = 0; i < MUTATIONS; i++) {
        size_t at = 0;
        uint8_t bit = 0;
        size_t out = 0;

        if (i % 100 == 0) {
            sample_group(&rng, &config);
            assert_int_equal(group_record_encode(&config, buffer, sizeof(buffer), &bytes), 0);
        }
        at = rng_below(&rng, bytes);
        bit = (uint8_t)(1u << rng_below(&rng, 8));
        buffer[at] ^= bit;
        memset(&read, 0xee, sizeof(read));
        assert_int_equal(group_record_decode(buffer, bytes, &read), -EBADMSG);
        assert_int_equal(((uint8_t *)&read)[0], 0xee); /* left alone */
        memcpy(again, buffer, bytes);
        crc_repair(again, bytes);
        if (group_record_decode(again, bytes, &read) == 0) {
            accepted++;
            assert_int_equal(group_record_encode(&read, again, sizeof(again), &out), 0);
        }
        buffer[at] ^= bit;
        /* Cut short, or with something behind. */
        assert_int_equal(group_record_decode(buffer, rng_below(&rng, bytes), &read), -EBADMSG);
        assert_int_equal(group_record_decode(buffer, bytes + 1, &read), -EBADMSG);
    }
    printf("# %u of %u repaired mutations still make sense\n", accepted, MUTATIONS);
    assert_true(accepted > 0 && accepted < MUTATIONS);
}

/* Known as such, however little else of it is understood. */
static void test_later_versions(void **state UNUSED)
{
    static struct group_config config;
    static struct drive_label label;
    struct rng rng;
    size_t bytes = 0;

    rng_seed(&rng, aw_test_seed("later", 8));
    sample_group(&rng, &config);
    assert_int_equal(group_record_encode(&config, buffer, sizeof(buffer), &bytes), 0);
    put_le32(buffer + 8, 1000);
    assert_int_equal(group_record_decode(buffer, bytes, &config), -EBADMSG); /* or only damaged */
    memset(buffer + 20, 0xff, 20);
    crc_repair(buffer, bytes);
    assert_int_equal(group_record_decode(buffer, bytes, &config), -EPROTONOSUPPORT);
    do {
        sample_label(&rng, &label);
    } while (!label.has_record);
    assert_int_equal(drive_label_encode(&label, buffer, &bytes), 0);
    bytes = get_le32(buffer + 12);
    put_le32(buffer + LABEL_RECORD + 8, 1000); /* only the record in it */
    crc_repair(buffer + LABEL_RECORD, bytes - LABEL_RECORD);
    crc_repair(buffer, bytes);
    assert_int_equal(drive_label_decode(buffer, &label), -EPROTONOSUPPORT);
    put_le32(buffer + 8, 2);
    assert_int_equal(drive_label_decode(buffer, &label), -EBADMSG);
    memset(buffer + 20, 0xff, 20);
    crc_repair(buffer, bytes);
    assert_int_equal(drive_label_decode(buffer, &label), -EPROTONOSUPPORT);
}

/* Whoever takes over what was read counts on from there, and what cannot be written must not be
 * reached. */
static void test_sequences_leave_room(void **state)
{
    static struct group_config config;
    static struct drive_label label;
    struct rng rng;
    size_t bytes = 0;

    (void)state;
    rng_seed(&rng, 9);
    sample_group(&rng, &config);
    config.sequence = GROUP_SEQUENCE_READ_MAX;
    assert_int_equal(group_record_encode(&config, buffer, sizeof(buffer), &bytes), 0);
    assert_int_equal(group_record_decode(buffer, bytes, &config), 0);
    config.sequence = GROUP_SEQUENCE_MAX - 1;
    assert_int_equal(group_record_encode(&config, buffer, sizeof(buffer), &bytes), 0);
    assert_int_equal(group_record_decode(buffer, bytes, &config), -EBADMSG);
    sample_label(&rng, &label);
    label.sequence = UINT64_C(1) << 62;
    assert_int_equal(drive_label_encode(&label, buffer, &bytes), 0);
    assert_int_equal(drive_label_decode(buffer, &label), -EBADMSG);
}

static void expect_unsound(const struct group_config *config, const char *text)
{
    const char *why = "";
    size_t bytes = 0;

    assert_int_equal(group_config_check(config, &why), -EINVAL);
    if (strstr(why, text) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", why, text);
    }
    assert_int_equal(group_record_encode(config, buffer, sizeof(buffer), &bytes), -EINVAL);
}

static void test_rules(void **state)
{
    static struct group_config good;
    static struct group_config bad;
    struct rng rng;

    (void)state;
    rng_seed(&rng, 3);
    do {
        sample_group(&rng, &good);
    } while (good.vd_count < 3 || good.member_count < 3);
    bad = good;
    bad.guid = (struct guid){0};
    expect_unsound(&bad, "no identity");
    bad = good;
    memset(bad.guid.bytes, 0xff, sizeof(bad.guid.bytes)); /* nobody's in DDF */
    expect_unsound(&bad, "no identity");
    bad = good;
    memset(bad.vds[1].guid.bytes, 0xff, sizeof(bad.vds[1].guid.bytes));
    expect_unsound(&bad, "identity is not valid");
    bad = good;
    bad.members[1].drive = bad.members[0].drive;
    expect_unsound(&bad, "named twice");
    bad = good;
    bad.members[0].state = MEMBER_STATE_MAX;
    expect_unsound(&bad, "unknown state");
    bad = good;
    memset(bad.members[0].serial, 'x', sizeof(bad.members[0].serial));
    expect_unsound(&bad, "not printable");
    bad = good;
    bad.vds[1].extent_start_bytes = bad.vds[0].extent_start_bytes;
    expect_unsound(&bad, "overlap");
    bad = good;
    bad.vds[1].extent_start_bytes += 4096;
    expect_unsound(&bad, "whole MiB");
    bad = good;
    bad.vds[1].extent_start_bytes = UINT64_MAX - 4096;
    expect_unsound(&bad, "outside any drive");
    bad = good;
    bad.vds[0].geometry.extent_bytes = UINT64_MAX / 2;
    expect_unsound(&bad, "outside any drive");
    bad = good;
    bad.vds[0].size_bytes = geometry_size_bytes(&bad.vds[0].geometry) + 4096;
    expect_unsound(&bad, "size is not valid");
    bad = good;
    bad.vds[0].consistent_rows = geometry_row_count(&bad.vds[0].geometry) + 1;
    expect_unsound(&bad, "more consistent rows");
    bad = good;
    strcpy(bad.vds[1].name, bad.vds[0].name);
    expect_unsound(&bad, "same identity");
    bad = good;
    bad.vds[1].target_id = bad.vds[0].target_id;
    expect_unsound(&bad, "same identity");
    bad = good;
    bad.vds[1].geometry.block_bytes = bad.vds[1].geometry.block_bytes == 512 ? 4096 : 512;
    expect_unsound(&bad, "");
    bad = good;
    bad.vds[0].geometry.strip_bytes = 12345;
    expect_unsound(&bad, "power of two");
    bad = good;
    bad.member_count--;
    expect_unsound(&bad, "does not span the members");
    bad = good;
    bad.vd_count = GROUP_VDS_MAX + 1;
    expect_unsound(&bad, "too many");
}

static void test_label_round_trip(void **state)
{
    static struct drive_label label;
    static struct drive_label read;
    struct rng rng;

    (void)state;
    rng_seed(&rng, aw_test_seed("label_round_trip", 4));
    for (uint32_t i = 0; i < ROUNDS; i++) {
        size_t bytes = 0;

        sample_label(&rng, &label);
        assert_int_equal(drive_label_encode(&label, buffer, &bytes), 0);
        assert_true(bytes % 4096 == 0 && bytes <= LABEL_SLOT_BYTES);
        assert_int_equal(drive_label_decode(buffer, &read), 0);
        assert_true(uuid_equal(&read.drive, &label.drive));
        assert_true(uuid_equal(&read.controller, &label.controller));
        assert_int_equal(read.role, label.role);
        assert_int_equal(read.sequence, label.sequence);
        assert_int_equal(read.member, label.member);
        assert_int_equal(read.spare_group_count, label.spare_group_count);
        assert_int_equal(read.spare_affinity, label.spare_affinity);
        assert_int_equal(read.spare_committable, label.spare_committable);
        assert_memory_equal(read.spare_groups, label.spare_groups, sizeof(read.spare_groups));
        assert_true(guid_equal(&read.group, &label.group));
        assert_int_equal(read.has_record, label.has_record);
        assert_int_equal(read.record.sequence, label.record.sequence);
    }
}

static void test_label_mutations(void **state)
{
    static struct drive_label label;
    static struct drive_label read;
    struct rng rng;
    uint32_t used = 0;

    (void)state;
    rng_seed(&rng, aw_test_seed("label_mutations", 5));
    memset(buffer, 0, LABEL_SLOT_BYTES);
    assert_int_equal(drive_label_decode(buffer, &read), -ENOENT);
    for (uint32_t i = 0; i < MUTATIONS / 4; i++) {
        size_t at = 0;
        uint8_t bit = (uint8_t)(1u << rng_below(&rng, 8));
        int error = 0;

        if (i % 100 == 0) {
            size_t bytes = 0;

            sample_label(&rng, &label);
            assert_int_equal(drive_label_encode(&label, buffer, &bytes), 0);
            used = get_le32(buffer + 12);
        }
        at = rng_below(&rng, used);
        buffer[at] ^= bit;
        error = drive_label_decode(buffer, &read);
        assert_int_equal(error, at < 8 ? -ENOENT : -EBADMSG);
        if (at >= 20) {
            crc_repair(buffer, used);
            error = drive_label_decode(buffer, &read); /* whatever it says, it says it safely */
            assert_true(error == 0 || error == -EBADMSG);
        }
        buffer[at] ^= bit;
        crc_repair(buffer, used);
        assert_int_equal(drive_label_decode(buffer, &read), 0);
    }
}

static void test_label_rules(void **state)
{
    struct rng rng;
    struct drive_label good = {0};
    static struct drive_label bad;
    size_t bytes = 0;

    (void)state;
    rng_seed(&rng, 6);
    good.drive = uuid_make(&rng);
    good.controller = uuid_make(&rng);
    bad = good;
    assert_int_equal(drive_label_encode(&bad, buffer, &bytes), 0);
    bad.drive = (struct uuid){0};
    assert_int_equal(drive_label_encode(&bad, buffer, &bytes), -EINVAL);
    bad = good;
    bad.role = LABEL_ROLE_MEMBER; /* without a record */
    assert_int_equal(drive_label_encode(&bad, buffer, &bytes), -EINVAL);
    bad = good;
    bad.spare_group_count = 1; /* not a spare */
    assert_int_equal(drive_label_encode(&bad, buffer, &bytes), -EINVAL);
    do {
        sample_label(&rng, &bad);
    } while (bad.role != LABEL_ROLE_MEMBER);
    bad.member = bad.record.member_count;
    assert_int_equal(drive_label_encode(&bad, buffer, &bytes), -EINVAL);
    bad.member = 0;
    bad.group.bytes[0] ^= 1; /* another group than the record's */
    assert_int_equal(drive_label_encode(&bad, buffer, &bytes), -EINVAL);
}

static void test_controller_record(void **state)
{
    static struct controller_record record;
    static struct controller_record read;
    struct rng rng;

    (void)state;
    rng_seed(&rng, aw_test_seed("controller_record", 7));
    for (uint32_t i = 0; i < ROUNDS; i++) {
        size_t bytes = 0;
        size_t bytes_again = 0;
        size_t at = 0;

        sample_controller(&rng, &record);
        assert_int_equal(controller_record_encode(&record, buffer, sizeof(buffer), &bytes), 0);
        assert_int_equal(controller_record_decode(buffer, bytes, &read), 0);
        assert_int_equal(controller_record_encode(&read, again, sizeof(again), &bytes_again), 0);
        assert_int_equal(bytes, bytes_again);
        assert_memory_equal(buffer, again, bytes);
        assert_memory_equal(&read.groups, &record.groups, sizeof(read.groups));
        assert_memory_equal(&read.spares, &record.spares, sizeof(read.spares));
        for (uint32_t j = 0; j < 50; j++) {
            at = rng_below(&rng, bytes);
            buffer[at] ^= 0x10;
            assert_int_equal(controller_record_decode(buffer, bytes, &read), -EBADMSG);
            memcpy(again, buffer, bytes);
            crc_repair(again, bytes);
            (void)!controller_record_decode(again, bytes, &read); /* safely, whatever */
            buffer[at] ^= 0x10;
        }
        assert_int_equal(controller_record_decode(buffer, rng_below(&rng, bytes), &read), -EBADMSG);
    }
}

/* One that knows nothing of patrols, coercion and hot spares yet: everything else counts, and they
 * are as by default. */
static void test_controller_record_of_old(void **state)
{
    static struct controller_record record;
    static struct controller_record read;
    struct controller_patrol patrol;
    const size_t head = 128;
    const size_t added = 40;
    struct rng rng;
    size_t bytes = 0;

    (void)state;
    rng_seed(&rng, aw_test_seed("controller_record_of_old", 3));
    sample_controller(&rng, &record);
    record.spare_count = 0;
    memset(record.spares, 0, sizeof(record.spares));
    assert_int_equal(controller_record_encode(&record, buffer, sizeof(buffer), &bytes), 0);
    assert_int_equal(get_le32(buffer + 8), 2); /* as before there were any */
    memmove(buffer + head, buffer + head + added, bytes - head - added);
    bytes -= added;
    put_le32(buffer + 8, 1);
    put_le32(buffer + 12, (uint32_t)bytes);
    crc_repair(buffer, bytes);
    assert_int_equal(controller_record_decode(buffer, bytes, &read), 0);
    controller_patrol_default(&patrol);
    assert_memory_equal(&read.patrol, &patrol, sizeof(patrol));
    assert_int_equal(patrol.mode, PATROL_MODE_AUTO);
    assert_int_equal(patrol.delay_hours, 168);
    assert_int_equal(read.coercion, CONTROLLER_COERCION_DEFAULT);
    read.patrol = record.patrol;
    read.coercion = record.coercion;
    assert_int_equal(controller_record_encode(&read, again, sizeof(again), &bytes), 0);
    assert_int_equal(controller_record_encode(&record, buffer, sizeof(buffer), &bytes), 0);
    assert_memory_equal(buffer, again, bytes);
    put_le32(buffer + 8, 4);
    crc_repair(buffer, bytes);
    assert_int_equal(controller_record_decode(buffer, bytes, &read), -EPROTONOSUPPORT);
}

/* Hot spares that no encoder would write. */
static void test_controller_record_spares(void **state)
{
    static struct controller_record record;
    static struct controller_record read;
    struct rng rng;
    size_t bytes = 0;

    (void)state;
    rng_seed(&rng, aw_test_seed("controller_record_spares", 5));
    sample_controller(&rng, &record);
    record.spare_count = 2;
    for (uint32_t i = 0; i < 2; i++) {
        record.spares[i] = (struct controller_spare){.serial = "S1", .path = "/c0/s1"};
        (void)snprintf(record.spares[i].key, sizeof(record.spares[i].key), "sn-%u", i);
    }
    assert_int_equal(controller_record_encode(&record, buffer, sizeof(buffer), &bytes), 0);
    buffer[bytes - 184 + 176] = 2; /* dedicated */
    crc_repair(buffer, bytes);
    assert_int_equal(controller_record_decode(buffer, bytes, &read), -EBADMSG);
    buffer[bytes - 184 + 176] = 0;
    buffer[141] = 3; /* of two */
    crc_repair(buffer, bytes);
    assert_int_equal(controller_record_decode(buffer, bytes, &read), -EBADMSG);
    buffer[141] = 2;
    crc_repair(buffer, bytes);
    assert_int_equal(controller_record_decode(buffer, bytes, &read), 0);
    (void)snprintf(record.spares[1].key, sizeof(record.spares[1].key), "sn-0"); /* twice */
    assert_int_equal(controller_record_encode(&record, buffer, sizeof(buffer), &bytes), -EINVAL);
    (void)snprintf(record.spares[1].key, sizeof(record.spares[1].key), "sn-1");
    (void)snprintf(record.spares[1].serial, sizeof(record.spares[1].serial), "S\n");
    assert_int_equal(controller_record_encode(&record, buffer, sizeof(buffer), &bytes), -EINVAL);
    record.spares[1].serial[0] = '\0';
    record.spare_count = CONTROLLER_SPARES_MAX + 1;
    assert_int_equal(controller_record_encode(&record, buffer, sizeof(buffer), &bytes), -EINVAL);
}

/* A seal, and everything that is none. */
static void test_seal(void **state)
{
    struct seal seal = {.sequence = UINT64_C(1) << 61, .crc = 0xC0FFEE};
    struct seal read;
    struct rng rng;

    (void)state;
    rng_seed(&rng, aw_test_seed("seal", 9));
    rng_fill(&rng, seal.drive.bytes, sizeof(seal.drive.bytes));
    rng_fill(&rng, seal.group.bytes, sizeof(seal.group.bytes));
    memset(&read, 0, sizeof(read));
    seal_encode(&seal, buffer);
    assert_true(seal_decode(buffer, &read));
    assert_memory_equal(&read.drive, &seal.drive, sizeof(seal.drive));
    assert_memory_equal(&read.group, &seal.group, sizeof(seal.group));
    assert_true(read.sequence == seal.sequence && read.crc == seal.crc);
    for (uint32_t bit = 0; bit < 68 * 8; bit++) {
        buffer[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_false(seal_decode(buffer, &read));
        buffer[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    memset(buffer, 0, SEAL_BYTES);
    assert_false(seal_decode(buffer, &read));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_group_round_trip),
        cmocka_unit_test(test_group_fields),
        cmocka_unit_test(test_bad_blocks_of_sectors),
        cmocka_unit_test(test_degraded_policy_of_old_records),
        cmocka_unit_test(test_group_mutations),
        cmocka_unit_test(test_sequences_leave_room),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_label_round_trip),
        cmocka_unit_test(test_label_mutations),
        cmocka_unit_test(test_later_versions),
        cmocka_unit_test(test_label_rules),
        cmocka_unit_test(test_controller_record),
        cmocka_unit_test(test_controller_record_of_old),
        cmocka_unit_test(test_controller_record_spares),
        cmocka_unit_test(test_seal),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Drives of a drive group as plain files, for tests that let other programs judge them:
 *
 *   ddfimage FOLDER LEVEL SPANS MEMBERS MIB [MISSING…]
 *
 * Writes FOLDER/d0, d1, … of MIB mebibytes each: DDF metadata by our writer, data and parity by
 * our layouts, and FOLDER/data, which is what the virtual drive must read as. The drive of every
 * place named as MISSING is recorded missing and not written.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/checked.h"
#include "base/rng.h"
#include "drive/drive_layout.h"
#include "meta/config_check.h"
#include "meta/ddf/ddf_group.h"
#include "raid/parity.h"

#define STRIP_BYTES 65536u
#define EXTENT_START_BYTES (UINT64_C(1) << 20)
#define EXTENT_BYTES (UINT64_C(8) << 20)

static struct group_config group;
static uint64_t usable[GROUP_MEMBERS_MAX];
static int files[GROUP_MEMBERS_MAX];

static void put(int file, const void *buffer, size_t bytes, uint64_t offset)
{
    if (file >= 0 && pwrite(file, buffer, bytes, (off_t)offset) != (ssize_t)bytes) {
        perror("ddfimage: write");
        exit(1);
    }
}

static int file_make(const char *folder, const char *name, uint64_t bytes)
{
    char path[4096];
    int file = -1;

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, (off_t)bytes) != 0) {
        perror(path);
        exit(1);
    }
    return file;
}

static void group_make(enum raid_level level, uint32_t spans, uint32_t members, uint64_t bytes)
{
    struct vd_config *vd = &group.vds[0];

    group.vd_count = 1;
    group.sequence = 1;
    group.member_count = spans * members;
    memcpy(group.guid.bytes, "ARRAYWRTgroup-0123456789", 24);
    for (uint32_t i = 0; i < group.member_count && i < GROUP_MEMBERS_MAX; i++) {
        memset(group.members[i].drive.bytes, (int)(0x10 + i), 16);
        (void)snprintf(group.members[i].serial, sizeof(group.members[i].serial), "S%u", i);
        usable[i] = drive_layout_usable_bytes(bytes);
    }
    memcpy(vd->guid.bytes, "ARRAYWRTvd-0-0123456789a", 24);
    memcpy(vd->name, "judge", 6);
    vd->geometry = (struct geometry){.level = level,
                                     .span_count = spans,
                                     .members_per_span = members,
                                     .strip_bytes = STRIP_BYTES,
                                     .block_bytes = 512,
                                     .extent_bytes = EXTENT_BYTES};
    vd->extent_start_bytes = EXTENT_START_BYTES;
    vd->size_bytes = geometry_size_bytes(&vd->geometry);
    vd->consistent_rows = geometry_row_count(&vd->geometry);
}

/* One row of random bytes, to the members and to the file of what the virtual drive holds. */
static void row_write(const struct vd_config *vd, uint64_t row, uint8_t *strips, int content,
                      struct rng *rng)
{
    uint8_t *columns[RAID_SPAN_MEMBERS_MAX];
    struct row_map map;

    geometry_row_map(&vd->geometry, row, &map);
    for (uint32_t i = 0; i < map.width; i++) {
        columns[i] = strips + (size_t)i * STRIP_BYTES;
    }
    for (uint32_t i = 0; i < map.data_count; i++) {
        uint8_t *column = columns[map.data_place[i]];

        rng_fill(rng, column, STRIP_BYTES);
        put(content, column, STRIP_BYTES, (row * map.data_count + i) * STRIP_BYTES);
    }
    if (raid_level_info(vd->geometry.level)->mirrored) {
        for (uint32_t i = 1; i < map.width; i++) {
            memcpy(columns[i], columns[0], STRIP_BYTES);
        }
    } else if (map.p_place >= 0) {
        parity_generate(columns, map.width, map.p_place, map.q_place, STRIP_BYTES);
    }
    for (uint32_t i = 0; i < map.width; i++) {
        put(files[row_map_member(&map, i)], columns[i], STRIP_BYTES,
            vd->extent_start_bytes + row_map_offset(&map, i));
    }
}

static void data_write(const char *folder)
{
    const struct vd_config *vd = &group.vds[0];
    uint8_t *strips = aligned_alloc(4096, (size_t)RAID_SPAN_MEMBERS_MAX * STRIP_BYTES);
    int content = file_make(folder, "data", vd->size_bytes);
    struct rng rng;

    ASSERT(strips != NULL);
    rng_seed(&rng, 4711 + group.member_count);
    for (uint64_t row = 0; row < geometry_row_count(&vd->geometry); row++) {
        row_write(vd, row, strips, content, &rng);
    }
    free(strips);
    (void)close(content); /* written and checked */
}

static void metadata_write(uint32_t member, uint64_t bytes)
{
    static const struct uuid controller = {{0xC0}};
    struct ddf_group_source source = {.group = &group,
                                      .controller = &controller,
                                      .usable_bytes = usable,
                                      .sequence = 5,
                                      .wall_us = UINT64_C(1795330000000000)};
    static uint8_t copy[DDF_COPY_BYTES];
    struct ddf_config *config = NULL;
    const char *why = NULL;

    if (ddf_from_group(&source, member, bytes / DDF_SECTOR_BYTES, &config) != 0) {
        fprintf(stderr, "ddfimage: DDF has no word for this\n");
        exit(1);
    }
    for (unsigned i = 0; i < 2; i++) {
        uint64_t lba = i == 0 ? config->header.primary_lba : config->header.secondary_lba;

        if (ddf_copy_encode(config, (enum ddf_copy)i, copy, &why) != 0) {
            fprintf(stderr, "ddfimage: %s\n", why);
            exit(1);
        }
        put(files[member], copy, sizeof(copy), lba * DDF_SECTOR_BYTES);
    }
    ddf_anchor_encode(config, copy);
    put(files[member], copy, DDF_SECTOR_BYTES, bytes - DDF_SECTOR_BYTES);
    (void)ddf_config_free(config); /* returns NULL always */
}

int main(int argc, char **argv)
{
    enum raid_level level = RAID_LEVEL_0;
    uint64_t bytes = 0;
    const char *why = NULL;

    if (argc < 6 || raid_level_parse(argv[2], &level) != 0) {
        fprintf(stderr, "usage: ddfimage FOLDER LEVEL SPANS MEMBERS MIB [MISSING...]\n");
        return 2;
    }
    bytes = strtoull(argv[5], NULL, 10) << 20;
    group_make(level, (uint32_t)strtoul(argv[3], NULL, 10), (uint32_t)strtoul(argv[4], NULL, 10),
               bytes);
    if (group_config_check(&group, &why) != 0 ||
        drive_layout_usable_bytes(bytes) < EXTENT_START_BYTES + EXTENT_BYTES) {
        fprintf(stderr, "ddfimage: %s\n", why != NULL ? why : "drives too small");
        return 2;
    }
    for (int i = 6; i < argc; i++) {
        uint32_t member = (uint32_t)strtoul(argv[i], NULL, 10);

        ASSERT(member < group.member_count);
        group.members[member].state = MEMBER_MISSING;
    }
    for (uint32_t i = 0; i < group.member_count; i++) {
        char name[16];

        (void)snprintf(name, sizeof(name), "d%u", i);
        files[i] = group.members[i].state == MEMBER_MISSING ? -1 : file_make(argv[1], name, bytes);
    }
    data_write(argv[1]);
    for (uint32_t i = 0; i < group.member_count; i++) {
        if (files[i] >= 0) {
            metadata_write(i, bytes);
            (void)close(files[i]); /* written and checked */
        }
    }
    return 0;
}

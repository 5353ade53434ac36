/*
 * Reads a virtual drive out of the plain files of its drives, found by their DDF metadata alone:
 *
 *   ddfread OUTPUT DRIVE…
 *
 * Prints a line `set: …` for the group of drives, `vd: …` for each virtual drive and `place: …`
 * for each of its members; OUTPUT.N gets what virtual drive N holds, missing strips recovered
 * from parity. Fails on a drive that it cannot read; only reads.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "meta/ddf/ddf_group.h"
#include "raid/parity.h"

static int files[DDF_SET_DRIVES_MAX];
static struct ddf_set set;
static struct ddf_found found;

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "ddfread: %s: %s\n", what, why);
    exit(1);
}

static void get(int file, void *buffer, size_t bytes, uint64_t offset)
{
    if (pread(file, buffer, bytes, (off_t)offset) != (ssize_t)bytes) {
        fail("read", "too short");
    }
}

static const struct ddf_config *drive_read(const char *path, int file, uint64_t sectors)
{
    struct ddf_config *copies[2] = {NULL, NULL};
    struct ddf_header anchor;
    uint8_t sector[DDF_SECTOR_BYTES];
    const char *why = NULL;

    get(file, sector, sizeof(sector), (sectors - 1) * DDF_SECTOR_BYTES);
    if (ddf_anchor_decode(sector, sectors, &anchor, &why) != 0) {
        fail(path, why);
    }
    for (unsigned i = 0; i < 2; i++) {
        size_t bytes = (size_t)ddf_copy_sectors(&anchor) * DDF_SECTOR_BYTES;
        uint64_t lba = i == 0 ? anchor.primary_lba : anchor.secondary_lba;
        uint8_t *buffer = malloc(bytes);

        ASSERT(buffer != NULL);
        if (lba != DDF_NO_LBA) {
            get(file, buffer, bytes, lba * DDF_SECTOR_BYTES);
            if (ddf_copy_decode(&anchor, (enum ddf_copy)i, buffer, bytes, &copies[i], &why) != 0) {
                printf("copy: %s %u: %s\n", path, i, why);
            }
        }
        free(buffer);
    }
    if (copies[0] == NULL && copies[1] == NULL) {
        fail(path, why);
    }
    return ddf_copy_choose(copies[0], copies[1]);
}

static void drive_add(const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat stat;

    if (file < 0 || fstat(file, &stat) != 0) {
        fail(path, "cannot be opened");
    }
    files[set.drive_count] = file;
    if (ddf_set_add(&set, drive_read(path, file, (uint64_t)stat.st_size / 512),
                    (uint64_t)stat.st_size / 512) != 0) {
        fail(path, "is of another set");
    }
}

static void describe(uint32_t vd)
{
    static const char *const states[DDF_PLACE_STATE_MAX] = {"online",  "rebuild", "failed",
                                                            "offline", "stale",   "missing"};
    static const char *const words[DDF_FOUND_STATE_MAX] = {"optimal", "degraded", "incomplete",
                                                           "unsupported", "damaged"};
    char name[32] = "-";

    if (found.record != NULL) {
        ddf_level_name(found.record, name);
    }
    printf("vd: %u %s %s %s %s bytes=%llu strip=%u%s%s\n", vd, found.vd->name, name,
           words[found.state], found.inconsistent ? "inconsistent" : "consistent",
           (unsigned long long)found.size_bytes, found.geometry.strip_bytes,
           found.why != NULL ? " " : "", found.why != NULL ? found.why : "");
    for (uint32_t i = 0; i < found.place_count; i++) {
        printf("place: %u %s\n", i, states[found.places[i].state]);
    }
}

static void row_read(uint64_t row, uint8_t *strips, int output)
{
    uint8_t *columns[RAID_SPAN_MEMBERS_MAX];
    uint32_t strip = found.geometry.strip_bytes;
    uint32_t lost = 0;
    uint32_t whole = RAID_SPAN_MEMBERS_MAX;
    struct row_map map;

    geometry_row_map(&found.geometry, row, &map);
    for (uint32_t i = 0; i < map.width; i++) {
        const struct ddf_place *place = &found.places[row_map_member(&map, i)];

        columns[i] = strips + (size_t)i * strip;
        if (place->state != DDF_PLACE_ONLINE) {
            lost |= 1u << i;
            continue;
        }
        whole = i;
        get(files[place->drive], columns[i], strip,
            place->start_lba * 512 + row_map_offset(&map, i));
    }
    if (raid_level_info(found.geometry.level)->mirrored) {
        ASSERT(whole < map.width);
        columns[0] = columns[whole];
    } else if (lost != 0) {
        parity_recover(columns, map.width, map.p_place, map.q_place, lost, strip);
    }
    for (uint32_t i = 0; i < map.data_count; i++) {
        if (pwrite(output, columns[map.data_place[i]], strip,
                   (off_t)((row * map.data_count + i) * strip)) != (ssize_t)strip) {
            fail("output", "cannot be written");
        }
    }
}

static void content_write(const char *base, uint32_t vd)
{
    uint8_t *strips = aligned_alloc(4096, (size_t)RAID_SPAN_MEMBERS_MAX << 20);
    char path[4096];
    int output = -1;

    ASSERT(strips != NULL);
    (void)snprintf(path, sizeof(path), "%s.%u", base, vd);
    output = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (output < 0) {
        fail(path, "cannot be made");
    }
    for (uint64_t row = 0; row < geometry_row_count(&found.geometry); row++) {
        row_read(row, strips, output);
    }
    (void)close(output); /* written and checked */
    free(strips);
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc - 2 > (int)DDF_SET_DRIVES_MAX) {
        fprintf(stderr, "usage: ddfread OUTPUT DRIVE...\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        drive_add(argv[i]);
    }
    printf("set: revision=%s sequence=%u drives=%u virtual=%u\n", set.newest->header.revision,
           set.newest->header.sequence, set.drive_count, set.newest->vd_count);
    for (uint32_t i = 0; i < set.newest->vd_count; i++) {
        ddf_set_examine(&set, i, &found);
        describe(i);
        if (found.state == DDF_FOUND_OPTIMAL || found.state == DDF_FOUND_DEGRADED) {
            content_write(argv[1], i);
        }
    }
    return 0;
}

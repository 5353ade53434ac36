/*
 * Sets of which one member has lost its label, or some of its DDF metadata: what the preview says
 * is what the import does, of the set and of each drive.
 */
#include <string.h>

#include "drive/drive_layout.h"
#include "foreign_world.h"
#include "meta/ddf/ddf.h"

#define MINUTE (60 * SIM_SECOND)
#define HURT 1u /* the member's slot */

enum damage { NONE, LABEL, ANCHOR, PRIMARY, SECONDARY, BOTH, DAMAGE_MAX };

static void zeros_put(struct ctl_world *world, uint64_t offset, uint32_t bytes)
{
    uint8_t *zeros = calloc(1, bytes);

    sim_drive_poke(world->slots[HURT].drive, offset, zeros, bytes);
    free(zeros);
}

static struct ddf_header anchor_of(struct ctl_world *world)
{
    uint8_t sector[DDF_SECTOR_BYTES];
    const char *why = NULL;
    struct ddf_header anchor;

    sim_drive_peek_durable(world->slots[HURT].drive, SIZE - sizeof(sector), sector, sizeof(sector));
    assert_int_equal(ddf_anchor_decode(sector, SIZE / DDF_SECTOR_BYTES, &anchor, &why), 0);
    return anchor;
}

static void damage_do(struct ctl_world *world, enum damage damage)
{
    const struct ddf_header anchor = anchor_of(world);
    uint32_t copy_bytes = (uint32_t)ddf_copy_sectors(&anchor) * DDF_SECTOR_BYTES;

    if (damage == LABEL) {
        zeros_put(world, drive_layout_label_offset(SIZE, false, 0),
                  LABEL_SLOT_COUNT * LABEL_SLOT_BYTES);
    }
    if (damage == ANCHOR) {
        zeros_put(world, SIZE - DDF_SECTOR_BYTES, DDF_SECTOR_BYTES);
    }
    if (damage == PRIMARY || damage == BOTH) {
        zeros_put(world, anchor.primary_lba * DDF_SECTOR_BYTES, copy_bytes);
    }
    if (damage == SECONDARY || damage == BOTH) {
        zeros_put(world, anchor.secondary_lba * DDF_SECTOR_BYTES, copy_bytes);
    }
}

/* The outcome of one drive: "member", "left", "" if the set does not have it. */
static void outcome_of(const char *text, uint32_t slot, char out[16])
{
    char key[16];
    const char *at = NULL;

    (void)snprintf(key, sizeof(key), " S%02u=", slot);
    at = strstr(text, key);
    out[0] = '\0';
    if (at != NULL) {
        assert_int_equal(sscanf(strchr(at, '/'), "/%15[a-z]", out), 1);
    }
}

struct shape {
    enum raid_level level;
    uint32_t count;
};

/* Imports what is told, and compares. True: as whole. */
static bool import_as_told(struct ctl_world *world, const struct shape *shape)
{
    struct virtual_drive_view view;
    char text[sizeof(look(world)->text)];
    char outcome[16];
    object_key_t key;
    bool whole = false;

    memcpy(text, look(world)->text, sizeof(text));
    print_message("# %s\n", text);
    whole = strstr(text, " theirs optimal ok:") != NULL;
    assert_true(whole || strstr(text, " theirs degraded ok:") != NULL);
    assert_int_equal(import(world, look(world)->digest), REASON_OK);
    assert_true(world_vd(world, "theirs", &view, key));
    assert_true((view.state == VIRTUAL_DRIVE_STATE_OPTIMAL) == whole);
    for (uint32_t slot = 0; slot < shape->count; slot++) {
        bool is_member = false;

        outcome_of(text, slot, outcome);
        is_member = strcmp(outcome, "member") == 0;
        assert_true(slot == HURT || is_member);
        assert_true((world_drive_state(world, slot) == DRIVE_STATE_ONLINE) == is_member);
    }
    world_check(world, "theirs", 0, DATA, 0x5A);
    return whole;
}

/* With the other copy, and of a set with labels without any, it is whole. */
static bool is_harmless(enum source source, enum damage damage)
{
    return damage == NONE || damage == PRIMARY || damage == SECONDARY ||
           (damage == LABEL && source == BY_DDF) || (damage == BOTH && source == BY_LABELS);
}

static void test_preview_is_import(void **state)
{
    static const struct shape shapes[] = {{RAID_LEVEL_1, 2}, {RAID_LEVEL_5, 3}, {RAID_LEVEL_6, 4}};

    (void)state;
    for (uint32_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        for (uint32_t run = 0; run < 3 * DAMAGE_MAX; run++) {
            enum source source = (enum source)(BY_LABELS + run % 3);
            enum damage damage = (enum damage)(run / 3);
            struct ctl_world *world =
                world_foreign(10 + i, shapes[i].level, shapes[i].count, source);

            damage_do(world, damage);
            world_start(world);
            assert_true(import_as_told(world, &shapes[i]) == is_harmless(source, damage));
            world_free(world);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_preview_is_import)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * See foreign_world.h.
 */
#include "foreign_world.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "base/crc.h"
#include "ctl/undo_view.h"
#include "drive/drive_layout.h"
#include "meta/ddf/ddf.h"

#define MINUTE (60 * SIM_SECOND)

#define TELL(told, ...)                                                                            \
    ((told)->used += (size_t)snprintf((told)->text + (told)->used,                                 \
                                      sizeof((told)->text) - (told)->used, __VA_ARGS__))

static void told_set(void *context, const struct foreign_set_view *set)
{
    struct told *told = context;

    told->sets++;
    (void)snprintf(told->id, sizeof(told->id), "%s", set->id);
    (void)snprintf(told->digest, sizeof(told->digest), "%s", set->digest);
    (void)snprintf(told->name, sizeof(told->name), "%s", set->name);
    told->refusal = set->refusal;
    TELL(told, "%s %s %s %s:", foreign_format_word(set->format), set->name,
         foreign_outcome_word(set->outcome), reason_code_word(set->refusal.code));
}

static void told_drive(void *context, const struct foreign_drive_view *drive)
{
    TELL((struct told *)context, " %s=%s/%s", strrchr(drive->key, '_') + 1,
         foreign_member_state_word(drive->state), foreign_drive_outcome_word(drive->outcome));
}

static void told_vd(void *context, const struct foreign_vd_view *vd)
{
    TELL((struct told *)context, "; %s %s %s as %s:", vd->name, vd->level,
         foreign_outcome_word(vd->outcome), vd->imported_as != NULL ? vd->imported_as : "-");
}

static void told_member(void *context, const struct foreign_member_view *member)
{
    TELL((struct told *)context, " %s/%s", foreign_member_state_word(member->state),
         foreign_drive_outcome_word(member->outcome));
}

static void told_damaged(void *context, const char *key, const struct reason *reason)
{
    TELL((struct told *)context, "damaged %s %s", key, reason_code_word(reason->code));
}

struct told *look(struct ctl_world *world)
{
    static struct told told;
    const struct ctl_foreign_visitor visitor = {told_set,    told_drive,   told_vd,
                                                told_member, told_damaged, &told};

    memset(&told, 0, sizeof(told));
    ctl_foreign(world->ctl, &visitor);
    return &told;
}

void expect_told(struct ctl_world *world, const char *text)
{
    const struct told *told = look(world);

    if (strstr(told->text, text) == NULL) {
        fail_msg("told: %s\nexpected: %s", told->text, text);
    }
}

enum reason_code import(struct ctl_world *world, const char *digest)
{
    struct ctl_command command = {.op = CTL_OP_FOREIGN_IMPORT};

    (void)snprintf(command.args.foreign.controller, sizeof(command.args.foreign.controller), "c0");
    strcpy(command.args.foreign.set, look(world)->id);
    (void)snprintf(command.args.foreign.digest, sizeof(command.args.foreign.digest), "%s", digest);
    return world_run(world, &command);
}

/* The host loses its memory: who was here is another controller now. */
void memory_lose(struct ctl_world *world)
{
    world_stop(world);
    sim_store_destroy(world->store);
    world->store = sim_store_create(world->sim);
    world->seed += 1000;
}

/* Nothing of ours on the drives but DDF; they are only offered. */
static void labels_drop(struct ctl_world *world)
{
    uint8_t *zeros = calloc(1, 2 * LABEL_SLOT_BYTES);

    for (uint32_t i = 0; i < world->slot_count; i++) {
        sim_drive_poke(world->slots[i].drive, drive_layout_label_offset(SIZE, false, 0), zeros,
                       2 * LABEL_SLOT_BYTES);
    }
    free(zeros);
}

void all_offer(struct ctl_world *world)
{
    for (uint32_t i = 0; i < world->slot_count; i++) {
        world->slots[i].offered = true;
        world->slots[i].probed = true;
        world->slots[i].real = true;
    }
}

void all_look(struct ctl_world *world)
{
    world_settle(world, MINUTE);
    for (uint32_t i = 0; i < world->slot_count; i++) {
        if (world->slots[i].offered) {
            slot_arrive(world, i);
        }
    }
    world_settle(world, SIM_SECOND);
}

void all_durable(struct ctl_world *world)
{
    uint8_t *buffer = malloc(2 * MIB);

    for (uint32_t i = 0; i < world->slot_count; i++) {
        for (uint64_t at = 0; at < world->slots[i].options.size_bytes; at += MIB) {
            sim_drive_peek(world->slots[i].drive, at, buffer, MIB);
            sim_drive_peek_durable(world->slots[i].drive, at, buffer + MIB, MIB);
            if (memcmp(buffer, buffer + MIB, MIB) != 0) {
                sim_drive_poke(world->slots[i].drive, at, buffer, MIB);
            }
        }
    }
    free(buffer);
}

uint64_t drives_sum(struct ctl_world *world)
{
    uint8_t *buffer = malloc(MIB);
    uint64_t sum = 0;

    for (uint32_t i = 0; i < world->slot_count; i++) {
        for (uint64_t at = 0; at < world->slots[i].options.size_bytes; at += MIB) {
            sim_drive_peek_durable(world->slots[i].drive, at, buffer, MIB);
            sum = sum * 31 + crc32c(0, buffer, MIB);
        }
    }
    free(buffer);
    return sum;
}

/* Clearing, and back */

void world_clear_prepare(struct ctl_world *world, const char *name, struct ctl_command *command)
{
    *command = (struct ctl_command){.op = CTL_OP_FOREIGN_CLEAR};
    strcpy(command->args.foreign.controller, "c0");
    strcpy(command->args.foreign.set, look(world)->id);
    strcpy(command->args.foreign.digest, look(world)->digest);
    (void)snprintf(command->confirm, sizeof(command->confirm), "%s", name);
    (void)snprintf(command->who, sizeof(command->who), "tester");
}

enum reason_code world_clear(struct ctl_world *world, const char *name)
{
    struct ctl_command command;

    world_settle(world, SIM_SECOND);
    world_clear_prepare(world, name, &command);
    return world_run(world, &command);
}

static void undo_number(void *context, const struct undo_view *view)
{
    if (*(uint64_t *)context == 0) {
        *(uint64_t *)context = view->number;
    }
}

static void undo_drive(void *context, const struct undo_drive_view *view)
{
    (void)context;
    (void)view;
}

uint64_t world_undo_newest(struct ctl_world *world)
{
    uint64_t number = 0;
    const struct ctl_undo_visitor visitor = {undo_number, undo_drive, &number};

    ctl_undo_visit(world->ctl, &visitor);
    return number;
}

enum reason_code world_undo(struct ctl_world *world)
{
    struct ctl_command command = {.op = CTL_OP_UNDO_RESTORE};

    strcpy(command.args.undo_restore.controller, "c0");
    command.args.undo_restore.undo = world_undo_newest(world);
    return world_run(world, &command);
}

/* What mdadm and a stock kernel have written (tests/qemu/ddf_judge.py --keep). */
static const char golden[] = GOLDEN_FOLDER;

/* A set with data of another controller, not yet started. */
struct ctl_world *world_foreign(uint64_t seed, enum raid_level level, uint32_t count,
                                enum source source)
{
    struct ctl_world *world = world_new(seed, count + 1);

    world_start(world);
    assert_int_equal(world_create(world, level, 0, count, "theirs"), REASON_OK);
    assert_true(world_wait_consistent(world, "theirs", 10 * MINUTE));
    world_write(world, "theirs", 0, DATA, 0x5A);
    world_settle(world, 20 * SIM_SECOND);
    memory_lose(world);
    if (source == BY_DDF) {
        labels_drop(world);
    }
    if (source != BY_LABELS) {
        all_offer(world);
    }
    return world;
}

static void golden_put(struct ctl_world *world, uint32_t slot, const char *name)
{
    uint8_t record[8 + 512];
    char path[4096];
    FILE *file = NULL;

    (void)snprintf(path, sizeof(path), "%s/%s-d%u", golden, name, slot);
    file = fopen(path, "rb");
    assert_non_null(file);
    while (fread(record, sizeof(record), 1, file) == 1) {
        sim_drive_poke(world->slots[slot].drive, get_be64(record) * 512, record + 8, 512);
    }
    assert_true(feof(file));
    (void)fclose(file); /* only read from */
}

/* Drives of 96 MiB with a set of mdadm's; its data are zeros. What is not in the files is all FF,
 * which is what is unused in DDF. More drives follow that have been offered as well. */
struct ctl_world *world_mdadm(uint64_t seed, const char *name, uint32_t count, uint32_t more)
{
    struct ctl_world *world = world_new_sized(seed, count + more, MDADM_SIZE);
    uint8_t *unused = malloc(DDF_COPY_BYTES);

    memset(unused, 0xFF, DDF_COPY_BYTES);
    for (uint32_t i = 0; i < count; i++) {
        sim_drive_poke(world->slots[i].drive, WHOLE, unused, DDF_COPY_BYTES);
        sim_drive_poke(world->slots[i].drive, WHOLE + 16 * MIB, unused, DDF_COPY_BYTES);
        golden_put(world, i, name);
    }
    free(unused);
    all_offer(world);
    return world;
}

/* The records as mdadm writes them if it is given no size. */
static void copy_stretch(struct sim_drive *drive, enum ddf_copy which, uint64_t offset)
{
    static uint8_t copy[DDF_COPY_BYTES];
    struct ddf_config *config = NULL;
    struct ddf_header anchor;
    const char *why = NULL;

    sim_drive_peek_durable(drive, MDADM_SIZE - 512, copy, 512);
    assert_int_equal(ddf_anchor_decode(copy, MDADM_SIZE / 512, &anchor, &why), 0);
    sim_drive_peek_durable(drive, offset, copy, sizeof(copy));
    assert_int_equal(ddf_copy_decode(&anchor, which, copy, sizeof(copy), &config, &why), 0);
    for (uint32_t i = 0; i < config->record_count; i++) {
        config->records[i].member_sectors = WHOLE / 512;
        config->records[i].vd_sectors = 2 * WHOLE / 512;
    }
    assert_int_equal(ddf_copy_encode(config, which, copy, &why), 0);
    sim_drive_poke(drive, offset, copy, sizeof(copy));
    (void)ddf_config_free(config); /* returns NULL always */
}

struct ctl_world *world_whole(uint64_t seed, uint32_t more)
{
    struct ctl_world *world = world_mdadm(seed, "md5spare", 4, more);

    for (uint32_t i = 0; i < 4; i++) {
        copy_stretch(world->slots[i].drive, DDF_COPY_PRIMARY, WHOLE + 16 * MIB);
        copy_stretch(world->slots[i].drive, DDF_COPY_SECONDARY, WHOLE);
    }
    return world;
}

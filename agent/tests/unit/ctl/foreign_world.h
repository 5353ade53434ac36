/*
 * Worlds with sets of drives that belong to somebody else, for the tests of importing and clearing.
 */
#ifndef ARRAYWRIGHT_TESTS_FOREIGN_WORLD_H
#define ARRAYWRIGHT_TESTS_FOREIGN_WORLD_H

#include "ctl_world.h"

#define SIZE (72 * MIB)
#define DATA (512u * 1024u)
#define MDADM_SIZE (96 * MIB)
#define WHOLE (64 * MIB) /* of a drive of that size: all up to the DDF workspace */

/* What a visitor is told, as text. */
struct told {
    char text[8192];
    size_t used;
    uint32_t sets;
    char id[65], digest[65], name[20];
    struct reason refusal;
};

/* BY_WHOLE: made by mdadm without a size; its data end where the DDF workspace begins. */
enum source { BY_LABELS, BY_DDF, BY_BOTH, BY_MDADM, BY_WHOLE };

struct told *look(struct ctl_world *world);
void expect_told(struct ctl_world *world, const char *text);
/* Of the last set that was told; digest: "" or of what was seen. */
enum reason_code import(struct ctl_world *world, const char *digest);
/* The host loses its memory: who was here is another controller now. */
void memory_lose(struct ctl_world *world);
void all_offer(struct ctl_world *world);
/* The host looks at its drives again, as it does when one is given back. */
void all_look(struct ctl_world *world);
/* Nothing is on its way to the medium any more that a power cut could take. */
void all_durable(struct ctl_world *world);
/* Of every durable byte. */
uint64_t drives_sum(struct ctl_world *world);

/* Of the last set that was told; name: what is typed. */
void world_clear_prepare(struct ctl_world *world, const char *name, struct ctl_command *command);
enum reason_code world_clear(struct ctl_world *world, const char *name);
/* The number of the newest saved configuration; 0: there is none. */
uint64_t world_undo_newest(struct ctl_world *world);
enum reason_code world_undo(struct ctl_world *world);

/* A set with data of another controller, not yet started. */
struct ctl_world *world_foreign(uint64_t seed, enum raid_level level, uint32_t count,
                                enum source source);
/* Drives of 96 MiB with a set of mdadm's; its data are zeros. More drives follow. */
struct ctl_world *world_mdadm(uint64_t seed, const char *name, uint32_t count, uint32_t more);
struct ctl_world *world_whole(uint64_t seed, uint32_t more);

#endif

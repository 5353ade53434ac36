/*
 * Drives in any order and slot, of any generation, copied (the same label twice), missing, late,
 * of another host or swapped between the controllers of one host, with or without the host's
 * memory of them: a controller is started over such a mixture, or imports what it finds.
 *
 * The judge knows what was acknowledged while which record was the newest. Whatever is served must
 * be what belongs to the newest record in the mixture; otherwise it is not served, and something
 * says why. What has all it needs is served. Drives that are not used keep every byte.
 *
 * AW_SEED is that of the first history, else they are others in every run (fresh_seed.h);
 * AW_SEED=n AW_CASES=50 repeats all cases of one. Very many: make soak-drives.
 */
#include <string.h>

#include "base/checked.h"
#include "drive_history.h"
#include "fresh_seed.h"
#include "meta/config_state.h"

#define CASES 3000u
#define CASES_PER_HISTORY 50u
#define SLOTS 14u
#define WORLDS 2u
#define NO_STORE HISTORY_GENERATIONS
#define EVENT_STATE_CHANGED 114u
#define EVENT_SPARE_COMMISSIONED 60160u
#define MINUTE (60 * SIM_SECOND)

/* What is in one slot. */
struct piece {
    const struct history *from; /* NULL: a blank drive */
    uint32_t generation, slot;
    bool copy;                  /* of a drive that is perhaps there as well */
    bool late;                  /* has yet to come */
    bool used;                  /* has been, at some time */
};

struct mixture {
    const struct history *histories[2]; /* of this host's controllers, or [1] of another host */
    uint32_t worlds;
    uint32_t stores[WORLDS];            /* generation, or NO_STORE */
    struct ctl_host host;
    struct ctl_world *world[WORLDS];
    struct piece pieces[WORLDS][SLOTS];
    struct rng rng;
    bool waits;                         /* a late one has just come: others are waited for */
    /* Of what has once been served: it stays so, whoever comes late. */
    bool was_served[WORLDS][HISTORY_GROUPS];
    uint32_t tags[WORLDS][HISTORY_GROUPS][HISTORY_CHUNKS];
};

enum tally_kind {
    SERVED,
    SERVED_MIXED,
    SERVED_DEGRADED,
    NOT_SERVED,
    MUST_SERVE,
    IMPORTED,
    STALE,
    COPIES,
    LATE,
    SWAPPED,
    WRITTEN,
    TALLY_MAX
};

static const char *const tally_names[TALLY_MAX] = {
    "served",
    "of several generations",
    "degraded",
    "not served",
    "with all they need",
    "imported",
    "stale drives told",
    "copies told",
    "late drives",
    "swaps",
    "written and restarted",
};
static uint32_t tally[TALLY_MAX];
static uint64_t history_seed;
static uint32_t case_number;

#define FAIL(...)                                                                                  \
    do {                                                                                           \
        printf("# AW_SEED=%llu AW_CASES=%u, case %u\n", (unsigned long long)history_seed,          \
               CASES_PER_HISTORY, case_number);                                                    \
        fail_msg(__VA_ARGS__);                                                                     \
    } while (0)

static const struct sim_cut_plan as_it_is = {.cut = SIM_CUT_DROP_ALL};

static const struct drive_label *piece_label(const struct piece *piece)
{
    return piece->from != NULL ? piece->from->labels[piece->generation][piece->slot] : NULL;
}

/* For whoever has to find out what went wrong. */
static void mixture_print(const struct mixture *mix)
{
    static char text[16384];

    for (uint32_t w = 0; w < mix->worlds; w++) {
        printf("# controller %u: store %u\n", w, mix->stores[w]);
        for (uint32_t i = 0; i < SLOTS; i++) {
            const struct piece *piece = &mix->pieces[w][i];
            const struct drive_label *label = piece_label(piece);

            if (piece->from == NULL) {
                continue;
            }
            printf("#  slot %u: drive %u of history %llu, generation %u%s%s", i, piece->slot,
                   (unsigned long long)piece->from->seed, piece->generation,
                   piece->copy ? ", a copy" : "", piece->late ? ", late" : "");
            if (label != NULL && label->role == LABEL_ROLE_MEMBER) {
                printf("; member %u, record %llu, known %llu", label->member,
                       (unsigned long long)label->record.sequence,
                       (unsigned long long)label->record.members[label->member].known_sequence);
            }
            printf("\n");
        }
        world_describe(mix->world[w], text, sizeof(text));
        printf("%s", text);
    }
    world_print_events(mix->world[0], 0);
}

/* Drawing a mixture */

static uint32_t any_generation(struct mixture *mix)
{
    return (uint32_t)rng_below(&mix->rng, HISTORY_GENERATIONS);
}

static bool one_in(struct mixture *mix, uint64_t count)
{
    return rng_below(&mix->rng, count) == 0;
}

static uint32_t drives_draw(struct mixture *mix, const struct history *history, uint32_t usual,
                            uint32_t odds, struct piece *out)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < HISTORY_SLOTS; i++) {
        uint32_t generation = one_in(mix, odds) ? any_generation(mix) : usual;
        bool copy = one_in(mix, 4 * odds);

        if (one_in(mix, odds)) {
            continue; /* missing */
        }
        out[count++] =
            (struct piece){.from = history, .generation = generation, .slot = i, .copy = copy};
    }
    for (uint32_t i = 0; i < 2 && one_in(mix, 4); i++) {
        out[count++] = (struct piece){.from = history,
                                      .generation = one_in(mix, 2) ? usual : any_generation(mix),
                                      .slot = (uint32_t)rng_below(&mix->rng, HISTORY_SLOTS),
                                      .copy = true};
    }
    return count;
}

static void pieces_shuffle(struct mixture *mix, struct piece pieces[SLOTS], uint32_t count)
{
    assert_true(count <= SLOTS);
    for (uint32_t i = SLOTS; i > 1; i--) { /* some slots stay with a blank drive */
        uint32_t other = (uint32_t)rng_below(&mix->rng, i);
        struct piece piece = pieces[i - 1];

        pieces[i - 1] = pieces[other];
        pieces[other] = piece;
    }
}

static void mixture_draw(struct mixture *mix)
{
    /* From a host that has only been moved to one where nothing fits. */
    static const uint32_t all_odds[] = {1000000, 20, 8, 4};
    uint32_t odds = all_odds[rng_below(&mix->rng, 4)];
    uint32_t late_odds = one_in(mix, 6) ? 4 : 1000000;

    mix->worlds = one_in(mix, 8) ? 2 : 1;
    for (uint32_t w = 0; w < mix->worlds; w++) {
        uint32_t usual = any_generation(mix);
        uint32_t count = drives_draw(mix, mix->histories[w], usual, odds, mix->pieces[w]);

        mix->stores[w] = one_in(mix, odds) ? any_generation(mix) : usual;
        if (mix->worlds == 1 && one_in(mix, 5)) {
            mix->stores[w] = NO_STORE;
        }
        for (uint32_t i = 0; mix->worlds == 1 && i < 2 && one_in(mix, 4); i++) {
            mix->pieces[w][count++] =
                (struct piece){.from = mix->histories[1],
                               .generation = any_generation(mix),
                               .slot = (uint32_t)rng_below(&mix->rng, HISTORY_SLOTS),
                               .copy = i > 0};
        }
        for (uint32_t i = 0; i < count; i++) {
            mix->pieces[w][i].late = one_in(mix, late_odds);
        }
        pieces_shuffle(mix, mix->pieces[w], count);
    }
    for (uint32_t i = 0; mix->worlds == 2 && i < 3; i++) { /* swapped between controllers */
        struct piece *left = &mix->pieces[0][rng_below(&mix->rng, SLOTS)];
        struct piece *right = &mix->pieces[1][rng_below(&mix->rng, SLOTS)];
        struct piece piece = *left;

        *left = *right;
        *right = piece;
        tally[SWAPPED]++;
    }
}

/* Building it */

static void slot_fill(struct mixture *mix, uint32_t w, uint32_t index)
{
    struct piece *piece = &mix->pieces[w][index];
    struct slot *slot = &mix->world[w]->slots[index];

    if (piece->from == NULL) {
        (void)snprintf(slot->serial, sizeof(slot->serial), "B%u-%02u", w, index);
        return;
    }
    slot->drive = sim_drive_fork(piece->from->drives[piece->generation][piece->slot],
                                 mix->world[0]->sim, &as_it_is);
    (void)snprintf(slot->model, sizeof(slot->model), "SIM%u", piece->from != mix->histories[0]);
    if (piece->copy) { /* on a drive of its own */
        (void)snprintf(slot->serial, sizeof(slot->serial), "C%u-%02u", w, index);
    } else {
        (void)snprintf(slot->serial, sizeof(slot->serial), "S%02u", piece->slot);
    }
    slot->absent = piece->late;
}

static void mixture_build(struct mixture *mix, uint64_t seed)
{
    mix->world[0] = world_new_sized(seed, SLOTS, HISTORY_DRIVE_BYTES);
    if (mix->worlds == 2) {
        mix->world[0]->host = &mix->host;
        ctl_host_init(&mix->host, 1);
        mix->world[1] = world_beside(mix->world[0], 1, SLOTS);
    }
    for (uint32_t w = 0; w < mix->worlds; w++) {
        struct ctl_world *world = mix->world[w];

        for (uint32_t i = 0; i < SLOTS; i++) {
            world->slots[i].options.size_bytes = HISTORY_DRIVE_BYTES;
            slot_fill(mix, w, i);
        }
        if (mix->stores[w] != NO_STORE) {
            world->store =
                sim_store_fork(mix->histories[w]->stores[mix->stores[w]], mix->world[0]->sim);
        }
    }
}

/* Judging it */

/* The newest record of a group in what is here, and how many generations its drives are of. */
static const struct group_config *newest_record(const struct mixture *mix, uint32_t w, uint32_t g,
                                                uint32_t *ret_generations)
{
    const struct history *history = mix->histories[w];
    const struct group_config *newest = NULL;
    uint32_t generations = 0;

    if (mix->stores[w] != NO_STORE) {
        newest = history->records[mix->stores[w]][g];
        generations |= 1u << mix->stores[w];
    }
    for (uint32_t i = 0; i < SLOTS; i++) {
        const struct piece *piece = &mix->pieces[w][i];
        const struct drive_label *label = piece_label(piece);

        if (label == NULL || piece->from != history || piece->late ||
            label->role != LABEL_ROLE_MEMBER ||
            !guid_equal(&label->group, &history->groups[g].guid)) {
            continue;
        }
        generations |= 1u << piece->generation;
        if (newest == NULL || label->record.sequence > newest->sequence) {
            newest = &label->record;
        }
    }
    *ret_generations = (uint32_t)__builtin_popcount(generations);
    return newest;
}

/* Is there exactly one drive for this place, and is it as new as it must be? */
static bool place_is_whole(const struct mixture *mix, uint32_t w, const struct group_config *record,
                           uint32_t place)
{
    const struct member_config *member = &record->members[place];
    uint32_t found = 0;
    bool fresh = false;

    for (uint32_t i = 0; i < SLOTS; i++) {
        const struct piece *piece = &mix->pieces[w][i];
        const struct drive_label *label = piece_label(piece);

        if (label != NULL && piece->from == mix->histories[w] && !piece->late &&
            uuid_equal(&label->drive, &member->drive)) {
            found++;
            fresh = label->role == LABEL_ROLE_MEMBER && label->member == place &&
                    guid_equal(&label->group, &record->guid) && piece->generation == mix->stores[w];
        }
    }
    return found == 1 && fresh && member->state == MEMBER_ONLINE;
}

/* What must be served: the newest record is that of the host's memory, and enough drives are of
 * the same generation, each once. */
static bool must_serve(const struct mixture *mix, uint32_t w, uint32_t g,
                       const struct group_config *record)
{
    const struct geometry *geometry = &record->vds[0].geometry;
    const struct group_config *own =
        mix->stores[w] != NO_STORE ? mix->histories[w]->records[mix->stores[w]][g] : NULL;

    if (own == NULL || own->sequence != record->sequence) {
        return false;
    }
    for (uint32_t span = 0; span < geometry->span_count; span++) {
        uint32_t lost = 0;

        for (uint32_t i = 0; i < geometry->members_per_span; i++) {
            if (!place_is_whole(mix, w, record, span * geometry->members_per_span + i)) {
                lost |= UINT32_C(1) << i;
            }
        }
        if (geometry_losses_left(geometry, lost) < 0) {
            return false;
        }
    }
    tally[MUST_SERVE]++;
    return true;
}

static void superseded_look(void *context, const struct object_head *head, const void *view)
{
    const struct controller_view *controller = view;

    for (uint32_t i = 0; head->kind == OBJECT_KIND_CONTROLLER && i < controller->findings->count;
         i++) {
        *(bool *)context =
            *(bool *)context || controller->findings->items[i].code == FINDING_PLACE_SUPERSEDED;
    }
}

/* Its drives, known by their serial numbers, are here with other labels: no event calls them
 * missing, but a finding says so (ctl/ctl_superseded.c). */
static bool is_told_superseded(const struct ctl_world *world)
{
    bool told = false;
    struct ctl_visitor visitor = {.object = superseded_look, .context = &told};

    ctl_objects_since(world->ctl, 0, &visitor);
    return told;
}

/* Of a group that is not served although drives of it are here. */
static void expect_reason(const struct mixture *mix, uint32_t w, uint32_t g)
{
    const struct ctl_world *world = mix->world[w];
    const struct ctl_world *told = world->leader != NULL ? world->leader : world;

    if (world_event(told, 0, 257) == UINT32_MAX && world_event(told, 0, 60210) == UINT32_MAX &&
        world_event(told, 0, 218) == UINT32_MAX && world_event(told, 0, 60010) == UINT32_MAX &&
        !is_told_superseded(world)) {
        mixture_print(mix);
        FAIL("%s is not served, and nobody says why", mix->histories[w]->groups[g].name);
    }
}

static void group_judge(struct mixture *mix, uint32_t w, uint32_t g)
{
    const struct history_group *group = &mix->histories[w]->groups[g];
    struct ctl_world *world = mix->world[w];
    struct virtual_drive_view vd;
    uint32_t generations = 0;
    const struct group_config *record = newest_record(mix, w, g, &generations);
    bool first = !mix->was_served[w][g];
    bool served = false;

    if (record == NULL) {
        return; /* nothing of it is here */
    }
    if (first) {
        memcpy(mix->tags[w][g], history_tags(group, record->sequence), sizeof(mix->tags[w][g]));
    }
    if (!chunks_check(world, group, mix->tags[w][g], &served)) {
        mixture_print(mix);
        FAIL("%s: wrong data; the newest record is %llu", group->name,
             (unsigned long long)record->sequence);
    }
    mix->was_served[w][g] = mix->was_served[w][g] || served;
    tally[served ? SERVED : NOT_SERVED]++;
    if (!served) {
        expect_reason(mix, w, g);
    } else if (world_vd(world, group->name, &vd, NULL)) {
        tally[SERVED_MIXED] += generations > 1;
        tally[SERVED_DEGRADED] += vd.state != VIRTUAL_DRIVE_STATE_OPTIMAL;
    }
    if (first && !mix->waits && must_serve(mix, w, g, record) && !served) {
        mixture_print(mix);
        FAIL("%s has all it needs and is not served", group->name);
    }
}

static bool is_in_use(const struct drive_view *view)
{
    return view->state == DRIVE_STATE_ONLINE || view->state == DRIVE_STATE_REBUILD ||
           view->state == DRIVE_STATE_COPYBACK || view->state == DRIVE_STATE_HOT_SPARE ||
           (view->group[0] != '\0' && view->state == DRIVE_STATE_UNCONFIGURED_GOOD);
}

/* Between two looks: a spare takes a place, and gives it back when that has a drive again. It is
 * said before the first write; its state follows when the members have recorded it. */
static bool was_in_use(const struct mixture *mix, uint32_t w, uint32_t slot)
{
    const struct ctl_world *told = mix->world[0];
    char path[32];

    (void)snprintf(path, sizeof(path), "/c%u/e252/s%u", w, slot);
    for (uint32_t i = 0; i < told->log_count; i++) {
        const struct event *event = &told->log[i];

        if (event->code == EVENT_SPARE_COMMISSIONED && strcmp(event->params[0].value, path) == 0) {
            return true;
        }
        if (event->code == EVENT_STATE_CHANGED && strcmp(event->params[0].value, path) == 0 &&
            (strcmp(event->params[2].value, "Rbld") == 0 ||
             strcmp(event->params[2].value, "Cpybck") == 0 ||
             strcmp(event->params[2].value, "Onln") == 0)) {
            return true;
        }
    }
    return false;
}

/* What is not used and not blank keeps its bytes; what once was in use is another matter. */
static void unused_judge(struct mixture *mix)
{
    for (uint32_t w = 0; w < mix->worlds; w++) {
        for (uint32_t i = 0; i < SLOTS; i++) {
            struct drive_view view;

            if (piece_label(&mix->pieces[w][i]) == NULL || mix->pieces[w][i].used ||
                mix->world[w]->slots[i].drive->counters.writes == 0) {
                continue; /* documents are dear */
            }
            mix->pieces[w][i].used =
                (world_drive(mix->world[w], i, &view) && is_in_use(&view)) || was_in_use(mix, w, i);
            if (!mix->pieces[w][i].used) {
                mixture_print(mix);
                FAIL("slot %u of controller %u is not used, and was written to", i, w);
            }
        }
    }
}

static void all_judge(struct mixture *mix)
{
    for (uint32_t w = 0; w < mix->worlds; w++) {
        for (uint32_t g = 0; g < mix->histories[w]->group_count; g++) {
            group_judge(mix, w, g);
        }
    }
    unused_judge(mix);
}

/* What happens to it */

struct sets {
    uint32_t count;
    char ids[16][65];
};

static void sets_add(void *context, const struct foreign_set_view *set)
{
    struct sets *sets = context;

    if (sets->count < 16) {
        (void)snprintf(sets->ids[sets->count++], 65, "%s", set->id);
    }
}

static void sets_drive(void *context, const struct foreign_drive_view *drive)
{
    (void)context;
    (void)drive;
}

static void sets_vd(void *context, const struct foreign_vd_view *vd)
{
    (void)context;
    (void)vd;
}

static void sets_member(void *context, const struct foreign_member_view *member)
{
    (void)context;
    (void)member;
}

static void sets_damaged(void *context, const char *key, const struct reason *reason)
{
    (void)context;
    FAIL("%s is called damaged: %s", key, reason_code_word(reason->code));
}

/* Everything that can be had. */
static void sets_import(struct ctl_world *world)
{
    struct sets sets = {.count = 0};
    const struct ctl_foreign_visitor visitor = {sets_add,    sets_drive,   sets_vd,
                                                sets_member, sets_damaged, &sets};

    ctl_foreign(world->ctl, &visitor);
    for (uint32_t i = 0; i < sets.count; i++) {
        struct ctl_command command = {.op = CTL_OP_FOREIGN_IMPORT};

        (void)snprintf(command.args.foreign.controller, sizeof(command.args.foreign.controller),
                       "c0");
        (void)snprintf(command.args.foreign.set, sizeof(command.args.foreign.set), "%s",
                       sets.ids[i]);
        tally[IMPORTED] += world_run(world, &command) == REASON_OK;
    }
}

/* Late ones, one by one. */
static void late_arrive(struct mixture *mix)
{
    for (uint32_t w = 0; w < mix->worlds; w++) {
        for (uint32_t i = 0; i < SLOTS; i++) {
            if (mix->pieces[w][i].late) {
                mix->pieces[w][i].late = false;
                mix->world[w]->slots[i].absent = false;
                slot_arrive(mix->world[w], i);
                mix->waits = one_in(mix, 2);
                world_settle(mix->world[0], mix->waits ? SIM_SECOND : MINUTE);
                tally[LATE]++;
                all_judge(mix);
            }
        }
    }
}

static void some_write(struct mixture *mix)
{
    for (uint32_t w = 0; w < mix->worlds; w++) {
        for (uint32_t g = 0; g < mix->histories[w]->group_count; g++) {
            bool served = false;

            if (mix->was_served[w][g] &&
                chunks_check(mix->world[w], &mix->histories[w]->groups[g], mix->tags[w][g],
                             &served) &&
                served) {
                chunks_write(mix->world[w], &mix->histories[w]->groups[g], &mix->rng,
                             mix->tags[w][g], 7777);
            }
        }
    }
}

static void worlds_restart(struct mixture *mix)
{
    for (uint32_t w = mix->worlds; w > 0; w--) {
        world_stop(mix->world[w - 1]);
    }
    if (mix->worlds == 2) {
        ctl_host_init(&mix->host, mix->world[0]->next_seq);
    }
    for (uint32_t w = 0; w < mix->worlds; w++) {
        world_start(mix->world[w]);
    }
}

static void mixture_live(struct mixture *mix)
{
    for (uint32_t w = 0; w < mix->worlds; w++) {
        world_start(mix->world[w]);
    }
    if (mix->stores[0] == NO_STORE) {
        sets_import(mix->world[0]);
    }
    all_judge(mix);
    late_arrive(mix);
    mix->waits = false;
    if (one_in(mix, 6)) {
        world_settle(mix->world[0], 3 * MINUTE); /* rebuilt, made consistent */
        all_judge(mix);
    }
    if (one_in(mix, 6)) {
        some_write(mix);
        worlds_restart(mix);
        all_judge(mix);
        tally[WRITTEN]++;
    }
    tally[STALE] += world_event_count(mix->world[0], 0, 60210);
    tally[COPIES] += world_event_count(mix->world[0], 0, 60010);
}

static void mixture_run(const struct history *own, const struct history *other, struct rng *rng)
{
    struct mixture *mix = calloc(1, sizeof(*mix));
    uint64_t seed = rng_u64(rng);

    assert_non_null(mix);
    rng_seed(&mix->rng, seed);
    mix->histories[0] = own;
    mix->histories[1] = other;
    mixture_draw(mix);
    mixture_build(mix, seed);
    mixture_live(mix);
    for (uint32_t w = mix->worlds; w > 0; w--) {
        world_free(mix->world[w - 1]);
    }
    free(mix);
}

static void test_generations(void **state)
{
    uint64_t seed = aw_test_seed("generations", fresh_seed());
    uint32_t cases = getenv("AW_CASES") != NULL ? (uint32_t)atoi(getenv("AW_CASES")) : CASES;
    struct history *other = history_new(seed - 1);

    (void)state;
    for (uint32_t done = 0; done < cases; done += CASES_PER_HISTORY) {
        struct history *own = NULL;
        struct rng rng;

        history_seed = seed + done / CASES_PER_HISTORY;
        own = history_new(history_seed);
        rng_seed(&rng, history_seed);
        for (case_number = 0; case_number < CASES_PER_HISTORY; case_number++) {
            mixture_run(own, other, &rng);
        }
        other = history_free(other);
        other = own;
    }
    (void)history_free(other); /* returns NULL always */
    for (uint32_t i = 0; i < TALLY_MAX; i++) {
        printf("# %u %s\n", tally[i], tally_names[i]);
        assert_true(tally[i] > 0 || cases < CASES);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_generations)};

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Ends of a life by battery, and what must be there after them (battery_life.h (4)).
 */
#include "base/checked.h"
#include "battery_life_private.h"

#define STROKE_US (60 * SIM_SECOND)

static void begin_again(struct life *life)
{
    life->dead = false;
    life->mains = true;
    life->left_us = life->full_us;
    life->energy_us = life_now(life);
    life->stale_until_us = 0;
    life->flap_until_us = 0;
    life->good_since_us = 0;
    life->fell_us = 0;
    life->over_us = life->limit_over_us = 0;
    life->rate = 0;
    life->rate_since_us = 0;
    life->wrote_back = false;
    life->failed_us = 0;
    life_latency(life, 0);
    life->world->log_count = 0;
    world_start(life->world);
}

/* What was written back is expected like what was flushed. */
static void models_crash(struct life *life)
{
    for (uint32_t vd = 0; vd < life->vd_count; vd++) {
        struct model *model = life->models[vd];

        for (uint64_t i = 0; i < model->block_count; i++) {
            model->durable[i] = max_u32(model->durable[i], life->back[vd][i]);
        }
        model_crashed(model, 1);
        model_risk_over(model, NULL);
    }
}

/* Parity that was being written without all drives, and intents that go with the memory, or are not
 * there at all. */
static void torn_note(struct life *life, bool memory_kept)
{
    bool parity = raid_level_info(life->shape->level)->parity_count > 0;

    for (uint32_t vd = 0; vd < life->vd_count; vd++) {
        life->torn_is_fine[vd] =
            parity && life->missing[vd] > 0 && !(memory_kept && life_is_logged(life, vd));
    }
}

static void verify_all(struct life *life, bool lost_is_fine, const char *when)
{
    for (uint32_t vd = 0; vd < life->vd_count && !life->result->failed; vd++) {
        life_verify(life, vd, lost_is_fine, when);
        life->torn_is_fine[vd] = false;
    }
    life_latency(life, life->latency_us);
    if (!life->result->failed) {
        life_poll(life);
    }
}

/* What is said of the flush that only memory has answered holds as long as the memory does. */
void life_cut(struct life *life, bool death)
{
    enum sim_cut cut = death ? SIM_CUT_KEEP_ALL : (enum sim_cut)life_below(life, SIM_CUT_MAX);
    bool kept = death || life_pack_keeps(life);
    bool stroke = life->failed_us != 0 && life_now(life) - life->failed_us < STROKE_US;
    /* A UPS that goes at a stroke has promised nothing, and an empty one nothing that it said. */
    bool lost_is_fine = !kept && life->dirty > 0 && (life->ups || stroke);

    life_look(life);
    torn_note(life, kept);
    lost_is_fine = !kept && life->dirty > 0 && (life->ups || stroke);
    if (!kept && life->dirty > 0 && !lost_is_fine) {
        life_fail(life, "%llu bytes are dirty and nothing keeps them: the pack is %s, %lld s left",
                  (unsigned long long)life->dirty, battery_state_word(life->pack.state),
                  (long long)life->pack.left_s);
        return;
    }
    life_trace(life, "%s, %llu bytes dirty, %s", death ? "the agent's death" : "the power goes",
               (unsigned long long)life->dirty, kept ? "kept" : "not kept");
    life->result->crash_points++;
    life->result->deaths += death ? 1 : 0;
    life->result->sudden += death ? 0 : 1;
    life->result->kept += kept && !death ? 1 : 0;
    memcpy(life->memory_kept, life->memory.base, life->memory.size_bytes);
    life->dead = true;
    sim_world_power_off(life->world->sim, cut);
    if (!death) {
        models_crash(life);
    }
    world_power_down(life->world);
    if (kept) {
        memcpy(life->memory.base, life->memory_kept, life->memory.size_bytes);
    } else {
        memset(life->memory.base, 0, life->memory.size_bytes);
    }
    begin_again(life);
    verify_all(life, lost_is_fine, death ? "after the death" : "after the power went");
}

struct dark {
    struct sim_event event;
    struct life *life;
    bool came;
};

static void dark_now(struct sim_event *event)
{
    struct dark *dark = container_of(event, struct dark, event);
    struct life *life = dark->life;

    dark->came = true;
    life->dead = true;
    life_trace(life, "dark before the host has stopped");
    sim_world_power_off(life->world->sim, SIM_CUT_DROP_ALL);
    models_crash(life);
}

void life_low(struct life *life)
{
    struct dark dark = {.event = {.fire = dark_now}, .life = life};
    struct battery_reading low;
    bool lost_is_fine = life->lies;

    life->result->crash_points++;
    life->result->lows++;
    life_look(life);
    torn_note(life, false);
    life_trace(life, "low, %llu bytes dirty", (unsigned long long)life->dirty);
    battery_reading_init(&low);
    low.state = BATTERY_STATE_LOW;
    low.left_s = life_left_s(life);
    low.low_left_s = life->low_s;
    for (uint32_t i = 0; i < 4; i++) {
        life_submit(life); /* under way while it is said */
    }
    list_init(&dark.event.link);
    sim_event_post(life->world->sim, &dark.event, life->left_us);
    ctl_battery_reading(life->world->ctl, &low);
    sim_world_advance(life->world->sim, life_below(life, 2 * SIM_SECOND));
    if (!dark.came) {
        life_look(life);
        if (life->wrote_back) {
            life_fail(life, "write-back while the UPS is low");
            return;
        }
    }
    world_stop(life->world);
    if (!dark.came) {
        list_remove(&dark.event.link);
        for (uint32_t vd = 0; vd < life->vd_count; vd++) {
            model_stopped(life->models[vd]);
            life->torn_is_fine[vd] = false;
        }
        sim_world_power_off(life->world->sim, (enum sim_cut)life_below(life, SIM_CUT_MAX));
        models_crash(life);
        lost_is_fine = false;
    }
    sim_world_power_on(life->world->sim);
    memset(life->memory.base, 0, life->memory.size_bytes);
    life->lies = false;
    begin_again(life);
    verify_all(life, lost_is_fine, dark.came ? "after it was dark" : "after the host had stopped");
}

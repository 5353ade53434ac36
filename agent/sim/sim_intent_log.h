/*
 * A log of write intents in the memory of the test, which survives power cuts; for groups on
 * simulated drives. It can be slow, small, lazy about releases, and it can go away.
 */
#ifndef ARRAYWRIGHT_SIM_INTENT_LOG_H
#define ARRAYWRIGHT_SIM_INTENT_LOG_H

#include "raid/intent_log.h"
#include "sim_world.h"

#define SIM_INTENTS_MAX 128u

struct sim_intent {
    enum sim_intent_state {
        SIM_INTENT_FREE,
        SIM_INTENT_WRITING, /* durable a little later */
        SIM_INTENT_OPEN,
        SIM_INTENT_RETIRED, /* waits for a flush */
        SIM_INTENT_RELEASED /* but not durably so: replayed all the same */
    } state;
    uint64_t number;
    uint64_t epoch;
    struct intent intent;   /* its parts point into bytes */
    uint8_t *bytes;
    struct intent *waiting; /* WRITING: the owner's */
    struct sim_event event;
    struct sim_intent_log *log;
};

struct sim_intent_log {
    struct intent_log log;
    struct sim_world *world;
    uint32_t capacity;      /* at most SIM_INTENTS_MAX; default that */
    uint32_t latency_us;    /* 0: durable at once */
    uint32_t lazy;          /* so many released ones stay open, until somebody wants to settle */
    uint32_t others_us;     /* so long others' writes keep whoever wants to settle waiting */
    bool gone;              /* the medium answers nothing but errors */
    struct list waiting;    /* intent.link: no room */
    struct sim_event answer;
    bool answer_posted;
    int answer_waiting_with;
    uint64_t next_number;
    struct sim_intent intents[SIM_INTENTS_MAX];
    /* Replay. */
    struct intent_replay *replay;
    uint64_t replay_from;
    bool replay_inside;
    bool replay_again;
    struct intent_clear *clear;
    struct list settling;   /* intent_settle.link; until: the newest entry then */
    struct sim_event settled;
    bool settled_posted;
    /* Called before the log is cleared; may be NULL. */
    void (*on_clear)(void *context);
    void *on_clear_context;
    /* What has been seen. */
    uint64_t appends;
    uint64_t replayed;
    uint64_t waits;
    uint64_t clears;
};

struct sim_intent_log *sim_intent_log_create(struct sim_world *world);
/* A log of another world with what a power cut now would leave of this one: what is being written
 * is durable or not. */
struct sim_intent_log *sim_intent_log_fork(const struct sim_intent_log *log,
                                           struct sim_world *world);
void sim_intent_log_destroy(struct sim_intent_log *log);
/* Kept and not released. */
uint32_t sim_intent_log_open_count(const struct sim_intent_log *log);

#endif

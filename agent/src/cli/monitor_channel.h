/*
 * What a channel has to deliver for an agent: events, findings, and that arrayd does not answer.
 *
 *   idle --something to tell--> running --arrived--> idle, its place has moved
 *                                       --failed---> idle, tried again after MONITOR_RETRY_S
 *
 * A channel waits for nobody else, and nobody waits for it.
 */
#ifndef ARRAYWRIGHT_CLI_MONITOR_CHANNEL_H
#define ARRAYWRIGHT_CLI_MONITOR_CHANNEL_H

#include <time.h>

#include "cli/command.h"
#include "cli/notify.h"

#define MONITOR_RETRY_S 30
#define MONITOR_CHANNELS 4

struct monitor_delivery {
    struct notify_delivery out;
    bool running;
    time_t retry_at;
    json_t *place; /* once it has arrived, `name` of this is `value` */
    const char *name;
    json_t *value; /* json_null(): it has none any more */
};

struct monitor_agent {
    const char *socket;
    struct monitor_delivery deliveries[MONITOR_CHANNELS];
    uint64_t rev;  /* of what was found */
    json_t *found; /* NULL: not known */
    time_t away_since;           /* wall; 0: it answers */
    bool away;                   /* for so long that it is told */
    char why[CLIENT_TEXT_BYTES]; /* it does not answer */
};

struct monitor {
    struct notify_channel channels[MONITOR_CHANNELS];
    const char *cursor_path; /* NULL: places are not kept */
    const char *textfile;    /* NULL: none */
    json_int_t class_min;
    uint64_t interval_s;
    uint64_t away_s;
    time_t metrics_at;
    int listen_fd; /* -1: no /metrics */
    json_t *kept;  /* {socket: {epoch, channel: seq, told: {channel: findings}},
                   * away: {socket: {channel: since}}} */
    struct monitor_agent agents[CLI_CONTROLLERS_MAX];
};

void monitor_kept_save(const struct monitor *monitor);
/* Begins what there is to tell. places: of the agent's log; NULL: it does not answer. A question
 * that fails sets context->failed. */
void monitor_channel_work(struct cli_context *context, struct monitor *monitor,
                          struct monitor_agent *agent, json_t *places, size_t channel);
/* Looks at what is under way; true if any of it has ended. */
bool monitor_deliveries_poll(struct monitor *monitor);
bool monitor_delivers(const struct monitor *monitor);
void monitor_deliveries_end(struct monitor *monitor);

#endif

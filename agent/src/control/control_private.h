/*
 * The control server's own data, shared by control_server.c, control_methods.c and
 * control_commands.c only.
 */
#ifndef ARRAYWRIGHT_CONTROL_CONTROL_PRIVATE_H
#define ARRAYWRIGHT_CONTROL_CONTROL_PRIVATE_H

#include "control/control_client.h"
#include "control/control_server.h"
#include "control/monitor_watch.h"
#include "control/query_args.h"

struct control_server {
    struct control_options options;
    struct control_world world;
    struct control_client_handler handler;
    int listen_fd;
    struct loop_poll *listen_poll;
    struct list clients;
    uint32_t client_count;
    struct list commands;         /* of struct running_command */
    uint32_t command_count;
    struct control_client *fence_client; /* waits for its fence to be durable; NULL: nobody */
    uint64_t fence_request;
    bool draining;
    void (*drained)(void *context);
    void *drained_context;
    struct loop_task drain_task;

    struct loop_task urgent_task; /* state notifications of this turn */
    struct clock_timer state_timer;
    struct clock_timer stall_timer;
    struct monitor_watch monitor;
    uint64_t events_last_seq;
};

/* method_drive_health.c */
void control_drive_health(struct control_server *server, struct control_client *client, uint64_t id,
                          const json_t *params);

/* method_link.c */
void control_link_join(struct control_server *server, struct control_client *client, uint64_t id,
                       const json_t *params);
void control_link_report(struct control_server *server, struct control_client *client, uint64_t id,
                         const json_t *params);
/* The client has gone. */
void control_link_leave(struct control_server *server, const struct control_client *client);

/* control_methods.c */
void control_request(struct control_server *server, struct control_client *client, const char *line,
                     size_t bytes);
/* Sends {id, result}; takes the reference. */
void control_answer(struct control_client *client, uint64_t id, json_t *result);
void control_refuse(struct control_client *client, uint64_t id, const struct reason *reason);
void control_notify(struct control_client *client, const char *method, json_t *params);
/* NULL with a reason. */
json_t *control_bad_blocks(const struct control_server *server, const struct query_args *args,
                           struct reason *ret_reason);
/* The change since rev as a state_result; *ret_rev is what it leads to. */
json_t *control_state(const struct control_server *server, uint64_t since_rev, uint64_t *ret_rev);

/* control_commands.c */
void control_command(struct control_server *server, struct control_client *client, uint64_t id,
                     const json_t *params);
void control_command_get(struct control_server *server, struct control_client *client, uint64_t id,
                         const json_t *params);
void control_command_list(struct control_server *server, struct control_client *client,
                          uint64_t id);
void control_command_acknowledge(struct control_server *server, struct control_client *client,
                                 uint64_t id, const json_t *params);
/* The client has gone; its commands go on. */
void control_commands_orphan(struct control_server *server, const struct control_client *client);

#endif

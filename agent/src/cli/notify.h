/*
 * Ways out of the host for events: mail, a webhook, a script, the journal. Each takes a batch
 * of event documents and says whether it arrived; who calls keeps the place and tries again. Nobody
 * waits: what takes time is a program of its own, which has half a minute.
 */
#ifndef ARRAYWRIGHT_CLI_NOTIFY_H
#define ARRAYWRIGHT_CLI_NOTIFY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attrs.h"

#define NOTIFY_TEXT_BYTES 256u

struct notify_channel {
    const char *name;   /* "mail" …, also in the file that keeps the place */
    const char *target; /* address, URL, path; NULL: the channel is not used */
    const char *mailer; /* mail only: the program; NULL: /usr/sbin/sendmail */
};

struct notify_delivery {
    pid_t child;
    int64_t deadline_ms;
    const char *program;
};

enum notify_state { NOTIFY_RUNNING, NOTIFY_DELIVERED, NOTIFY_FAILED };

/* NOTIFY_RUNNING: to be asked about until it has ended. NOTIFY_FAILED: text says why. An empty
 * batch is delivered. */
enum notify_state notify_begin(const struct notify_channel *channel, const char *hostname,
                               const json_t *events, struct notify_delivery *ret_delivery,
                               char text[NOTIFY_TEXT_BYTES]);
enum notify_state notify_poll(struct notify_delivery *delivery, char text[NOTIFY_TEXT_BYTES]);
/* Ends one that runs; whether it has arrived is not known. */
void notify_abandon(struct notify_delivery *delivery);

#endif

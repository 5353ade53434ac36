/*
 * Ways out of the host for events: mail, a webhook, a script, the journal. Each takes a batch
 * of event documents and says whether it arrived; who calls keeps the place and tries again.
 */
#ifndef ARRAYWRIGHT_CLI_NOTIFY_H
#define ARRAYWRIGHT_CLI_NOTIFY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"

#define NOTIFY_TEXT_BYTES 256u

struct notify_channel {
    const char *name;   /* "mail" …, also in the file that keeps the place */
    const char *target; /* address, URL, path; NULL: the channel is not used */
    const char *mailer; /* mail only: the program; NULL: /usr/sbin/sendmail */
};

/* false: not delivered, text says why. An empty batch is delivered. */
MUST_CHECK bool notify_send(const struct notify_channel *channel, const char *hostname,
                            const json_t *events, char text[NOTIFY_TEXT_BYTES]);

#endif

/*
 * /metrics by HTTP, on loopback only: one request per connection.
 */
#ifndef ARRAYWRIGHT_CLI_METRICS_HTTP_H
#define ARRAYWRIGHT_CLI_METRICS_HTTP_H

#include "cli/command.h"

/* listen: "127.0.0.1:9417" or "[::1]:9417". false with text. */
MUST_CHECK bool metrics_http_open(const char *listen, int *ret_fd, char text[REQUEST_TEXT_BYTES]);
/* Takes the connection that waits and answers it. */
void metrics_http_serve(int listen_fd, const struct cli_context *context);

#endif

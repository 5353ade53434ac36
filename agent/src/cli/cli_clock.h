/* The time arrayctl waits by: of a clock that nobody sets. */
#ifndef ARRAYWRIGHT_CLI_CLI_CLOCK_H
#define ARRAYWRIGHT_CLI_CLI_CLOCK_H

#include <stdint.h>

int64_t cli_now_ms(void);

#endif

/*
 * Takes secrets out of text that leaves the host: tokens and PEM keys by their form, other values
 * by the word before them (password = …), and the password in a URL.
 */
#ifndef ARRAYWRIGHT_CLI_REDACT_H
#define ARRAYWRIGHT_CLI_REDACT_H

#include "base/attrs.h"

/* A copy without secrets, to be freed; NULL: no memory. */
MUST_CHECK char *redact(const char *text);

#endif

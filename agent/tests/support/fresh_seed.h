/*
 * The first seed of a test that tries something new each time. AW_FRESH_SEED decides it if set:
 * `make test` gives each of its steps one, new for every run, and prints what repeats the run.
 * Otherwise it is random. Whoever uses it prints it.
 */
#ifndef ARRAYWRIGHT_TESTS_FRESH_SEED_H
#define ARRAYWRIGHT_TESTS_FRESH_SEED_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/attrs.h"

/* Below 2^48, so that seeds can be counted up from it. Ends the program if it can get none. */
UNUSED static uint64_t fresh_seed(void)
{
    const char *text = getenv("AW_FRESH_SEED");
    uint64_t seed = 0;
    char *end = NULL;

    if (text != NULL && text[0] != '\0') {
        errno = 0;
        seed = strtoull(text, &end, 0);
        if (errno != 0 || *end != '\0') {
            fprintf(stderr, "AW_FRESH_SEED is not a number: %s\n", text);
            exit(2);
        }
    } else if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed)) {
        fprintf(stderr, "no random seed\n");
        exit(2);
    }
    return seed >> 16;
}

#endif

/*
 * The medium of the write-back cache, as the configuration names it, given to the controller.
 */
#ifndef ARRAYWRIGHT_DAEMON_CACHE_PLACE_H
#define ARRAYWRIGHT_DAEMON_CACHE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "ctl/ctl.h"
#include "daemon/config.h"
#include "host/loop.h"

struct medium_file;
struct medium_log;

struct cache_place {
    struct medium_file *file;
    struct medium_log *log; /* one of the two, or none */
};

struct cache_places {
    struct loop *loop;
    uint64_t started_us; /* of the loop */
    uint32_t wait_s;     /* predecessor.h */
    const struct ctl *const *ctls; /* all of the configuration */
    uint32_t ctl_count;
};

/* What is in the cache may be newer than the drives: a medium that is there but cannot be used
 * stops the start, so that nobody reads or writes the older state. So does the
 * cache of another controller of the configuration, and one that would take the place of a cache
 * with writes of this controller. False: logged, and nothing was changed. place: all NULL before.
 */
MUST_CHECK bool cache_place_open(const struct cache_places *places, struct ctl *ctl,
                                 const struct config_cache *config, struct cache_place *place);
/* Gives up the claim. */
void cache_place_close(struct cache_place *place);

#endif

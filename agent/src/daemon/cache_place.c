/* See cache_place.h. */
#include "daemon/cache_place.h"

#include <errno.h>
#include <string.h>

#include "cache/journal.h"
#include "daemon/log.h"
#include "daemon/predecessor.h"
#include "host/medium_file.h"
#include "host/medium_log.h"

struct opening {
    struct loop *loop;
    struct ctl *ctl;
    const struct config_cache *config;
    uint64_t started_us;
    uint32_t wait_s;
};

static struct predecessor_wait wait_of(const struct opening *opening)
{
    return (struct predecessor_wait){.clock = loop_clock(opening->loop),
                                     .started_us = opening->started_us,
                                     .wait_s = opening->wait_s};
}

/* It holds acknowledged writes: whoever starts without them must have chosen that. */
static void ways_tell(const struct config_cache *config, const struct uuid *owner)
{
    char text[UUID_TEXT_BYTES];

    uuid_format(owner, text);
    log_error("cache %s holds acknowledged writes of controller %s; choose one of these:",
              config->path, text);
    log_error("1. if the state directory of controller %s still exists, put it back", text);
    log_error("2. to import its virtual drives with these writes, add the line owner = \"%s\"; to "
              "the cache section of arrayd.conf, start arrayd and import the foreign "
              "configuration",
              text);
    log_error("3. to go on without these writes, set path in the cache section to a new file or "
              "device; what is only in this cache is then missing on the virtual drives");
}

/* Whom the cache is opened for; NULL: the controller itself. */
static const struct uuid *owner_choose(const struct config_cache *config, const struct uuid *found,
                                       bool is_known)
{
    return config->has_owner && is_known && uuid_equal(&config->owner, found) ? found : NULL;
}

/* owner: whose it is; NULL: not known. */
static bool is_refused(const struct config_cache *config, const struct uuid *owner, int error)
{
    if (error != 0) {
        log_error("cache %s is not used and left untouched: %s", config->path,
                  error == -EEXIST            ? "it belongs to another controller"
                  : error == -EBADMSG         ? "it is damaged, or no cache at all"
                  : error == -EPROTONOSUPPORT ? "it was made by a later version"
                  : error == -ERANGE          ? "its size does not agree with its content"
                                              : strerror(-error));
    }
    if (error == -EEXIST && owner != NULL) {
        ways_tell(config, owner);
    }
    return error != 0;
}

static bool log_medium_open(const struct opening *opening, struct cache_place *place)
{
    const struct config_cache *config = opening->config;
    uint64_t memory_bytes = journal_log_memory_bytes(config->size_bytes);
    char text[MEDIUM_FILE_TEXT_BYTES];
    struct predecessor_wait wait = wait_of(opening);
    struct uuid owner;
    bool is_known = false;
    int error = 0;

    do {
        error = medium_log_open(opening->loop, config->path, config->size_bytes, memory_bytes,
                                &place->log, text);
    } while (error == -EBUSY && predecessor_may_linger(&wait, text));
    if (error != 0) {
        log_error("%s", text);
        return false;
    }
    if (!medium_log_is_locked(place->log)) {
        log_warning("the memory of the cache cannot be locked: it may be paged out");
    }
    is_known = journal_log_owner(medium_log_port(place->log), &owner);
    error =
        ctl_cache_open_log(opening->ctl, medium_log_port(place->log), medium_log_memory(place->log),
                           owner_choose(config, &owner, is_known), config->path);
    return !is_refused(config, is_known ? &owner : NULL, error);
}

static bool memory_medium_open(const struct opening *opening, struct cache_place *place)
{
    const struct config_cache *config = opening->config;
    bool persistent = config->medium == CONFIG_MEDIUM_PMEM;
    char text[MEDIUM_FILE_TEXT_BYTES];
    struct predecessor_wait wait = wait_of(opening);
    struct uuid owner;
    bool is_known = false;
    int error = 0;

    do {
        error =
            medium_file_open(config->path, persistent ? MEMORY_KIND_PERSISTENT : MEMORY_KIND_SHARED,
                             config->size_bytes, &place->file, text);
    } while (error == -EWOULDBLOCK && predecessor_may_linger(&wait, text));
    if (error != 0) {
        log_error("%s", text);
        return false;
    }
    if (persistent && !medium_file_is_direct(place->file)) {
        log_warning("cache %s is no persistent memory with direct access: each write waits for the "
                    "file system",
                    config->path);
    } else if (!persistent && !medium_file_is_locked(place->file)) {
        log_warning("cache %s cannot be locked in memory: it may be paged out", config->path);
    }
    is_known = journal_owner(medium_file_port(place->file), &owner);
    error = ctl_cache_open(opening->ctl, medium_file_port(place->file),
                           owner_choose(config, &owner, is_known), config->path);
    return !is_refused(config, is_known ? &owner : NULL, error);
}

bool cache_place_open(struct loop *loop, struct ctl *ctl, const struct config_cache *config,
                      uint64_t started_us, uint32_t wait_s, struct cache_place *place)
{
    const struct opening opening = {
        .loop = loop, .ctl = ctl, .config = config, .started_us = started_us, .wait_s = wait_s};

    if (config->path[0] == '\0') {
        return true;
    }
    return config->medium == CONFIG_MEDIUM_LOG ? log_medium_open(&opening, place)
                                               : memory_medium_open(&opening, place);
}

void cache_place_close(struct cache_place *place)
{
    place->file = medium_file_close(place->file);
    place->log = medium_log_close(place->log);
}

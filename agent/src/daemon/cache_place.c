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
    const struct cache_places *places;
    struct ctl *ctl;
    const struct config_cache *config;
};

static struct predecessor_wait wait_of(const struct opening *opening)
{
    return (struct predecessor_wait){.clock = loop_clock(opening->places->loop),
                                     .started_us = opening->places->started_us,
                                     .wait_s = opening->places->wait_s};
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
              "device; what is only in this cache is then missing on the virtual drives for good: "
              "this cache, put back later, is not written to them");
}

static void untouched_tell(const struct config_cache *config, const char *why)
{
    log_error("cache %s is not used and left untouched: %s", config->path, why);
}

/* Paths that were exchanged, as a rule: each controller would lose what its own cache holds. */
static void sibling_tell(const struct opening *opening, uint32_t own, uint32_t other)
{
    untouched_tell(opening->config, "it belongs to another controller of this arrayd.conf");
    log_error("it is the cache of controller /c%u, but the configuration gives it to controller "
              "/c%u; set path in the cache section of /c%u to %s, and path of /c%u to the cache of "
              "/c%u; if the two paths were exchanged, exchange them again",
              other, own, other, opening->config->path, own, own);
}

static void own_missing_tell(const struct config_cache *config, const char *vd)
{
    untouched_tell(config, "it belongs to another controller");
    log_error("virtual drive \"%s\" may have acknowledged writes in another cache, which would be "
              "lost with this one; choose one of these:",
              vd);
    log_error("1. set path in the cache section to the cache that this controller had");
    log_error("2. to go on without these writes, set path to a new file or device; they are then "
              "missing on the virtual drive for good: their cache, put back later, is not written "
              "to it");
}

/* A cache of somebody else may be taken if it is empty, or if the configuration says so. Not if it
 * is needed here, or if another one is. */
static bool is_elsewhere(const struct opening *opening, const struct journal_identity *found)
{
    const struct cache_places *places = opening->places;
    struct uuid own = ctl_uuid(opening->ctl);
    uint32_t index = 0;
    const char *vd = NULL;

    if (uuid_equal(&found->owner, &own)) {
        return false;
    }
    while (places->ctls[index] != opening->ctl) {
        index++;
    }
    for (uint32_t i = 0; i < places->ctl_count; i++) {
        struct uuid other = ctl_uuid(places->ctls[i]);

        if (uuid_equal(&found->owner, &other)) {
            sibling_tell(opening, index, i);
            return true;
        }
    }
    vd = ctl_cache_elsewhere(opening->ctl, &found->uuid);
    if (vd != NULL) {
        own_missing_tell(opening->config, vd);
    }
    return vd != NULL;
}

/* Whom the cache is opened for; NULL: the controller itself. found: NULL if it is nobody's. */
static const struct uuid *owner_choose(const struct config_cache *config,
                                       const struct journal_identity *found)
{
    return config->has_owner && found != NULL && uuid_equal(&config->owner, &found->owner)
               ? &found->owner
               : NULL;
}

/* found: NULL if it is not known whose it is. */
static bool is_refused(const struct config_cache *config, const struct journal_identity *found,
                       int error)
{
    if (error != 0) {
        untouched_tell(config, error == -EEXIST            ? "it belongs to another controller"
                               : error == -EBADMSG         ? "it is damaged, or no cache at all"
                               : error == -EPROTONOSUPPORT ? "it was made by a later version"
                               : error == -ERANGE ? "its size does not agree with its content"
                                                  : strerror(-error));
    }
    if (error == -EEXIST && found != NULL) {
        ways_tell(config, &found->owner);
    }
    return error != 0;
}

static bool log_medium_open(const struct opening *opening, struct cache_place *place)
{
    const struct config_cache *config = opening->config;
    uint64_t memory_bytes = journal_log_memory_bytes(config->size_bytes);
    char text[MEDIUM_FILE_TEXT_BYTES];
    struct predecessor_wait wait = wait_of(opening);
    struct journal_identity identity;
    const struct journal_identity *found = NULL;
    int error = 0;

    do {
        error = medium_log_open(opening->places->loop, config->path, config->size_bytes,
                                memory_bytes, &place->log, text);
    } while (error == -EBUSY && predecessor_may_linger(&wait, text));
    if (error != 0) {
        log_error("%s", text);
        return false;
    }
    if (!medium_log_is_locked(place->log)) {
        log_warning("the memory of the cache cannot be locked: it may be paged out");
    }
    found = journal_log_identify(medium_log_port(place->log), &identity) ? &identity : NULL;
    if (found != NULL && is_elsewhere(opening, found)) {
        return false;
    }
    error =
        ctl_cache_open_log(opening->ctl, medium_log_port(place->log), medium_log_memory(place->log),
                           owner_choose(config, found), config->path);
    return !is_refused(config, found, error);
}

static bool memory_medium_open(const struct opening *opening, struct cache_place *place)
{
    const struct config_cache *config = opening->config;
    bool persistent = config->medium == CONFIG_MEDIUM_PMEM;
    char text[MEDIUM_FILE_TEXT_BYTES];
    struct predecessor_wait wait = wait_of(opening);
    struct journal_identity identity;
    const struct journal_identity *found = NULL;
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
    found = journal_identify(medium_file_port(place->file), &identity) ? &identity : NULL;
    if (found != NULL && is_elsewhere(opening, found)) {
        return false;
    }
    error = ctl_cache_open(opening->ctl, medium_file_port(place->file), owner_choose(config, found),
                           config->path);
    return !is_refused(config, found, error);
}

bool cache_place_open(const struct cache_places *places, struct ctl *ctl,
                      const struct config_cache *config, struct cache_place *place)
{
    const struct opening opening = {.places = places, .ctl = ctl, .config = config};

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

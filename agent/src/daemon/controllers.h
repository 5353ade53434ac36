/*
 * The controllers of this host, made, started, stopped and freed together. Each has its own
 * records (the first in the state directory itself, the others in c1, c2, … below it), its own
 * cache, and its own source of battery readings.
 */
#ifndef ARRAYWRIGHT_DAEMON_CONTROLLERS_H
#define ARRAYWRIGHT_DAEMON_CONTROLLERS_H

#include "base/attrs.h"
#include "ctl/ctl_host.h"
#include "daemon/config.h"
#include "daemon/drives.h"
#include "daemon/exports.h"
#include "daemon/facts.h"
#include "host/event_log.h"
#include "host/loop.h"
#include "host/state_store.h"
#include "host/work_pool.h"

struct controllers;

struct controllers_options {
    const struct daemon_config *config;
    const struct host_facts *facts;
    const char *nbd_tcp;             /* "HOST:PORT" or "" */
    uint64_t started_us;             /* of the loop */
    struct loop *loop;
    struct work_pool *pool;
    struct state_store *store;       /* of the first */
    struct event_log *events;
    struct drives *drives;
    void (*changed)(void *owner, bool urgent); /* documents */
    void *owner;
};

/* False: it has been logged why. What was made so far is left to controllers_free(). */
MUST_CHECK bool controllers_make(const struct controllers_options *options,
                                 struct controllers **ret_controllers);
struct ctl_host *controllers_host(struct controllers *controllers);
/* Who exports their virtual drives, from now on. */
void controllers_exports_set(struct controllers *controllers, struct exports *exports);

/* The caches, before anything else begins; the sources of the batteries, last. False: logged. */
MUST_CHECK bool controllers_caches_open(struct controllers *controllers);
MUST_CHECK bool controllers_batteries_open(struct controllers *controllers);

/* done: when all have started; error of the first that could not. */
/* A record of the state directory was damaged, and what that costs: an event. */
void controllers_record_damaged(struct controllers *controllers, const char *file,
                                const char *cost);
void controllers_start(struct controllers *controllers, void (*done)(void *owner, int error));
/* done: when all have stopped. */
void controllers_stop(struct controllers *controllers, void (*done)(void *owner));

/* What their caches have yet to write to the drives. */
uint64_t controllers_dirty_bytes(const struct controllers *controllers);

/* Gives up controllers and caches. None may be running. */
void controllers_take_down(struct controllers *controllers);
/* After the pool has been closed. Accepts NULL, returns NULL. */
struct controllers *controllers_free(struct controllers *controllers);

/* The profiles that the configuration names, read and thrown away: 0, or -errno with a text. */
MUST_CHECK int controllers_check(const struct daemon_config *config, char *text, size_t text_bytes);

#endif

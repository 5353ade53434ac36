/* See exports.h. */
#include "daemon/exports.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "daemon/facts.h"
#include "daemon/log.h"
#include "daemon/predecessor.h"
#include "export/export_server.h"
#include "export/ublk_device.h"
#include "export/ublk_kernel.h"

/* Clients wait for the start as long as drives are waited for, and so long for the rest of it. */
#define HOLD_BEYOND_CLAIMS_S 30u

struct offer {
    struct exports *exports;
    struct ctl *ctl;             /* whose it is */
    struct vd_target *target;    /* NULL: free */
    bool served;                 /* the NBD server has it; else it could not be exported */
    bool closing;
    struct ublk_device *device;  /* NULL: none, or no more */
    char vd_key[OBJECT_KEY_MAX + 1];
};

struct exports {
    struct loop *loop;
    struct export_server *server;
    struct ublk_kernel *ublk;     /* NULL: not wanted */
    uint32_t connection_max;
    struct loop_task closed_task; /* reports targets that are closed by every way */
    struct offer offers[EXPORT_TARGET_MAX];
};

static struct offer *offer_find(struct exports *exports, const struct vd_target *target)
{
    for (uint32_t i = 0; i < EXPORT_TARGET_MAX; i++) {
        if (exports->offers[i].target == target) {
            return &exports->offers[i];
        }
    }
    return NULL;
}

static const struct offer *offer_of(const struct exports *exports, const char *vd_key)
{
    for (uint32_t i = 0; i < EXPORT_TARGET_MAX; i++) {
        const struct offer *offer = &exports->offers[i];

        if (offer->target != NULL && !offer->closing && strcmp(offer->vd_key, vd_key) == 0) {
            return offer;
        }
    }
    return NULL;
}

/* ---- ublk ---- */

/* FNV-1a of the virtual drive's key: what a device says of itself. */
static uint64_t identity_of(const char *vd_key)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *vd_key != '\0'; vd_key++) {
        hash = (hash ^ (uint8_t)*vd_key) * UINT64_C(0x100000001b3);
    }
    return hash != 0 ? hash : 1;
}

static void closed_soon(struct exports *exports)
{
    loop_post(exports->loop, &exports->closed_task);
}

static void device_live(void *owner, struct ublk_device *device UNUSED, uint32_t number)
{
    const struct offer *offer = owner;

    log_info("virtual drive %s is " UBLK_BLOCK_PATH, offer->target->name, number);
}

static void device_gone(void *owner, struct ublk_device *device, const char *text)
{
    struct offer *offer = owner;

    if (text[0] != '\0') {
        log_error("virtual drive %s has no ublk device: %s", offer->target->name, text);
    }
    offer->device = ublk_device_free(device);
    closed_soon(offer->exports);
}

static void device_open(struct offer *offer)
{
    struct exports *exports = offer->exports;
    const struct ublk_observer observer = {
        .live = device_live, .gone = device_gone, .owner = offer};
    int error = 0;

    if (exports->ublk == NULL) {
        return;
    }
    error =
        ublk_device_create(ublk_kernel_port(exports->ublk), loop_clock(exports->loop),
                           offer->target, identity_of(offer->vd_key), &observer, &offer->device);
    if (error != 0) {
        log_error("virtual drive %s has no ublk device: %s", offer->target->name, strerror(-error));
    }
}

/* ---- the controller's wishes ---- */

void exports_target_open(struct exports *exports, struct ctl *ctl, struct vd_target *target,
                         const char *vd_key)
{
    struct offer *offer = offer_find(exports, NULL);
    int error = offer != NULL ? export_server_add_target(exports->server, target) : -ENOSPC;

    if (offer != NULL) {
        *offer =
            (struct offer){.exports = exports, .ctl = ctl, .target = target, .served = error == 0};
        (void)snprintf(offer->vd_key, sizeof(offer->vd_key), "%s", vd_key);
        device_open(offer);
    }
    if (error != 0) {
        log_error("virtual drive %s cannot be exported: %s", target->name, strerror(-error));
    } else {
        log_info("virtual drive %s is exported by NBD", target->name);
    }
}

static void nbd_closed(void *owner, struct vd_target *target)
{
    struct offer *offer = offer_find(owner, target);

    ASSERT(offer != NULL);
    offer->served = false;
    closed_soon(owner);
}

static void closed_run(struct loop_task *task)
{
    struct exports *exports = task->owner;

    for (uint32_t i = 0; i < EXPORT_TARGET_MAX; i++) {
        struct offer *offer = &exports->offers[i];

        if (offer->target != NULL && offer->closing && !offer->served && offer->device == NULL) {
            const struct offer closed = *offer;

            *offer = (struct offer){.target = NULL};
            ctl_export_closed(closed.ctl, closed.target);
        }
    }
}

void exports_target_close(struct exports *exports, struct ctl *ctl, struct vd_target *target)
{
    struct offer *offer = offer_find(exports, target);

    if (offer == NULL) { /* one too many: it was never exported */
        ctl_export_closed(ctl, target);
        return;
    }
    ASSERT(!offer->closing);
    offer->closing = true;
    if (offer->served) {
        export_server_remove_target(exports->server, target, nbd_closed, exports);
    }
    if (offer->device != NULL) {
        ublk_device_remove(offer->device);
    }
    closed_soon(exports); /* also with nothing to close: the answer comes from the loop */
}

uint32_t exports_connections(const struct exports *exports, const char *vd_key)
{
    const struct offer *offer = offer_of(exports, vd_key);

    return offer != NULL && offer->served
               ? export_server_connections(exports->server, offer->target)
               : 0;
}

void exports_device(const struct exports *exports, const char *vd_key, char *path, size_t bytes)
{
    const struct offer *offer = offer_of(exports, vd_key);
    uint32_t number =
        offer != NULL && offer->device != NULL ? ublk_device_number(offer->device) : UINT32_MAX;

    path[0] = '\0';
    if (number != UINT32_MAX) {
        (void)snprintf(path, bytes, UBLK_BLOCK_PATH, number); /* always fits */
    }
}

/* ---- life ---- */

static int nbd_listen(struct exports *exports, const struct daemon_config *config,
                      uint64_t started_us, char text[EXPORT_TEXT_BYTES])
{
    const struct config_nbd *nbd = &config->nbd;
    struct predecessor_wait wait = {.clock = loop_clock(exports->loop),
                                    .started_us = started_us,
                                    .wait_s = config->claim_wait_s};
    gid_t group = (gid_t)-1;
    uint16_t port = 0;
    int error = group_id(config->control.group, &group);

    if (error != 0) {
        return error;
    }
    do {
        error = export_server_listen_unix(exports->server, nbd->unix_path, config->control.mode,
                                          group, text);
    } while (error == -EADDRINUSE && predecessor_may_linger(&wait, text));
    if (error != 0 || !nbd->tcp_enabled) {
        return error;
    }
    if (nbd->tls_certificate[0] != '\0') {
        error = export_server_use_tls(exports->server, nbd->tls_certificate, nbd->tls_key,
                                      nbd->tls_client_ca, text);
        if (error != 0) {
            return error;
        }
    }
    do {
        error = export_server_listen_tcp(exports->server, nbd->tcp_listen, (uint16_t)nbd->tcp_port,
                                         &port, text);
    } while (error == -EADDRINUSE && predecessor_may_linger(&wait, text));
    return error;
}

static void clients_refused(void *owner, uint64_t count)
{
    const struct exports *exports = owner;

    log_warning("NBD: %llu client%s refused: %u are connected, as many as nbd.connections allows",
                (unsigned long long)count, count == 1 ? " was" : "s were", exports->connection_max);
}

/* Demanded, so a kernel that has none is an error: file systems wait for these devices. */
static bool ublk_open(struct exports *exports, const struct daemon_config *config)
{
    char text[UBLK_KERNEL_TEXT_BYTES] = "";

    if (!config->ublk_enabled) {
        return true;
    }
    if (ublk_kernel_open(exports->loop, UBLK_CONTROL_PATH, &exports->ublk, text) != 0) {
        log_error("ublk.enabled is true, but %s", text);
        return false;
    }
    return true;
}

bool exports_open(struct loop *loop, const struct daemon_config *config, uint64_t started_us,
                  struct exports **ret_exports)
{
    struct exports *exports = calloc(1, sizeof *exports);
    char text[EXPORT_TEXT_BYTES] = "";
    const struct export_options options = {
        .connection_max = config->nbd.connection_max,
        .memory_bytes = config->nbd.memory_bytes,
        .hold_timeout_ms = (config->claim_wait_s + HOLD_BEYOND_CLAIMS_S) * UINT64_C(1000),
        .refused = clients_refused,
        .refused_owner = exports,
    };
    int error = 0;

    ASSERT(exports != NULL);
    exports->loop = loop;
    exports->connection_max = config->nbd.connection_max;
    loop_task_init(&exports->closed_task, closed_run, exports);
    error = export_server_create(loop, &options, &exports->server);
    if (error != 0) {
        log_error("%s", strerror(-error));
        free(exports);
        return false;
    }
    *ret_exports = exports;
    error = nbd_listen(exports, config, started_us, text);
    if (error != 0) {
        log_error("%s", text[0] != '\0' ? text : strerror(-error));
        return false;
    }
    return ublk_open(exports, config);
}

void exports_outlook_set(struct exports *exports, const struct export_prospects *outlook)
{
    export_server_outlook_set(exports->server, outlook);
}

void exports_outlook_changed(struct exports *exports)
{
    export_server_outlook_changed(exports->server);
}

void exports_leave(struct exports *exports)
{
    export_server_leave(exports->server);
    for (uint32_t i = 0; i < EXPORT_TARGET_MAX; i++) {
        if (exports->offers[i].device != NULL) {
            ublk_device_leave(exports->offers[i].device);
        }
    }
}

void exports_close(struct exports *exports, void (*done)(void *owner), void *owner)
{
    export_server_close(exports->server, done, owner);
}

struct exports *exports_free(struct exports *exports)
{
    if (exports == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < EXPORT_TARGET_MAX; i++) {
        ASSERT(exports->offers[i].target == NULL);
    }
    loop_unpost(&exports->closed_task);
    exports->server = export_server_free(exports->server);
    exports->ublk = ublk_kernel_close(exports->ublk);
    free(exports);
    return NULL;
}

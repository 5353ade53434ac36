/*
 * A ublk device's own data; shared by ublk_device.c (its life) and ublk_requests.c (its tags) only.
 */
#ifndef ARRAYWRIGHT_EXPORT_UBLK_PRIVATE_H
#define ARRAYWRIGHT_EXPORT_UBLK_PRIVATE_H

#include "export/ublk_device.h"

#define UBLK_TRIM_MAX_SECTORS (1u << 21) /* 1 GiB */

enum phase {
    PHASE_SETTING_UP,
    PHASE_LIVE,
    PHASE_STOPPING, /* the block device is being taken down */
    PHASE_DELETING,
    PHASE_GONE
};

enum tag_state {
    TAG_OURS,    /* with nobody: before the first fetch, after the last */
    TAG_KERNEL,  /* fetched, or answered and fetched */
    TAG_TARGET,  /* a request, at the virtual drive */
    TAG_HELD     /* a request, left to the successor */
};

struct tag {
    struct ublk_device *device;
    struct vd_request vd;
    enum tag_state state;
    uint16_t number;
};

typedef void (*step_fn)(struct ublk_device *device);

struct ublk_device {
    struct ublk_port *port;
    struct clock_port *clock;
    struct vd_target *target;
    struct ublk_observer observer;
    uint64_t identity;
    enum phase phase;
    bool leaving, remove_wanted;
    uint32_t number;     /* of the device; while looking: of the one looked at */
    bool made;           /* it is ours to be deleted if it cannot be set up */
    struct ublk_control control;
    void (*answered)(struct ublk_device *device, int result);
    struct ublk_device_info info;
    struct ublk_params params;
    struct clock_timer timer; /* the next step, or one to be tried again */
    step_fn next;
    uint32_t retries;
    bool queue_is_open;
    struct ublk_queue queue;
    uint32_t at_kernel, at_target;
    char text[UBLK_TEXT_BYTES];
    struct tag tags[UBLK_DEPTH];
};

/* Opens the queue and fetches every tag. */
MUST_CHECK int ublk_queue_start(struct ublk_device *device);
/* A fetch has ended. */
void ublk_fetched(struct ublk_queue *queue, uint16_t number, int result);
/* Less is in flight: may the end go on that was asked for? */
void ublk_ending_check(struct ublk_device *device);

#endif

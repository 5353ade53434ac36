/* See predecessor.h. */
#include "daemon/predecessor.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "daemon/log.h"

#define PREDECESSOR_RETRY_US 20000u
/* A kill under load ends sooner than this; whatever takes longer is worth a word. */
#define PREDECESSOR_TOLD_US (UINT64_C(1) * 1000000)

/* Signals are blocked and read by the loop, which does not run yet. */
static bool stop_is_asked(void)
{
    sigset_t pending;

    return sigpending(&pending) == 0 &&
           (sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1);
}

bool predecessor_may_linger(struct predecessor_wait *wait, const char *text)
{
    struct timespec pause = {.tv_nsec = PREDECESSOR_RETRY_US * 1000};
    uint64_t running_us = clock_now_us(wait->clock) - wait->started_us;

    if (running_us > wait->wait_s * UINT64_C(1000000) || stop_is_asked()) {
        return false;
    }
    if (!wait->told && running_us > PREDECESSOR_TOLD_US) {
        wait->told = true;
        log_warning("%s It is waited for until %u s after the start (claim_wait_s).", text,
                    wait->wait_s);
    }
    (void)nanosleep(&pause, NULL);
    return true;
}

/* See predecessor.h. */
#include "daemon/predecessor.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

/* How long the kernel may take to let go of what a killed predecessor had in its ring. */
#define PREDECESSOR_US (5u * 1000u * 1000u)
#define PREDECESSOR_RETRY_US 20000u

bool predecessor_may_linger(uint64_t running_us, int error)
{
    struct timespec pause = {.tv_nsec = PREDECESSOR_RETRY_US * 1000};

    if (error != -EADDRINUSE || running_us > PREDECESSOR_US) {
        return false;
    }
    (void)nanosleep(&pause, NULL);
    return true;
}

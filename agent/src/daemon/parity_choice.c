#include "daemon/parity_choice.h"

#include <stdlib.h>
#include <time.h>

#include "daemon/log.h"
#include "raid/parity_kernels.h"

#define ALIGN_BYTES 64u

static uint64_t now_ns(void)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void parity_choose(void)
{
    uint8_t *memory = aligned_alloc(ALIGN_BYTES, PARITY_MEASURE_BYTES);
    const char *for_pq = NULL;
    const char *for_all = NULL;

    if (memory == NULL) {
        return;
    }
    parity_kernels_measure(now_ns, memory, &for_pq, &for_all);
    log_info("parity: P+Q by %s, everything else of RAID 6 by %s", for_pq, for_all);
    free(memory);
}

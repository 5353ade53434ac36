#include "host/ups.h"

#include <errno.h>
#include <stdlib.h>

#include "base/assert.h"
#include "port/clock_port.h"

/* A question that is out for so many intervals counts as not answered: the pool may be held up
 * by something else. */
#define OVERDUE_POLLS 5u

struct ups {
    struct ups_options options;
    struct loop *loop;
    struct work_pool *pool;
    struct clock_timer timer;
    struct work work;
    bool asking;
    bool stopped;
    uint64_t asked_us;
    enum ups_answer answer;      /* of the work */
    struct ups_values values;
};

static void work_run(struct work *work)
{
    struct ups *ups = work->owner;

    ups->answer = ups_ask(&ups->options.address, ups->options.deadline_ms, &ups->values);
}

static void work_done(struct work *work)
{
    struct ups *ups = work->owner;
    struct battery_reading reading;

    ups->asking = false;
    if (ups->stopped) {
        return;
    }
    if (ups->answer == UPS_ANSWER_WHOLE) {
        ups_values_read(&ups->values, ups->options.source, ups->options.low_runtime_s, &reading);
    } else {
        ups_answer_read(ups->answer, ups->options.source, &reading);
    }
    ups->options.reading(ups->options.owner, &reading);
}

static void ask(struct ups *ups)
{
    struct battery_reading reading;
    uint64_t now_us = clock_now_us(loop_clock(ups->loop));
    uint64_t patience_us =
        (uint64_t)OVERDUE_POLLS * ups->options.poll_ms * 1000 + ups->options.deadline_ms * 1000ull;

    if (!ups->asking) {
        ups->asking = true;
        ups->asked_us = now_us;
        work_submit(ups->pool, &ups->work);
    } else if (now_us - ups->asked_us > patience_us) {
        ups_answer_read(UPS_ANSWER_VOID, ups->options.source, &reading);
        ups->options.reading(ups->options.owner, &reading);
    }
    clock_arm(loop_clock(ups->loop), &ups->timer, now_us + ups->options.poll_ms * 1000ull);
}

static void timer_fired(struct clock_timer *timer)
{
    ask(timer->owner);
}

int ups_open(struct loop *loop, struct work_pool *pool, const struct ups_options *options,
             struct ups **ret_ups)
{
    struct ups *ups = calloc(1, sizeof(*ups));

    ASSERT(options->poll_ms > 0 && options->deadline_ms > 0 && options->reading != NULL);
    if (ups == NULL) {
        return -ENOMEM;
    }
    ups->options = *options;
    ups->loop = loop;
    ups->pool = pool;
    ups->timer.fire = timer_fired;
    ups->timer.owner = ups;
    list_init(&ups->timer.port_link);
    work_init(&ups->work, work_run, work_done, work_pool_new_key(pool), ups);
    ask(ups);
    *ret_ups = ups;
    return 0;
}

void ups_stop(struct ups *ups)
{
    if (ups != NULL) {
        ups->stopped = true;
        clock_cancel(loop_clock(ups->loop), &ups->timer);
    }
}

struct ups *ups_free(struct ups *ups)
{
    if (ups != NULL) {
        ASSERT(ups->stopped && !ups->asking);
        free(ups);
    }
    return NULL;
}

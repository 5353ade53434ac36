/*
 * Worker threads; see work_pool.h.
 *
 * Lock: pool->mutex guards waiting, running[] and closing. The loop's own mutex
 * (loop_post_remote) is taken while it is held, never the other way round.
 */
#include "host/work_pool.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/assert.h"

#define THREADS_MAX 8u
/* Enough for blkid and sysfs; with locked memory all of it is resident. */
#define STACK_BYTES (512u * 1024u)

struct work_pool {
    struct loop *loop;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    struct list waiting;               /* in order of submission */
    struct work *running[THREADS_MAX]; /* one place per thread */
    bool closing;
    pthread_t threads[THREADS_MAX];
    uint32_t thread_count;
    uint32_t started_count; /* hands each thread its place; guarded by mutex */
    uint32_t busy_count;    /* loop thread only */
    uint64_t last_key;      /* loop thread only */
};

static bool key_is_running(const struct work_pool *pool, uint64_t key)
{
    if (key == 0) {
        return false;
    }
    for (uint32_t i = 0; i < pool->thread_count; i++) {
        if (pool->running[i] != NULL && pool->running[i]->key == key) {
            return true;
        }
    }
    return false;
}

/* The first work whose key is free. Called with the mutex held. */
static struct work *take_next(struct work_pool *pool)
{
    LIST_FOR_EACH (node, &pool->waiting) {
        struct work *work = list_entry(node, struct work, link);
        if (!key_is_running(pool, work->key)) {
            list_remove(node);
            return work;
        }
    }
    return NULL;
}

static void *thread_main(void *argument)
{
    struct work_pool *pool = argument;
    uint32_t place;

    pthread_mutex_lock(&pool->mutex);
    place = pool->started_count++;
    ASSERT(place < THREADS_MAX);
    for (;;) {
        struct work *work = take_next(pool);
        if (work == NULL) {
            if (pool->closing) {
                break;
            }
            pthread_cond_wait(&pool->wake, &pool->mutex);
            continue;
        }
        pool->running[place] = work;
        pthread_mutex_unlock(&pool->mutex);
        work->run(work);
        pthread_mutex_lock(&pool->mutex);
        pool->running[place] = NULL;
        /* Posted under the mutex: a successor of the same key cannot overtake it. */
        loop_post_remote(pool->loop, &work->finished);
        pthread_cond_broadcast(&pool->wake);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

static void work_finished(struct loop_task *task)
{
    struct work *work = task->owner;

    ASSERT(work->pool->busy_count > 0);
    work->pool->busy_count--;
    work->pool = NULL;
    work->done(work);
}

/* The threads take no signals: those belong to the loop. */
static int threads_start(struct work_pool *pool, uint32_t thread_count)
{
    sigset_t all;
    sigset_t before;
    pthread_attr_t attributes;
    int error = 0;

    sigfillset(&all);
    error = -pthread_attr_init(&attributes);
    if (error != 0) {
        return error;
    }
    error = -pthread_attr_setstacksize(&attributes, STACK_BYTES);
    ASSERT(error == 0); /* the size is a multiple of every page size and above the minimum */
    error = -pthread_sigmask(SIG_SETMASK, &all, &before);
    if (error != 0) {
        (void)pthread_attr_destroy(&attributes);
        return error;
    }
    /* thread_count is read by the threads under the mutex. */
    pthread_mutex_lock(&pool->mutex);
    while (pool->thread_count < thread_count && error == 0) {
        error = -pthread_create(&pool->threads[pool->thread_count], &attributes, thread_main, pool);
        if (error == 0) {
            pool->thread_count++;
        }
    }
    pthread_mutex_unlock(&pool->mutex);
    (void)pthread_attr_destroy(&attributes);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL); /* restoring a mask that was valid */
    return error;
}

static void threads_join(struct work_pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    pool->closing = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    for (uint32_t i = 0; i < pool->thread_count; i++) {
        int error = pthread_join(pool->threads[i], NULL);
        ASSERT(error == 0);
    }
}

static void pool_free(struct work_pool *pool)
{
    threads_join(pool);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    free(pool);
}

int work_pool_open(struct loop *loop, uint32_t thread_count, struct work_pool **ret_pool)
{
    struct work_pool *pool = calloc(1, sizeof *pool);
    int error;

    ASSERT(thread_count > 0);
    ASSERT(thread_count <= THREADS_MAX);
    if (pool == NULL) {
        return -ENOMEM;
    }
    pool->loop = loop;
    list_init(&pool->waiting);
    error = -pthread_mutex_init(&pool->mutex, NULL);
    if (error != 0) {
        goto fail_mutex;
    }
    error = -pthread_cond_init(&pool->wake, NULL);
    if (error != 0) {
        goto fail_cond;
    }
    error = threads_start(pool, thread_count);
    if (error != 0) {
        pool_free(pool);
        return error;
    }
    *ret_pool = pool;
    return 0;

fail_cond:
    pthread_mutex_destroy(&pool->mutex);
fail_mutex:
    free(pool);
    return error;
}

struct work_pool *work_pool_close(struct work_pool *pool)
{
    if (pool == NULL) {
        return NULL;
    }
    while (pool->busy_count > 0) {
        int error = loop_turn(pool->loop, LOOP_WAIT_FOREVER);
        ASSERT(error == 0);
    }
    pool_free(pool);
    return NULL;
}

void work_init(struct work *work, void (*run)(struct work *work), void (*done)(struct work *work),
               uint64_t key, void *owner)
{
    ASSERT(run != NULL);
    ASSERT(done != NULL);
    *work = (struct work){.run = run, .done = done, .key = key, .owner = owner};
    list_init(&work->link);
    loop_task_init(&work->finished, work_finished, work);
}

void work_submit(struct work_pool *pool, struct work *work)
{
    ASSERT(work->pool == NULL);
    work->pool = pool;
    pool->busy_count++;
    pthread_mutex_lock(&pool->mutex);
    ASSERT(!pool->closing);
    list_push_tail(&pool->waiting, &work->link);
    pthread_cond_signal(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

uint32_t work_pool_busy_count(const struct work_pool *pool)
{
    return pool->busy_count;
}

uint64_t work_pool_new_key(struct work_pool *pool)
{
    ASSERT(pool->last_key < UINT64_MAX);
    return ++pool->last_key;
}

/*
 * Durable homes of group records (group_store.h). A save is one store put and one label job
 * per member that is in sync or in rebuild; it owns copies of everything it needs.
 *
 *   ordinary        put -> ok: labels -> complete(0)      put -> failed: complete(error)
 *   labels_suffice  put and labels together -> complete(0) if any label or the put succeeded
 *
 * A label that has been flushed is followed by the DDF metadata of its drive (ddf_io.h).
 */
#include "meta/group_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/sim_bug.h"
#include "drive/drive_layout.h"
#include "meta/group_ddf.h"
#include "meta/label_io.h"
#include "meta/seal.h"

struct group_store {
    struct store_port *store;
    struct clock_port *clock; /* NULL: no DDF */
    struct list slots;     /* of struct label_slots */
    uint32_t saves;
};

struct save_run {
    struct group_store *store;
    struct group_save *save;
    struct store_request put;
    uint8_t *record;
    int store_error;
    uint32_t target_count;
    uint32_t pending;          /* label jobs, and the put while it runs */
    uint32_t written;
    uint32_t job_count;
    struct label_job *jobs[GROUP_MEMBERS_MAX];
    struct ddf_job *ddf[GROUP_MEMBERS_MAX]; /* by member; NULL: nothing to be written */
};

int group_store_create(struct store_port *store, struct group_store **ret_store)
{
    struct group_store *created = calloc(1, sizeof(*created));

    ASSERT(store != NULL);
    if (created == NULL) {
        return -ENOMEM;
    }
    created->store = store;
    list_init(&created->slots);
    *ret_store = created;
    return 0;
}

struct group_store *group_store_free(struct group_store *store)
{
    if (store == NULL) {
        return NULL;
    }
    ASSERT(store->saves == 0);
    LIST_FOR_EACH_SAFE (node, following, &store->slots) {
        struct label_slots *slots = list_entry(node, struct label_slots, link);

        list_remove(node);
        if (slots->jobs == 0) { /* else a transfer that never came back may still answer */
            ddf_copies_forget(&slots->ddf);
            free(slots);
        }
    }
    free(store);
    return NULL;
}

void group_store_ddf_use(struct group_store *store, struct clock_port *clock)
{
    ASSERT(clock != NULL && list_is_empty(&store->slots));
    store->clock = clock;
}

static struct label_slots *slots_find(struct group_store *store, const struct drive *drive)
{
    LIST_FOR_EACH (node, &store->slots) {
        struct label_slots *slots = list_entry(node, struct label_slots, link);

        if (slots->drive == drive) {
            return slots;
        }
    }
    return NULL;
}

static struct label_slots *slots_of(struct group_store *store, const struct drive *drive)
{
    struct label_slots *slots = slots_find(store, drive);

    if (slots == NULL) {
        slots = calloc(1, sizeof(*slots));
        ASSERT(slots != NULL);
        slots->drive = drive;
        list_init(&slots->link);
        list_push_tail(&store->slots, &slots->link);
    }
    return slots;
}

void group_store_ddf_forget(struct group_store *store, const struct drive *drive)
{
    struct label_slots *slots = slots_find(store, drive);

    if (slots != NULL) {
        ddf_copies_forget(&slots->ddf);
    }
}

void group_store_forget(struct group_store *store, const struct drive *drive)
{
    struct label_slots *slots = slots_find(store, drive);

    if (slots != NULL) {
        ASSERT(slots->jobs == 0);
        list_remove(&slots->link);
        ddf_copies_forget(&slots->ddf);
        free(slots);
    }
}

/* Sealing a group */

static void seal_part_done(struct group_seal *seal)
{
    ASSERT(seal->pending > 0);
    seal->pending--;
    if (seal->pending == 0) {
        seal->complete(seal);
    }
}

static void seal_done(struct seal_job *job, bool found)
{
    (void)found; /* it has made one */
    seal_part_done(job->owner);
}

void group_store_seal(struct group_store *store, struct group_seal *seal)
{
    ASSERT(seal->complete != NULL);
    seal->pending = 1; /* until all have begun */
    for (uint32_t i = 0; i < seal->config->member_count && store->clock != NULL; i++) {
        const struct member_config *member = &seal->config->members[i];
        struct label_slots *slots =
            seal->drives[i] != NULL ? slots_find(store, seal->drives[i]) : NULL;

        if (member->state == MEMBER_ONLINE && slots != NULL && slots->known && slots->durable) {
            struct seal_job job = {.kind = SEAL_JOB_MAKE,
                                   .drive = seal->drives[i],
                                   .compact = slots->compact,
                                   .witness = slots->ddf.config != NULL,
                                   .seal = {.drive = member->drive,
                                            .group = seal->config->guid,
                                            .sequence = slots->sequence_used},
                                   .jobs = &slots->jobs,
                                   .done = seal_done,
                                   .owner = seal};

            seal->pending++;
            seal_job_run(&job);
        }
    }
    seal_part_done(seal);
}

/* Saving a group */

static bool member_gets_label(const struct group_save *save, uint32_t member)
{
    enum member_state state = save->config->members[member].state;

    return save->drives[member] != NULL && (state == MEMBER_ONLINE || state == MEMBER_REBUILD);
}

static void save_finish(struct save_run *run)
{
    struct group_save *save = run->save;
    int error = 0;

    ASSERT(run->pending == 0);
    ASSERT(run->store->saves > 0);
    if (run->target_count > 0 && run->written == 0) {
        error = -EIO;
    }
    if (run->store_error != 0 && (!save->labels_suffice || run->written == 0)) {
        error = run->store_error;
    }
    run->store->saves--;
    save->private_ = NULL;
    free(run->record);
    free(run);
    save->complete(save, error);
}

static void save_part_done(struct save_run *run)
{
    ASSERT(run->pending > 0);
    run->pending--;
    if (run->pending == 0) {
        save_finish(run);
    }
}

static void save_witness_done(struct seal_job *job, bool found)
{
    (void)found; /* it has written one */
    save_part_done(job->owner);
}

/* DDF metadata are there now and were not before (seal.h (3)). */
static void save_witness_run(struct save_run *run, const struct ddf_job *ddf)
{
    const struct group_config *config = run->save->config;
    struct seal_job witness = {
        .kind = SEAL_JOB_WITNESS,
        .drive = ddf->drive,
        .compact = config->compact,
        .seal = {.drive = config->members[ddf->member].drive, .group = config->guid},
        .jobs = ddf->jobs,
        .done = save_witness_done,
        .owner = run};

    seal_job_run(&witness);
}

/* Written or not: the label holds, unless the drive cannot be trusted any more (ddf_io.h (6)). */
static void save_ddf_done(struct ddf_job *job)
{
    struct save_run *run = job->owner;

    if (job->ok && job->whole) {
        save_witness_run(run, job);
        return;
    }
    if (ddf_job_costs_member(job) && run->save->member_failed != NULL &&
        !SIM_BUG(DDF_FLUSH_BELIEVED)) {
        run->save->member_failed(run->save, job->member, job->status);
    }
    save_part_done(run);
}

static void save_label_done(struct label_job *job, int error, enum io_status status)
{
    struct save_run *run = job->owner;
    struct ddf_job *ddf = run->ddf[job->member];

    run->ddf[job->member] = NULL;
    if (error == 0) {
        run->written++;
        if (run->save->member_labeled != NULL) {
            run->save->member_labeled(run->save, job->member);
        }
        if (ddf != NULL) {
            ddf->done = save_ddf_done;
            ddf->owner = run;
            ddf->member = job->member;
            ddf_job_run(ddf);
            return;
        }
    } else if (run->save->member_failed != NULL) {
        run->save->member_failed(run->save, job->member, status);
    }
    if (ddf != NULL) {
        ddf_job_drop(ddf);
    }
    save_part_done(run);
}

static void save_labels_run(struct save_run *run)
{
    for (uint32_t i = 0; i < run->job_count; i++) {
        run->pending++;
        label_job_run(run->jobs[i]);
    }
    run->job_count = 0;
}

/* The labels are not wanted any more: nothing of them has been submitted. */
static void save_labels_drop(struct save_run *run)
{
    for (uint32_t i = 0; i < run->job_count; i++) {
        uint32_t member = run->jobs[i]->member;

        if (run->ddf[member] != NULL) {
            ddf_job_drop(run->ddf[member]);
            run->ddf[member] = NULL;
        }
        label_job_drop(run->jobs[i]);
    }
    run->job_count = 0;
    run->target_count = 0;
}

static void save_put_done(struct store_request *request, int error)
{
    struct save_run *run = request->owner;

    run->store_error = error;
    if (!run->save->labels_suffice) {
        if (error == 0 && !SIM_BUG(STORE_SUFFICES)) {
            save_labels_run(run);
        } else {
            save_labels_drop(run);
        }
    }
    save_part_done(run);
}

static void save_label_prepare(struct save_run *run, uint32_t member, struct drive_label *label)
{
    struct group_save *save = run->save;
    struct label_job *job = NULL;
    uint8_t *slot = label_buffer();
    size_t bytes = 0;
    int error = 0;

    label->drive = save->config->members[member].drive;
    label->member = member;
    error = drive_label_encode(label, slot, &bytes);
    ASSERT(error == 0); /* the record has just been encoded from the same configuration */
    job = label_job_new(LABEL_JOB_WRITE, slots_of(run->store, save->drives[member]),
                        save->drives[member], slot, bytes);
    job->compact = label->compact;
    job->done = save_label_done;
    job->owner = run;
    job->member = member;
    run->jobs[run->job_count++] = job;
    run->target_count++;
}

static void save_labels_prepare(struct save_run *run)
{
    const struct group_config *config = run->save->config;
    struct drive_label *label = calloc(1, sizeof(*label));

    ASSERT(label != NULL);
    label->controller = *run->save->controller;
    label->role = LABEL_ROLE_MEMBER;
    label->group = config->guid;
    label->compact = config->compact;
    label->has_record = true;
    label->record = *config;
    for (uint32_t i = 0; i < config->member_count; i++) {
        if (member_gets_label(run->save, i) && !(SIM_BUG(ONE_LABEL) && run->job_count > 0)) {
            save_label_prepare(run, i, label);
        }
    }
    free(label);
}

static void save_ddf_prepare(struct save_run *run)
{
    struct label_slots *slots[GROUP_MEMBERS_MAX] = {NULL};

    for (uint32_t i = 0; i < run->job_count; i++) {
        slots[run->jobs[i]->member] = run->jobs[i]->slots;
    }
    group_ddf_prepare(run->save, clock_wall_us(run->store->clock), slots, run->ddf);
}

void group_store_save(struct group_store *store, struct group_save *save)
{
    struct save_run *run = calloc(1, sizeof(*run));
    size_t bytes = 0;
    int error = 0;

    ASSERT(run != NULL && save->private_ == NULL);
    ASSERT(save->complete != NULL);
    run->store = store;
    run->save = save;
    run->record = malloc(GROUP_RECORD_MAX_BYTES);
    ASSERT(run->record != NULL);
    error = group_record_encode(save->config, run->record, GROUP_RECORD_MAX_BYTES, &bytes);
    ASSERT(error == 0); /* what cannot be read back must never be written */
    save->private_ = run;
    store->saves++;
    save_labels_prepare(run);
    if (store->clock != NULL && !save->keep_ddf) {
        save_ddf_prepare(run);
    }
    group_record_name(&save->config->guid, run->put.name);
    run->put.value = run->record;
    run->put.value_bytes = bytes;
    run->put.complete = save_put_done;
    run->put.owner = run;
    list_init(&run->put.port_link);
    run->pending = 1;
    if (save->labels_suffice) {
        save_labels_run(run);
    }
    store->store->ops->put(store->store, &run->put);
}

/* Single labels */

/* The seal is broken, or a witness knows of DDF metadata that are gone. */
static void label_seal_checked(struct seal_job *job, bool found)
{
    struct label_read *read = job->owner;

    if (found) {
        read->ddf = DDF_FOUND_ON_MEMBER_OVERWRITTEN;
    }
    read->complete(read, 0);
}

/* The metadata are as we left them: is the beginning of the drive? There are none: were there? */
static void label_ddf_read(struct ddf_job *job)
{
    struct label_read *read = job->owner;
    bool gone = job->found == DDF_FOUND_ON_MEMBER_GONE;
    struct seal_job check = {.kind = gone ? SEAL_JOB_FIND_WITNESS : SEAL_JOB_CHECK,
                             .drive = read->drive,
                             .compact = read->label->compact,
                             .seal = {.drive = read->label->drive,
                                      .group = read->label->group,
                                      .sequence = read->label->sequence},
                             .jobs = job->jobs,
                             .done = label_seal_checked,
                             .owner = read};

    read->ddf = gone ? DDF_FOUND_ON_MEMBER_NOTHING : job->found;
    if (!gone && read->ddf != DDF_FOUND_ON_MEMBER_OURS) {
        read->complete(read, 0);
        return;
    }
    seal_job_run(&check);
}

static void label_read_done(struct label_job *job, int error, enum io_status status)
{
    struct label_read *read = job->owner;

    (void)status; /* error says enough */
    memcpy(read->left, job->left, sizeof(read->left));
    if (error == 0) {
        read->label = label_job_take(job);
    }
    if (error == 0 && read->private_ != NULL && read->label->role == LABEL_ROLE_MEMBER) {
        struct ddf_job *ddf =
            ddf_job_read(read->drive, &job->slots->ddf, &job->slots->jobs, &read->label->group);

        ddf->done = label_ddf_read;
        ddf->owner = read;
        ddf_job_run(ddf);
        return;
    }
    read->complete(read, error);
}

void group_store_label_read(struct group_store *store, struct label_read *read)
{
    struct label_job *job =
        label_job_new(LABEL_JOB_READ, slots_of(store, read->drive), read->drive, NULL, 0);

    ASSERT(read->complete != NULL);
    read->label = NULL;
    read->ddf = DDF_FOUND_ON_MEMBER_NOTHING;
    read->private_ = store->clock;
    job->done = label_read_done;
    job->owner = read;
    label_job_run(job);
}

bool group_store_marks(struct group_store *store, const struct drive *drive,
                       struct guid ret_left[2])
{
    const struct label_slots *slots = slots_find(store, drive);

    if (slots == NULL || !slots->known || slots->present || slots->jobs != 0) {
        return false;
    }
    memcpy(ret_left, slots->left, sizeof(slots->left));
    return true;
}

const struct ddf_config *group_store_ddf(struct group_store *store, const struct drive *drive)
{
    const struct label_slots *slots = slots_find(store, drive);

    if (slots == NULL) {
        return NULL;
    }
    return slots->ddf.config != NULL ? slots->ddf.config : slots->ddf.others;
}

static void label_write_done(struct label_job *job, int error, enum io_status status)
{
    struct label_write *write = job->owner;

    (void)status; /* error says enough */
    write->complete(write, error);
}

/* Before the label: what is left must never be DDF that no label of ours answers for. */
static void label_ddf_wiped(struct ddf_job *job)
{
    struct label_job *wipe = job->owner;

    if (job->ok) {
        label_job_run(wipe);
    } else {
        struct label_write *write = wipe->owner;

        label_job_drop(wipe);
        write->complete(write, -EIO);
    }
}

/* The witness first (seal.h (3)), then the metadata it tells of, then the label. */
static void wipe_witness_done(struct seal_job *job, bool found)
{
    (void)found; /* it has wiped one */
    ddf_job_run(job->owner);
}

/* The label that is known says where a witness is; without one there is none. */
static void label_wipe_run(struct label_slots *slots, struct label_job *job)
{
    struct ddf_job *ddf = ddf_job_wipe(job->drive, &slots->ddf, &slots->jobs);
    struct seal_job wipe = {.kind = SEAL_JOB_WIPE,
                            .drive = ddf->drive,
                            .compact = slots->compact,
                            .jobs = &slots->jobs,
                            .done = wipe_witness_done,
                            .owner = ddf};

    ddf->done = label_ddf_wiped;
    ddf->owner = job;
    if (slots->known && slots->present) {
        seal_job_run(&wipe);
    } else {
        ddf_job_run(ddf);
    }
}

void group_store_label_write(struct group_store *store, struct label_write *write)
{
    struct label_slots *slots = slots_of(store, write->drive);
    struct label_job *job = NULL;
    uint8_t *slot = NULL;
    size_t bytes = 0;

    ASSERT(write->complete != NULL);
    if (write->label != NULL) {
        int error = 0;

        slot = label_buffer();
        error = drive_label_encode(write->label, slot, &bytes);
        ASSERT(error == 0); /* the caller built it; a label that is not sound is its bug */
    }
    job = label_job_new(slot != NULL ? LABEL_JOB_WRITE : LABEL_JOB_WIPE, slots, write->drive, slot,
                        bytes);
    job->compact = write->label != NULL && write->label->compact;
    if (write->leaves != NULL) {
        ASSERT(job->kind == LABEL_JOB_WIPE);
        job->leaves = *write->leaves;
    }
    job->done = label_write_done;
    job->owner = write;
    if (store->clock != NULL &&
        (job->kind == LABEL_JOB_WIPE || write->label->role != LABEL_ROLE_MEMBER)) {
        label_wipe_run(slots, job);
        return;
    }
    label_job_run(job);
}

void group_store_label_retreat(struct group_store *store, struct label_write *write,
                               const struct guid *group, const struct uuid *controller,
                               bool compact)
{
    struct label_job *job =
        label_job_new(LABEL_JOB_RETREAT, slots_of(store, write->drive), write->drive, NULL, 0);

    ASSERT(write->complete != NULL && !guid_is_zero(group));
    job->group = *group;
    job->controller = *controller;
    job->compact = compact;
    job->done = label_write_done;
    job->owner = write;
    if (store->clock != NULL && write->ddf) {
        label_wipe_run(slots_of(store, write->drive), job);
        return;
    }
    label_job_run(job);
}

static void ddf_was_reread(struct ddf_job *job)
{
    struct ddf_reread *reread = job->owner;

    reread->complete(reread);
}

void group_store_ddf_read(struct group_store *store, struct ddf_reread *reread)
{
    struct label_slots *slots = slots_of(store, reread->drive);
    struct ddf_job *job = ddf_job_read(reread->drive, &slots->ddf, &slots->jobs, &reread->group);

    ASSERT(reread->complete != NULL);
    job->done = ddf_was_reread;
    job->owner = reread;
    ddf_job_run(job);
}

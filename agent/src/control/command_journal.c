/*
 * Entries in memory and the writer in front of the file: see command_journal.h.
 */
#include "control/command_journal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/crc.h"
#include "base/reason.h"
#include "control/journal_file.h"
#include "control/json_text.h"
#include "control/object_doc.h"

#define HASH_BUCKETS 4096u
/* One append takes at most this many records, which bounds its length. */
#define BATCH_RECORDS 64u

/* A line on its way to the file. */
struct pending_line {
    char *line;
    size_t bytes;
    bool begins;                 /* needs the reserve; undone on failure */
    char command_id[37];
    struct journal_write *write; /* NULL: nobody waits */
    int error;
    struct list link;
};

struct command_journal {
    struct work_pool *pool;
    struct journal_file file;
    struct list entries;         /* oldest first */
    uint32_t entry_count;
    struct journal_entry *buckets[HASH_BUCKETS];
    uint64_t number;             /* highest begun, also if not yet durable */
    uint64_t number_durable;
    uint64_t now_us;             /* wall clock of the last begin or end */

    struct list waiting;         /* of struct pending_line */
    struct list in_work;
    struct work work;
    bool working;
    char *replacement;           /* whole new content, when the file is rewritten */
    size_t replacement_bytes;
    int replacement_error;
};

static uint32_t bucket_of(const char *command_id)
{
    return crc32c(0, command_id, strlen(command_id)) % HASH_BUCKETS;
}

static struct journal_entry *entry_find(const struct command_journal *journal,
                                        const char *command_id)
{
    struct journal_entry *entry = journal->buckets[bucket_of(command_id)];

    while (entry != NULL && strcmp(entry->command_id, command_id) != 0) {
        entry = entry->hash_next;
    }
    return entry;
}

static void entry_add(struct command_journal *journal, struct journal_entry *entry)
{
    struct journal_entry **bucket = &journal->buckets[bucket_of(entry->command_id)];

    ASSERT(entry_find(journal, entry->command_id) == NULL);
    entry->hash_next = *bucket;
    *bucket = entry;
    list_init(&entry->order_link);
    list_push_tail(&journal->entries, &entry->order_link);
    journal->entry_count++;
}

static void entry_drop(struct command_journal *journal, struct journal_entry *entry)
{
    struct journal_entry **place = &journal->buckets[bucket_of(entry->command_id)];

    while (*place != entry) {
        ASSERT(*place != NULL);
        place = &(*place)->hash_next;
    }
    *place = entry->hash_next;
    list_remove(&entry->order_link);
    journal->entry_count--;
    json_decref(entry->reason);
    json_decref(entry->objects);
    free(entry);
}

static struct journal_entry *entry_new(const char *command_id)
{
    struct journal_entry *entry = calloc(1, sizeof(*entry));

    ASSERT(entry != NULL);
    ASSERT(strlen(command_id) < sizeof(entry->command_id));
    (void)snprintf(entry->command_id, sizeof(entry->command_id), "%s", command_id);
    entry->state = COMMAND_STATE_RUNNING;
    return entry;
}

/* Reading. A checksum has been verified, so what is missing here is our own old format; such
 * a record is skipped. */

static void begin_read(struct command_journal *journal, const char *id, const json_t *record)
{
    const char *class_word = json_text_at(record, "class");

    if (entry_find(journal, id) != NULL) {
        return;
    }
    struct journal_entry *entry = entry_new(id);
    if (class_word == NULL || !command_class_parse(class_word, &entry->class_)) {
        entry->class_ = COMMAND_CLASS_X;
    }
    entry->from_backend = json_is_true(json_object_get(record, "backend"));
    (void)json_u64_at(record, "number", &entry->number);
    (void)json_u64_at(record, "at_us", &entry->at_us);
    if (entry->number > journal->number) {
        journal->number = entry->number;
    }
    entry_add(journal, entry);
}

static void end_read(struct journal_entry *entry, const json_t *record)
{
    const char *word = json_text_at(record, "state");

    if (entry->state != COMMAND_STATE_RUNNING || word == NULL ||
        !command_state_parse(word, &entry->state)) {
        return;
    }
    entry->reason = json_incref(json_object_get(record, "reason"));
    entry->objects = json_incref(json_object_get(record, "objects"));
}

static void record_read(void *context, const json_t *record)
{
    struct command_journal *journal = context;
    const char *what = json_text_at(record, "e");
    const char *id = json_text_at(record, "id");

    if (what == NULL) {
        return;
    }
    if (strcmp(what, "number") == 0) {
        (void)json_u64_at(record, "number", &journal->number);
        return;
    }
    if (id == NULL || strlen(id) > 36) {
        return;
    }
    struct journal_entry *entry = entry_find(journal, id);
    if (strcmp(what, "begin") == 0) {
        begin_read(journal, id, record);
    } else if (entry != NULL && strcmp(what, "end") == 0) {
        end_read(entry, record);
    } else if (entry != NULL && strcmp(what, "ack") == 0) {
        entry->acknowledged = true;
    }
}

/* Records. */

static json_t *record_new(const char *what, const char *command_id)
{
    json_t *record = json_new_object();

    json_put_text(record, "e", what);
    json_put_text(record, "id", command_id);
    return record;
}

static json_t *begin_record(const struct journal_entry *entry, const char *op, const char *actor)
{
    json_t *record = record_new("begin", entry->command_id);

    json_put_u64(record, "number", entry->number);
    json_put_text(record, "op", op);
    json_put_text(record, "class", command_class_word(entry->class_));
    json_put_bool(record, "backend", entry->from_backend);
    json_put_text(record, "actor", actor);
    json_put_u64(record, "at_us", entry->at_us);
    return record;
}

static json_t *end_record(const struct journal_entry *entry, uint64_t at_us)
{
    json_t *record = record_new("end", entry->command_id);

    ASSERT(entry->reason != NULL && entry->objects != NULL);
    json_put_text(record, "state", command_state_word(entry->state));
    json_put(record, "reason", json_incref(entry->reason));
    json_put(record, "objects", json_incref(entry->objects));
    json_put_u64(record, "at_us", at_us);
    return record;
}

/* Writing, in the pool. */

static void work_append(struct command_journal *journal)
{
    char *batch = NULL;
    size_t bytes = 0;
    int reserve_error = 0;
    int error = 0;

    reserve_error = journal_file_reserve(&journal->file, JOURNAL_RESERVE_BYTES);
    LIST_FOR_EACH (node, &journal->in_work) {
        struct pending_line *line = list_entry(node, struct pending_line, link);

        line->error = line->begins ? reserve_error : 0;
        if (line->error != 0) {
            continue;
        }
        batch = realloc(batch, bytes + line->bytes);
        ASSERT(batch != NULL);
        memcpy(batch + bytes, line->line, line->bytes);
        bytes += line->bytes;
    }
    if (bytes > 0) {
        error = journal_file_append(&journal->file, batch, bytes);
    }
    free(batch);
    LIST_FOR_EACH (node, &journal->in_work) {
        struct pending_line *line = list_entry(node, struct pending_line, link);

        line->error = line->error != 0 ? line->error : error;
    }
}

static void work_run(struct work *work)
{
    struct command_journal *journal = work->owner;

    if (journal->replacement != NULL) {
        journal->replacement_error =
            journal_file_replace(&journal->file, journal->replacement, journal->replacement_bytes);
        return;
    }
    work_append(journal);
}

static void writer_kick(struct command_journal *journal);

/* A begin is durable, or it never was: then its number is free again as well. */
static void begin_settle(struct command_journal *journal, struct journal_entry *entry, int error)
{
    if (error == 0) {
        if (entry->number > journal->number_durable) {
            journal->number_durable = entry->number;
        }
        return;
    }
    entry_drop(journal, entry);
    journal->number = journal->number_durable;
    LIST_FOR_EACH (node, &journal->entries) {
        const struct journal_entry *other = list_entry(node, struct journal_entry, order_link);

        if (other->number > journal->number) {
            journal->number = other->number;
        }
    }
}

static void line_finish(struct command_journal *journal, struct pending_line *line)
{
    struct journal_write *write = line->write;
    struct journal_entry *entry = entry_find(journal, line->command_id);

    if (line->begins && ALWAYS(entry != NULL)) {
        begin_settle(journal, entry, line->error);
    }
    int error = line->error;
    free(line->line);
    free(line);
    if (write != NULL) {
        write->done(write, error);
    }
}

static void work_done(struct work *work)
{
    struct command_journal *journal = work->owner;
    struct list finished;

    list_init(&finished);
    journal->working = false;
    free(journal->replacement);
    journal->replacement = NULL;
    while (!list_is_empty(&journal->in_work)) {
        list_push_tail(&finished, list_pop_head(&journal->in_work));
    }
    writer_kick(journal);
    while (!list_is_empty(&finished)) {
        line_finish(journal, list_entry(list_pop_head(&finished), struct pending_line, link));
    }
}

/* Text that grows. */
struct growing {
    char *text;
    size_t bytes, capacity;
};

/* Takes the reference. */
static void record_append(struct growing *content, json_t *record)
{
    size_t bytes = 0;
    char *line = journal_line_make(record, &bytes);

    if (content->bytes + bytes > content->capacity) {
        content->capacity = 2 * (content->capacity + bytes);
        content->text = realloc(content->text, content->capacity);
        ASSERT(content->text != NULL);
    }
    memcpy(content->text + content->bytes, line, bytes);
    content->bytes += bytes;
    free(line);
    json_decref(record);
}

/* Everything that is kept, as the content of a new file. */
static void replacement_make(struct command_journal *journal)
{
    json_t *number = json_new_object();
    struct growing content = {NULL, 0, 0};

    json_put_text(number, "e", "number");
    json_put_u64(number, "number", journal->number);
    record_append(&content, number);
    LIST_FOR_EACH (node, &journal->entries) {
        const struct journal_entry *entry = list_entry(node, struct journal_entry, order_link);

        record_append(&content, begin_record(entry, "", ""));
        if (entry->state != COMMAND_STATE_RUNNING) {
            record_append(&content, end_record(entry, entry->at_us));
        }
        if (entry->acknowledged) {
            record_append(&content, record_new("ack", entry->command_id));
        }
    }
    journal->replacement = content.text;
    journal->replacement_bytes = content.bytes;
}

/* Forgets what is too old or too much; running and undelivered commands stay longest. */
static void entries_trim(struct command_journal *journal)
{
    uint64_t oldest_us =
        journal->now_us > JOURNAL_AGE_MAX_US ? journal->now_us - JOURNAL_AGE_MAX_US : 0;

    LIST_FOR_EACH_SAFE (node, following, &journal->entries) {
        struct journal_entry *entry = list_entry(node, struct journal_entry, order_link);
        bool delivered = entry->acknowledged || entry->number == 0;
        bool old = entry->at_us < oldest_us || journal->entry_count > JOURNAL_ENTRIES_MAX / 2;

        if (journal->entry_count <= JOURNAL_KEEP) {
            return;
        }
        if (entry->state != COMMAND_STATE_RUNNING && old &&
            (delivered || journal->entry_count > JOURNAL_ENTRIES_MAX)) {
            entry_drop(journal, entry);
        }
    }
}

static void writer_kick(struct command_journal *journal)
{
    if (journal->working || list_is_empty(&journal->waiting)) {
        return;
    }
    ASSERT(list_is_empty(&journal->in_work));
    if (journal->file.size_bytes > JOURNAL_FILE_MAX_BYTES && journal->replacement_error == 0) {
        /* The lines that wait are part of the entries already; writing them again after the
         * rewrite is harmless because records are read idempotently. */
        entries_trim(journal);
        replacement_make(journal);
    } else {
        for (uint32_t i = 0; i < BATCH_RECORDS && !list_is_empty(&journal->waiting); i++) {
            list_push_tail(&journal->in_work, list_pop_head(&journal->waiting));
        }
    }
    journal->working = true;
    work_submit(journal->pool, &journal->work);
}

static void line_queue(struct command_journal *journal, json_t *record, const char *command_id,
                       bool begins, struct journal_write *write)
{
    struct pending_line *line = calloc(1, sizeof(*line));

    ASSERT(line != NULL);
    line->line = journal_line_make(record, &line->bytes);
    json_decref(record);
    line->begins = begins;
    line->write = write;
    (void)snprintf(line->command_id, sizeof(line->command_id), "%s", command_id);
    list_init(&line->link);
    list_push_tail(&journal->waiting, &line->link);
    writer_kick(journal);
}

/* Opening. */

/* What was running when the agent died: nobody knows how far it came. */
static void entries_interrupt(struct command_journal *journal, uint64_t now_us)
{
    struct reason reason;

    reason_set(&reason, REASON_INTERRUPTED, NULL);
    LIST_FOR_EACH (node, &journal->entries) {
        struct journal_entry *entry = list_entry(node, struct journal_entry, order_link);

        if (entry->state == COMMAND_STATE_RUNNING) {
            command_journal_end(journal, entry->command_id, COMMAND_STATE_INDETERMINATE,
                                reason_doc(&reason), json_new_array(), now_us, NULL);
        }
        if (entry->reason == NULL) {
            entry->reason = reason_doc(&reason);
        }
        if (entry->objects == NULL) {
            entry->objects = json_new_array();
        }
    }
}

static void journal_free(struct command_journal *journal)
{
    LIST_FOR_EACH_SAFE (node, following, &journal->entries) {
        entry_drop(journal, list_entry(node, struct journal_entry, order_link));
    }
    journal_file_close(&journal->file);
    free(journal);
}

int command_journal_open(int directory_fd, const char *file_name, struct work_pool *pool,
                         uint64_t now_us, struct command_journal **ret_journal, char text[256])
{
    struct command_journal *journal = calloc(1, sizeof(*journal));
    uint32_t line = 0;
    int error = 0;

    ASSERT(journal != NULL);
    list_init(&journal->entries);
    list_init(&journal->waiting);
    list_init(&journal->in_work);
    journal->file.fd = -1;
    journal->pool = pool;
    journal->now_us = now_us;
    work_init(&journal->work, work_run, work_done, work_pool_new_key(pool), journal);
    error = journal_file_open(directory_fd, file_name, record_read, journal, &journal->file, &line);
    if (error != 0) {
        if (error == -EBADMSG) {
            (void)snprintf(text, 256,
                           "line %u of the command journal %s is damaged; move the "
                           "file away to start a new one",
                           line, file_name);
        } else {
            (void)snprintf(text, 256, "the command journal %s cannot be opened: %s", file_name,
                           strerror(-error));
        }
        journal_free(journal);
        return error;
    }
    text[0] = '\0';
    if (journal->file.cut_bytes > 0) {
        (void)snprintf(text, 256,
                       "the last %llu bytes of the command journal %s were damaged, or "
                       "torn by a power cut; the commands in them are forgotten",
                       (unsigned long long)journal->file.cut_bytes, file_name);
    }
    journal->number_durable = journal->number;
    entries_interrupt(journal, now_us);
    *ret_journal = journal;
    return 0;
}

struct command_journal *command_journal_close(struct command_journal *journal)
{
    if (journal != NULL) {
        ASSERT(command_journal_is_idle(journal));
        journal_free(journal);
    }
    return NULL;
}

bool command_journal_is_idle(const struct command_journal *journal)
{
    return !journal->working && list_is_empty(&journal->waiting);
}

/* Use. */

const struct journal_entry *command_journal_find(const struct command_journal *journal,
                                                 const char *command_id)
{
    return entry_find(journal, command_id);
}

void command_journal_begin(struct command_journal *journal, const struct journal_begin *begin,
                           struct journal_write *write)
{
    struct journal_entry *entry = entry_new(begin->command_id);

    ASSERT(begin->number == 0 || begin->number > journal->number);
    entry->number = begin->number;
    entry->class_ = begin->class_;
    entry->from_backend = begin->from_backend;
    entry->at_us = begin->at_us;
    journal->now_us = begin->at_us;
    if (begin->number > journal->number) {
        journal->number = begin->number;
    }
    entry_add(journal, entry);
    line_queue(journal, begin_record(entry, begin->op, begin->actor), entry->command_id, true,
               write);
}

void command_journal_end(struct command_journal *journal, const char *command_id,
                         enum command_state state, json_t *reason, json_t *objects, uint64_t at_us,
                         struct journal_write *write)
{
    struct journal_entry *entry = entry_find(journal, command_id);

    ASSERT(entry != NULL);
    ASSERT(entry->state == COMMAND_STATE_RUNNING && state != COMMAND_STATE_RUNNING);
    entry->state = state;
    entry->reason = reason;
    entry->objects = objects;
    journal->now_us = at_us;
    line_queue(journal, end_record(entry, at_us), command_id, false, write);
}

void command_journal_acknowledge(struct command_journal *journal, const char *command_id)
{
    struct journal_entry *entry = entry_find(journal, command_id);

    if (entry == NULL || entry->acknowledged || entry->state == COMMAND_STATE_RUNNING) {
        return;
    }
    entry->acknowledged = true;
    line_queue(journal, record_new("ack", command_id), command_id, false, NULL);
}

uint64_t command_journal_number(const struct command_journal *journal)
{
    return journal->number;
}

static bool was_not_confirmed(const struct journal_entry *entry)
{
    const char *code = entry->reason != NULL ? json_text_at(entry->reason, "code") : NULL;

    return code != NULL && (strcmp(code, reason_code_word(REASON_CONFIRM_MISMATCH)) == 0 ||
                            strcmp(code, reason_code_word(REASON_CONFIRM_NEEDED)) == 0);
}

uint32_t command_journal_destroyed_since(const struct command_journal *journal, uint64_t since_us,
                                         uint64_t *ret_oldest_us)
{
    uint32_t count = 0;

    LIST_FOR_EACH (node, &journal->entries) {
        const struct journal_entry *entry = list_entry(node, struct journal_entry, order_link);

        if (entry->class_ == COMMAND_CLASS_X && entry->from_backend && entry->at_us >= since_us &&
            !was_not_confirmed(entry)) {
            if (count == 0) {
                *ret_oldest_us = entry->at_us;
            }
            count++;
        }
    }
    return count;
}

void command_journal_unacknowledged(const struct command_journal *journal, journal_visit_fn visit,
                                    void *context)
{
    LIST_FOR_EACH (node, &journal->entries) {
        const struct journal_entry *entry = list_entry(node, struct journal_entry, order_link);

        if (entry->number != 0 && !entry->acknowledged && entry->state != COMMAND_STATE_RUNNING) {
            visit(context, entry);
        }
    }
}

/*
 * The command journal: every command is noted durably before it is executed, and its outcome
 * afterwards, so that a repeated command_id is answered and never run twice.
 *
 * A file of lines "CRC32C JSON", appended and fdatasynced in the work pool:
 *   {"e":"begin", id, number, op, class, backend, actor, at_us}
 *   {"e":"end", id, state, reason, objects, at_us}
 *   {"e":"ack", id}                          the backend has the outcome
 *
 *   (none) --begin--> running --end--> succeeded | failed | refused | expired
 *                        |
 *                        +--agent died, found at open--> indeterminate (interrupted)
 *
 * (1) begin completes with 0 only when it is on stable storage.
 * (2) Room for outcomes is reserved on the file system before a begin is accepted, so a
 *     full state directory refuses new commands instead of losing outcomes.
 * (3) A torn tail (power loss while appending) is cut off; damage anywhere else refuses to
 *     open: forgetting commands could run one twice.
 * (4) At least JOURNAL_KEEP commands of the last 30 days are kept, and the file is bounded:
 *     it is rewritten when it grows beyond JOURNAL_FILE_MAX_BYTES.
 */
#ifndef ARRAYWRIGHT_CONTROL_COMMAND_JOURNAL_H
#define ARRAYWRIGHT_CONTROL_COMMAND_JOURNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/list.h"
#include "base/words.h"
#include "host/work_pool.h"

#define JOURNAL_KEEP 10000u
#define JOURNAL_ENTRIES_MAX 20000u
#define JOURNAL_FILE_MAX_BYTES (24u * 1024u * 1024u)
#define JOURNAL_AGE_MAX_US (30ull * 24 * 3600 * 1000000)
#define JOURNAL_RESERVE_BYTES (256u * 1024u)

struct command_journal;

struct journal_entry {
    char command_id[37];
    uint64_t number;             /* 0: a local command */
    enum command_class class_;
    bool from_backend;
    bool acknowledged;
    uint64_t at_us;              /* wall clock at begin */
    enum command_state state;    /* RUNNING until the end */
    json_t *reason;              /* {code, params, text}; NULL while running */
    json_t *objects;             /* [{kind, key}]; NULL while running */

    /* Private to the journal. */
    struct list order_link;
    struct journal_entry *hash_next;
};

struct journal_begin {
    const char *command_id;      /* not known to the journal yet */
    uint64_t number;
    const char *op;
    enum command_class class_;
    bool from_backend;
    const char *actor;
    uint64_t at_us;
};

struct journal_write {
    void (*done)(struct journal_write *write, int error); /* 0, -ENOSPC or another -errno */
    void *owner;
    struct list link;
    int error;
};

/* Reads the whole journal; may block, so only before the daemon is online. text says why
 * it failed, or what was lost though it did not; or it is empty. now_us is wall clock. */
MUST_CHECK int command_journal_open(int directory_fd, const char *file_name, struct work_pool *pool,
                                    uint64_t now_us, struct command_journal **ret_journal,
                                    char text[256]);
/* Nothing may be unwritten. Accepts NULL, returns NULL. */
struct command_journal *command_journal_close(struct command_journal *journal);
/* Records not yet on stable storage. */
bool command_journal_is_idle(const struct command_journal *journal);

const struct journal_entry *command_journal_find(const struct command_journal *journal,
                                                 const char *command_id);
/* On error the command has left no trace and its id may be used again. */
void command_journal_begin(struct command_journal *journal, const struct journal_begin *begin,
                           struct journal_write *write);
/* Takes the references. The outcome is visible to find() at once; write may be NULL. */
void command_journal_end(struct command_journal *journal, const char *command_id,
                         enum command_state state, json_t *reason, json_t *objects, uint64_t at_us,
                         struct journal_write *write);
/* Unknown, running and already acknowledged commands are left alone. */
void command_journal_acknowledge(struct command_journal *journal, const char *command_id);

/* The highest command number ever begun. */
uint64_t command_journal_number(const struct command_journal *journal);
/* Commands of class X that the backend began at or after since_us. One whose typed name did not
 * match has destroyed nothing and is left out. *ret_oldest_us is when the oldest of them began;
 * it is set only if there is one. */
uint32_t command_journal_destroyed_since(const struct command_journal *journal, uint64_t since_us,
                                         uint64_t *ret_oldest_us);
/* Oldest first: numbered commands that have ended and are not acknowledged. */
typedef void (*journal_visit_fn)(void *context, const struct journal_entry *entry);
void command_journal_unacknowledged(const struct command_journal *journal, journal_visit_fn visit,
                                    void *context);

#endif

/*
 * Turns of the streams of a drive with heads. Where several readers each read on from where they
 * were, their transfers would take the heads away from each other with every one. So one stream at
 * a time has the drive, for a run of many transfers; those of the others are held back until it is
 * their turn.
 *
 *   submitted --turn of its stream, or of nobody--> queued (drive_queue.c) --> left
 *        \--> held --turn of its stream--> queued
 *
 *   nobody's --a read of a stream--> its turn --over, and others held--> the next one's turn
 *
 * A turn is over when it has lasted TURN_US, less where many wait, so that none waits longer than
 * about WAIT_US, and REST_US more for the end of a long read; or when its stream has nothing to
 * read and has not come back within IDLE_US. The next one is the nearest above, as the heads go,
 * then the lowest. A turn whose stream has one read now and then is nothing to wait for.
 *
 * (1) Only foreground reads of a drive with heads are ever held, and only those that go on where
 *     three reads before went on, and pieces of long reads (drive.h). Everything else passes as if
 *     there were no turns; so do all reads of a drive that answers too soon to have heads, whatever
 *     it says of itself.
 * (2) Nothing is held without a turn of another stream, or of its own whose transfers fill the
 *     queue; that has something with the drive, or a timer that ends it is armed.
 * (3) Only the order in which reads reach the drive changes: none of it is promised to anyone.
 */
#ifndef ARRAYWRIGHT_DRIVE_DRIVE_TURNS_H
#define ARRAYWRIGHT_DRIVE_DRIVE_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "port/clock_port.h"

#define DRIVE_STREAMS 16u

struct drive;
struct drive_io;

struct drive_stream {
    uint64_t left_us;      /* its newest answer; 0: none yet */
    uint64_t burst_bytes;  /* of its reads since it last had none */
    uint64_t run_end;      /* of its newest long read */
    uint64_t inside_bytes; /* of its reads that are queued or in the device */
    uint32_t inside;       /* how many those are */
    uint32_t hits;         /* reads that went on */
    bool went_on;          /* since it was looked at for its place */
    bool comes_back;       /* the last time it had nothing to read it was back soon */
    struct list held;
};

struct drive_turns {
    uint64_t ends[DRIVE_STREAMS]; /* where each would go on */
    struct drive_stream streams[DRIVE_STREAMS];
    uint32_t hand;                /* the next one whose place may be taken */
    struct drive_stream *turn;    /* NULL: nobody's */
    uint64_t began_us;
    uint32_t held_count;
    uint64_t shared_us;           /* the newest read that was held; 0: none */
    uint32_t reads_to_look;       /* until it is looked at again whether there are heads */
    bool no_heads;
    struct clock_timer timer;     /* the stream whose turn it is has not come back */
};

/* The owner of the timer is its own: when it fires, drive_turns_go_on(). */
void drive_turns_init(struct drive *drive);
/* Are there heads? Reads of drives without are short of time, so it is looked at now and then. */
void drive_turns_look(struct drive *drive);
/* A foreground read of a drive with heads is about to be queued. True: it is held instead. Others
 * may have come to the queue. */
bool drive_turns_hold(struct drive *drive, struct drive_io *io);
/* Such a read neither waits nor is in the device any longer. Others may have come to the queue. */
void drive_turns_leave(struct drive *drive, struct drive_io *io);
/* Feeds the stream whose turn it is, or ends its turn, or sees to it that it will end. */
void drive_turns_go_on(struct drive *drive);
/* All that is held comes to the queue: to be refused. */
void drive_turns_release(struct drive *drive);

#endif

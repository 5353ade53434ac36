/* Shared by drive_model.c, drive_model_hdd.c and drive_model_ssd.c only. */
#ifndef ARRAYWRIGHT_EMULATE_DRIVE_MODEL_PRIVATE_H
#define ARRAYWRIGHT_EMULATE_DRIVE_MODEL_PRIVATE_H

#include "emulate/drive_model.h"

#define SEEK_STEPS 1024u
#define PAGE_BYTES 4096u

struct zone_state {
    uint64_t start_bytes, bytes_per_s;
};

struct segment {
    uint64_t start_bytes, end_bytes; /* what the buffer has */
    uint64_t taken_bytes;            /* up to here the host has read: the room behind is free */
    uint64_t taken_ns;    /* when it did so last */
    bool streams;         /* in more than one command */
    uint64_t used;
};

struct buffered_write {
    uint64_t offset_bytes;
    uint32_t length_bytes;
    uint32_t angle_ns;
    uint64_t ready_ns, sequence;
    uint64_t after; /* the sequence of the one that ends where it begins; 0: none in the buffer */
};

struct hdd_state {
    uint32_t revolution_ns;
    uint32_t spindle_ns;
    uint64_t track_bytes;
    uint32_t zone_count;
    struct zone_state zones[DRIVE_MODEL_ZONES_MAX];
    uint32_t seek_ns[SEEK_STEPS + 1];
    uint64_t mechanism_ns;
    uint64_t head_bytes;
    struct segment *ahead; /* being read on into, from mechanism_ns and head_bytes; or NULL */
    uint64_t segment_bytes, segment_uses;
    uint64_t streak_bytes;       /* of reads that went on where the last one ended */
    uint32_t segment_count;
    struct segment segments[DRIVE_MODEL_SEGMENTS_MAX];
    uint32_t queue_count;
    struct drive_model_command *queue[DRIVE_MODEL_QUEUE]; /* in order of arrival */
    uint32_t write_count;
    uint64_t write_bytes, write_sequence;
    struct buffered_write writes[DRIVE_MODEL_WRITES_MAX];
};

#define SSD_STREAMS 16u

struct ssd_state {
    uint64_t channel_ns[DRIVE_MODEL_CHANNELS_MAX];
    struct rate_pipe read, write;
    uint64_t written_ns; /* everything written so far is in the flash */
    uint64_t write_ends[SSD_STREAMS]; /* where the latest writes ended */
    uint32_t write_next;
};

struct drive_model {
    struct emulated_timing timing;
    uint64_t size_bytes;
    bool write_cache;
    uint64_t electronics_ns;
    struct rate_pipe link;
    struct shared_ways ways;
    struct list done; /* by end_ns */
    struct list room, flushes; /* hdd */
    struct hdd_state hdd;
    struct ssd_state ssd;
};

void model_done(struct drive_model *model, struct drive_model_command *command, uint64_t end_ns);
/* It has been read from the medium at medium_ns; the link comes after that, in order of time. */
void model_medium_done(struct drive_model *model, struct drive_model_command *command,
                       uint64_t medium_ns);
/* When its bytes, which are there at from_ns, have passed the link and what is shared. */
uint64_t model_transfer(struct drive_model *model, const struct drive_model_command *command,
                        uint64_t from_ns);

void hdd_init(struct drive_model *model);
void hdd_submit(struct drive_model *model, struct drive_model_command *command);
void hdd_advance(struct drive_model *model, uint64_t now_ns);
uint64_t hdd_next_ns(const struct drive_model *model);
void hdd_reset(struct drive_model *model, uint64_t now_ns);

void ssd_init(struct drive_model *model);
void ssd_submit(struct drive_model *model, struct drive_model_command *command);

#endif

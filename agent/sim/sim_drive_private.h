/*
 * Inside of a simulated drive, shared by sim_drive.c and sim_drive_cut.c.
 */
#ifndef ARRAYWRIGHT_SIM_DRIVE_PRIVATE_H
#define ARRAYWRIGHT_SIM_DRIVE_PRIVATE_H

#include "sim_drive.h"

#define PAGE_BYTES SIM_PAGE_BYTES

/* One request in the drive. */
struct sim_transfer {
    struct sim_event event;
    struct list link;
    struct sim_drive *drive;
    struct io_request *request;
    uint64_t unflushed_seen; /* flush: newest unflushed write when it was submitted */
    bool hung;
};

/* One completed write that no flush has covered. In its pages only what it wrote counts. */
struct sim_write {
    struct list link;
    uint64_t number;
    uint64_t offset_bytes;
    uint32_t length_bytes;
    struct sim_page *pages[];
};

/* A drive without a page of its own. */
struct sim_drive *sim_drive_new(struct sim_world *world, const struct sim_drive_options *options);
void sim_drive_write_pages(struct sim_drive *drive, struct sim_pages *pages, uint64_t offset_bytes,
                           const uint8_t *buffer, uint64_t length_bytes);
/* That part of a write that is remembered, into pages, which are of this drive or of its fork. */
void sim_drive_write_again(struct sim_drive *drive, struct sim_pages *pages,
                           const struct sim_write *write, uint64_t at_bytes, uint64_t length_bytes);
/* A successful write heals the sectors it covers. */
void sim_drive_faults_heal(struct sim_drive *drive, uint64_t start, uint64_t length);
/* What only the drive's cache had is gone. */
void sim_drive_revert(struct sim_drive *drive);

#endif

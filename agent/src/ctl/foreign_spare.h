/*
 * Hot spares of another controller: they come along when a set of that controller is imported.
 */
#ifndef ARRAYWRIGHT_CTL_FOREIGN_SPARE_H
#define ARRAYWRIGHT_CTL_FOREIGN_SPARE_H

#include "ctl/ctl_private.h"

/* Did it serve this group of that controller? A global one serves every group. */
bool foreign_spare_serves(const struct ctl_drive *cd, const struct uuid *controller,
                          const struct guid *group);

/* Gives all that served it a label of ours; `done` follows, however many that could be done with.
 * The others stay as they are. */
struct foreign_spares {
    struct ctl *ctl;
    struct uuid controller; /* whose they were */
    struct guid group;      /* as it was, and is now */
    struct guid group_now;
    void (*done)(struct foreign_spares *spares);
    void *owner;

    /* Private. */
    uint32_t count;
    uint32_t pending;
    struct ctl_drive *drives[COMMAND_SPARES_MAX];
    struct drive_label labels[COMMAND_SPARES_MAX];
    struct label_write writes[COMMAND_SPARES_MAX];
};
void foreign_spares_take(struct foreign_spares *spares);

#endif

/*
 * How the label of a drive is looked for that has become larger or smaller: see ctl_label.c.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_LABEL_H
#define ARRAYWRIGHT_CTL_CTL_LABEL_H

#include "meta/label_find.h"
#include "meta/size_find.h"

struct ctl_label_search {
    struct label_find find;
    uint32_t place;         /* where it looks; 0: it does not */
    uint64_t until_us;
    int label_error;        /* what the label was found to be where it should be */
    bool known_tried;       /* it was looked for where the known size had it */
    struct size_find size;  /* of a drive whose label is where it should be all the same, … */
    bool size_searched;     /* … has been looked for */
};

#endif

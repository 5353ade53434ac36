/*
 * What a save of a group means for the DDF metadata of its members. Private to meta.
 */
#ifndef ARRAYWRIGHT_META_GROUP_DDF_H
#define ARRAYWRIGHT_META_GROUP_DDF_H

#include "meta/label_io.h"

/*
 * slots: of the members whose labels are written, else NULL. ret_jobs: to be run after the label;
 * all stay NULL if nothing that means something to others has changed, or if DDF has no word for
 * the level. All members get the same number.
 */
void group_ddf_prepare(const struct group_save *save, uint64_t wall_us,
                       struct label_slots *const *slots, struct ddf_job **ret_jobs);

#endif

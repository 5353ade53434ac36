/*
 * The cache's medium may be an older copy of itself (cache/journal.h): see ctl_journal.c.
 */
#ifndef ARRAYWRIGHT_CTL_CTL_JOURNAL_H
#define ARRAYWRIGHT_CTL_CTL_JOURNAL_H

struct ctl;
struct ctl_group;
struct guid;

/* Before the group starts: nothing in a copy that is older than its record counts for it. */
void cg_journal_judge(struct ctl_group *cg);
/* What is durable of it now. */
void cg_journal_note(const struct ctl_group *cg);
void ctl_journal_note(struct ctl *ctl);
/* The group is gone. */
void ctl_journal_forget(struct ctl *ctl, const struct guid *group);
/* Once in a while: the records of groups that are written tell how far the medium is. */
void ctl_journal_stamp(struct ctl *ctl);

#endif

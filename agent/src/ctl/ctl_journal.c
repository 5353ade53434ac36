/*
 * The cache's medium may be an older copy of itself, restored from a backup after the agent has
 * died. What it holds would go over newer data; its write intents too. So each record of a group
 * has the stamp that the medium had when it was saved.
 *
 * (1) A copy older than that is a medium that the group does not know: its cached writes are
 * missed, and told; what is found of them is kept and never written; its write intents are void,
 * and the rows in doubt are those of no log. (2) Once for each group: later stamps are this
 * process's own.
 */
#include "ctl/ctl_journal.h"
#include "base/assert.h"
#include "base/bytes.h"
#include "cache/cache.h"
#include "cache/journal.h"
#include "ctl/ctl_private.h"

/* Was the record last saved with this journal in use? */
static bool names_journal(const struct vd_config *vd, const struct uuid *journal)
{
    return uuid_equal(&vd->cache_journal, journal) ||
           (uint32_t)(vd->intent_generation >> 32) == get_le32(journal->bytes);
}

/* (1) */
void cg_journal_judge(struct ctl_group *cg)
{
    const struct journal *journal = cg->ctl->cache != NULL ? cache_journal(cg->ctl->cache) : NULL;
    struct group_config *config = cg->config;

    ASSERT(cg->phase == CTL_GROUP_WAITING && config != NULL);
    if (cg->journal_judged) {
        return; /* (2) */
    }
    cg->journal_judged = true;
    for (uint32_t i = 0; i < config->vd_count && journal != NULL; i++) {
        struct vd_config *vd = &config->vds[i];

        if (!names_journal(vd, journal_uuid(journal)) ||
            vd->journal_stamp <= journal_found_stamp(journal)) {
            continue;
        }
        vd->intent_generation += 4 - vd->intent_generation % 4; /* nobody's (vd/intent.c) */
        if (uuid_equal(&vd->cache_journal, journal_uuid(journal))) {
            vd->cache_journal.bytes[0] ^= 0xff; /* another one's: it is missed */
        }
    }
}

void ctl_journal_stamp(struct ctl *ctl)
{
    LIST_FOR_EACH (node, &ctl->groups) {
        struct ctl_group *cg = list_entry(node, struct ctl_group, link);

        if (cg->phase == CTL_GROUP_RUNNING) {
            group_stamp(cg->group);
        }
    }
}

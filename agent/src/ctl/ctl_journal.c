/*
 * The cache's medium may be an older copy of itself, restored from a backup after the agent has
 * died. What it holds would go over newer data; its write intents too. So each record of a group
 * has the stamp that the medium had when it was saved.
 *
 * (1) A copy older than that is a medium that the group does not know: its cached writes are
 *     missed, and told; what is found of them is kept and never written; its write intents are
 *     void, and the rows in doubt are those of no log.
 *
 * (2) Once for each group: later stamps are this process's own.
 *
 * (3) The other way round: drives may have been restored from images, without the medium. It knows
 *     how new their records were. What it holds is of another time then: written onto older drives
 *     it would make a state that never was, and what it does not hold any more is missed.
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

/* (1), (3) */
void cg_journal_judge(struct ctl_group *cg)
{
    const struct journal *journal = cg->ctl->cache != NULL ? cache_journal(cg->ctl->cache) : NULL;
    struct group_config *config = cg->config;
    bool older = false; /* (3) */

    ASSERT(cg->phase == CTL_GROUP_WAITING && config != NULL);
    if (cg->journal_judged) {
        return; /* (2) */
    }
    cg->journal_judged = true;
    older = journal != NULL && config->sequence < journal_found_note(journal, &config->guid);
    for (uint32_t i = 0; i < config->vd_count && journal != NULL; i++) {
        struct vd_config *vd = &config->vds[i];

        if (!names_journal(vd, journal_uuid(journal)) ||
            (vd->journal_stamp <= journal_found_stamp(journal) && !older)) {
            continue;
        }
        vd->intent_generation += 4 - vd->intent_generation % 4; /* nobody's (vd/intent.c) */
        if (uuid_equal(&vd->cache_journal, journal_uuid(journal))) {
            vd->cache_journal.bytes[0] ^= 0xff; /* another one's: it is missed */
        }
    }
}

const char *ctl_cache_elsewhere(const struct ctl *ctl, const struct uuid *journal)
{
    const char *found = NULL;

    LIST_FOR_EACH (node, &ctl->groups) {
        const struct ctl_group *cg = list_entry(node, const struct ctl_group, link);

        for (uint32_t i = 0; i < cg_config(cg)->vd_count; i++) {
            const struct vd_config *vd = &cg_config(cg)->vds[i];

            if (uuid_equal(&vd->cache_journal, journal)) {
                return NULL;
            }
            if (!uuid_is_zero(&vd->cache_journal) && found == NULL) {
                found = vd->name;
            }
        }
    }
    return found;
}

void cg_journal_note(const struct ctl_group *cg)
{
    uint64_t sequence = cg->group != NULL ? group_saved_sequence(cg->group) : 0;

    if (cg->ctl->cache != NULL && sequence > 0) {
        journal_note(cache_journal(cg->ctl->cache), &cg_config(cg)->guid, sequence);
    }
}

void ctl_journal_forget(struct ctl *ctl, const struct guid *group)
{
    if (ctl->cache != NULL) {
        journal_note(cache_journal(ctl->cache), group, 0);
    }
}

void ctl_journal_stamp(struct ctl *ctl)
{
    LIST_FOR_EACH (node, &ctl->groups) {
        struct ctl_group *cg = list_entry(node, struct ctl_group, link);

        if (cg->phase == CTL_GROUP_RUNNING) {
            group_stamp(cg->group);
            cg_journal_note(cg);
        }
    }
}

void ctl_journal_note(struct ctl *ctl)
{
    LIST_FOR_EACH (node, &ctl->groups) {
        const struct ctl_group *cg = list_entry(node, const struct ctl_group, link);

        if (cg->phase == CTL_GROUP_RUNNING) {
            cg_journal_note(cg);
        }
    }
}

/*
 * Findings: everything that is not as it should be, in one list per controller. The status of a
 * controller and of each of its objects is the worst finding about it and comes from nowhere else;
 * whoever tells of health (documents, command line, metrics, alerts, mail) reads this list.
 *
 * (1) The list is made of the model alone, by rows {code, when} (findings_*.c). Severity, status
 *     and sentences of a code are the protocol's (words.json).
 * (2) A code is there at most once per object. What stays there keeps its `since`.
 * (3) The worst come first. If there are more than fit, the last one says how many.
 */
#ifndef ARRAYWRIGHT_CTL_FINDING_H
#define ARRAYWRIGHT_CTL_FINDING_H

#include "base/reason.h"
#include "ctl/command.h"
#include "ctl/finding_catalog.h"

#define FINDINGS_MAX 128u

struct finding {
    enum finding_code code;
    object_key_t key;              /* of an object of the code's kind */
    char path[48];
    uint64_t since_us;             /* wall; at the earliest the start of the agent */
    struct reason what;            /* is wrong */
    struct reason cause;           /* REASON_OK: there is no more to say */
    struct reason effect;          /* what follows from it */
    struct reason remedy;          /* what to do */
};

struct finding_list {
    uint32_t count;
    uint32_t omitted;
    struct finding items[FINDINGS_MAX];
};

/* All three sentences of the code, with the same parameters: name and value pairs, ended by
 * NULL. A row changes those that are different in its case. */
void finding_tell(struct finding *finding, ...) __attribute__((sentinel));
/* What the findings of the controller make of its status. Those of the host are not its own. */
enum controller_status findings_status(const struct finding_list *list);

#endif

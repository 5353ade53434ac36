/*
 * What the backend may do on this host: the preset the host's owner chose, per command
 * class. Pure. A local command is bound by its user's role only, never by the preset.
 *
 *            R    O    D    X
 * standard   yes  yes  yes  with a typed identity, at most POLICY_DESTROY_PER_HOUR
 * strict     yes  yes  no   no
 * lab        yes  yes  yes  yes
 */
#ifndef ARRAYWRIGHT_CONTROL_HOST_POLICY_H
#define ARRAYWRIGHT_CONTROL_HOST_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attrs.h"
#include "base/reason.h"
#include "ctl/command_effects.h"

#define POLICY_DESTROY_PER_HOUR 20u

enum policy_preset { POLICY_STANDARD, POLICY_STRICT, POLICY_LAB, POLICY_PRESET_MAX };

const char *policy_preset_word(enum policy_preset preset);
bool policy_preset_parse(const char *word, enum policy_preset *ret_preset);

enum peer_role { PEER_VIEWER, PEER_OPERATOR, PEER_ADMINISTRATOR, PEER_ROLE_MAX };

const char *peer_role_word(enum peer_role role);
bool peer_role_parse(const char *word, enum peer_role *ret_role);

struct policy_question {
    const char *op;              /* as it is said to people */
    enum command_class class_;
    bool from_backend;
    enum peer_role role;         /* local: of the peer; backend: of the actor it names */
    uint32_t effects;            /* bits of enum command_effect: why it has this class */
    bool has_confirm;
    uint32_t destroyed_last_hour;/* X commands of the backend that were begun */
    uint32_t wait_minutes;       /* until one of them is an hour old */
};

/* True, or false with the reason. */
MUST_CHECK bool host_policy_permits(enum policy_preset preset,
                                    const struct policy_question *question,
                                    struct reason *ret_reason);

#endif

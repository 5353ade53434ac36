/*
 * Roles and the host's policy: see host_policy.h.
 */
#include "control/host_policy.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"

static const char *const preset_words[POLICY_PRESET_MAX] = {"standard", "strict", "lab"};
static const char *const role_words[PEER_ROLE_MAX] = {"viewer", "operator", "administrator"};

const char *policy_preset_word(enum policy_preset preset)
{
    ASSERT((unsigned)preset < POLICY_PRESET_MAX);
    return preset_words[preset];
}

bool policy_preset_parse(const char *word, enum policy_preset *ret_preset)
{
    for (unsigned i = 0; i < POLICY_PRESET_MAX; i++) {
        if (strcmp(word, preset_words[i]) == 0) {
            *ret_preset = (enum policy_preset)i;
            return true;
        }
    }
    return false;
}

const char *peer_role_word(enum peer_role role)
{
    ASSERT((unsigned)role < PEER_ROLE_MAX);
    return role_words[role];
}

bool peer_role_parse(const char *word, enum peer_role *ret_role)
{
    for (unsigned i = 0; i < PEER_ROLE_MAX; i++) {
        if (strcmp(word, role_words[i]) == 0) {
            *ret_role = (enum peer_role)i;
            return true;
        }
    }
    return false;
}

static enum peer_role role_needed(const struct policy_question *question)
{
    switch (question->class_) {
    case COMMAND_CLASS_R:
        return PEER_VIEWER;
    case COMMAND_CLASS_O:
        return PEER_OPERATOR;
    case COMMAND_CLASS_D:
    case COMMAND_CLASS_X:
        /* The backend has its own finer rules; here it must only not be a viewer. */
        return question->from_backend ? PEER_OPERATOR : PEER_ADMINISTRATOR;
    case COMMAND_CLASS_MAX:
        break;
    }
    UNREACHABLE();
}

/* What the command does that its class comes from, as the end of a sentence. */
static const char *gravest_effect(const struct policy_question *question)
{
    for (unsigned effect = 0; effect < COMMAND_EFFECT_MAX; effect++) {
        if ((question->effects & 1u << effect) != 0 &&
            command_effect_class((enum command_effect)effect) == question->class_) {
            return command_effect_text((enum command_effect)effect);
        }
    }
    UNREACHABLE();
}

static bool refuse_by_class(enum policy_preset preset, const struct policy_question *question,
                            struct reason *ret_reason)
{
    reason_set(ret_reason, REASON_POLICY_DENIED, "policy", policy_preset_word(preset), "op",
               question->op, "effect", gravest_effect(question), NULL);
    return false;
}

/* What destroys needs a typed name, and there is a limit to how much one hour may destroy. */
static bool standard_permits(const struct policy_question *question, struct reason *ret_reason)
{
    const char *policy = policy_preset_word(POLICY_STANDARD);
    char limit[16];
    char minutes[16];

    if (question->class_ != COMMAND_CLASS_X) {
        return true;
    }
    if (!question->has_confirm) {
        reason_set(ret_reason, REASON_POLICY_CONFIRM_NEEDED, "policy", policy, "op", question->op,
                   NULL);
        return false;
    }
    if (question->destroyed_last_hour >= POLICY_DESTROY_PER_HOUR) {
        (void)snprintf(limit, sizeof(limit), "%u", POLICY_DESTROY_PER_HOUR);
        (void)snprintf(minutes, sizeof(minutes), "%u", question->wait_minutes);
        reason_set(ret_reason, REASON_POLICY_HOUR_USED, "policy", policy, "limit", limit, "op",
                   question->op, "minutes", minutes, NULL);
        return false;
    }
    return true;
}

static bool preset_permits(enum policy_preset preset, const struct policy_question *question,
                           struct reason *ret_reason)
{
    switch (preset) {
    case POLICY_STANDARD:
        return standard_permits(question, ret_reason);
    case POLICY_STRICT:
        return question->class_ < COMMAND_CLASS_D || refuse_by_class(preset, question, ret_reason);
    case POLICY_LAB:
        return true;
    case POLICY_PRESET_MAX:
        break;
    }
    UNREACHABLE();
}

bool host_policy_permits(enum policy_preset preset, const struct policy_question *question,
                         struct reason *ret_reason)
{
    ASSERT((unsigned)question->class_ < COMMAND_CLASS_MAX);
    if (question->role < role_needed(question)) {
        reason_set(ret_reason, REASON_NOT_PERMITTED, "op", question->op, NULL);
        return false;
    }
    return !question->from_backend || preset_permits(preset, question, ret_reason);
}

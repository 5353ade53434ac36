/*
 * Roles and the host's policy: see host_policy.h.
 */
#include "control/host_policy.h"

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

static bool preset_permits(enum policy_preset preset, const struct policy_question *question)
{
    bool destroys = question->class_ == COMMAND_CLASS_X;

    switch (preset) {
    case POLICY_STANDARD:
        return !destroys ||
               (question->has_confirm && question->destroyed_last_hour < POLICY_DESTROY_PER_HOUR);
    case POLICY_STRICT:
        return !destroys && question->class_ != COMMAND_CLASS_D;
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
    if (question->from_backend && !preset_permits(preset, question)) {
        reason_set(ret_reason, REASON_POLICY_DENIED, "policy", policy_preset_word(preset), "op",
                   question->op, NULL);
        return false;
    }
    return true;
}

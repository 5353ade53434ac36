/*
 * Roles and presets: the table of host_policy.h, cell by cell.
 */
#include "aw_test.h"

#include <string.h>

#include "control/host_policy.h"

static char refusal[REASON_TEXT_MAX]; /* of the last question that was not permitted */

static bool permits(enum policy_preset preset, struct policy_question question)
{
    struct reason reason;

    question.op = "op";
    if (host_policy_permits(preset, &question, &reason)) {
        refusal[0] = '\0';
        return true;
    }
    assert_true(reason_text(&reason, refusal, sizeof(refusal)) < sizeof(refusal));
    return false;
}

/* One effect that puts a command into the class; classes R and O have none. */
static const uint32_t effects_of_class[COMMAND_CLASS_MAX] = {
    [COMMAND_CLASS_D] = 1u << COMMAND_EFFECT_AVAILABILITY,
    [COMMAND_CLASS_X] = 1u << COMMAND_EFFECT_DATA | 1u << COMMAND_EFFECT_AVAILABILITY,
};

static void test_presets_bind_the_backend(void **state UNUSED)
{
    static const bool expected[POLICY_PRESET_MAX][COMMAND_CLASS_MAX] = {
        [POLICY_STANDARD] = {true, true, true, true},
        [POLICY_STRICT] = {true, true, false, false},
        [POLICY_LAB] = {true, true, true, true},
    };

    for (unsigned preset = 0; preset < POLICY_PRESET_MAX; preset++) {
        for (unsigned class_ = 0; class_ < COMMAND_CLASS_MAX; class_++) {
            struct policy_question question = {.class_ = (enum command_class)class_,
                                               .effects = effects_of_class[class_],
                                               .from_backend = true,
                                               .role = PEER_OPERATOR,
                                               .has_confirm = true};

            assert_int_equal(permits((enum policy_preset)preset, question),
                             expected[preset][class_]);
            question.from_backend = false;
            question.role = PEER_ADMINISTRATOR;
            assert_true(permits((enum policy_preset)preset, question));
        }
    }
}

static void test_destruction_needs_a_name_and_an_allowance(void **state UNUSED)
{
    struct policy_question question = {.class_ = COMMAND_CLASS_X,
                                       .from_backend = true,
                                       .role = PEER_ADMINISTRATOR,
                                       .has_confirm = false};

    assert_false(permits(POLICY_STANDARD, question));
    assert_string_equal(refusal, "The host's policy \"standard\" requires the typed name or serial "
                                 "number of the object for op.");
    assert_true(permits(POLICY_LAB, question));
    question.has_confirm = true;
    question.destroyed_last_hour = POLICY_DESTROY_PER_HOUR - 1;
    assert_true(permits(POLICY_STANDARD, question));
    question.destroyed_last_hour++;
    question.wait_minutes = 17;
    assert_false(permits(POLICY_STANDARD, question));
    assert_string_equal(
        refusal, "The host's policy \"standard\" permits 20 destroying commands an hour from "
                 "the backend, and they are used up. Repeat op in 17 min, or run it on the "
                 "host.");
    assert_true(permits(POLICY_LAB, question));
}

static void test_a_refusal_names_the_effect(void **state UNUSED)
{
    struct policy_question question = {.class_ = COMMAND_CLASS_D,
                                       .effects = 1u << COMMAND_EFFECT_MEANING,
                                       .from_backend = true,
                                       .role = PEER_ADMINISTRATOR};

    assert_false(permits(POLICY_STRICT, question));
    assert_string_equal(refusal, "The host's policy \"strict\" refuses op from the backend: it "
                                 "changes what an export stands for. An administrator can run it "
                                 "on the host.");
    question.class_ = COMMAND_CLASS_X;
    question.effects |= 1u << COMMAND_EFFECT_DATA;
    assert_false(permits(POLICY_STRICT, question));
    assert_non_null(strstr(refusal, "it destroys or overwrites data."));
}

static void test_local_roles(void **state UNUSED)
{
    static const enum peer_role needed[COMMAND_CLASS_MAX] = {
        PEER_VIEWER, PEER_OPERATOR, PEER_ADMINISTRATOR, PEER_ADMINISTRATOR};

    for (unsigned class_ = 0; class_ < COMMAND_CLASS_MAX; class_++) {
        for (unsigned role = 0; role < PEER_ROLE_MAX; role++) {
            struct policy_question question = {.class_ = (enum command_class)class_,
                                               .role = (enum peer_role)role};

            assert_int_equal(permits(POLICY_STRICT, question), role >= needed[class_]);
        }
    }
}

static void test_words(void **state UNUSED)
{
    enum policy_preset preset;
    enum peer_role role;

    assert_true(policy_preset_parse("strict", &preset) && preset == POLICY_STRICT);
    assert_false(policy_preset_parse("", &preset));
    assert_true(peer_role_parse("operator", &role) && role == PEER_OPERATOR);
    assert_false(peer_role_parse("root", &role));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_presets_bind_the_backend),
        cmocka_unit_test(test_destruction_needs_a_name_and_an_allowance),
        cmocka_unit_test(test_a_refusal_names_the_effect),
        cmocka_unit_test(test_local_roles),
        cmocka_unit_test(test_words),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

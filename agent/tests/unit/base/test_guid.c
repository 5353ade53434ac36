/*
 * Identities: text forms both ways, everything else refused with the result untouched.
 */
#include "aw_test.h"

#include <string.h>

#include "base/guid.h"

#define UUID_TEXT "00112233-4455-6677-8899-aabbccddeeff"
#define GUID_TEXT "4c696e75782d4d44deadbeef000000001234abcd5678ef90"

static void uuid_text_round_trips(void **state)
{
    struct uuid uuid = {{0}};
    char text[UUID_TEXT_BYTES];

    (void)state;
    assert_true(uuid_is_zero(&uuid));
    assert_int_equal(uuid_parse("00112233-4455-6677-8899-AABBCCDDEEFF", &uuid), 0);
    assert_int_equal(uuid.bytes[0], 0x00);
    assert_int_equal(uuid.bytes[15], 0xFF);
    uuid_format(&uuid, text);
    assert_string_equal(text, UUID_TEXT);
    assert_false(uuid_is_zero(&uuid));
}

static void other_uuid_texts_are_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "0",
        "00112233-4455-6677-8899-aabbccddeef",
        "00112233-4455-6677-8899-aabbccddeeff0",
        "00112233-4455-6677-8899-aabbccddeefg",
        "0011223344556677-8899-aabbccddeeffaa",
        "00112233-4455-6677-8899_aabbccddeeff",
        "{0112233-4455-6677-8899-aabbccddeeff",
        "00112233-4455-6677-8899-",
        " 0112233-4455-6677-8899-aabbccddeeff",
    };
    struct uuid uuid = {{9}};

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(uuid_parse(bad[i], &uuid), -EINVAL);
        assert_int_equal(uuid.bytes[0], 9);
    }
}

static void made_uuids_are_version_4_and_differ(void **state)
{
    struct rng rng;
    struct uuid first;
    struct uuid second;
    char text[UUID_TEXT_BYTES];

    (void)state;
    rng_seed(&rng, 4);
    first = uuid_make(&rng);
    second = uuid_make(&rng);
    assert_false(uuid_equal(&first, &second));
    assert_true(uuid_equal(&first, &first));
    uuid_format(&second, text);
    assert_int_equal(text[14], '4');
    assert_non_null(strchr("89ab", text[19]));
}

static void guid_text_round_trips(void **state)
{
    struct guid guid = {{0}};
    struct guid other = {{0}};
    char text[GUID_TEXT_BYTES];

    (void)state;
    assert_true(guid_is_zero(&guid) && guid_equal(&guid, &other));
    assert_int_equal(guid_parse(GUID_TEXT, &guid), 0);
    assert_memory_equal(guid.bytes, "Linux-MD", 8);
    assert_false(guid_is_zero(&guid) || guid_equal(&guid, &other));
    guid_format(&guid, text);
    assert_string_equal(text, GUID_TEXT);
    assert_int_equal(guid_parse("4C", &guid), -EINVAL);
    assert_int_equal(guid_parse(GUID_TEXT "0", &guid), -EINVAL);
    text[47] = 'x';
    assert_int_equal(guid_parse(text, &guid), -EINVAL);
    assert_int_equal(guid.bytes[23], 0x90);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uuid_text_round_trips),
        cmocka_unit_test(other_uuid_texts_are_refused),
        cmocka_unit_test(made_uuids_are_version_4_and_differ),
        cmocka_unit_test(guid_text_round_trips),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("base/guid", tests, NULL, NULL);
}

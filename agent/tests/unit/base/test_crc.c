/*
 * Checksums: published check values, chaining, and a bitwise twin over odd lengths.
 */
#include "aw_test.h"

#include <string.h>

#include "base/crc.h"
#include "base/rng.h"

static const char digits[] = "123456789";

/* One bit at a time over a reflected polynomial, no inversions. */
static uint32_t twin(uint32_t polynomial, uint32_t crc, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ ((crc & 1u) != 0 ? polynomial : 0u);
        }
    }
    return crc;
}

static void check_values_are_right(void **state)
{
    (void)state;
    assert_true(crc32c(0, digits, 9) == 0xE3069283u);
    assert_true(crc32_ddf(digits, 9) == 0x2DFD2D88u);
    assert_true(crc32c(0, NULL, 0) == 0);
    assert_true(crc32_ddf(NULL, 0) == 0);
}

static void twin_agrees_at_every_length(void **state)
{
    uint8_t bytes[600];
    struct rng rng;

    (void)state;
    rng_seed(&rng, aw_test_seed("crc", 2));
    rng_fill(&rng, bytes, sizeof(bytes));
    for (size_t length = 1; length < sizeof(bytes) - 8; length++) {
        const uint8_t *at = bytes + length % 8;
        size_t half = length / 3;

        assert_true(crc32_ddf(at, length) == twin(0xEDB88320u, 0, at, length));
        assert_true(crc32c(0, at, length) == ~twin(0x82F63B78u, UINT32_MAX, at, length));
        assert_true(crc32c(crc32c(0, at, half), at + half, length - half) == crc32c(0, at, length));
    }
}

static void section_ignores_its_own_crc_field(void **state)
{
    uint8_t bytes[512];
    uint8_t filled[512];
    struct rng rng;
    uint32_t crc = 0;

    (void)state;
    rng_seed(&rng, aw_test_seed("crc section", 3));
    rng_fill(&rng, bytes, sizeof(bytes));
    memcpy(filled, bytes, sizeof(bytes));
    memset(filled + 4, 0xFF, 4);
    crc = crc32_ddf_section(bytes, sizeof(bytes));
    assert_true(crc == crc32_ddf(filled, sizeof(filled)));
    bytes[5] ^= 0x10;
    assert_true(crc == crc32_ddf_section(bytes, sizeof(bytes)));
    bytes[8] ^= 0x10;
    assert_true(crc != crc32_ddf_section(bytes, sizeof(bytes)));
    assert_true(crc32_ddf_section(filled, 8) == crc32_ddf(filled, 8));
    EXPECT_ASSERT((void)crc32_ddf_section(bytes, 7));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_values_are_right),
        cmocka_unit_test(twin_agrees_at_every_length),
        cmocka_unit_test(section_ignores_its_own_crc_field),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("base/crc", tests, NULL, NULL);
}

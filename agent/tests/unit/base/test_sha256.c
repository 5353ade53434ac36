/*
 * SHA-256: published check values, however the bytes come in pieces.
 */
#include "aw_test.h"

#include <string.h>

#include "base/rng.h"
#include "base/sha256.h"
#include "base/sha256_ni.h"

static const struct {
    const char *text;
    const char *sum;
} published[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnop"
     "qr"
     "smnopqrstnopqrstu",
     "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
};

static void test_published(void **state UNUSED)
{
    for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++) {
        size_t bytes = strlen(published[i].text);

        for (size_t piece = 1; piece <= bytes + 1; piece++) {
            struct sha256 sha;
            char sum[65];

            sha256_init(&sha);
            for (size_t at = 0; at < bytes; at += piece) {
                sha256_add(&sha, published[i].text + at, bytes - at < piece ? bytes - at : piece);
            }
            sha256_hex(&sha, sum);
            assert_string_equal(sum, published[i].sum);
        }
    }
}

/* Long enough for many blocks at once, from any place in memory. */
static void test_both_ways(void **state UNUSED)
{
    uint8_t bytes[4096 + 64];
    struct rng rng;
    bool usable = sha256_ni_usable();

    rng_seed(&rng, aw_test_seed("sha256", 7));
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)rng_u64(&rng);
    }
    for (uint32_t i = 0; i < 2000; i++) {
        size_t at = rng_below(&rng, 64);
        size_t count = rng_below(&rng, 4096);
        size_t cut = rng_below(&rng, count + 1);
        char sums[2][65];

        for (uint32_t way = 0; way < 2; way++) {
            struct sha256 sha;

            sha256_ni_allow(way == 1);
            sha256_init(&sha);
            sha256_add(&sha, bytes + at, cut);
            sha256_add(&sha, bytes + at + cut, count - cut);
            sha256_hex(&sha, sums[way]);
        }
        sha256_ni_allow(usable);
        assert_string_equal(sums[0], sums[1]);
    }
}

/* A test may forbid the processor's instructions, as if it had none. */
static void test_published_plain(void **state)
{
    bool usable = sha256_ni_usable();

    sha256_ni_allow(false);
    assert_false(sha256_ni_usable());
    test_published(state);
    sha256_ni_allow(usable);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_published_plain),
        cmocka_unit_test(test_both_ways),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("base/sha256", tests, NULL, NULL);
}

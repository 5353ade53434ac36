/*
 * SHA-256: published check values, however the bytes come in pieces.
 */
#include "aw_test.h"

#include <string.h>

#include "base/sha256.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("base/sha256", tests, NULL, NULL);
}

/*
 * The verdict on a request, one table of cases and one sweep over random requests: what is
 * submitted always lies inside the contract of a virtual drive.
 */
#include "aw_test.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/rng.h"
#include "export/nbd_parse.h"

#define SIZE_BYTES (UINT64_C(1) << 40)

static const struct vd_target writable = {
    .name = "v0", .size_bytes = SIZE_BYTES, .block_bytes = 4096, .preferred_block_bytes = 4096};
static const struct vd_target read_only = {.name = "v1",
                                           .size_bytes = SIZE_BYTES,
                                           .block_bytes = 512,
                                           .preferred_block_bytes = 4096,
                                           .read_only = true};

struct expectation {
    struct nbd_request request;
    enum nbd_verdict_kind kind;
    enum nbd_error error;
    uint32_t payload_bytes;
    bool fua;
};

#define MIB (1024u * 1024u)

static void check(const struct expectation *cases, size_t count, const struct nbd_terms *terms)
{
    for (size_t i = 0; i < count; i++) {
        struct nbd_verdict verdict = nbd_request_judge(&cases[i].request, terms);
        if (verdict.kind != cases[i].kind || verdict.error != cases[i].error ||
            verdict.payload_bytes != cases[i].payload_bytes || verdict.fua != cases[i].fua) {
            fail_msg("case %zu: kind %d error %d payload %" PRIu32 " fua %d: %s", i,
                     (int)verdict.kind, (int)verdict.error, verdict.payload_bytes, verdict.fua,
                     verdict.text == NULL ? "" : verdict.text);
        }
        assert_true((verdict.kind == NBD_VERDICT_REFUSE) == (verdict.text != NULL));
    }
}

#define CHECK(cases, terms) check(cases, sizeof cases / sizeof cases[0], terms)

static void test_good_requests(void **state UNUSED)
{
    const struct nbd_terms terms = {
        .target = &writable, .structured = true, .allocation_context = true};
    static const struct expectation cases[] = {
        {{.type = NBD_CMD_READ, .length_bytes = 4096}, NBD_VERDICT_SUBMIT, NBD_OK, 0, false},
        {{.type = NBD_CMD_READ, .flags = NBD_CMD_FLAG_DF, .length_bytes = 32 * MIB},
         NBD_VERDICT_SUBMIT,
         NBD_OK,
         0,
         false},
        {{.type = NBD_CMD_READ, .flags = NBD_CMD_FLAG_FUA, .length_bytes = 4096},
         NBD_VERDICT_SUBMIT,
         NBD_OK,
         0,
         false},
        {{.type = NBD_CMD_WRITE, .length_bytes = 8192, .offset_bytes = SIZE_BYTES - 8192},
         NBD_VERDICT_SUBMIT,
         NBD_OK,
         8192,
         false},
        {{.type = NBD_CMD_WRITE, .flags = NBD_CMD_FLAG_FUA, .length_bytes = 32 * MIB},
         NBD_VERDICT_SUBMIT,
         NBD_OK,
         32 * MIB,
         true},
        {{.type = NBD_CMD_FLUSH}, NBD_VERDICT_SUBMIT, NBD_OK, 0, false},
        {{.type = NBD_CMD_TRIM, .flags = NBD_CMD_FLAG_FUA, .length_bytes = UINT32_MAX - 4095},
         NBD_VERDICT_SUBMIT,
         NBD_OK,
         0,
         true},
        {{.type = NBD_CMD_WRITE_ZEROES, .flags = NBD_CMD_FLAG_NO_HOLE, .length_bytes = 4096},
         NBD_VERDICT_SUBMIT,
         NBD_OK,
         0,
         false},
        {{.type = NBD_CMD_CACHE, .length_bytes = 64 * MIB}, NBD_VERDICT_SUCCEED, NBD_OK, 0, false},
        {{.type = NBD_CMD_BLOCK_STATUS, .flags = NBD_CMD_FLAG_REQ_ONE, .length_bytes = 64 * MIB},
         NBD_VERDICT_BLOCK_STATUS,
         NBD_OK,
         0,
         false},
        {{.type = NBD_CMD_DISC, .flags = 0xffff}, NBD_VERDICT_DISCONNECT, NBD_OK, 0, false},
    };

    CHECK(cases, &terms);
}

static void test_bad_requests(void **state UNUSED)
{
    const struct nbd_terms terms = {.target = &writable, .structured = false};
    static const struct expectation cases[] = {
        {{.type = 8, .length_bytes = 4096}, NBD_VERDICT_REFUSE, NBD_EINVAL, 0, false},
        {{.type = 0xffff}, NBD_VERDICT_REFUSE, NBD_EINVAL, 0, false},
        {{.type = NBD_CMD_READ}, NBD_VERDICT_REFUSE, NBD_EINVAL, 0, false},
        {{.type = NBD_CMD_READ, .length_bytes = 512}, NBD_VERDICT_REFUSE, NBD_EINVAL, 0, false},
        {{.type = NBD_CMD_READ, .length_bytes = 4096, .offset_bytes = 512},
         NBD_VERDICT_REFUSE,
         NBD_EINVAL,
         0,
         false},
        {{.type = NBD_CMD_READ, .length_bytes = 4096, .offset_bytes = SIZE_BYTES},
         NBD_VERDICT_REFUSE,
         NBD_EINVAL,
         0,
         false},
        {{.type = NBD_CMD_READ, .length_bytes = 4096, .offset_bytes = UINT64_MAX - 4095},
         NBD_VERDICT_REFUSE,
         NBD_EINVAL,
         0,
         false},
        {{.type = NBD_CMD_READ, .length_bytes = 32 * MIB + 4096},
         NBD_VERDICT_REFUSE,
         NBD_EOVERFLOW,
         0,
         false},
        {{.type = NBD_CMD_READ, .flags = NBD_CMD_FLAG_DF, .length_bytes = 4096},
         NBD_VERDICT_REFUSE,
         NBD_EINVAL,
         0,
         false},
        {{.type = NBD_CMD_WRITE, .length_bytes = 8192, .offset_bytes = SIZE_BYTES - 4096},
         NBD_VERDICT_REFUSE,
         NBD_ENOSPC,
         8192,
         false},
        {{.type = NBD_CMD_WRITE, .length_bytes = 100}, NBD_VERDICT_REFUSE, NBD_EINVAL, 100, false},
        {{.type = NBD_CMD_WRITE, .flags = NBD_CMD_FLAG_NO_HOLE, .length_bytes = 4096},
         NBD_VERDICT_REFUSE,
         NBD_EINVAL,
         4096,
         false},
        {{.type = NBD_CMD_WRITE, .length_bytes = 32 * MIB + 1},
         NBD_VERDICT_CLOSE,
         NBD_OK,
         0,
         false},
        {{.type = NBD_CMD_FLUSH, .length_bytes = 4096}, NBD_VERDICT_REFUSE, NBD_EINVAL, 0, false},
        {{.type = NBD_CMD_FLUSH, .offset_bytes = 1}, NBD_VERDICT_REFUSE, NBD_EINVAL, 0, false},
        {{.type = NBD_CMD_WRITE_ZEROES, .length_bytes = 8192, .offset_bytes = SIZE_BYTES},
         NBD_VERDICT_REFUSE,
         NBD_ENOSPC,
         0,
         false},
        {{.type = NBD_CMD_WRITE_ZEROES, .flags = NBD_CMD_FLAG_FAST_ZERO, .length_bytes = 4096},
         NBD_VERDICT_REFUSE,
         NBD_ENOTSUP,
         0,
         false},
        {{.type = NBD_CMD_WRITE_ZEROES, .flags = 0x8000, .length_bytes = 4096},
         NBD_VERDICT_REFUSE,
         NBD_EINVAL,
         0,
         false},
        {{.type = NBD_CMD_BLOCK_STATUS, .length_bytes = 4096},
         NBD_VERDICT_REFUSE,
         NBD_EINVAL,
         0,
         false},
    };

    CHECK(cases, &terms);
}

static void test_read_only_target(void **state UNUSED)
{
    const struct nbd_terms terms = {.target = &read_only};
    static const struct expectation cases[] = {
        {{.type = NBD_CMD_READ, .length_bytes = 512}, NBD_VERDICT_SUBMIT, NBD_OK, 0, false},
        {{.type = NBD_CMD_FLUSH}, NBD_VERDICT_SUBMIT, NBD_OK, 0, false},
        {{.type = NBD_CMD_WRITE, .length_bytes = 512}, NBD_VERDICT_REFUSE, NBD_EPERM, 512, false},
        {{.type = NBD_CMD_TRIM, .length_bytes = 512}, NBD_VERDICT_REFUSE, NBD_EPERM, 0, false},
        {{.type = NBD_CMD_WRITE_ZEROES, .length_bytes = 512},
         NBD_VERDICT_REFUSE,
         NBD_EPERM,
         0,
         false},
    };

    CHECK(cases, &terms);
}

static void test_target_that_is_going_away(void **state UNUSED)
{
    const struct nbd_terms terms = {.target = &writable, .shutting_down = true};
    static const struct expectation cases[] = {
        {{.type = NBD_CMD_READ, .length_bytes = 4096}, NBD_VERDICT_REFUSE, NBD_ESHUTDOWN, 0, false},
        {{.type = NBD_CMD_WRITE, .length_bytes = 4096},
         NBD_VERDICT_REFUSE,
         NBD_ESHUTDOWN,
         4096,
         false},
        {{.type = NBD_CMD_FLUSH}, NBD_VERDICT_REFUSE, NBD_ESHUTDOWN, 0, false},
        {{.type = NBD_CMD_DISC}, NBD_VERDICT_DISCONNECT, NBD_OK, 0, false},
    };

    CHECK(cases, &terms);
}

static void test_decoding(void **state UNUSED)
{
    uint8_t bytes[NBD_REQUEST_BYTES] = {0};
    struct nbd_request request;

    assert_false(nbd_request_decode(bytes, &request));
    put_be32(bytes, NBD_REQUEST_MAGIC);
    put_be16(bytes + 4, 0x0102);
    put_be16(bytes + 6, 0x0304);
    put_be64(bytes + 8, 0x1112131415161718u);
    put_be64(bytes + 16, 0x2122232425262728u);
    put_be32(bytes + 24, 0x31323334u);
    assert_true(nbd_request_decode(bytes, &request));
    assert_int_equal(request.flags, 0x0102);
    assert_int_equal(request.type, 0x0304);
    assert_true(request.cookie == 0x1112131415161718u);
    assert_true(request.offset_bytes == 0x2122232425262728u);
    assert_int_equal(request.length_bytes, 0x31323334u);
    for (size_t i = 0; i < 4; i++) {
        bytes[i] ^= 1;
        assert_false(nbd_request_decode(bytes, &request));
        bytes[i] ^= 1;
    }
}

/* Whatever is submitted lies inside what a virtual drive is promised. */
static void test_submitted_is_always_in_contract(void **state UNUSED)
{
    struct rng rng;
    uint32_t submitted_count = 0;

    rng_seed(&rng, aw_test_seed("nbd_parse", 5));
    for (uint32_t round = 0; round < 300000; round++) {
        struct vd_target target = writable;
        uint64_t unit = rng_below(&rng, 2) == 0 ? 512 : 4096;
        struct nbd_terms terms = {.target = &target,
                                  .structured = rng_below(&rng, 2) != 0,
                                  .allocation_context = rng_below(&rng, 2) != 0,
                                  .shutting_down = rng_below(&rng, 20) == 0};
        struct nbd_request request = {
            .flags = rng_below(&rng, 3) == 0 ? (uint16_t)rng_u64(&rng) & 0x1f : 0,
            .type = (uint16_t)rng_below(&rng, 10),
            .offset_bytes = rng_below(&rng, 4) == 0 ? rng_u64(&rng) : rng_below(&rng, 30) * unit,
            .length_bytes = rng_below(&rng, 4) == 0 ? (uint32_t)rng_u64(&rng)
                                                    : (uint32_t)(rng_below(&rng, 20) * unit),
        };
        target.block_bytes = rng_below(&rng, 2) == 0 ? 512 : 4096;
        target.read_only = rng_below(&rng, 8) == 0;
        target.size_bytes = rng_below(&rng, 40) * 4096;
        struct nbd_verdict verdict = nbd_request_judge(&request, &terms);
        assert_true(verdict.payload_bytes <= NBD_PAYLOAD_MAX_BYTES);
        assert_true(verdict.payload_bytes == 0 || request.type == NBD_CMD_WRITE);
        if (verdict.kind != NBD_VERDICT_SUBMIT) {
            continue;
        }
        submitted_count++;
        assert_false(terms.shutting_down);
        if (verdict.op == VD_OP_FLUSH) {
            assert_int_equal(request.length_bytes, 0);
            continue;
        }
        assert_true(request.length_bytes > 0);
        assert_true(is_aligned_u64(request.length_bytes, target.block_bytes));
        assert_true(is_aligned_u64(request.offset_bytes, target.block_bytes));
        assert_true(request.length_bytes <= target.size_bytes);
        assert_true(request.offset_bytes <= target.size_bytes - request.length_bytes);
        assert_true(verdict.op == VD_OP_READ || !target.read_only);
    }
    assert_true(submitted_count > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_requests),
        cmocka_unit_test(test_bad_requests),
        cmocka_unit_test(test_read_only_target),
        cmocka_unit_test(test_target_that_is_going_away),
        cmocka_unit_test(test_decoding),
        cmocka_unit_test(test_submitted_is_always_in_contract),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("export nbd_parse", tests, NULL, NULL);
}

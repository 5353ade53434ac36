/*
 * Parity equals its scalar twin, and recover(lose(x)) = x, for every width, every loss of
 * one or two columns, several lengths and buffer offsets.
 */
#include "aw_test.h"

#include <stdbool.h>
#include <string.h>

#include "base/rng.h"
#include "fresh_seed.h"
#include "raid/parity.h"
#include "raid/parity_kernels.h"

#define WIDTH_MAX 32u
#define LENGTH_MAX 65536u
#define SHIFT_MAX 256u

static struct rng rng;
static uint8_t *memory; /* three sets of WIDTH_MAX buffers */

static int set_up(void **state)
{
    (void)state;
    memory = aligned_alloc(64, (size_t)3 * WIDTH_MAX * (LENGTH_MAX + SHIFT_MAX));
    return memory == NULL ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(memory);
    return 0;
}

/* Buffers of a set, each at its own random multiple of 64 within its slot. */
static void make_columns(uint32_t set, uint8_t *columns[WIDTH_MAX])
{
    for (uint32_t i = 0; i < WIDTH_MAX; i++) {
        size_t slot = (size_t)set * WIDTH_MAX + i;

        columns[i] = memory + slot * (LENGTH_MAX + SHIFT_MAX) + 64 * rng_below(&rng, 4);
    }
}

static void fill_columns(uint8_t *const *columns, uint32_t width, size_t bytes)
{
    for (uint32_t i = 0; i < width; i++) {
        rng_fill(&rng, columns[i], bytes);
    }
}

static void copy_columns(uint8_t *const *to, uint8_t *const *from, uint32_t width, size_t bytes)
{
    for (uint32_t i = 0; i < width; i++) {
        memcpy(to[i], from[i], bytes);
    }
}

static void expect_equal(uint8_t *const *a, uint8_t *const *b, uint32_t width, size_t bytes,
                         const char *what)
{
    for (uint32_t i = 0; i < width; i++) {
        if (memcmp(a[i], b[i], bytes) != 0) {
            fail_msg("%s: width %u, place %u of %zu bytes differs", what, width, i, bytes);
        }
    }
}

static void destroy(uint8_t *const *columns, uint32_t mask, size_t bytes)
{
    for (uint32_t i = 0; i < WIDTH_MAX; i++) {
        if ((mask >> i & 1u) != 0) {
            rng_fill(&rng, columns[i], bytes);
        }
    }
}

/* Loses the columns of `lost` and has both implementations bring them back. */
static void check_loss(uint8_t *const *truth, uint32_t width, int p, int q, uint32_t lost,
                       size_t bytes, bool with_twin)
{
    uint8_t *work[WIDTH_MAX];

    make_columns(2, work);
    copy_columns(work, truth, width, bytes);
    destroy(work, lost, bytes);
    parity_recover(work, width, p, q, lost, bytes);
    expect_equal(work, truth, width, bytes, "recover");
    if (with_twin) {
        destroy(work, lost, bytes);
        parity_scalar_recover(work, width, p, q, lost, bytes);
        expect_equal(work, truth, width, bytes, "scalar recover");
    }
}

/* Generates by both implementations, then loses every single column and every pair. */
static void check_width(uint32_t width, int p, int q, size_t bytes, bool with_twin)
{
    uint8_t *columns[WIDTH_MAX];
    uint8_t *twin[WIDTH_MAX];

    make_columns(0, columns);
    make_columns(1, twin);
    fill_columns(columns, width, bytes);
    copy_columns(twin, columns, width, bytes);
    parity_generate(columns, width, p, q, bytes);
    if (with_twin) {
        parity_scalar_generate(twin, width, p, q, bytes);
        expect_equal(columns, twin, width, bytes, "generate");
    }
    for (uint32_t x = 0; x < width; x++) {
        check_loss(columns, width, p, q, 1u << x, bytes, with_twin);
        for (uint32_t y = x + 1; y < width && q >= 0; y++) {
            check_loss(columns, width, p, q, 1u << x | 1u << y, bytes, with_twin);
        }
    }
}

static void every_width_and_loss_with_q(void **state)
{
    (void)state;
    for (uint32_t width = 3; width <= WIDTH_MAX; width++) {
        int p = (int)rng_below(&rng, width);
        int q = (p + (int)width - 1) % (int)width;

        check_width(width, p, q, 512, true);
    }
}

static void every_width_and_loss_with_p_only(void **state)
{
    (void)state;
    for (uint32_t width = 2; width <= WIDTH_MAX; width++) {
        check_width(width, (int)rng_below(&rng, width), -1, 1536, true);
    }
}

static void every_parity_place(void **state)
{
    (void)state;
    for (uint32_t width = 4; width <= 9; width++) {
        for (uint32_t p = 0; p < width; p++) {
            for (uint32_t q = 0; q < width; q++) {
                if (p != q) {
                    check_width(width, (int)p, (int)q, 512, true);
                }
            }
        }
    }
}

static void every_length(void **state)
{
    static const size_t lengths[] = {512, 1024, 1536, 4096, 4608, 12288, 32768, LENGTH_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        uint32_t width = 4 + (uint32_t)rng_below(&rng, 5);
        int p = (int)rng_below(&rng, width);

        check_width(width, p, (p + (int)width - 1) % (int)width, lengths[i], false);
        check_width(5, p % 5, (p + 4) % 5, lengths[i], lengths[i] <= 4608);
        check_width(width, p, -1, lengths[i], true);
    }
}

/* Updating P and Q by the difference gives what generating them anew gives. */
static void update_equals_generate(void **state)
{
    (void)state;
    for (uint32_t width = 4; width <= WIDTH_MAX; width++) {
        uint8_t *columns[WIDTH_MAX];
        uint8_t *spare[WIDTH_MAX];
        uint8_t *delta[WIDTH_MAX];
        int p = (int)rng_below(&rng, width);
        int q = (p + (int)width - 1) % (int)width;
        size_t bytes = 512 * (1 + (size_t)rng_below(&rng, 16));

        make_columns(0, columns);
        make_columns(1, spare);
        make_columns(2, delta);
        fill_columns(columns, width, bytes);
        parity_generate(columns, width, p, q, bytes);
        for (uint32_t place = 0; place < width; place++) {
            if ((int)place == p || (int)place == q) {
                continue;
            }
            rng_fill(&rng, delta[0], bytes);
            copy_columns(spare, columns, width, bytes);
            parity_scalar_update(spare[p], spare[q], place, delta[0], bytes);
            parity_update(columns[p], columns[q], place, delta[0], bytes);
            expect_equal(columns, spare, width, bytes, "update");
            parity_xor(columns[place], (uint8_t *[]){columns[place], delta[0]}, 2, bytes);
            parity_generate(columns, width, p, q, bytes);
            assert_memory_equal(columns[p], spare[p], bytes);
            assert_memory_equal(columns[q], spare[q], bytes);
        }
    }
}

static void xor_equals_twin(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= WIDTH_MAX; count++) {
        uint8_t *columns[WIDTH_MAX];
        uint8_t *target[WIDTH_MAX];
        size_t bytes = 512 * (1 + (size_t)rng_below(&rng, 20));

        make_columns(0, columns);
        make_columns(1, target);
        fill_columns(columns, count, bytes);
        parity_xor(target[0], columns, count, bytes);
        parity_scalar_xor(target[1], columns, count, bytes);
        assert_memory_equal(target[0], target[1], bytes);
        parity_xor(columns[0], columns, count, bytes);
        assert_memory_equal(columns[0], target[1], bytes);
    }
}

/* The argument is the name of a kernel: that one, if the processor can. */
int main(int argument_count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_width_and_loss_with_q),
        cmocka_unit_test(every_width_and_loss_with_p_only),
        cmocka_unit_test(every_parity_place),
        cmocka_unit_test(every_length),
        cmocka_unit_test(update_equals_generate),
        cmocka_unit_test(xor_equals_twin),
    };

    aw_test_catch_asserts();
    if (argument_count > 1 && !parity_kernels_use(arguments[1])) {
        (void)printf("1..0 # SKIP this processor cannot: %s\n", arguments[1]);
        return 0;
    }
    rng_seed(&rng, aw_test_seed("parity", fresh_seed()));
    return cmocka_run_group_tests_name("prop/parity", tests, set_up, tear_down);
}

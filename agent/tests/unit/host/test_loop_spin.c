/*
 * How long the loop polls before it sleeps: the share that it keeps to, and where polling pays.
 */
#include "aw_test.h"
#include "host/loop_spin.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)
#define FOREVER UINT64_MAX

/* A client: when the next request comes, and how much later the loop knows. */
struct client {
    uint64_t comes_ns;
    uint64_t wake_ns;  /* if it slept, */
    uint64_t hurts_ns; /* and if it polled: the client needs the processor */
};

static const struct client alone = {.comes_ns = 8000, .wake_ns = 15000};
static const struct client beside = {.comes_ns = 3000, .wake_ns = 1000, .hurts_ns = 5000};
static const struct client slow = {.comes_ns = 90000, .wake_ns = 15000};
static const struct client idle = {.comes_ns = 10 * MS, .wake_ns = 15000};

/* The time that went into polling. */
static uint64_t spend(struct loop_spin *spin, uint64_t *now_ns, const struct client *client,
                      uint64_t for_ns)
{
    uint64_t end_ns = *now_ns + for_ns;
    uint64_t sum_ns = 0;

    while (*now_ns < end_ns) {
        uint64_t ask_ns = loop_spin_begin(spin, *now_ns, FOREVER);
        uint64_t comes_ns = client->comes_ns + (ask_ns > 0 ? client->hurts_ns : 0);
        uint64_t spent_ns = ask_ns < comes_ns ? ask_ns : comes_ns;
        uint64_t waited_ns = comes_ns + (spent_ns < comes_ns ? client->wake_ns : 0);

        assert_true(ask_ns <= SPIN_LONGEST_NS);
        *now_ns += waited_ns;
        sum_ns += spent_ns;
        loop_spin_end(spin, waited_ns, spent_ns);
    }
    return sum_ns;
}

static void test_never_by_default(void **state)
{
    struct loop_spin spin;
    uint64_t now_ns = SECOND;

    (void)state;
    loop_spin_init(&spin, 0, now_ns);
    assert_int_equal(spend(&spin, &now_ns, &alone, SECOND), 0);
}

static void test_within_its_share(void **state)
{
    static const uint32_t shares[] = {1, 10, 50, 100};

    (void)state;
    for (uint32_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
        struct loop_spin spin;
        uint64_t now_ns = SECOND;
        uint64_t spent_ns = 0;

        loop_spin_init(&spin, shares[i], now_ns);
        spent_ns = spend(&spin, &now_ns, &alone, 10 * SECOND);
        assert_true(spent_ns <= 10 * SECOND / 100 * shares[i] + (uint64_t)SPIN_BURST_NS);
        assert_true(spent_ns >= 8 * SECOND / 100 * shares[i]);
    }
}

static void test_only_where_it_is_quicker(void **state)
{
    struct loop_spin spin;
    uint64_t now_ns = SECOND;

    (void)state;
    loop_spin_init(&spin, 100, now_ns);
    /* Tries alone: 8 of 256 waits. */
    assert_true(spend(&spin, &now_ns, &beside, SECOND) < SECOND / 12);
    assert_true(spend(&spin, &now_ns, &alone, SECOND) > SECOND * 8 / 10);
    assert_true(spend(&spin, &now_ns, &beside, SECOND) < SECOND / 12);
}

static void test_not_for_long_waits(void **state)
{
    struct loop_spin spin;
    uint64_t now_ns = SECOND;

    (void)state;
    loop_spin_init(&spin, 100, now_ns);
    (void)spend(&spin, &now_ns, &alone, SECOND);
    (void)spend(&spin, &now_ns, &idle, 50 * MS); /* it notices within a few */
    assert_int_equal(spend(&spin, &now_ns, &idle, 10 * SECOND), 0);
    assert_int_equal(spend(&spin, &now_ns, &slow, SECOND), 0);
    /* After a pause it goes on as before, without a new try. */
    assert_true(spend(&spin, &now_ns, &alone, 2 * MS) > MS / 2);
}

static void test_limits(void **state)
{
    struct loop_spin spin;
    uint64_t now_ns = SECOND;

    (void)state;
    loop_spin_init(&spin, 100, now_ns);
    (void)spend(&spin, &now_ns, &alone, SECOND);
    while (spin.waits == SPIN_TRY_EVERY || spin.waits < SPIN_TRY_WAITS) {
        (void)spend(&spin, &now_ns, &alone, 1);
    }
    assert_int_equal(loop_spin_begin(&spin, now_ns, 7000), 7000); /* a timer is due */
    /* Of a long time without work no more than a burst is saved up. */
    now_ns += 1000000 * SECOND;
    (void)loop_spin_begin(&spin, now_ns, FOREVER);
    assert_int_equal(spin.account_ns, SPIN_BURST_NS);
    /* A wait that overran its limit is paid back. */
    spin.percent = 10;
    loop_spin_end(&spin, SECOND, SECOND);
    now_ns += SECOND;
    assert_int_equal(spend(&spin, &now_ns, &alone, 8 * SECOND), 0);
    assert_true(spend(&spin, &now_ns, &alone, 10 * SECOND) > SECOND / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_never_by_default),
        cmocka_unit_test(test_within_its_share),
        cmocka_unit_test(test_only_where_it_is_quicker),
        cmocka_unit_test(test_not_for_long_waits),
        cmocka_unit_test(test_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

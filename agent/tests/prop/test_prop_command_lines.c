/*
 * Command lines drawn from the tables of the grammar, others in every run (fresh_seed.h):
 * AW_SEED repeats one, AW_CASES says how many. Case i of seed s is drawn from seed s + i.
 */
#include "aw_test.h"

#include "base/rng.h"
#include "command_lines.h"
#include "fresh_seed.h"

#define CASES_DEFAULT 20000u
#define CASES_MORE 10u /* times as many, until each command has been asked for */
#define LINE_INPUT_BYTES 160u

static uint64_t first_seed;
static uint64_t cases = CASES_DEFAULT;

/* Case i: did it ask for a change? */
static bool line_try(uint64_t i)
{
    uint8_t bytes[LINE_INPUT_BYTES];
    struct rng rng;

    rng_seed(&rng, first_seed + i);
    rng_fill(&rng, bytes, sizeof(bytes));
    return command_line_run(bytes, sizeof(bytes)) > 0;
}

static void test_lines(void **state UNUSED)
{
    uint64_t changing = 0;
    uint64_t more = 0;
    FILE *shown = stdout;

    command_lines_open();
    stdout = fopen("/dev/null", "w");
    assert_non_null(stdout);
    for (uint64_t i = 0; i < cases; i++) {
        changing += line_try(i) ? 1 : 0;
    }
    /* A rare command comes in four of 20,000 lines, so in one of 50 runs in none. */
    while (cases >= CASES_DEFAULT && command_lines_missing() != NULL &&
           more < CASES_MORE * CASES_DEFAULT) {
        (void)line_try(cases + more++);
    }
    command_lines_close();
    (void)fclose(stdout);
    stdout = shown;
    print_message("# %llu lines, %llu of them asked for a change; %llu more for the rare ones\n",
                  (unsigned long long)cases, (unsigned long long)changing,
                  (unsigned long long)more);
    if (cases >= CASES_DEFAULT) { /* else hardly anything was tried */
        assert_true(changing * 30 > cases);
        const char *missing = command_lines_missing();

        if (missing != NULL) {
            fail_msg("no line came to %s", missing);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines)};
    const char *text = getenv("AW_CASES");

    first_seed = aw_test_seed("command lines", fresh_seed());
    if (text != NULL && strtoull(text, NULL, 0) > 0) {
        cases = strtoull(text, NULL, 0);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * See bench_print.h.
 */
#include "bench_print.h"

#include <stdbool.h>
#include <stdio.h>

static bool any_printed;

void bench_print_begin(void)
{
    (void)printf("[");
}

void bench_print(const char *name, double value, const char *unit)
{
    (void)printf("%s\n  {\"name\": \"%s\", \"value\": %.4g, \"unit\": \"%s\"}",
                 any_printed ? "," : "", name, value, unit);
    any_printed = true;
}

void bench_print_end(void)
{
    (void)printf("\n]\n");
}

/*
 * The figures of a benchmark as a JSON array on standard output, for run.py.
 */
#ifndef ARRAYWRIGHT_BENCH_PRINT_H
#define ARRAYWRIGHT_BENCH_PRINT_H

void bench_print_begin(void);
void bench_print(const char *name, double value, const char *unit);
void bench_print_end(void);

#endif

/*
 * ISA-L's kernel, and the choice.
 */
#include "raid/parity_kernels.h"

#include <isa-l/erasure_code.h>
#include <string.h>

#include "base/assert.h"

#define TABLE_BYTES 32u /* of ISA-L, per coefficient */
#define KERNELS 4u

/* Fastest first, as far as that can be said of all processors. */
static const struct parity_kernel *const kernels[KERNELS] = {&parity_gfni_avx512, &parity_gfni_avx2,
                                                             &parity_avx2, &parity_isal};

/* What parity_kernels_use() and parity_kernels_measure() have chosen, NULL before. */
static const struct parity_kernel *chosen_for_pq;
static const struct parity_kernel *chosen_for_all;

/* target += coefficient * source */
static bool is_addition(const struct parity_map *map)
{
    return map->target_count == 1 && map->source_count == 2 && map->coefficients[0][0] == 1 &&
           map->sources[0] == map->targets[0];
}

static void run_isal(const struct parity_map *map, size_t bytes)
{
    uint8_t tables[PARITY_TARGETS_MAX * PARITY_WIDTH_MAX * TABLE_BYTES];
    uint8_t packed[PARITY_TARGETS_MAX * PARITY_WIDTH_MAX];
    int sources = (int)map->source_count;
    int targets = (int)map->target_count;

    if (is_addition(map)) {
        ec_init_tables(1, 1, (uint8_t *)&map->coefficients[0][1], tables);
        gf_vect_mad((int)bytes, 1, 0, tables, map->sources[1], map->targets[0]);
        return;
    }
    /* ISA-L wants the coefficients without gaps, target by target. */
    for (uint32_t t = 0; t < map->target_count; t++) {
        memcpy(packed + t * map->source_count, map->coefficients[t], map->source_count);
    }
    ec_init_tables(sources, targets, packed, tables);
    ec_encode_data((int)bytes, sources, targets, tables, (uint8_t **)map->sources,
                   (uint8_t **)map->targets);
}

static bool isal_is_usable(void)
{
    return true;
}

const struct parity_kernel parity_isal = {
    .name = "isa-l", .is_usable = isal_is_usable, .run = run_isal};

static const struct parity_kernel *first_usable(bool for_pq)
{
    for (uint32_t i = 0; i < KERNELS; i++) {
        if ((for_pq || !kernels[i]->pq_only) && kernels[i]->is_usable()) {
            return kernels[i];
        }
    }
    UNREACHABLE();
}

const struct parity_kernel *parity_kernel_for(const struct parity_map *map)
{
    const struct parity_kernel *chosen = map->is_pq ? chosen_for_pq : chosen_for_all;

    return chosen != NULL ? chosen : first_usable(map->is_pq);
}

bool parity_kernels_use(const char *name)
{
    for (uint32_t i = 0; i < KERNELS; i++) {
        if (strcmp(kernels[i]->name, name) == 0 && kernels[i]->is_usable()) {
            chosen_for_pq = kernels[i];
            chosen_for_all = kernels[i]->pq_only ? &parity_isal : kernels[i];
            return true;
        }
    }
    return false;
}

/* The best of some rounds, so that an interruption does not count. */
static uint64_t time_of(const struct parity_kernel *kernel, const struct parity_map *map,
                        uint64_t (*now_ns)(void), size_t bytes)
{
    uint64_t best_ns = UINT64_MAX;

    for (uint32_t round = 0; round < PARITY_MEASURE_ROUNDS; round++) {
        uint64_t begin_ns = now_ns();
        uint64_t taken_ns = 0;

        kernel->run(map, bytes);
        taken_ns = now_ns() - begin_ns;
        best_ns = taken_ns < best_ns ? taken_ns : best_ns;
    }
    return best_ns;
}

static const struct parity_kernel *fastest(const struct parity_map *map, uint64_t (*now_ns)(void),
                                           size_t bytes)
{
    const struct parity_kernel *found = NULL;
    uint64_t found_ns = UINT64_MAX;

    for (uint32_t i = 0; i < KERNELS; i++) {
        uint64_t kernel_ns = UINT64_MAX;

        if (!kernels[i]->is_usable() || (kernels[i]->pq_only && !map->is_pq)) {
            continue;
        }
        kernel_ns = time_of(kernels[i], map, now_ns, bytes);
        if (kernel_ns < found_ns) {
            found = kernels[i];
            found_ns = kernel_ns;
        }
    }
    return found;
}

void parity_kernels_measure(uint64_t (*now_ns)(void), uint8_t *memory, const char **ret_pq,
                            const char **ret_all)
{
    struct parity_map map = {.source_count = PARITY_MEASURE_COLUMNS - PARITY_TARGETS_MAX,
                             .target_count = PARITY_TARGETS_MAX,
                             .is_pq = true};
    size_t bytes = PARITY_MEASURE_BYTES / PARITY_MEASURE_COLUMNS;

    memset(memory, 1, PARITY_MEASURE_BYTES);
    for (uint32_t s = 0; s < map.source_count; s++) {
        map.sources[s] = memory + s * bytes;
        map.exponents[s] = (uint8_t)s;
        map.coefficients[0][s] = (uint8_t)(1u << s);
        map.coefficients[1][s] = 1;
    }
    for (uint32_t t = 0; t < PARITY_TARGETS_MAX; t++) {
        map.targets[t] = memory + (map.source_count + t) * bytes;
    }
    chosen_for_pq = fastest(&map, now_ns, bytes);
    map.is_pq = false;
    chosen_for_all = fastest(&map, now_ns, bytes);
    ASSERT(chosen_for_pq != NULL && chosen_for_all != NULL);
    *ret_pq = chosen_for_pq->name;
    *ret_all = chosen_for_all->name;
}

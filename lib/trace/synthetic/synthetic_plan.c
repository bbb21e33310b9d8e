/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "trace/synthetic/synthetic.h"

#include <stdarg.h>
#include <stdio.h>

#define HEAP 0x7f1000000000u /* above the shared and local windows */
#define SMALL_UNIT 512u
#define LARGE_UNIT (2u << 20)
#define LARGE_LEAST (1u << 20)

gpc_status gpci_problem_fail(gpci_problem *problem, const char *format, ...) {
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return gpci_fail(problem->error, GPC_ERROR_RANGE, "synthetic:%s: %s", problem->name, message);
}

uint64_t gpci_problem_array(gpci_problem *problem, uint64_t bytes) {
    if (!problem->next_large)
        problem->next_large = HEAP;
    uint64_t *from = &problem->next_large, unit = problem->header ? 1 : LARGE_UNIT;
    problem->next_large += problem->header;
    if (bytes < LARGE_LEAST && !problem->header) {
        /* small arrays share a large unit */
        if (problem->end_small - problem->next_small < bytes) {
            problem->next_small = problem->next_large;
            problem->end_small = problem->next_large += LARGE_UNIT;
        }
        from = &problem->next_small;
        unit = SMALL_UNIT;
    }
    uint64_t base = *from;
    *from += gpci_ceiling(bytes, unit) * unit;
    if (problem->array_count < GPCI_SYNTHETIC_ARRAYS)
        problem->arrays[problem->array_count++] = (gpci_synthetic_array){base, bytes};
    return base;
}

gpci_operand gpci_problem_arrays(gpci_problem *problem, uint64_t bytes, uint64_t count) {
    return (gpci_operand){.base = gpci_problem_array(problem, bytes * count), .step = bytes};
}

void *gpci_problem_data(gpci_problem *problem, size_t bytes) {
    problem->data = gpci_zalloc(problem->context, 1, bytes);
    if (!problem->data)
        gpci_out_of_memory(problem->error);
    return problem->data;
}

gpc_status gpci_problem_launch(gpci_problem *problem, const gpci_launch *launch) {
    if (!GPCI_ARRAY_RESERVE(problem->context, problem->launches, problem->launch_capacity, problem->launch_count, 1))
        return gpci_out_of_memory(problem->error);
    gpci_launch *added = &problem->launches[problem->launch_count];
    *added = *launch;
    uint64_t *grid = added->grid, *block = added->block;
    grid[2] = block[2] = 1;
    grid[1] += grid[1] == 0;
    block[1] += block[1] == 0;
    if (!grid[0] || grid[0] > INT32_MAX || grid[1] > UINT16_MAX || grid[0] * grid[1] > UINT32_MAX)
        return gpci_problem_fail(problem, "a grid of %llu x %llu blocks is more than GPUs take",
                                 (unsigned long long)grid[0], (unsigned long long)grid[1]);
    problem->launch_count++;
    return GPC_OK;
}

gpc_status gpci_problem_kernel(gpci_problem *problem, gpci_launch *launch, const char *name, const char *code,
                               void (*warp)(gpci_walk *, const gpci_launch *)) {
    launch->name = name;
    launch->code = code;
    launch->warp = warp;
    return gpci_problem_launch(problem, launch);
}

uint64_t gpci_root(uint64_t x) {
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
        if ((root + bit) * (root + bit) <= x)
            root += bit;
    return root;
}

gpc_status gpci_problem_matrix(gpci_problem *problem, uint64_t columns, uint64_t multiple, gpci_launch *launch) {
    uint64_t elements = problem->size / sizeof(float);
    if (!columns)
        for (columns = 1; columns * columns < elements;)
            columns *= 2;
    launch->columns = columns;
    launch->rows = elements / columns / multiple * multiple;
    if (!launch->rows || columns % multiple)
        return gpci_problem_fail(
            problem, "%llu bytes do not make a matrix of rows and columns by %llu, %llu columns wide",
            (unsigned long long)problem->size, (unsigned long long)multiple, (unsigned long long)columns);
    return GPC_OK;
}

uint32_t gpci_c_rand(gpci_c_random *random) {
    const unsigned at = random->at, last = sizeof random->x / sizeof *random->x;
    random->x[at] += random->x[(at + last - 3) % last];
    random->at = (at + 1) % last;
    return random->x[at] >> 1;
}

/* The first 31 numbers are powers of 16,807 modulo 2^31 - 1, times the seed; the next 310 numbers are dropped. */
gpci_c_random gpci_c_srand(uint32_t seed) {
    gpci_c_random random = {.x = {seed ? seed : 1}, .at = 3};
    for (unsigned i = 1; i < sizeof random.x / sizeof *random.x; i++)
        random.x[i] = (uint32_t)(random.x[i - 1] * UINT64_C(16807) % 0x7fffffff);
    for (unsigned i = 0; i < 310; i++)
        gpci_c_rand(&random);
    return random;
}

uint64_t gpci_c_srand48(uint32_t seed) {
    return (uint64_t)seed << 16 | 0x330e;
}

uint32_t gpci_c_lrand48(uint64_t *random) {
    *random = (*random * 0x5deece66d + 0xb) & 0xffffffffffff;
    return (uint32_t)(*random >> 17);
}

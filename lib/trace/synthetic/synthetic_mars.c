/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic_mars.h"

#define MAPPER_NAME "_Z6MapperPcS_P4int4PiS2_S2_P4int2S_S_S1_S2_iii" /* of the kernel */

bool gpci_mars_enter(gpci_walk *walk, const gpci_launch *launch, gpci_mars_scan *s) {
    const gpci_mars *m = gpci_mars_of(launch);
    uint64_t thread = s->thread = walk->x * GPCI_THREADS + walk->first, sizes[GPCI_SYNTHETIC_LANES] = {0};
    if (!gpci_guard(walk, gpci_below(walk, thread, launch->n)))
        return false;
    GPCI_FOR_LANES(lane, walk->mask) {
        sizes[lane] = (s->results[lane] = m->first[thread + lane]) * GPCI_MARS_SIZES;
        s->key_bytes[lane] = m->keys[thread + lane];
        s->at[lane] = s->start[lane] = m->start ? m->start[thread + lane] : 0;
        s->size[lane] = m->start ? m->start[thread + lane + 1] - m->start[thread + lane] : 0;
        s->size[lane] = s->size[lane] < launch->steps ? s->size[lane] : launch->steps;
        s->read[lane] = 0;
    }
    gpci_access(walk, m->psCounts + thread * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_access_at(walk, m->interOffsetSizes, sizes);
    gpci_access(walk, m->psKeySizes + thread * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_access(walk, m->psValSizes + thread * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_access_at(walk, m->interOffsetSizes, sizes);
    gpci_access(walk, m->inputOffsetSizes + thread * GPCI_MARS_SIZES, GPCI_MARS_SIZES);
    return true;
}

void gpci_mars_key(gpci_walk *walk, const gpci_launch *launch, const gpci_mars_scan *s, uint64_t field) {
    gpci_access(walk, gpci_mars_of(launch)->inputKeys + s->thread * gpci_mars_of(launch)->key + field,
                gpci_mars_of(launch)->key);
}

void gpci_mars_value(gpci_walk *walk, const gpci_launch *launch, const gpci_mars_scan *s, uint64_t field) {
    gpci_access(walk, gpci_mars_of(launch)->inputVals + s->thread * gpci_mars_of(launch)->value + field,
                gpci_mars_of(launch)->value);
}

void gpci_mars_copy(gpci_walk *walk, uint64_t from, unsigned bytes, uint64_t base, const uint64_t *to) {
    for (unsigned byte = 0; byte < bytes; byte++) {
        gpci_access(walk, from + byte, GPCI_MARS_SLOT);
        gpci_access_at(walk, base + byte, to);
    }
}

void gpci_mars_emit(gpci_walk *walk, const gpci_launch *launch, const gpci_mars_scan *s, uint64_t *to) {
    const gpci_mars *m = gpci_mars_of(launch);
    gpci_access(walk, m->keyValOffsets + s->thread * 8, 8);
    gpci_access(walk, m->psKeySizes + s->thread * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_access(walk, m->psValSizes + s->thread * GPCI_ELEMENT, GPCI_ELEMENT);
    GPCI_FOR_LANES(lane, walk->mask)
    to[lane] = s->results[lane] * m->value_result;
}

void gpci_mars_emitted(gpci_walk *walk, const gpci_launch *launch, gpci_mars_scan *s, const uint64_t *key_bytes) {
    const gpci_mars *m = gpci_mars_of(launch);
    uint64_t here[GPCI_SYNTHETIC_LANES], before[GPCI_SYNTHETIC_LANES];
    GPCI_FOR_LANES(lane, walk->mask) {
        here[lane] = s->results[lane]++ * GPCI_MARS_SIZES;
        before[lane] = here[lane] ? here[lane] - GPCI_MARS_SIZES : 0;
        s->key_bytes[lane] += key_bytes ? key_bytes[lane] : m->key_result;
    }
    gpci_access(walk, m->keyValOffsets + s->thread * 8, 8);
    gpci_access(walk, m->curIndex + s->thread * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_access(walk, m->psCounts + s->thread * GPCI_ELEMENT, GPCI_ELEMENT);
    gpci_access_at(walk, m->interOffsetSizes, here);
    gpci_access_at(walk, m->interOffsetSizes, before);
    gpci_access_at(walk, m->interOffsetSizes, here);
    gpci_access(walk, m->curIndex + s->thread * GPCI_ELEMENT, GPCI_ELEMENT);
}

gpc_status gpci_mars_plan(gpci_problem *problem, gpci_launch *launch, const gpci_mars_map *map, gpci_mars *m,
                          uint64_t text, uint64_t keyword) {
    const uint64_t n = launch->n, results = m->first[n] ? m->first[n] : 1, keys = m->keys[n] ? m->keys[n] : 1;
    m->key = map->key;
    m->value = map->value;
    m->key_result = map->key_result;
    m->value_result = map->value_result;
    m->inputKeys = gpci_problem_array(problem, n * map->key);
    m->inputVals = gpci_problem_array(problem, n * map->value);
    m->inputOffsetSizes = gpci_problem_array(problem, n * GPCI_MARS_SIZES);
    m->text = gpci_problem_array(problem, text);
    if (keyword)
        m->keyword = gpci_problem_array(problem, keyword);
    m->psKeySizes = gpci_problem_array(problem, n * GPCI_ELEMENT);
    m->psValSizes = gpci_problem_array(problem, n * GPCI_ELEMENT);
    m->psCounts = gpci_problem_array(problem, n * GPCI_ELEMENT);
    m->keyValOffsets = gpci_problem_array(problem, n * 8);
    m->curIndex = gpci_problem_array(problem, n * GPCI_ELEMENT);
    m->interKeys = gpci_problem_array(problem, keys);
    m->interVals = gpci_problem_array(problem, results * map->value_result);
    m->interOffsetSizes = gpci_problem_array(problem, (results + 1) * GPCI_MARS_SIZES);
    launch->grid[0] = gpci_ceiling(n, GPCI_THREADS);
    launch->block[0] = GPCI_THREADS;
    launch->shared = GPCI_THREADS * GPCI_MARS_SLOT;
    return gpci_problem_kernel(problem, launch, MAPPER_NAME, map->code, map->warp);
}

gpci_mars *gpci_mars_numbers(gpci_problem *problem, gpci_launch *launch, uint64_t n) {
    gpci_mars *m = gpci_problem_data(problem, sizeof *m + 3 * (n + 1) * sizeof(uint32_t));
    if (!m)
        return NULL;
    m->start = (uint32_t *)(m + 1);
    m->first = m->start + n + 1;
    m->keys = m->first + n + 1;
    launch->data = m;
    return m;
}

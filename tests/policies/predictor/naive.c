/* SPDX-License-Identifier: BSD-2-Clause */
#include "policies/predictor/naive.h"

#include <criterion/criterion.h>
#include <stdlib.h>

void naive_open(naive *n, uint32_t sets, uint32_t ways) {
    *n = (naive){.sets = sets, .ways = ways, .lines = calloc((size_t)sets * ways, sizeof(naive_line))};
    cr_assert_not_null(n->lines);
}

void naive_close(naive *n) {
    free(n->lines);
}

naive_line *naive_set(naive *n, uint64_t line) {
    return n->lines + line % n->sets * n->ways;
}

naive_line *naive_find(naive *n, uint64_t line) {
    naive_line *set = naive_set(n, line);
    for (uint32_t way = 0; way < n->ways; way++)
        if (set[way].valid && set[way].line == line)
            return &set[way];
    return NULL;
}

void naive_use(naive *n, naive_line *line) {
    line->used = ++n->clock;
}

naive_line *naive_free(naive *n, uint64_t line) {
    naive_line *set = naive_set(n, line);
    for (uint32_t way = 0; way < n->ways; way++)
        if (!set[way].valid)
            return &set[way];
    return NULL;
}

naive_line *naive_oldest(naive *n, uint64_t line, bool (*mark)(const void *model, const naive_line *line),
                         const void *model) {
    naive_line *set = naive_set(n, line), *oldest = NULL;
    for (uint32_t way = 0; way < n->ways; way++)
        if ((!mark || mark(model, &set[way])) && (!oldest || set[way].used < oldest->used))
            oldest = &set[way];
    return oldest;
}

void naive_put(naive *n, naive_line *way, uint64_t line) {
    *way = (naive_line){.valid = true, .line = line};
    naive_use(n, way);
}

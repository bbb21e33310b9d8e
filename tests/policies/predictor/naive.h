/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_PREDICTOR_NAIVE_H
#define TESTS_PREDICTOR_NAIVE_H

#include "policies/predictor/rig.h"

#include "effort.h"

/*
 * A plain cache: lines with the time of the last use, searched one by one. Further fields of a line belong to the
 * models: every model uses its part.
 */
typedef struct naive_line {
    bool valid;
    uint64_t line, used;
    uint8_t sectors;         /* agcb: present sectors */
    uint32_t pc;             /* agcb: hashed */
    bool bit, fresh;         /* agcb-below */
    bool dead;               /* sdbp */
    uint32_t count, longest; /* counter-based: events so far, longest interval */
    uint32_t row, past;
    bool sure;
} naive_line;

typedef struct naive {
    uint32_t sets, ways;
    uint64_t clock;
    naive_line *lines; /* [sets][ways] */
} naive;

/* Length of a stream: shorter if searching all ways takes long, but enough to fill them several times. */
#define STEPS(ways) ((ways) < 100 && !effort_is_small() ? 20000 : 6000)

void naive_open(naive *n, uint32_t sets, uint32_t ways);
void naive_close(naive *n);

naive_line *naive_find(naive *n, uint64_t line); /* NULL: absent */
naive_line *naive_set(naive *n, uint64_t line);  /* first way of the set */
void naive_use(naive *n, naive_line *line);
/* Lowest free way of the line's set, or NULL. */
naive_line *naive_free(naive *n, uint64_t line);
/* The least recently used of the line's set; among lines marked by `mark`, if not NULL. Or NULL. */
naive_line *naive_oldest(naive *n, uint64_t line, bool (*mark)(const void *model, const naive_line *line),
                         const void *model);
/* The line is resident from now on. */
void naive_put(naive *n, naive_line *way, uint64_t line);

#endif

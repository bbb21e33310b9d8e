/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_PREDICTOR_NAIVE_H
#define TESTS_PREDICTOR_NAIVE_H

#include "policies/predictor/rig.h"

#include "effort.h"

/*
 * A cache written down as plainly as can be: lines with the time of their last use, looked for one by one. What it
 * knows of a line beyond that is a model's: the fields below, of which each model uses its own.
 */
typedef struct naive_line {
    bool valid;
    uint64_t line, used;
    uint8_t sectors;         /* agcb: that are there */
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

/* Of a stream: fewer where it takes long to look at all ways, yet enough to fill them several times. */
#define STEPS(ways) ((ways) < 100 && !effort_is_small() ? 20000 : 6000)

void naive_open(naive *n, uint32_t sets, uint32_t ways);
void naive_close(naive *n);

naive_line *naive_find(naive *n, uint64_t line); /* NULL: not there */
naive_line *naive_set(naive *n, uint64_t line);  /* its set's first way */
void naive_use(naive *n, naive_line *line);
/* The lowest way of the line's set that is free, or NULL. */
naive_line *naive_free(naive *n, uint64_t line);
/* The least recently used of the line's set; among those marked by `mark`, if that is not NULL. NULL where none is. */
naive_line *naive_oldest(naive *n, uint64_t line, bool (*mark)(const void *model, const naive_line *line),
                         const void *model);
/* The line is there from now on. */
void naive_put(naive *n, naive_line *way, uint64_t line);

#endif

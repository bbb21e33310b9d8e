/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_TRACE_SYNTHETIC_SYNTHETIC_HEARTWALL_H
#define GPC_TRACE_SYNTHETIC_SYNTHETIC_HEARTWALL_H

#include "trace/synthetic/synthetic.h"

/* rodinia-heartwall: arrays, and the steps that compute arrays. The listing and the walk use the same steps. */

#define HEART_CODE 16384u
#define HEART_POINTS 51u
#define HEART_INNER 20u
#define HEART_TENTH 10u

enum {
    FRAME,
    ROWS,
    COLUMNS,
    ROW_PLACES,
    COLUMN_PLACES,
    TEMPLATES,
    AREA,
    CONVOLVED,
    PADDED,
    SELECTED,
    SUBTRACTED,
    SUBTRACTED_SELECTED,
    SUMS,
    SQUARES,
    SQUARE_SUMS,
    TEMPLATE_SQUARES,
    MASK,
    MASKED,
    HEART_ARRAYS
};

/* Arrays in shared memory: reversed template; sums; largest values, and places of the largest; three single numbers. */
enum { TURNED, PARTIAL, SQUARE_PARTIAL, LARGEST, LARGEST_AT, TOTAL, SQUARE_TOTAL, DEVIATION, HEART_SHARED };

typedef struct heart {
    gpci_operand array[HEART_ARRAYS]; /* `step`: distance from a point's array to the next point's */
    uint64_t shared[HEART_SHARED + 1];
    uint64_t side, frames, points;   /* side: pixels of a frame's side */
    uint64_t search, template, move; /* parameters of the same names */
    uint64_t in, area, out, padded;  /* sides of: template, area, convolution, padded area */
    uint64_t skip, seed;
    uint64_t row[HEART_POINTS], column[HEART_POINTS];
    char code[HEART_CODE];
    size_t used;
} heart;

/* Place, in a loaded array, of the element that is loaded for an element of the result. */
typedef enum heart_map {
    SAME,     /* the same place */
    AROUND,   /* the area in the frame */
    TEMPLATE, /* the template in the frame */
    BACK,     /* the template in reverse order */
    LOWER,    /* the padded area, a template's rows further on */
    UPPER,    /* first rows of the padded area */
    RIGHT     /* differences of rows, a template's columns further on */
} heart_map;

typedef struct heart_load {
    unsigned array;
    heart_map map;
} heart_load;

/*
 * Step: computes each element of array `to` from one or two arrays, and from a number in shared memory if `uses` is
 * set.
 */
typedef struct heart_step {
    unsigned count;
    heart_load load[2];
    unsigned uses, to;
} heart_step;

#define ONE(array, map, to) \
    { 1, {{array, map}, {0, SAME}}, 0, to }
#define TWO(first, second, to) \
    { 2, {{first, SAME}, {second, SAME}}, 0, to }

/* Sums of boxes: over the area, and over its squares. */
enum { OF_AREA, OF_SQUARES, BOXES };

extern const heart_step gpci_heart_select_area, gpci_heart_lower, gpci_heart_upper, gpci_heart_subtract,
    gpci_heart_right, gpci_heart_lefts[BOXES], gpci_heart_boxes[BOXES], gpci_heart_square_area, gpci_heart_square,
    gpci_heart_deviations, gpci_heart_scale, gpci_heart_centre, gpci_heart_divide;

/* Write the listing to `code`. */
void gpci_heart_listing(heart *tracker);

#endif

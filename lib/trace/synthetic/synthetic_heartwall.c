/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic_heartwall.h"

/*
 * Points of a heart's walls, tracked from frame to frame, as in Rodinia's heartwall (Che et al., IISWC 2009; Szafaryn
 * et al.), in one kernel, compiled for Fermi. A block of 256 threads has a point. In the first frame the block keeps
 * the pixels around the point, the template. In each later frame the block searches for the template around the point's
 * last place: it takes a wider area, convolves both, and divides by the area's local deviations. The deviations come
 * from sums of the area and of its squares, cumulative over columns and rows of a padded copy. The largest result near
 * the point's last place is the new place. Every tenth frame the template takes up the present pixels.
 *
 * All stored data are arrays in global memory, for each point; constants are in constant memory. Up to the tenth frame
 * 52 loads run; seeds/001, Table 3, counts 1,379 runs, 1 + 52 x 53 / 2. Published: 20 points of the inner wall, 31 of
 * the outer, templates of 51 x 51, areas of 81 x 81. Points are on two circles, and move by a few random pixels.
 */

/* Point of a block in a frame, and the lanes' elements in an array. */
typedef struct heart_point {
    const heart *h;
    uint64_t point, frame, row, column;
    uint64_t at[GPCI_SYNTHETIC_LANES];
} heart_point;

static uint64_t base_of(const heart_point *p, unsigned array) {
    return p->h->array[array].base + p->point * p->h->array[array].step;
}

/* Address of a point's coordinate, or of its place in `frame`: each wall has its own arrays. */
static uint64_t coordinate_of(const heart_point *p, unsigned array, uint64_t frame) {
    const heart *h = p->h;
    const uint64_t inner = h->points * HEART_INNER / HEART_POINTS, outer = p->point >= inner;
    const uint64_t number = p->point - (outer ? inner : 0);
    const uint64_t element = array == ROWS || array == COLUMNS ? number : number * h->frames + frame;
    return h->array[array].base + outer * h->array[array].step + element * GPCI_ELEMENT;
}

static uint64_t mapped(const heart_point *p, heart_map map, uint64_t e) {
    const heart *h = p->h;
    switch (map) {
    case AROUND:
        return (e / h->area + p->column - h->search - 1) * h->side + e % h->area + p->row - h->search - 1;
    case TEMPLATE:
        return (e / h->in + p->column - h->template - 1) * h->side + e % h->in + p->row - h->template - 1;
    case BACK:
        return h->in * h->in - 1 - e;
    case LOWER:
        return e / h->out * h->padded + e % h->out + h->in;
    case UPPER:
        return e / h->out * h->padded + e % h->out;
    case RIGHT:
        return e + h->in * h->out;
    default:
        return e;
    }
}

/* Access each lane's element of an array. */
static void access_mapped(gpci_walk *w, const heart_point *p, uint64_t base, heart_map map) {
    uint64_t offsets[GPCI_SYNTHETIC_LANES] = {0};
    for (uint64_t left = w->mask; left; left &= left - 1) {
        const unsigned lane = gpci_lowest(left);
        offsets[lane] = mapped(p, map, p->at[lane]) * GPCI_ELEMENT;
    }
    gpci_access_at(w, base, offsets);
}

static void element(gpci_walk *w, const heart_point *p, unsigned array, heart_map map) {
    access_mapped(w, p, base_of(p, array), map);
}

static void shared_element(gpci_walk *w, const heart_point *p, unsigned which) {
    access_mapped(w, p, p->h->shared[which], SAME);
}

/* Run `body` for the elements of each thread; then a barrier. */
static void each_element(gpci_walk *w, heart_point *p, uint64_t count, uint64_t skip,
                         void (*body)(gpci_walk *, heart_point *, const void *), const void *data) {
    for (unsigned lane = 0; lane < w->lanes; lane++)
        p->at[lane] = w->first + lane;
    uint64_t again = gpci_below(w, w->first, count);
    if (gpci_if(w, again))
        do {
            body(w, p, data);
            again = 0;
            for (uint64_t left = w->mask; left; left &= left - 1) {
                const unsigned lane = gpci_lowest(left);
                p->at[lane] += GPCI_THREADS * skip;
                again |= (uint64_t)(p->at[lane] < count) << lane;
            }
        } while (gpci_loop(w, again));
    w->mask = w->all;
    gpci_barrier(w);
}

static void walk_element(gpci_walk *w, heart_point *p, const void *data) {
    const heart_step *s = data;
    for (unsigned k = 0; k < s->count; k++)
        element(w, p, s->load[k].array, s->load[k].map);
    if (s->uses)
        gpci_access(w, p->h->shared[s->uses], 0);
    element(w, p, s->to, SAME);
}

static void walk_step(gpci_walk *w, heart_point *p, const heart_step *s, uint64_t count) {
    each_element(w, p, count, 1, walk_element, s);
}

static void walk_turned(gpci_walk *w, heart_point *p, const void *data) {
    (void)data;
    element(w, p, TEMPLATES, BACK);
    shared_element(w, p, TURNED);
}

/* Copy the area, or its squares, into a border of zeros. */
static void walk_padded(gpci_walk *w, heart_point *p, const void *data) {
    const heart *h = p->h;
    const unsigned from = *(const unsigned *)data;
    uint64_t offsets[GPCI_SYNTHETIC_LANES] = {0}, inside = 0;
    const uint64_t all = w->mask;
    for (uint64_t left = all; left; left &= left - 1) {
        const unsigned lane = gpci_lowest(left);
        const uint64_t r = p->at[lane] % h->padded - h->in, c = p->at[lane] / h->padded - h->in;
        if (r >= h->area || c >= h->area)
            continue;
        inside |= UINT64_C(1) << lane;
        offsets[lane] = (c * h->area + r) * GPCI_ELEMENT;
    }
    if (gpci_if(w, inside)) {
        gpci_access_at(w, base_of(p, from), offsets);
        element(w, p, PADDED, SAME);
    }
    gpci_end_if(w);
    w->mask = all & ~inside;
    element(w, p, PADDED, SAME);
    w->mask = all;
}

/* Row or column of each lane: its begin, and the step between elements. */
typedef struct heart_line {
    unsigned array;
    uint64_t first, step, count;
    bool store;  /* replace each element by the running sum */
    unsigned to; /* array in shared memory for the result; 0: no result */
} heart_line;

static void walk_line(gpci_walk *w, heart_point *p, const void *data) {
    const heart_line *line = data;
    uint64_t offsets[GPCI_SYNTHETIC_LANES];
    for (uint64_t k = 0; k < line->count; k++) {
        for (unsigned lane = 0; lane < w->lanes; lane++)
            offsets[lane] = w->mask >> lane & 1 ? (p->at[lane] * line->first + k * line->step) * GPCI_ELEMENT : 0;
        gpci_access_at(w, base_of(p, line->array), offsets);
        if (line->store)
            gpci_access_at(w, base_of(p, line->array), offsets);
        gpci_branch(w, k + 1 < line->count);
    }
    if (line->to == LARGEST)
        shared_element(w, p, LARGEST_AT);
    if (line->to)
        shared_element(w, p, line->to);
}

static void walk_lines(gpci_walk *w, heart_point *p, heart_line line, uint64_t count) {
    each_element(w, p, count, 1, walk_line, &line);
}

/* Full convolution of a square of side `a` with a square of side `b`, moved by `offset`; both count from 1. */
typedef struct heart_convolution {
    uint64_t a, b, offset;
    bool by_mask;
} heart_convolution;

/* One direction of a lane: place of its result, and range of the first square's elements. */
typedef struct heart_range {
    uint64_t at, from, to;
} heart_range;

static heart_range range_of(const heart_convolution *c, uint64_t result) {
    const uint64_t at = result + 1 + c->offset;
    return (heart_range){at, c->b < at + 1 ? at + 1 - c->b : 1, c->a < at ? c->a : at};
}

/* Load the factors of a product, or an element of the mask. */
static void load_factors(gpci_walk *w, const heart_point *p, const heart_convolution *c, const heart_range *rows,
                         const heart_range *columns, const uint64_t *i, const uint64_t *j) {
    uint64_t first[GPCI_SYNTHETIC_LANES] = {0}, second[GPCI_SYNTHETIC_LANES] = {0};
    for (uint64_t left = w->mask; left; left &= left - 1) {
        const unsigned lane = gpci_lowest(left);
        first[lane] = (c->a * (j[lane] - 1) + i[lane] - 1) * GPCI_ELEMENT;
        second[lane] = (c->b * (columns[lane].at - j[lane]) + rows[lane].at - i[lane]) * GPCI_ELEMENT;
    }
    gpci_access_at(w, c->by_mask ? base_of(p, MASK) : p->h->shared[TURNED], first);
    if (!c->by_mask)
        gpci_access_at(w, base_of(p, AREA), second);
}

/* Advance each lane in its range; returns the lanes still in range. */
static uint64_t go_on(const gpci_walk *w, const heart_range *range, uint64_t *at) {
    uint64_t again = 0;
    for (uint64_t left = w->mask; left; left &= left - 1) {
        const unsigned lane = gpci_lowest(left);
        again |= (uint64_t)(++at[lane] <= range[lane].to) << lane;
    }
    return again;
}

static void walk_convolution(gpci_walk *w, heart_point *p, const void *data) {
    const heart_convolution *c = data;
    heart_range rows[GPCI_SYNTHETIC_LANES], columns[GPCI_SYNTHETIC_LANES];
    uint64_t i[GPCI_SYNTHETIC_LANES], j[GPCI_SYNTHETIC_LANES], again;
    const uint64_t all = w->mask;
    for (unsigned lane = 0; lane < w->lanes; lane++) {
        rows[lane] = range_of(c, p->at[lane] % p->h->out);
        columns[lane] = range_of(c, p->at[lane] / p->h->out);
        j[lane] = columns[lane].from;
    }
    do {
        const uint64_t lanes = w->mask;
        for (unsigned lane = 0; lane < w->lanes; lane++)
            i[lane] = rows[lane].from;
        do
            load_factors(w, p, c, rows, columns, i, j);
        while (gpci_loop(w, go_on(w, rows, i)));
        w->mask = lanes;
        again = go_on(w, columns, j);
    } while (gpci_loop(w, again));
    w->mask = all;
    if (c->by_mask)
        element(w, p, SQUARE_SUMS, SAME);
    element(w, p, c->by_mask ? MASKED : CONVOLVED, SAME);
}

static void walk_boxes(gpci_walk *w, heart_point *p, unsigned of) {
    const heart *h = p->h;
    const unsigned from = of == OF_SQUARES ? SQUARES : AREA;
    const uint64_t wide = h->out * h->padded, out = h->out * h->out;
    each_element(w, p, h->padded * h->padded, 1, walk_padded, &from);
    walk_lines(w, p, (heart_line){PADDED, h->padded, 1, h->padded, true, 0}, h->padded);
    walk_step(w, p, &gpci_heart_lower, wide);
    walk_step(w, p, &gpci_heart_upper, wide);
    walk_step(w, p, &gpci_heart_subtract, wide);
    walk_lines(w, p, (heart_line){SUBTRACTED, 1, h->out, h->padded, true, 0}, h->out);
    walk_step(w, p, &gpci_heart_right, out);
    walk_step(w, p, &gpci_heart_lefts[of], out);
    walk_step(w, p, &gpci_heart_boxes[of], out);
}

/* Code of only one thread; the other threads wait behind. */
static bool only_thread(gpci_walk *w, uint64_t thread) {
    return gpci_if(w, gpci_below(w, w->first, thread + 1) & ~gpci_below(w, w->first, thread));
}

static void walk_template(gpci_walk *w, heart_point *p) {
    const heart *h = p->h;
    walk_step(w, p, &gpci_heart_square, h->in * h->in);
    walk_lines(w, p, (heart_line){TEMPLATES, h->in, 1, h->in, false, PARTIAL}, h->in);
    walk_lines(w, p, (heart_line){TEMPLATE_SQUARES, 1, h->in, h->in, false, SQUARE_PARTIAL}, h->in);
    for (unsigned thread = 0; thread < 2; thread++) {
        if (only_thread(w, thread)) {
            for (uint64_t k = 0; k < h->in; k++) {
                gpci_access(w, h->shared[PARTIAL + thread] + k * GPCI_ELEMENT, 0);
                gpci_branch(w, k + 1 < h->in);
            }
            gpci_access(w, h->shared[TOTAL + thread], 0);
        }
        gpci_end_if(w);
    }
    gpci_barrier(w);
    if (only_thread(w, 0))
        for (unsigned which = TOTAL; which <= DEVIATION; which++)
            gpci_access(w, h->shared[which], 0);
    gpci_end_if(w);
    gpci_barrier(w);
}

/* A pair of coordinates, or of places in a frame. */
static void coordinates(gpci_walk *w, const heart_point *p, unsigned rows, unsigned columns, uint64_t frame) {
    gpci_access(w, coordinate_of(p, rows, frame), 0);
    gpci_access(w, coordinate_of(p, columns, frame), 0);
}

/* Load, change and store both coordinates. */
static void move_point(gpci_walk *w, const heart_point *p) {
    coordinates(w, p, ROWS, ROW_PLACES, p->frame);
    coordinates(w, p, COLUMNS, COLUMN_PLACES, p->frame);
}

static void walk_largest(gpci_walk *w, heart_point *p) {
    const heart *h = p->h;
    walk_lines(w, p, (heart_line){MASKED, h->out, 1, h->out, false, LARGEST}, h->out);
    if (only_thread(w, 0)) {
        for (uint64_t k = 0; k < h->out; k++) {
            gpci_access(w, h->shared[LARGEST] + k * GPCI_ELEMENT, 0);
            gpci_access(w, h->shared[LARGEST_AT] + k * GPCI_ELEMENT, 0);
            gpci_branch(w, k + 1 < h->out);
        }
        move_point(w, p);
    }
    gpci_end_if(w);
    gpci_barrier(w);
}

static void walk_mask(gpci_walk *w, heart_point *p, const void *data) {
    (void)data;
    element(w, p, MASK, SAME);
}

static void walk_search(gpci_walk *w, heart_point *p) {
    const heart *h = p->h;
    const uint64_t in = h->in * h->in, area = h->area * h->area, out = h->out * h->out;
    const heart_convolution around = {h->in, h->area, 0, false}, near = {h->out, h->move, h->move / 2, true};
    coordinates(w, p, ROWS, COLUMNS, 0);
    walk_step(w, p, &gpci_heart_select_area, area);
    each_element(w, p, in, 1, walk_turned, NULL);
    each_element(w, p, out, h->skip, walk_convolution, &around);
    walk_boxes(w, p, OF_AREA);
    walk_step(w, p, &gpci_heart_square_area, area);
    walk_boxes(w, p, OF_SQUARES);
    walk_step(w, p, &gpci_heart_deviations, out);
    walk_template(w, p);
    walk_step(w, p, &gpci_heart_scale, out);
    walk_step(w, p, &gpci_heart_centre, out);
    walk_step(w, p, &gpci_heart_divide, out);
    coordinates(w, p, ROW_PLACES, ROWS, p->frame - 1);
    coordinates(w, p, COLUMN_PLACES, COLUMNS, p->frame - 1);
    each_element(w, p, out, 1, walk_mask, NULL);
    each_element(w, p, out, h->skip, walk_convolution, &near);
    walk_largest(w, p);
}

/* Take the template from the frame; with `data` mix it with the old template. */
static void walk_taken(gpci_walk *w, heart_point *p, const void *data) {
    coordinates(w, p, ROWS, COLUMNS, 0);
    if (data)
        element(w, p, TEMPLATES, SAME);
    element(w, p, FRAME, TEMPLATE);
    element(w, p, TEMPLATES, SAME);
}

/* Movement of a point in one direction, with its place taken over every tenth frame. */
static uint64_t moved(const heart *h, uint64_t coordinate, uint64_t point, uint64_t tens) {
    for (uint64_t k = 1; k <= tens; k++)
        coordinate += (gpci_mix(h->seed + point * HEART_TENTH + k) >> 32) % 5 - 2;
    return coordinate;
}

static void place_point(heart_point *p, uint64_t tens) {
    p->row = moved(p->h, p->h->row[p->point], 2 * p->point, tens);
    p->column = moved(p->h, p->h->column[p->point], 2 * p->point + 1, tens);
}

static void walk_heart(gpci_walk *w, const gpci_launch *l) {
    heart_point p = {.h = l->data, .point = w->x, .frame = l->repeats};
    const bool tenth = p.frame && p.frame % HEART_TENTH == 0;
    place_point(&p, p.frame ? (p.frame - 1) / HEART_TENTH : 0);
    if (!gpci_branch(w, p.frame != 0)) {
        if (only_thread(w, 0))
            move_point(w, &p);
        gpci_end_if(w);
        each_element(w, &p, p.h->in * p.h->in, 1, walk_taken, NULL);
    }
    if (!gpci_branch(w, p.frame == 0))
        walk_search(w, &p);
    if (!gpci_branch(w, !tenth)) {
        coordinates(w, &p, ROW_PLACES, COLUMN_PLACES, p.frame);
        coordinates(w, &p, ROWS, COLUMNS, 0);
        place_point(&p, p.frame / HEART_TENTH);
        each_element(w, &p, p.h->in * p.h->in, 1, walk_taken, &p);
    }
    gpci_finish(w);
}

/* Place points on a circle: at part k / n of a quarter, (n^2 - k^2, 2 n k) / (n^2 + k^2). */
static void place_circle(heart *h, uint64_t from, uint64_t count, uint64_t radius) {
    const uint64_t middle = h->side / 2;
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t quarter = 4 * k / count, part = 4 * k % count, all = count * count + part * part;
        const uint64_t along = radius * (count * count - part * part) / all, across = 2 * radius * count * part / all;
        const uint64_t x[] = {middle + along, middle - across, middle - along, middle + across};
        const uint64_t y[] = {middle + across, middle + along, middle - across, middle - along};
        h->row[from + k] = x[quarter];
        h->column[from + k] = y[quarter];
    }
}

static void place_heart_arrays(gpci_problem *problem, heart *h) {
    const uint64_t in = h->in * h->in, area = h->area * h->area, out = h->out * h->out, wide = h->out * h->padded;
    const uint64_t elements[HEART_ARRAYS] = {
        [FRAME] = h->side * h->side,
        [ROWS] = h->points,
        [COLUMNS] = h->points,
        [ROW_PLACES] = h->points * h->frames,
        [COLUMN_PLACES] = h->points * h->frames,
        [TEMPLATES] = in,
        [AREA] = area,
        [CONVOLVED] = out,
        [PADDED] = h->padded * h->padded,
        [SELECTED] = wide,
        [SUBTRACTED] = wide,
        [SUBTRACTED_SELECTED] = out,
        [SUMS] = out,
        [SQUARES] = area,
        [SQUARE_SUMS] = out,
        [TEMPLATE_SQUARES] = in,
        [MASK] = out,
        [MASKED] = out,
    };
    for (unsigned k = 0; k < HEART_ARRAYS; k++) {
        const uint64_t unit = k == TEMPLATES ? GPCI_ELEMENT : 512;
        const uint64_t bytes = gpci_ceiling(elements[k] * GPCI_ELEMENT, unit) * unit;
        h->array[k] = gpci_problem_arrays(problem, bytes, k == FRAME ? 1 : k <= COLUMN_PLACES ? 2 : h->points);
    }
    h->array[FRAME].step = 0; /* shared by all points */
    const uint64_t words[HEART_SHARED] = {in, h->in, h->in, h->out, h->out, 1, 1, 1};
    h->shared[0] = GPCI_SHARED_BASE;
    for (unsigned k = 0; k < HEART_SHARED; k++)
        h->shared[k + 1] = h->shared[k] + words[k] * GPCI_ELEMENT;
}

static gpc_status plan_heartwall(gpci_problem *problem) {
    const double *values = problem->values;
    heart *h = gpci_problem_data(problem, sizeof *h);
    if (!h)
        return GPC_ERROR_MEMORY;
    h->side = gpci_root(problem->size / GPCI_ELEMENT);
    h->points = (uint64_t)values[0];
    h->frames = (uint64_t)values[1];
    h->search = (uint64_t)values[2];
    h->template = (uint64_t)values[3];
    h->move = (uint64_t)values[4];
    h->skip = (uint64_t)values[5];
    h->seed = gpci_mix((uint64_t)values[6]);
    h->in = 2 * h->template + 1;
    h->area = 2 * h->search + 1;
    h->out = h->in + h->area - 1;
    h->padded = h->area + 2 * h->in;
    const uint64_t border = h->search + 2 + 2 * (h->frames / HEART_TENTH);
    if (h->template > h->search)
        return gpci_problem_fail(problem, "parameter 'template': %llu is more than %llu that are searched",
                                 (unsigned long long)h->template, (unsigned long long)h->search);
    if (h->side / 2 <= border)
        return gpci_problem_fail(
            problem, "parameter 'search': a frame of %llu x %llu has no room for %llu around a point",
            (unsigned long long)h->side, (unsigned long long)h->side, (unsigned long long)h->search);
    const uint64_t room = h->side / 2 - border, radius = h->side / 4 < room ? h->side / 4 : room;
    const uint64_t inner = h->points * HEART_INNER / HEART_POINTS;
    place_circle(h, 0, inner, radius * 2 / 3);
    place_circle(h, inner, h->points - inner, radius);
    place_heart_arrays(problem, h);
    gpci_heart_listing(h);
    gpci_launch l = {.name = "_Z6kernelv",
                     .code = h->code,
                     .warp = walk_heart,
                     .grid = {h->points},
                     .block = {GPCI_THREADS},
                     .shared = h->shared[HEART_SHARED] - GPCI_SHARED_BASE,
                     .data = h};
    gpc_status status = GPC_OK;
    for (; status == GPC_OK && l.repeats < h->frames; l.repeats++)
        status = gpci_problem_launch(problem, &l);
    return status;
}

static const gpc_parameter heartwall_parameters[] = {
    {"points", HEART_POINTS, 3, HEART_POINTS, true, "tracked, 20 of 51 of the inner wall"},
    {"frames", 2, 1, GPCI_SYNTHETIC_LAUNCHES, true, "a launch each; of the first the templates are made"},
    {"search", 40, 1, 200, true, "pixels around a point that are searched"},
    {"template", 25, 1, 50, true, "pixels around a point that make its template"},
    {"move", 10, 1, 64, true, "side of the square around its last place that a point may move to"},
    {"skip", 8, 1, 64, true, "of rounds of both convolutions, which are alike, every so many-th is done; 1: all"},
    {"seed", 1, 0, 1e15, true, "of how the points move"},
};

const gpci_synthetic gpci_synthetic_rodinia_heartwall = {
    .name = "rodinia-heartwall",
    .summary = "points of a heart's walls in frames, as Fermi ran it; SIZE of a frame (points=51, frames=2, search=40, "
               "template=25, move=10, skip=8, seed=1)",
    .least = 8 * 8 * GPCI_ELEMENT,
    .parameters = heartwall_parameters,
    .parameter_count = 7,
    .plan = plan_heartwall,
};

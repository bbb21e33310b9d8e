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
 * All stored data are arrays in global memory, for each point; constants are in constant memory. The published problem
 * has 20 points of the inner wall and 31 of the outer wall, templates of 51 x 51 and areas of 81 x 81. Here the points
 * are on two circles, and move by a few random pixels.
 *
 * In the frames before the tenth, 52 loads of the kernel run. Table 3 of seeds/001 counts runs of a search for the
 * loads that should bypass L1: one run without bypassing, a run for each load, and a run for each pair of loads: 1 + 52
 * x 53 / 2 = 1,379 runs.
 */

/* Point of a block in a frame. `at`: number of each lane's element in an array. */
typedef struct heart_point {
    const heart *tracker;
    uint64_t point, frame, row, column;
    uint64_t at[GPCI_SYNTHETIC_LANES];
} heart_point;

static uint64_t base_of(const heart_point *point, unsigned array) {
    return point->tracker->array[array].base + point->point * point->tracker->array[array].step;
}

/* Address of a point's row or column, or of the place in `frame`. Each wall has its own arrays. */
static uint64_t coordinate_of(const heart_point *point, unsigned array, uint64_t frame) {
    const heart *tracker = point->tracker;
    const uint64_t inner = tracker->points * HEART_INNER / HEART_POINTS, outer = point->point >= inner;
    const uint64_t number = point->point - (outer ? inner : 0);
    const uint64_t element = array == ROWS || array == COLUMNS ? number : number * tracker->frames + frame;
    return tracker->array[array].base + outer * tracker->array[array].step + element * GPCI_ELEMENT;
}

/* Number of the element that an element `e` is computed from (heart_map). */
static uint64_t mapped(const heart_point *point, heart_map map, uint64_t e) {
    const heart *tracker = point->tracker;
    switch (map) {
    case AROUND:
        return (e / tracker->area + point->column - tracker->search - 1) * tracker->side + e % tracker->area +
               point->row - tracker->search - 1;
    case TEMPLATE:
        return (e / tracker->in + point->column - tracker->template - 1) * tracker->side + e % tracker->in +
               point->row - tracker->template - 1;
    case BACK:
        return tracker->in * tracker->in - 1 - e;
    case LOWER:
        return e / tracker->out * tracker->padded + e % tracker->out + tracker->in;
    case UPPER:
        return e / tracker->out * tracker->padded + e % tracker->out;
    case RIGHT:
        return e + tracker->in * tracker->out;
    default:
        return e;
    }
}

/* Access an element for each lane, in the array at `base`: element `at` of the lane, mapped. */
static void access_mapped(gpci_walk *walk, const heart_point *point, uint64_t base, heart_map map) {
    uint64_t offsets[GPCI_SYNTHETIC_LANES] = {0};
    for (uint64_t left = walk->mask; left; left &= left - 1) {
        const unsigned lane = gpci_lowest(left);
        offsets[lane] = mapped(point, map, point->at[lane]) * GPCI_ELEMENT;
    }
    gpci_access_at(walk, base, offsets);
}

static void element(gpci_walk *walk, const heart_point *point, unsigned array, heart_map map) {
    access_mapped(walk, point, base_of(point, array), map);
}

static void shared_element(gpci_walk *walk, const heart_point *point, unsigned which) {
    access_mapped(walk, point, point->tracker->shared[which], SAME);
}

/* Run `body` for elements below `count`: a thread takes each GPCI_THREADS * skip-th element. A barrier follows. */
static void each_element(gpci_walk *walk, heart_point *point, uint64_t count, uint64_t skip,
                         void (*body)(gpci_walk *, heart_point *, const void *), const void *data) {
    for (unsigned lane = 0; lane < walk->lanes; lane++)
        point->at[lane] = walk->first + lane;
    uint64_t again = gpci_below(walk, walk->first, count);
    if (gpci_if(walk, again))
        do {
            body(walk, point, data);
            again = 0;
            for (uint64_t left = walk->mask; left; left &= left - 1) {
                const unsigned lane = gpci_lowest(left);
                point->at[lane] += GPCI_THREADS * skip;
                again |= (uint64_t)(point->at[lane] < count) << lane;
            }
        } while (gpci_loop(walk, again));
    walk->mask = walk->all;
    gpci_barrier(walk);
}

static void walk_element(gpci_walk *walk, heart_point *point, const void *data) {
    const heart_step *step = data;
    for (unsigned k = 0; k < step->count; k++)
        element(walk, point, step->load[k].array, step->load[k].map);
    if (step->uses)
        gpci_access(walk, point->tracker->shared[step->uses], 0);
    element(walk, point, step->to, SAME);
}

static void walk_step(gpci_walk *walk, heart_point *point, const heart_step *step, uint64_t count) {
    each_element(walk, point, count, 1, walk_element, step);
}

static void walk_turned(gpci_walk *walk, heart_point *point, const void *data) {
    (void)data;
    element(walk, point, TEMPLATES, BACK);
    shared_element(walk, point, TURNED);
}

/* Write each lane's element of PADDED: the area, or its squares, with a border of zeros. */
static void walk_padded(gpci_walk *walk, heart_point *point, const void *data) {
    const heart *tracker = point->tracker;
    const unsigned from = *(const unsigned *)data;
    uint64_t offsets[GPCI_SYNTHETIC_LANES] = {0}, inside = 0;
    const uint64_t all = walk->mask;
    for (uint64_t left = all; left; left &= left - 1) {
        const unsigned lane = gpci_lowest(left);
        const uint64_t r = point->at[lane] % tracker->padded - tracker->in,
                       c = point->at[lane] / tracker->padded - tracker->in;
        if (r >= tracker->area || c >= tracker->area)
            continue;
        inside |= UINT64_C(1) << lane;
        offsets[lane] = (c * tracker->area + r) * GPCI_ELEMENT;
    }
    if (gpci_if(walk, inside)) {
        gpci_access_at(walk, base_of(point, from), offsets);
        element(walk, point, PADDED, SAME);
    }
    gpci_end_if(walk);
    walk->mask = all & ~inside;
    element(walk, point, PADDED, SAME);
    walk->mask = all;
}

/*
 * Rows or columns, one for each lane: distance from a lane's first element to the next lane's, step between elements.
 */
typedef struct heart_line {
    unsigned array;
    uint64_t first, step, count;
    bool store;  /* replace each element by the running sum */
    unsigned to; /* array in shared memory for the result; 0: no result */
} heart_line;

static void walk_line(gpci_walk *walk, heart_point *point, const void *data) {
    const heart_line *line = data;
    uint64_t offsets[GPCI_SYNTHETIC_LANES];
    for (uint64_t k = 0; k < line->count; k++) {
        for (unsigned lane = 0; lane < walk->lanes; lane++)
            offsets[lane] =
                walk->mask >> lane & 1 ? (point->at[lane] * line->first + k * line->step) * GPCI_ELEMENT : 0;
        gpci_access_at(walk, base_of(point, line->array), offsets);
        if (line->store)
            gpci_access_at(walk, base_of(point, line->array), offsets);
        gpci_branch(walk, k + 1 < line->count);
    }
    if (line->to == LARGEST)
        shared_element(walk, point, LARGEST_AT);
    if (line->to)
        shared_element(walk, point, line->to);
}

static void walk_lines(gpci_walk *walk, heart_point *point, heart_line line, uint64_t count) {
    each_element(walk, point, count, 1, walk_line, &line);
}

/*
 * Full convolution of a square of side `a` with a square of side `b`, moved by `offset`. Rows and columns count from 1.
 */
typedef struct heart_convolution {
    uint64_t a, b, offset;
    bool by_mask;
} heart_convolution;

/* Rows or columns of a lane: place of the result, and range of the elements of the square with side `a`. */
typedef struct heart_range {
    uint64_t at, from, to;
} heart_range;

static heart_range range_of(const heart_convolution *convolution, uint64_t result) {
    const uint64_t at = result + 1 + convolution->offset;
    return (heart_range){at, convolution->b < at + 1 ? at + 1 - convolution->b : 1,
                         convolution->a < at ? convolution->a : at};
}

/* Load the two factors of a product, from the template and from the area; or, if `by_mask`, an element of the mask. */
static void load_factors(gpci_walk *walk, const heart_point *point, const heart_convolution *convolution,
                         const heart_range *rows, const heart_range *columns, const uint64_t *i, const uint64_t *j) {
    uint64_t first[GPCI_SYNTHETIC_LANES] = {0}, second[GPCI_SYNTHETIC_LANES] = {0};
    for (uint64_t left = walk->mask; left; left &= left - 1) {
        const unsigned lane = gpci_lowest(left);
        first[lane] = (convolution->a * (j[lane] - 1) + i[lane] - 1) * GPCI_ELEMENT;
        second[lane] = (convolution->b * (columns[lane].at - j[lane]) + rows[lane].at - i[lane]) * GPCI_ELEMENT;
    }
    gpci_access_at(walk, convolution->by_mask ? base_of(point, MASK) : point->tracker->shared[TURNED], first);
    if (!convolution->by_mask)
        gpci_access_at(walk, base_of(point, AREA), second);
}

/* Advance each active lane by one element. Returns the lanes still within their ranges. */
static uint64_t go_on(const gpci_walk *walk, const heart_range *range, uint64_t *at) {
    uint64_t again = 0;
    for (uint64_t left = walk->mask; left; left &= left - 1) {
        const unsigned lane = gpci_lowest(left);
        again |= (uint64_t)(++at[lane] <= range[lane].to) << lane;
    }
    return again;
}

static void walk_convolution(gpci_walk *walk, heart_point *point, const void *data) {
    const heart_convolution *convolution = data;
    heart_range rows[GPCI_SYNTHETIC_LANES], columns[GPCI_SYNTHETIC_LANES];
    uint64_t i[GPCI_SYNTHETIC_LANES], j[GPCI_SYNTHETIC_LANES], again;
    const uint64_t all = walk->mask;
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        rows[lane] = range_of(convolution, point->at[lane] % point->tracker->out);
        columns[lane] = range_of(convolution, point->at[lane] / point->tracker->out);
        j[lane] = columns[lane].from;
    }
    do {
        const uint64_t lanes = walk->mask;
        for (unsigned lane = 0; lane < walk->lanes; lane++)
            i[lane] = rows[lane].from;
        do
            load_factors(walk, point, convolution, rows, columns, i, j);
        while (gpci_loop(walk, go_on(walk, rows, i)));
        walk->mask = lanes;
        again = go_on(walk, columns, j);
    } while (gpci_loop(walk, again));
    walk->mask = all;
    if (convolution->by_mask)
        element(walk, point, SQUARE_SUMS, SAME);
    element(walk, point, convolution->by_mask ? MASKED : CONVOLVED, SAME);
}

/* Sum up boxes of the template's size, over the area or over its squares (add_boxes). */
static void walk_boxes(gpci_walk *walk, heart_point *point, unsigned of) {
    const heart *tracker = point->tracker;
    const unsigned from = of == OF_SQUARES ? SQUARES : AREA;
    const uint64_t wide = tracker->out * tracker->padded, out = tracker->out * tracker->out;
    each_element(walk, point, tracker->padded * tracker->padded, 1, walk_padded, &from);
    walk_lines(walk, point, (heart_line){PADDED, tracker->padded, 1, tracker->padded, true, 0}, tracker->padded);
    walk_step(walk, point, &gpci_heart_lower, wide);
    walk_step(walk, point, &gpci_heart_upper, wide);
    walk_step(walk, point, &gpci_heart_subtract, wide);
    walk_lines(walk, point, (heart_line){SUBTRACTED, 1, tracker->out, tracker->padded, true, 0}, tracker->out);
    walk_step(walk, point, &gpci_heart_right, out);
    walk_step(walk, point, &gpci_heart_lefts[of], out);
    walk_step(walk, point, &gpci_heart_boxes[of], out);
}

/* Begin code of only one thread. False: the warp does not have the thread. gpci_end_if follows. */
static bool only_thread(gpci_walk *walk, uint64_t thread) {
    return gpci_if(walk, gpci_below(walk, walk->first, thread + 1) & ~gpci_below(walk, walk->first, thread));
}

static void walk_template(gpci_walk *walk, heart_point *point) {
    const heart *tracker = point->tracker;
    walk_step(walk, point, &gpci_heart_square, tracker->in * tracker->in);
    walk_lines(walk, point, (heart_line){TEMPLATES, tracker->in, 1, tracker->in, false, PARTIAL}, tracker->in);
    walk_lines(walk, point, (heart_line){TEMPLATE_SQUARES, 1, tracker->in, tracker->in, false, SQUARE_PARTIAL},
               tracker->in);
    for (unsigned thread = 0; thread < 2; thread++) {
        if (only_thread(walk, thread)) {
            for (uint64_t k = 0; k < tracker->in; k++) {
                gpci_access(walk, tracker->shared[PARTIAL + thread] + k * GPCI_ELEMENT, 0);
                gpci_branch(walk, k + 1 < tracker->in);
            }
            gpci_access(walk, tracker->shared[TOTAL + thread], 0);
        }
        gpci_end_if(walk);
    }
    gpci_barrier(walk);
    if (only_thread(walk, 0))
        for (unsigned which = TOTAL; which <= DEVIATION; which++)
            gpci_access(walk, tracker->shared[which], 0);
    gpci_end_if(walk);
    gpci_barrier(walk);
}

/* Access a pair of coordinates, or a pair of places in `frame`. */
static void coordinates(gpci_walk *walk, const heart_point *point, unsigned rows, unsigned columns, uint64_t frame) {
    gpci_access(walk, coordinate_of(point, rows, frame), 0);
    gpci_access(walk, coordinate_of(point, columns, frame), 0);
}

/* Load both coordinates of the point, and store its place in the frame. */
static void move_point(gpci_walk *walk, const heart_point *point) {
    coordinates(walk, point, ROWS, ROW_PLACES, point->frame);
    coordinates(walk, point, COLUMNS, COLUMN_PLACES, point->frame);
}

static void walk_largest(gpci_walk *walk, heart_point *point) {
    const heart *tracker = point->tracker;
    walk_lines(walk, point, (heart_line){MASKED, tracker->out, 1, tracker->out, false, LARGEST}, tracker->out);
    if (only_thread(walk, 0)) {
        for (uint64_t k = 0; k < tracker->out; k++) {
            gpci_access(walk, tracker->shared[LARGEST] + k * GPCI_ELEMENT, 0);
            gpci_access(walk, tracker->shared[LARGEST_AT] + k * GPCI_ELEMENT, 0);
            gpci_branch(walk, k + 1 < tracker->out);
        }
        move_point(walk, point);
    }
    gpci_end_if(walk);
    gpci_barrier(walk);
}

static void walk_mask(gpci_walk *walk, heart_point *point, const void *data) {
    (void)data;
    element(walk, point, MASK, SAME);
}

static void walk_search(gpci_walk *walk, heart_point *point) {
    const heart *tracker = point->tracker;
    const uint64_t in = tracker->in * tracker->in, area = tracker->area * tracker->area,
                   out = tracker->out * tracker->out;
    const heart_convolution around = {tracker->in, tracker->area, 0, false},
                            near = {tracker->out, tracker->move, tracker->move / 2, true};
    coordinates(walk, point, ROWS, COLUMNS, 0);
    walk_step(walk, point, &gpci_heart_select_area, area);
    each_element(walk, point, in, 1, walk_turned, NULL);
    each_element(walk, point, out, tracker->skip, walk_convolution, &around);
    walk_boxes(walk, point, OF_AREA);
    walk_step(walk, point, &gpci_heart_square_area, area);
    walk_boxes(walk, point, OF_SQUARES);
    walk_step(walk, point, &gpci_heart_deviations, out);
    walk_template(walk, point);
    walk_step(walk, point, &gpci_heart_scale, out);
    walk_step(walk, point, &gpci_heart_centre, out);
    walk_step(walk, point, &gpci_heart_divide, out);
    coordinates(walk, point, ROW_PLACES, ROWS, point->frame - 1);
    coordinates(walk, point, COLUMN_PLACES, COLUMNS, point->frame - 1);
    each_element(walk, point, out, 1, walk_mask, NULL);
    each_element(walk, point, out, tracker->skip, walk_convolution, &near);
    walk_largest(walk, point);
}

/* Take the template from the frame. If `data` is not NULL, mix the new template with the old template. */
static void walk_taken(gpci_walk *walk, heart_point *point, const void *data) {
    coordinates(walk, point, ROWS, COLUMNS, 0);
    if (data)
        element(walk, point, TEMPLATES, SAME);
    element(walk, point, FRAME, TEMPLATE);
    element(walk, point, TEMPLATES, SAME);
}

/* Coordinate of a point after `tens` moves; a point moves every tenth frame. */
static uint64_t moved(const heart *tracker, uint64_t coordinate, uint64_t point, uint64_t tens) {
    for (uint64_t k = 1; k <= tens; k++)
        coordinate += (gpci_mix(tracker->seed + point * HEART_TENTH + k) >> 32) % 5 - 2;
    return coordinate;
}

static void place_point(heart_point *point, uint64_t tens) {
    point->row = moved(point->tracker, point->tracker->row[point->point], 2 * point->point, tens);
    point->column = moved(point->tracker, point->tracker->column[point->point], 2 * point->point + 1, tens);
}

static void walk_heart(gpci_walk *walk, const gpci_launch *launch) {
    heart_point point = {.tracker = launch->data, .point = walk->x, .frame = launch->repeats};
    const bool tenth = point.frame && point.frame % HEART_TENTH == 0;
    place_point(&point, point.frame ? (point.frame - 1) / HEART_TENTH : 0);
    if (!gpci_branch(walk, point.frame != 0)) {
        if (only_thread(walk, 0))
            move_point(walk, &point);
        gpci_end_if(walk);
        each_element(walk, &point, point.tracker->in * point.tracker->in, 1, walk_taken, NULL);
    }
    if (!gpci_branch(walk, point.frame == 0))
        walk_search(walk, &point);
    if (!gpci_branch(walk, !tenth)) {
        coordinates(walk, &point, ROW_PLACES, COLUMN_PLACES, point.frame);
        coordinates(walk, &point, ROWS, COLUMNS, 0);
        place_point(&point, point.frame / HEART_TENTH);
        each_element(walk, &point, point.tracker->in * point.tracker->in, 1, walk_taken, &point);
    }
    gpci_finish(walk);
}

/*
 * Place points on a circle. A point of the first quarter is at radius * (n^2 - p^2, 2 n p) / (n^2 + p^2) from the
 * middle, with n = count and p = part.
 */
static void place_circle(heart *tracker, uint64_t from, uint64_t count, uint64_t radius) {
    const uint64_t middle = tracker->side / 2;
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t quarter = 4 * k / count, part = 4 * k % count, all = count * count + part * part;
        const uint64_t along = radius * (count * count - part * part) / all, across = 2 * radius * count * part / all;
        const uint64_t x[] = {middle + along, middle - across, middle - along, middle + across};
        const uint64_t y[] = {middle + across, middle + along, middle - across, middle - along};
        tracker->row[from + k] = x[quarter];
        tracker->column[from + k] = y[quarter];
    }
}

static void place_heart_arrays(gpci_problem *problem, heart *tracker) {
    const uint64_t in = tracker->in * tracker->in, area = tracker->area * tracker->area,
                   out = tracker->out * tracker->out, wide = tracker->out * tracker->padded;
    const uint64_t elements[HEART_ARRAYS] = {
        [FRAME] = tracker->side * tracker->side,
        [ROWS] = tracker->points,
        [COLUMNS] = tracker->points,
        [ROW_PLACES] = tracker->points * tracker->frames,
        [COLUMN_PLACES] = tracker->points * tracker->frames,
        [TEMPLATES] = in,
        [AREA] = area,
        [CONVOLVED] = out,
        [PADDED] = tracker->padded * tracker->padded,
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
        tracker->array[k] = gpci_problem_arrays(problem, bytes,
                                                k == FRAME           ? 1
                                                : k <= COLUMN_PLACES ? 2
                                                                     : tracker->points);
    }
    tracker->array[FRAME].step = 0; /* shared by all points */
    const uint64_t words[HEART_SHARED] = {in, tracker->in, tracker->in, tracker->out, tracker->out, 1, 1, 1};
    tracker->shared[0] = GPCI_SHARED_BASE;
    for (unsigned k = 0; k < HEART_SHARED; k++)
        tracker->shared[k + 1] = tracker->shared[k] + words[k] * GPCI_ELEMENT;
}

static gpc_status plan_heartwall(gpci_problem *problem) {
    const double *values = problem->values;
    heart *tracker = gpci_problem_data(problem, sizeof *tracker);
    if (!tracker)
        return GPC_ERROR_MEMORY;
    tracker->side = gpci_root(problem->size / GPCI_ELEMENT);
    tracker->points = (uint64_t)values[0];
    tracker->frames = (uint64_t)values[1];
    tracker->search = (uint64_t)values[2];
    tracker->template = (uint64_t)values[3];
    tracker->move = (uint64_t)values[4];
    tracker->skip = (uint64_t)values[5];
    tracker->seed = gpci_mix((uint64_t)values[6]);
    tracker->in = 2 * tracker->template + 1;
    tracker->area = 2 * tracker->search + 1;
    tracker->out = tracker->in + tracker->area - 1;
    tracker->padded = tracker->area + 2 * tracker->in;
    const uint64_t border = tracker->search + 2 + 2 * (tracker->frames / HEART_TENTH);
    if (tracker->template > tracker->search)
        return gpci_problem_fail(problem, "parameter 'template': %llu is more than %llu that are searched",
                                 (unsigned long long)tracker->template, (unsigned long long)tracker->search);
    if (tracker->side / 2 <= border)
        return gpci_problem_fail(
            problem, "parameter 'search': a frame of %llu x %llu has no room for %llu around a point",
            (unsigned long long)tracker->side, (unsigned long long)tracker->side, (unsigned long long)tracker->search);
    const uint64_t room = tracker->side / 2 - border, radius = tracker->side / 4 < room ? tracker->side / 4 : room;
    const uint64_t inner = tracker->points * HEART_INNER / HEART_POINTS;
    place_circle(tracker, 0, inner, radius * 2 / 3);
    place_circle(tracker, inner, tracker->points - inner, radius);
    place_heart_arrays(problem, tracker);
    gpci_heart_listing(tracker);
    gpci_launch launch = {.name = "_Z6kernelv",
                          .code = tracker->code,
                          .warp = walk_heart,
                          .grid = {tracker->points},
                          .block = {GPCI_THREADS},
                          .shared = tracker->shared[HEART_SHARED] - GPCI_SHARED_BASE,
                          .data = tracker};
    gpc_status status = GPC_OK;
    for (; status == GPC_OK && launch.repeats < tracker->frames; launch.repeats++)
        status = gpci_problem_launch(problem, &launch);
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

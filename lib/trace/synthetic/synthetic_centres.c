/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "trace/synthetic/synthetic.h"

#include <math.h>
#include <string.h>

/*
 * Rodinia's streamcluster (Che et al., IISWC 2009): kernel_compute_cost in cuda/streamcluster/streamcluster_cuda.cu of
 * github.com/yuhc/gpu-rodinia, 9c10d3e, compiled for Fermi, without unrolling. A launch tries one candidate: each
 * thread computes the distance of a point from the candidate. A point nearer to the candidate than to its centre takes
 * one branch: the point is marked, and what it saves is added to its entry for a new centre. Any other point takes the
 * other branch: the loss is added to its entry for its present centre, found in a table. A point has an entry for each
 * centre and one more; therefore the stride of the entries grows with the number of centres. The long in a point is of
 * a host with 64 bits.
 *
 * The host's search (streamcluster_cuda_cpu.cpp: pkmedian, pspeedy, pFL, pgain) is run when the source is opened, on
 * the program's own random points, with one thread and in the order of its float sums. A device computes distances with
 * fused multiply-adds; here both sides compute them without. Points come as one chunk. The program ends with a search
 * among the centres it found. If they are at most `most`, that search launches nothing; of more, it is left out.
 *
 * `run` of that folder: 65,536 points of 256 dimensions, 10 to 20 centres, in blocks of 512 threads. There are 1,611
 * launches, with 11 centres in the first, and then 1 to 12.
 */

#define POINT_THREADS 512u
#define POINT_BYTES 32u /* weight, pointer to coordinates, place of the centre, cost */
#define ASSIGNED 16u    /* offset in a point */
#define COST 24u        /* offset in a point */
#define MOST_POINTS (1u << 18)
#define MOST_CENTRES 64u
#define MOST_LAUNCHES (1u << 16)
#define RUNS 3u         /* ITER of the program */
#define ROW_PADDING 16u /* floats between the arrays of two dimensions: 2^n would share sets of the host's cache */
#define ROUGH .1f       /* improvement at which a search ends */
#define ACCURATE .001f  /* improvement at which a search near its goal ends */

/* Centre of a point: place of the centre among the points, and its number in the table. */
typedef struct home {
    uint32_t centre, entry;
} home;

/* Launch in the search: place of the candidate, number of centres, and first of the points' homes. */
typedef struct trial {
    uint64_t candidate, centres;
    size_t homes;
} trial;

/* Data of a launch. switched: bit i is set if point i is nearer to the candidate than to its centre. */
typedef struct choices {
    const home *homes;
    const uint64_t *switched;
} choices;

/* The host's search. A place is the index of a point after shuffling. */
typedef struct search {
    gpci_problem *problem;
    uint64_t dimensions, points, least, most;
    uint64_t enough; /* launches after which the search stops; 0: at its end */
    uint64_t row;    /* floats from a dimension's array to the next */
    uint64_t random;
    uint64_t centres; /* as the program counts them: a centre chosen again counts twice */
    uint64_t candidate_count;
    float *coordinates;       /* [dimensions][row], by point */
    float *by_point, *spread; /* [points]: distances from one point, by point, and by place */
    float *cost, *low;        /* [points], by place; [points], by entry: what closing a centre saves */
    uint32_t *order;          /* [points]: point at each place */
    uint32_t *assigned;       /* [points]: place of each place's centre */
    uint32_t *entry;          /* [points]: number of the centre at each place; of others old numbers */
    uint32_t *is_centre;      /* [points] */
    uint32_t *candidates;     /* [candidate_count]: places */
    uint32_t *queue;          /* [candidate_count]: the order in which candidates are tried */
    uint32_t *is_measured;    /* [candidate_count]: true if the distances are known */
    float *distances;         /* [candidate_count][points], by place */
    void *memory;             /* memory of the arrays above */
    size_t memory_bytes;
    trial *trials;
    uint64_t *switched; /* [trial_count][words] */
    home *homes;        /* [home_count], `points` for each state of the centres */
    size_t trial_count, trial_capacity, switched_count, switched_capacity, home_count, home_capacity;
    bool is_changed; /* true if centres have changed since the last homes */
} search;

/*
 * Addresses: R4 this point, R7 entries of this point, R9 coordinate of this point, R10 coordinate of the candidate. R15
 * sum. R9 and R10 advance behind the sum, as in the program run on GPGPU-Sim 3.2.1. The store of a mark, a byte, may
 * change a point: the cost is loaded again.
 */
static const char cost_code[] =
    "R1 MOV; R5 S2R; R6 S2R; R7 S2R; R8 IMAD R6 R5 R7; P0 ISETP.GE.AND R8 R1; @P0 EXIT; R2 MOV; R3 MOV; R4 MOV;"
    "R4 IMAD R8 R4; R7 MOV; R7 IMAD R8 R7; R9 LEA R8 R2; R10 MOV; R10 LEA R10 R2; R1 SHF.L.U32 R1; R11 MOV; R15 MOV;"
    "step: R12 LDG.E R9; R13 LDG.E R10; R14 FADD R12 R13; R15 FFMA R14 R14 R15; R9 IADD3 R9 R1; R10 IADD3 R10 R1;"
    "R11 IADD3 R11; P1 ISETP.LT.AND R11 R3; @P1 BRA step;"
    "R9 LDG.E R4; R10 FMUL R15 R9; R12 LDG.E R4; P2 FSETP.LT.AND R10 R12; @P2 BRA farther;"
    "R5 MOV; R6 IADD3 R8; STG.E.U8 R6 R5; R5 LEA R7; R12 LDG.E R4; R6 LDG.E R5; R13 FADD R10 R12; R6 FADD R6 R13;"
    "STG.E R5 R6;"
    "farther: @P2 BRA end; R16 LDG.E.64 R4; R16 LEA R16; R13 LDG.E R16; R5 LEA R13 R7; R6 LDG.E R5; R13 FADD R12 R10;"
    "R6 FADD R6 R13; STG.E R5 R6;"
    "end: EXIT";

/* Operands. `window`: place of the candidate; `stride`: entries of a point; `repeats`: address of the marks. */
enum { COORDINATES, POINTS, TABLE, WORK };

static uint64_t switched_lanes(const choices *made, uint64_t thread) {
    return made->switched[thread / 64] >> thread % 64;
}

static void walk_costs(gpci_walk *walk, const gpci_launch *launch, uint64_t thread) {
    const choices *made = launch->data;
    const uint64_t entries = launch->stride * GPCI_ELEMENT, inside = walk->mask,
                   nearer = switched_lanes(made, thread) & inside,
                   point = launch->operand[POINTS].base + thread * POINT_BYTES,
                   work = launch->operand[WORK].base + thread * entries;
    uint64_t table[GPCI_SYNTHETIC_LANES], own[GPCI_SYNTHETIC_LANES];
    for (unsigned lane = 0; lane < walk->lanes; lane++) {
        const home of = inside >> lane & 1 ? made->homes[thread + lane] : (home){0, 0};
        table[lane] = of.centre * GPCI_ELEMENT;
        own[lane] = lane * entries + of.entry * GPCI_ELEMENT;
    }
    if (gpci_if(walk, nearer)) {
        gpci_access(walk, launch->repeats + thread, 1);
        gpci_access(walk, point + COST, POINT_BYTES);
        for (int k = 0; k < 2; k++) /* load and store */
            gpci_access(walk, work + entries - GPCI_ELEMENT, entries);
    }
    gpci_end_if(walk);
    if (gpci_if(walk, inside & ~nearer)) {
        gpci_access(walk, point + ASSIGNED, POINT_BYTES);
        gpci_access_at(walk, launch->operand[TABLE].base, table);
        for (int k = 0; k < 2; k++) /* load and store */
            gpci_access_at(walk, work, own);
    }
    gpci_end_if(walk);
}

static void walk_trial(gpci_walk *walk, const gpci_launch *launch) {
    const uint64_t thread = walk->x * POINT_THREADS + walk->first;
    const uint64_t point = launch->operand[POINTS].base + thread * POINT_BYTES;
    if (!gpci_guard(walk, gpci_below(walk, thread, launch->n)))
        return;
    for (uint64_t step = 0; step < launch->steps; step++) {
        const uint64_t row = launch->operand[COORDINATES].base + step * launch->n * GPCI_ELEMENT;
        gpci_access(walk, row + thread * GPCI_ELEMENT, GPCI_ELEMENT);
        gpci_access(walk, row + launch->window * GPCI_ELEMENT, 0);
        gpci_branch(walk, step + 1 < launch->steps);
    }
    gpci_access(walk, point, POINT_BYTES);
    gpci_access(walk, point + COST, POINT_BYTES);
    walk_costs(walk, launch, thread);
    gpci_finish(walk);
}

/* A float from 0 to 1, as lrand48() / (float)INT_MAX. */
static float draw(search *s) {
    return (float)gpci_c_lrand48(&s->random) / 2147483648.f;
}

/* Distances of all points from the point at a place: squares summed dimension by dimension. */
static void measure(search *s, uint32_t place, float *by_place) {
    enum { PART = 1024 }; /* points at once, so that their sums stay in the host's cache */
    for (uint64_t from = 0; from < s->points; from += PART) {
        const uint64_t to = s->points - from < PART ? s->points : from + PART;
        float *restrict sums = s->by_point;
        memset(sums + from, 0, (to - from) * sizeof *sums);
        for (uint64_t d = 0; d < s->dimensions; d++) {
            const float *row = s->coordinates + d * s->row, other = row[s->order[place]];
            for (uint64_t i = from; i < to; i++) {
                const float apart = row[i] - other;
                sums[i] += apart * apart;
            }
        }
    }
    for (uint64_t i = 0; i < s->points; i++)
        by_place[i] = s->by_point[s->order[i]];
}

static const float *distances_of(search *s, uint32_t candidate) {
    float *found = s->distances + candidate * s->points;
    if (!s->is_measured[candidate])
        measure(s, s->candidates[candidate], found);
    s->is_measured[candidate] = true;
    return found;
}

static void shuffle(search *s, uint32_t *numbers, uint64_t count, uint64_t draws) {
    for (uint64_t i = 0; i < draws; i++) {
        const uint64_t j = gpci_c_lrand48(&s->random) % (count - i) + i;
        const uint32_t moved = numbers[i];
        numbers[i] = numbers[j];
        numbers[j] = moved;
    }
}

/* pspeedy: open centres at random, with chances that grow with a point's cost. Returns the cost of all. */
static float open_centres(search *s, float centre_cost) {
    float sum = 0;
    measure(s, 0, s->cost);
    memset(s->assigned, 0, s->points * sizeof *s->assigned);
    s->centres = 1;
    for (uint32_t place = 1; place < s->points; place++) {
        if (!(draw(s) < s->cost[place] / centre_cost))
            continue;
        s->centres++;
        measure(s, place, s->spread);
        for (uint64_t i = 0; i < s->points; i++)
            if (s->spread[i] < s->cost[i]) {
                s->cost[i] = s->spread[i];
                s->assigned[i] = place;
            }
    }
    for (uint64_t i = 0; i < s->points; i++)
        sum += s->cost[i];
    return centre_cost * (float)s->centres + sum;
}

/* selectfeasible_fast: all weights are 1, and so are the steps of their running sum. */
static void select_candidates(search *s) {
    for (uint32_t i = 0; i < s->candidate_count; i++) {
        s->queue[i] = s->candidates[i] = i;
        if (s->candidate_count == s->points)
            continue;
        const float drawn = draw(s) * (float)s->points;
        const uint64_t place = drawn < 1 ? 0 : (uint64_t)drawn;
        s->candidates[i] = (uint32_t)(place < s->points ? place : s->points - 1);
    }
}

/* Note a launch, before its outcome is known. */
static gpc_status note(search *s, uint32_t candidate, const uint64_t **switched) {
    gpc_context *context = s->problem->context;
    const uint64_t words = gpci_ceiling(s->points, 64);
    const float *distances = distances_of(s, candidate);
    if (!GPCI_ARRAY_RESERVE(context, s->trials, s->trial_capacity, s->trial_count, 1) ||
        !GPCI_ARRAY_RESERVE(context, s->switched, s->switched_capacity, s->switched_count, words) ||
        !GPCI_ARRAY_RESERVE(context, s->homes, s->home_capacity, s->home_count, s->is_changed ? s->points : 0))
        return gpci_out_of_memory(s->problem->error);
    if (s->is_changed)
        for (uint64_t i = 0; i < s->points; i++)
            s->homes[s->home_count++] = (home){s->assigned[i], s->entry[s->assigned[i]]};
    s->is_changed = false;
    s->trials[s->trial_count++] = (trial){s->candidates[candidate], s->centres, s->home_count - s->points};
    uint64_t *bits = s->switched + s->switched_count;
    s->switched_count += words;
    memset(bits, 0, words * sizeof *bits);
    for (uint64_t i = 0; i < s->points; i++)
        bits[i / 64] |= (uint64_t)(distances[i] < s->cost[i]) << i % 64;
    *switched = bits;
    return GPC_OK;
}

static bool is_switched(const uint64_t *switched, uint64_t place) {
    return switched[place / 64] >> place % 64 & 1;
}

/* Move points to the candidate: those nearer to it, and those of centres that close. */
static void open_candidate(search *s, uint32_t candidate, const uint64_t *switched) {
    const float *distances = distances_of(s, candidate);
    for (uint64_t i = 0; i < s->points; i++)
        if (is_switched(switched, i) || s->low[s->entry[s->assigned[i]]] > 0) {
            s->cost[i] = distances[i];
            s->assigned[i] = s->candidates[candidate];
        }
    for (uint64_t i = 0; i < s->points; i++)
        s->is_centre[i] = s->is_centre[i] && !(s->low[s->entry[i]] > 0);
    s->is_centre[s->candidates[candidate]] = true;
    s->is_changed = true;
}

/* pgain: open the candidate if all costs become less. `saved` grows by what is saved. */
static gpc_status try_candidate(search *s, uint32_t candidate, float centre_cost, float *saved) {
    const float *distances = distances_of(s, candidate);
    const uint64_t *switched = NULL;
    uint32_t count = 0, closed = 0;
    float opening = centre_cost;
    for (uint64_t i = 0; i < s->points; i++)
        if (s->is_centre[i]) {
            s->low[count] = centre_cost;
            s->entry[i] = count++;
        }
    const gpc_status status = note(s, candidate, &switched);
    if (status < 0)
        return status;
    for (uint64_t i = 0; i < s->points; i++)
        if (!is_switched(switched, i))
            s->low[s->entry[s->assigned[i]]] += s->cost[i] - distances[i];
    for (uint64_t i = 0; i < s->points; i++) {
        float change = is_switched(switched, i) ? distances[i] - s->cost[i] : 0;
        if (s->is_centre[i] && s->low[s->entry[i]] > 0) {
            change -= s->low[s->entry[i]];
            closed++;
        }
        opening += change;
    }
    if (opening < 0) {
        open_candidate(s, candidate, switched);
        s->centres += 1 - (uint64_t)closed;
        *saved -= opening;
    }
    return s->trial_count == s->enough ? GPC_END : GPC_OK;
}

/* pFL: try candidates, in a random order, until all together save less than the share `least` of the cost. */
static gpc_status improve(search *s, float centre_cost, float least, float *cost) {
    const uint64_t tries = (uint64_t)((float)(RUNS * s->most) * logf((float)s->most));
    float saved = *cost;
    while ((double)(saved / *cost) > (double)least) {
        saved = 0;
        shuffle(s, s->queue, s->candidate_count, s->candidate_count);
        for (uint64_t i = 0; i < tries; i++) {
            const gpc_status status = try_candidate(s, s->queue[i % s->candidate_count], centre_cost, &saved);
            if (status != GPC_OK)
                return status;
        }
        *cost -= saved;
    }
    return GPC_OK;
}

/* Open centres until there are `least`, and let the centre's cost fall. Returns the cost of all. */
static float begin_search(search *s, float *highest, float *centre_cost) {
    measure(s, 0, s->spread);
    *highest = 0;
    for (uint64_t i = 0; i < s->points; i++)
        *highest += s->spread[i];
    *centre_cost = *highest / 2;
    shuffle(s, s->order, s->points, s->points - 1);
    float cost = open_centres(s, *centre_cost);
    if (s->centres < s->least)
        cost = open_centres(s, *centre_cost);
    while (s->centres < s->least) {
        *highest = *centre_cost;
        *centre_cost = *highest / 2;
        shuffle(s, s->order, s->points, s->points - 1);
        cost = open_centres(s, *centre_cost);
    }
    select_candidates(s);
    for (uint64_t i = 0; i < s->points; i++)
        s->is_centre[s->assigned[i]] = true;
    s->is_changed = true;
    return cost;
}

/* pkmedian: between two bounds of a centre's cost, halve until the number of centres is allowed. */
static gpc_status run_search(search *s) {
    float highest, lowest = 0, centre_cost, cost = begin_search(s, &highest, &centre_cost);
    gpc_status status = GPC_OK;
    while (status == GPC_OK) {
        status = improve(s, centre_cost, ROUGH, &cost);
        const double count = (double)s->centres, least = (double)s->least, most = (double)s->most;
        if (status == GPC_OK && ((count <= 1.1 * most && count >= 0.9 * least) ||
                                 (s->centres <= s->most + 2 && s->centres + 2 >= s->least)))
            status = improve(s, centre_cost, ACCURATE, &cost);
        if (s->centres <= s->most && s->centres >= s->least)
            break;
        const float before = centre_cost;
        *(s->centres > s->most ? &lowest : &highest) = centre_cost;
        centre_cost = (highest + lowest) / 2;
        cost += (centre_cost - before) * (float)s->centres;
        if ((double)lowest >= 0.999 * (double)highest)
            break;
    }
    return status < 0 ? status : GPC_OK;
}

/* Take words of four bytes from the search's memory; `used` words are taken. */
static void *take(const search *s, size_t *used, size_t words) {
    uint32_t *from = s->memory ? (uint32_t *)s->memory + *used : NULL;
    *used += words;
    return from;
}

/* Give the arrays their places. Returns the bytes of all. */
static size_t place_arrays(search *s) {
    const size_t points = s->points, count = s->candidate_count;
    size_t used = 0;
    s->coordinates = take(s, &used, s->dimensions * s->row);
    s->by_point = take(s, &used, points);
    s->spread = take(s, &used, points);
    s->cost = take(s, &used, points);
    s->low = take(s, &used, points);
    s->order = take(s, &used, points);
    s->assigned = take(s, &used, points);
    s->entry = take(s, &used, points);
    s->is_centre = take(s, &used, points);
    s->candidates = take(s, &used, count);
    s->queue = take(s, &used, count);
    s->is_measured = take(s, &used, count);
    s->distances = take(s, &used, count * points);
    return used * GPCI_ELEMENT;
}

/* SimStream: points as the program draws them, one behind another. */
static gpc_status make_points(search *s) {
    const float count = (float)(RUNS * s->least) * logf((float)s->least);
    s->candidate_count = (float)s->points > count ? (uint64_t)count : s->points;
    s->row = s->points + ROW_PADDING;
    s->memory_bytes = place_arrays(s);
    s->memory = gpci_array_enlarge(s->problem->context, NULL, 0, s->memory_bytes);
    if (!s->memory)
        return gpci_out_of_memory(s->problem->error);
    place_arrays(s);
    memset(s->is_centre, 0, s->points * sizeof *s->is_centre);
    memset(s->is_measured, 0, s->candidate_count * sizeof *s->is_measured);
    s->random = gpci_c_srand48(1);
    for (uint32_t i = 0; i < s->points; i++) {
        s->order[i] = i;
        for (uint64_t d = 0; d < s->dimensions; d++)
            s->coordinates[d * s->row + i] = draw(s);
    }
    return GPC_OK;
}

static void end_search(search *s) {
    gpc_context *context = s->problem->context;
    gpci_array_free(context, s->memory, s->memory_bytes);
    gpci_free(context, s->trials);
    gpci_free(context, s->switched);
    gpci_free(context, s->homes);
}

enum { DIMENSIONS, BLOCKS, LAUNCHES, SPACED, LEAST, MOST, PARAMETERS };

/* Number of the kept launch `index`. Returns false if there is none. */
static bool kept_launch(const gpci_problem *problem, size_t launches, size_t index, size_t *number) {
    const size_t asked = (size_t)problem->values[LAUNCHES], spaced = (size_t)problem->values[SPACED];
    const size_t count = asked && asked < launches ? asked : launches;
    *number = spaced ? index * spaced : count > 1 ? index * (launches - 1) / (count - 1) : 0;
    return index < count && *number < launches;
}

/* Copy what the kept launches need of the search, and add the launches. */
static gpc_status add_launches(const search *s, gpci_launch *launch) {
    gpci_problem *problem = s->problem;
    const size_t words = gpci_ceiling(s->points, 64);
    size_t count = 0, number;
    uint64_t entries = 0;
    for (; kept_launch(problem, s->trial_count, count, &number); count++)
        entries = s->trials[number].centres > entries ? s->trials[number].centres : entries;
    choices *made = gpci_problem_data(problem, count * (sizeof *made + words * sizeof *s->switched) +
                                                   s->home_count * sizeof *s->homes);
    if (!made)
        return GPC_ERROR_MEMORY;
    home *homes = memcpy(made + count, s->homes, s->home_count * sizeof *homes);
    uint64_t *switched = (uint64_t *)(void *)(homes + s->home_count);
    launch->operand[WORK].base = gpci_problem_array(problem, (s->points + 1) * (entries + 1) * GPCI_ELEMENT);
    launch->operand[TABLE].base = gpci_problem_array(problem, s->points * GPCI_ELEMENT);
    launch->repeats = gpci_problem_array(problem, s->points);
    launch->operand[POINTS].base = gpci_problem_array(problem, s->points * POINT_BYTES);
    launch->operand[COORDINATES].base = gpci_problem_array(problem, s->points * s->dimensions * GPCI_ELEMENT);
    gpc_status status = GPC_OK;
    for (size_t i = 0; status == GPC_OK && kept_launch(problem, s->trial_count, i, &number); i++) {
        memcpy(switched + i * words, s->switched + number * words, words * sizeof *switched);
        made[i] = (choices){homes + s->trials[number].homes, switched + i * words};
        launch->data = &made[i];
        launch->window = s->trials[number].candidate;
        launch->stride = s->trials[number].centres + 1;
        status = gpci_problem_launch(problem, launch);
    }
    return status;
}

static gpc_status plan_streamcluster(gpci_problem *problem) {
    gpci_launch launch = {
        .name = "_Z19kernel_compute_costiilP5PointiiPfS1_PiPb", .code = cost_code, .warp = walk_trial};
    const uint64_t launches = (uint64_t)problem->values[LAUNCHES], spaced = (uint64_t)problem->values[SPACED];
    search s = {.problem = problem,
                .dimensions = (uint64_t)problem->values[DIMENSIONS],
                .least = (uint64_t)problem->values[LEAST],
                .most = (uint64_t)problem->values[MOST],
                .enough = spaced && launches ? (launches - 1) * spaced + 1 : launches == 1};
    s.points = problem->size / GPCI_ELEMENT / s.dimensions;
    if (s.least > s.most)
        return gpci_problem_fail(problem, "parameter 'least': %u centres are more than 'most', %u", (unsigned)s.least,
                                 (unsigned)s.most);
    if (s.points <= s.most || s.points > MOST_POINTS)
        return gpci_problem_fail(problem, "%llu bytes are %llu points of %llu dimensions; from %llu to %u are searched",
                                 (unsigned long long)problem->size, (unsigned long long)s.points,
                                 (unsigned long long)s.dimensions, (unsigned long long)s.most + 1, MOST_POINTS);
    const uint64_t blocks = gpci_ceiling(s.points, POINT_THREADS), asked = (uint64_t)problem->values[BLOCKS];
    launch.steps = s.dimensions;
    launch.n = s.points;
    launch.grid[0] = asked && asked < blocks ? asked : blocks;
    launch.block[0] = POINT_THREADS;
    gpc_status status = make_points(&s);
    if (status == GPC_OK)
        status = run_search(&s);
    if (status == GPC_OK)
        status = add_launches(&s, &launch);
    end_search(&s);
    return status;
}

static const gpc_parameter streamcluster_parameters[PARAMETERS] = {
    {"dimensions", 64, 1, 4096, true, "of a point"},
    {"blocks", 0, 0, 1 << 20, true, "of a launch, the first so many; 0: all"},
    {"launches", 1, 0, MOST_LAUNCHES, true, "of the search, spread evenly from its first to its last; 0: all"},
    {"apart", 0, 0, MOST_LAUNCHES, true, "launches of the search from one to the next, instead of spread evenly"},
    {"least", 10, 2, MOST_CENTRES, true, "centres that are searched for"},
    {"most", 20, 2, MOST_CENTRES, true, "centres that are searched for"},
};

const gpci_synthetic gpci_synthetic_rodinia_streamcluster = {
    .name = "rodinia-streamcluster",
    .summary = "streamcluster's search for centres of random points, as Fermi ran it; SIZE of the coordinates "
               "(dimensions=64, blocks=0: all, launches=1, apart=0: spread evenly, least=10, most=20)",
    .least = GPCI_ELEMENT,
    .parameters = streamcluster_parameters,
    .parameter_count = PARAMETERS,
    .plan = plan_streamcluster,
};

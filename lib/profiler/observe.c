/* SPDX-License-Identifier: BSD-2-Clause */
#include "profiler/profiler.h"

#include "cache/cache.h"

/*
 * Counts the accesses of L1s while a trace runs. Each access is a hit, a sector miss, the beginning of a residence, or
 * a bypass. An access first gets all memory it may need; a failure therefore leaves no half count.
 *
 * With a clock, a residence begins when its data arrive. Earlier hits in the line in flight are kept with the line and
 * added to the residence then.
 */

static gpci_residence *residence_of(const gpci_live_sm *sm, uint32_t set, uint32_t way) {
    return &sm->residences[(size_t)set * sm->ways + way];
}

/* Adapt to caches that changed shape (`ways` or `set` count). All residences have ended. */
static gpc_status reshape(gpc_profile *p) {
    gpci_live *l = p->live;
    uint32_t sets = l->profiler->hierarchy->share.sets, ways = l->profiler->hierarchy->share.ways;
    if (l->sms[p->sm_count - 1].sets == sets && l->sms[p->sm_count - 1].ways == ways)
        return GPC_OK;
    for (uint32_t i = 0; i < p->sm_count; i++) {
        gpci_live_sm *sm = &l->sms[i];
        if (sm->sets == sets && sm->ways == ways)
            continue;
        gpci_residence *residences = gpci_zalloc(p->context, (size_t)sets * ways, sizeof *residences);
        if (!residences)
            return GPC_ERROR_MEMORY;
        gpci_free(p->context, sm->residences);
        sm->residences = residences;
        sm->sets = sets;
        sm->ways = ways;
    }
    return GPC_OK;
}

static void empty_stacks(gpc_profile *p) {
    for (uint32_t i = 0; i < p->sm_count; i++) {
        gpci_live_sm *sm = &p->live->sms[i];
        if (sm->line_count)
            gpci_stack_empty(&sm->stack, &sm->lines[0].place, sizeof sm->lines[0]);
    }
}

/* Begin a kernel. Called too if an access comes before the first kernel. Can be repeated after a failure. */
static gpc_status begin(gpc_profile *p) {
    gpci_live *l = p->live;
    const gpci_live_sm *last = &l->sms[p->sm_count - 1];
    bool emptied = l->flushes || last->sets != l->profiler->hierarchy->share.sets ||
                   last->ways != l->profiler->hierarchy->share.ways;
    const char *name = l->profiler->replay->trace ? l->profiler->replay->kernel.name : "";
    uint32_t kernel = l->host_kernel;
    gpc_status status = kernel == GPCI_NONE ? gpci_profile_name(p, name ? name : "", &kernel) : GPC_OK;
    while (status == GPC_OK && p->launch_count < l->profiler->hierarchy->kernel)
        status = gpci_profile_add_launch(p, kernel);
    if (status == GPC_OK)
        status = reshape(p);
    if (status < 0)
        return status;
    if (emptied)
        empty_stacks(p);
    l->kernel = kernel;
    l->launch = l->profiler->hierarchy->kernel;
    return GPC_OK;
}

static gpc_status on_kernel(void *data) {
    return begin(data);
}

static uint8_t class_of(uint32_t transactions) {
    return (uint8_t)((transactions < GPC_PROFILE_CLASSES ? transactions : GPC_PROFILE_CLASSES) - 1);
}

/* Instruction of the load. One instruction loads one or more lines. */
static gpc_status take_instruction(gpc_profile *p, const gpc_request *request) {
    uint32_t instruction = gpci_live_instruction_of(p, p->live->kernel, request->pc);
    if (instruction == GPCI_NONE)
        return GPC_ERROR_MEMORY;
    p->live->instruction = instruction;
    p->live->class_of = class_of(request->transactions);
    return GPC_OK;
}

static gpc_status on_instruction(void *data, const gpc_request *request) {
    gpc_profile *p = data;
    gpci_live *l = p->live;
    if (GPCI_UNLIKELY(l->launch != request->kernel || l->kernel == GPCI_NONE)) {
        gpc_status status = begin(p);
        if (status < 0)
            return status;
    }
    p->settled = false;
    if (request->kind != GPC_LOAD)
        return GPC_OK;
    gpc_status status = take_instruction(p, request);
    if (status < 0)
        return status;
    l->instructions[l->instruction].counts.loads++;
    l->classes[l->class_of].counts.loads++;
    gpc_profile_sm *row = &l->sms[request->sm].row;
    row->counts.loads++;
    row->loads_by_transactions[l->class_of + 1]++;
    return GPC_OK;
}

/* True if the access counts in the reuse stream: loads, prefetches, and stores that allocate lines. */
static bool in_stream(const gpci_observed_line *a) {
    const gpc_request *request = a->request;
    if (!a->l1)
        return false;
    return gpci_is_read(request) || (gpci_is_write(request) && gpci_write_policy(a->l1, request) != GPC_WRITE_EVICT &&
                                     gpci_write_allocate(a->l1, request) != GPC_WRITE_NO_ALLOCATE);
}

/* Find the row of the line, and reserve all memory the access may need. */
static gpc_status take_line(gpc_profile *p, const gpci_observed_line *a) {
    gpci_live *l = p->live;
    gpci_live_sm *sm = &l->sms[a->request->sm];
    const uint64_t number = a->request->address >> p->line_shift;
    const bool needed = in_stream(a) || a->request->kind == GPC_LOAD;
    sm->touches++;
    l->filled = l->fetched = false;
    l->way = GPCI_NO_WAY;
    l->line = needed ? gpci_live_line(sm, number) : gpci_live_find_line(sm, number);
    if (l->line == GPCI_NONE)
        return needed ? GPC_ERROR_MEMORY : GPC_OK;
    gpc_status status = gpci_stack_room(&sm->stack, &sm->lines[0].place, sizeof sm->lines[0]);
    if (status == GPC_OK)
        status = gpci_distances_room(p->context, &p->distances[a->request->sm], sm->stack.used);
    if (status == GPC_OK && a->request->kind == GPC_LOAD)
        status = gpci_live_pair(sm, l->line, l->instruction);
    return status;
}

static gpc_status before_line(void *data, const gpci_observed_line *a) {
    gpc_profile *p = data;
    gpci_live *l = p->live;
    gpc_access_result found;
    gpc_status status = take_line(p, a);
    if (status < 0 || l->line == GPCI_NONE || !a->l1)
        return status;
    gpc_request request = *a->request;
    request.sector_mask = l->profiler->hierarchy->l1_level.sectors_of[a->segments];
    status = gpc_cache_probe(a->l1, &request, &found);
    if (status == GPC_OK) {
        l->set = found.set;
        l->way = found.way;
    }
    return status;
}

static void count_residence(gpci_live_sm *sm, uint64_t hits, int change) {
    const uint64_t last = GPC_PROFILE_REUSE_BUCKETS - 1;
    sm->row.residences_by_reuse[hits < last ? hits : last] += (uint64_t)change;
}

/*
 * Rows that count the result of a load: the row of the SM, of the instruction, of the class (transactions of the
 * instruction).
 */
static void rows_of(gpci_live_sm *sm, uint32_t instruction, uint8_t class_of, gpc_profile_counts *rows[3]) {
    gpci_live *l = sm->profile->live;
    rows[0] = &sm->row.counts;
    rows[1] = &l->instructions[instruction].counts;
    rows[2] = &l->classes[class_of].counts;
}

/* Begin a load's residence. Count earlier hits on the line in flight too. */
static void begin_residence(gpci_live_sm *sm, const gpci_residence *residence) {
    gpc_profile_counts *rows[3];
    gpci_line_row *line = &sm->lines[residence->line];
    rows_of(sm, residence->filler, residence->class_of, rows);
    for (unsigned i = 0; i < 3; i++) {
        rows[i]->fills++;
        rows[i]->reuses += residence->hits;
    }
    line->fills++;
    line->awaited = 0;
    count_residence(sm, residence->hits, 1);
}

/*
 * Sectors arrive in a line, and a residence begins if none has begun. A residence filled by a load counts its hits; any
 * other has filler GPCI_NONE.
 */
static void on_fill(void *data, uint64_t line_address, uint32_t set, uint32_t way, uint8_t sectors,
                    const gpc_request *request) {
    gpci_live_sm *sm = data;
    gpc_profile *p = sm->profile;
    gpci_live *l = p->live;
    gpci_residence *residence = residence_of(sm, set, way);
    (void)sectors;
    l->fetched = true;
    if (residence->active)
        return;
    *residence = (gpci_residence){.last = sm->touches, .line = GPCI_NONE, .filler = GPCI_NONE, .active = true};
    if (request->kind != GPC_LOAD)
        return;
    l->filled = true;
    residence->line = gpci_live_find_line(sm, line_address >> p->line_shift);
    residence->filler = gpci_live_instruction_of(p, l->kernel, request->pc);
    residence->warp = request->warp;
    residence->class_of = class_of(request->transactions);
    residence->hits = sm->lines[residence->line].awaited;
    begin_residence(sm, residence);
}

static void on_evict(void *data, const gpc_eviction *eviction, const gpc_request *request) {
    gpci_live_sm *sm = data;
    gpci_residence *residence = residence_of(sm, eviction->set, eviction->way);
    if (request && residence->active && residence->filler != GPCI_NONE) {
        uint64_t unused = !residence->hits;
        gpc_profile_counts *counts[3];
        rows_of(sm, residence->filler, residence->class_of, counts);
        for (unsigned i = 0; i < 3; i++) {
            counts[i]->evictions++;
            counts[i]->zero_reuse_evictions += unused;
        }
        sm->lines[residence->line].evictions++;
        sm->lines[residence->line].zero_reuse_evictions += unused;
    }
    residence->active = false;
}

/* Position of the line in its set's order of recency: number of lines accessed later. */
static uint32_t position_of(const gpci_live_sm *sm, const gpci_residence *residence, uint32_t set,
                            uint32_t *out_lines) {
    const gpci_residence *row = residence_of(sm, set, 0);
    uint32_t newer = 0, lines = 0;
    for (uint32_t way = 0; way < sm->ways; way++) {
        newer += row[way].active && row[way].last > residence->last;
        lines += row[way].active;
    }
    *out_lines = lines;
    return newer;
}

/* Amounts to add for an access to the counts of its SM, its instruction and its class. */
typedef struct amounts {
    uint64_t distance, stack_distance; /* GPCI_STACK_FIRST: none */
    uint32_t used, moved, segments;
    bool hit, sector_miss, bypass, first, intra_warp, mru, lru;
} amounts;

static unsigned bucket_of(uint64_t distance) {
    unsigned bucket = distance ? gpci_log2(distance) + 1 : 0;
    return bucket < GPC_PROFILE_DISTANCE_BUCKETS ? bucket : GPC_PROFILE_DISTANCE_BUCKETS - 1;
}

static void count(gpc_profile_counts *c, const amounts *n) {
    c->accesses++;
    c->hits += n->hit;
    c->sector_misses += n->sector_miss;
    c->bypasses += n->bypass;
    c->intra_warp_hits += n->hit && n->intra_warp;
    c->inter_warp_hits += n->hit && !n->intra_warp;
    c->mru_hits += n->mru;
    c->lru_hits += n->lru;
    c->bytes_used += n->used;
    c->bytes_moved += n->moved;
    c->segments += n->segments;
    c->first_accesses += n->first;
    if (n->stack_distance != GPCI_STACK_FIRST) {
        c->reuse_distances[bucket_of(n->distance)]++;
        c->stack_distances[bucket_of(n->stack_distance)]++;
    }
}

static void count_line(gpci_line_row *row, const amounts *n) {
    row->accesses++;
    row->hits += n->hit;
    row->bytes_used += n->used;
    row->bytes_moved += n->moved;
    row->segments += n->segments;
    if (n->stack_distance != GPCI_STACK_FIRST) {
        row->distances++;
        row->reuse_distance_sum += n->distance;
        row->stack_distance_sum += n->stack_distance;
    }
}

/* Place the access in the SM's stream, and measure its distance from the last access to the line. */
static void pass_stream(gpci_live_sm *sm, uint32_t line, uint64_t *distance, uint64_t *stack_distance) {
    gpci_line_row *row = &sm->lines[line];
    *stack_distance = gpci_stack_touch(&sm->stack, line, &row->place);
    *distance = *stack_distance == GPCI_STACK_FIRST ? GPCI_STACK_FIRST : sm->clock - row->last;
    row->last = ++sm->clock; /* number of this access; the next access has a number greater by 1 */
}

static void count_reuse(gpci_live_sm *sm, gpci_residence *residence) {
    gpc_profile_counts *rows[3];
    uint64_t before = residence->hits++;
    if (residence->filler == GPCI_NONE)
        return;
    rows_of(sm, residence->filler, residence->class_of, rows);
    for (unsigned i = 0; i < 3; i++)
        rows[i]->reuses++;
    count_residence(sm, before, -1);
    count_residence(sm, before + 1, 1);
}

/* Hit on a valid line: counts for the residence, and for the position in the set. */
static void count_resident_hit(gpci_live *l, gpci_live_sm *sm, uint32_t warp, amounts *n) {
    gpci_residence *residence = residence_of(sm, l->set, l->way);
    if (!residence->active) /* allocated by a store, without a sector */
        *residence = (gpci_residence){.line = GPCI_NONE, .filler = GPCI_NONE, .active = true};
    uint32_t lines, position = position_of(sm, residence, l->set, &lines);
    n->intra_warp = residence->filler != GPCI_NONE && residence->warp == warp;
    n->mru = position == 0;
    n->lru = position + 1 == lines && lines == sm->ways;
    count_reuse(sm, residence);
    sm->row.hits_by_recency[position < GPC_PROFILE_RECENCY_BUCKETS ? position : GPC_PROFILE_RECENCY_BUCKETS - 1]++;
}

static void count_hit(gpci_live *l, gpci_live_sm *sm, const gpc_request *request, bool in_flight, amounts *n) {
    const uint32_t age = request->warp_age;
    if (!in_flight) {
        count_resident_hit(l, sm, request->warp, n);
    } else {
        gpci_line_row *row = &sm->lines[l->line];
        n->intra_warp = row->sender == request->warp;
        row->awaited++;
    }
    sm->row.hits_by_age[age < GPC_AGE_BUCKETS ? age : GPC_AGE_BUCKETS - 1]++;
}

/* Bytes moved and used by the access. */
static amounts amounts_of(const gpci_live *l, const gpci_observed_line *a) {
    const gpci_level *level = &l->profiler->hierarchy->l1_level;
    amounts n = {.distance = GPCI_STACK_FIRST,
                 .stack_distance = GPCI_STACK_FIRST,
                 .used = a->request->bytes_used,
                 .segments = gpci_count_sectors(a->segments)};
    n.moved =
        GPCI_SEGMENT * (a->l1 ? gpci_count_sectors(level->segments_of[level->sectors_of[a->segments]]) : n.segments);
    return n;
}

static void count_load(gpc_profile *p, const gpci_observed_line *a, bool in_flight, amounts *n) {
    gpci_live *l = p->live;
    gpci_live_sm *sm = &l->sms[a->request->sm];
    gpc_profile_counts *rows[3];
    if (n->hit)
        count_hit(l, sm, a->request, in_flight, n);
    if (!n->bypass) {
        pass_stream(sm, l->line, &n->distance, &n->stack_distance);
        n->first = n->stack_distance == GPCI_STACK_FIRST;
        if (!n->first) {
            gpci_distances *d = &p->distances[a->request->sm];
            for (; d->count <= n->stack_distance; d->count++)
                d->counts[d->count] = 0;
            d->counts[n->stack_distance]++;
        }
    }
    rows_of(sm, l->instruction, l->class_of, rows);
    for (unsigned i = 0; i < 3; i++)
        count(rows[i], n);
    count_line(&sm->lines[l->line], n);
}

/* Move stores and other accesses along the stream, and update the order of recency for every access. */
static void pass_others(gpci_live *l, const gpci_observed_line *a) {
    gpci_live_sm *sm = &l->sms[a->request->sm];
    uint64_t distance, stack_distance;
    if (a->request->kind != GPC_LOAD) {
        if (in_stream(a))
            pass_stream(sm, l->line, &distance, &stack_distance);
        else if (l->line != GPCI_NONE && a->l1 &&
                 !(gpci_is_write(a->request) && gpci_write_policy(a->l1, a->request) != GPC_WRITE_EVICT))
            gpci_stack_drop(&sm->stack, &sm->lines[l->line].place);
    }
    if (l->way != GPCI_NO_WAY)
        residence_of(sm, l->set, l->way)->last = sm->touches;
}

static void after_line(void *data, const gpci_observed_line *a, uint32_t hits) {
    gpc_profile *p = data;
    gpci_live *l = p->live;
    if (a->request->kind == GPC_LOAD) {
        amounts n = amounts_of(l, a);
        n.hit = l->way != GPCI_NO_WAY && hits == n.segments;
        n.sector_miss = l->way != GPCI_NO_WAY && !n.hit && l->fetched;
        n.bypass = !n.hit && !n.sector_miss && !l->filled;
        count_load(p, a, false, &n);
    }
    pass_others(l, a);
}

/* Read the lookup of a load. Returns true if the load hits data in flight. */
static bool read_lookup(gpci_live *l, const gpci_observed_line *a, const gpci_observed_lookup *found, amounts *n) {
    gpci_live_sm *sm = &l->sms[a->request->sm];
    n->hit = found->whole;
    n->bypass = !n->hit && found->bypassed;
    n->sector_miss = !n->hit && !n->bypass && (l->way != GPCI_NO_WAY || found->in_flight);
    if (!found->in_flight) {
        sm->lines[l->line].awaited = 0;
        sm->lines[l->line].sender = a->request->warp;
    }
    return found->in_flight && (l->way == GPCI_NO_WAY || !residence_of(sm, l->set, l->way)->active);
}

static gpc_status on_lookup(void *data, const gpci_observed_line *a, const gpci_observed_lookup *found) {
    gpc_profile *p = data;
    gpci_live *l = p->live;
    const bool load = a->request->kind == GPC_LOAD;
    gpc_status status = load ? take_instruction(p, a->request) : GPC_OK;
    if (status == GPC_OK)
        status = take_line(p, a);
    if (status < 0)
        return status;
    l->set = found->set;
    l->way = found->way;
    if (load) {
        amounts n = amounts_of(l, a);
        const bool in_flight = read_lookup(l, a, found, &n);
        count_load(p, a, in_flight, &n);
    }
    pass_others(l, a);
    return GPC_OK;
}

/* The bypass decision after a miss replaces the one counted before. The place in the stream stays. */
static void on_verdict(void *data, const gpc_request *request, bool bypass) {
    gpc_profile *p = data;
    gpc_profile_counts *rows[3];
    if (request->kind != GPC_LOAD)
        return;
    rows_of(&p->live->sms[request->sm], gpci_live_instruction_of(p, p->live->kernel, request->pc),
            class_of(request->transactions), rows);
    for (unsigned i = 0; i < 3; i++)
        rows[i]->bypasses += bypass ? 1 : UINT64_MAX;
}

void gpci_profile_observer(gpc_profile *p) {
    gpci_observer *o = &p->live->profiler->observer;
    o->data = p;
    o->on_kernel = on_kernel;
    o->on_instruction = on_instruction;
    o->before_line = before_line;
    o->after_line = after_line;
    o->on_lookup = on_lookup;
    o->on_verdict = on_verdict;
    o->on_fill = on_fill;
    o->on_evict = on_evict;
}

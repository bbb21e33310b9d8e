/* SPDX-License-Identifier: BSD-2-Clause */
#include "profiler/profiler.h"

#include "cache/cache.h"

/*
 * Count the accesses of L1s while a trace runs: the functions of the observer (level/rules/observer.h). Each access is
 * a hit, a sector miss, the beginning of a residence, or a bypass. An access first allocates all memory that the counts
 * may need: if memory is missing, nothing is counted.
 *
 * "With a clock": mode = timed. A residence then begins when its data arrive. Earlier hits on the line in flight are
 * counted in gpci_line_row.awaited, and added to the residence when the data arrive.
 */

static gpci_residence *residence_of(const gpci_live_sm *sm, uint32_t set, uint32_t way) {
    return &sm->residences[(size_t)set * sm->ways + way];
}

/* If the number of sets or ways of the L1s has changed, allocate new residences. All old residences have ended. */
static gpc_status reshape(gpc_profile *profile) {
    gpci_live *live = profile->live;
    uint32_t sets = live->profiler->hierarchy->share.sets, ways = live->profiler->hierarchy->share.ways;
    if (live->sms[profile->sm_count - 1].sets == sets && live->sms[profile->sm_count - 1].ways == ways)
        return GPC_OK;
    for (uint32_t i = 0; i < profile->sm_count; i++) {
        gpci_live_sm *sm = &live->sms[i];
        if (sm->sets == sets && sm->ways == ways)
            continue;
        gpci_residence *residences = gpci_zalloc(profile->context, (size_t)sets * ways, sizeof *residences);
        if (!residences)
            return GPC_ERROR_MEMORY;
        gpci_free(profile->context, sm->residences);
        sm->residences = residences;
        sm->sets = sets;
        sm->ways = ways;
    }
    return GPC_OK;
}

static void empty_stacks(gpc_profile *profile) {
    for (uint32_t i = 0; i < profile->sm_count; i++) {
        gpci_live_sm *sm = &profile->live->sms[i];
        if (sm->line_count)
            gpci_stack_empty(&sm->stack, &sm->lines[0].place, sizeof sm->lines[0]);
    }
}

/* Begin a kernel; also called if an access comes before the first kernel. After a failure the call can be repeated. */
static gpc_status begin(gpc_profile *profile) {
    gpci_live *live = profile->live;
    const gpci_live_sm *last = &live->sms[profile->sm_count - 1];
    bool emptied = live->flushes || last->sets != live->profiler->hierarchy->share.sets ||
                   last->ways != live->profiler->hierarchy->share.ways;
    const char *name = live->profiler->replay->trace ? live->profiler->replay->kernel.name : "";
    uint32_t kernel = live->host_kernel;
    gpc_status status = kernel == GPCI_NONE ? gpci_profile_name(profile, name ? name : "", &kernel) : GPC_OK;
    while (status == GPC_OK && profile->launch_count < live->profiler->hierarchy->kernel)
        status = gpci_profile_add_launch(profile, kernel);
    if (status == GPC_OK)
        status = reshape(profile);
    if (status < 0)
        return status;
    if (emptied)
        empty_stacks(profile);
    live->kernel = kernel;
    live->launch = live->profiler->hierarchy->kernel;
    return GPC_OK;
}

static gpc_status on_kernel(void *data) {
    return begin(data);
}

static uint8_t class_of(uint32_t transactions) {
    return (uint8_t)((transactions < GPC_PROFILE_CLASSES ? transactions : GPC_PROFILE_CLASSES) - 1);
}

/* Set live->instruction and live->class_of for a load. */
static gpc_status take_instruction(gpc_profile *profile, const gpc_request *request) {
    uint32_t instruction = gpci_live_instruction_of(profile, profile->live->kernel, request->pc);
    if (instruction == GPCI_NONE)
        return GPC_ERROR_MEMORY;
    profile->live->instruction = instruction;
    profile->live->class_of = class_of(request->transactions);
    return GPC_OK;
}

static gpc_status on_instruction(void *data, const gpc_request *request) {
    gpc_profile *profile = data;
    gpci_live *live = profile->live;
    if (GPCI_UNLIKELY(live->launch != request->kernel || live->kernel == GPCI_NONE)) {
        gpc_status status = begin(profile);
        if (status < 0)
            return status;
    }
    profile->settled = false;
    if (request->kind != GPC_LOAD)
        return GPC_OK;
    gpc_status status = take_instruction(profile, request);
    if (status < 0)
        return status;
    live->instructions[live->instruction].counts.loads++;
    live->classes[live->class_of].counts.loads++;
    gpc_profile_sm *row = &live->sms[request->sm].row;
    row->counts.loads++;
    row->loads_by_transactions[live->class_of + 1]++;
    return GPC_OK;
}

/* True if the access takes a place in the SM's stream: loads, prefetches, and stores that allocate lines in L1. */
static bool in_stream(const gpci_observed_line *line) {
    const gpc_request *request = line->request;
    if (!line->l1)
        return false;
    return gpci_is_read(request) ||
           (gpci_is_write(request) && gpci_write_policy(line->l1, request) != GPC_WRITE_EVICT &&
            gpci_write_allocate(line->l1, request) != GPC_WRITE_NO_ALLOCATE);
}

/* Find the row of the line, and allocate all memory that the counts of the access may need. */
static gpc_status take_line(gpc_profile *profile, const gpci_observed_line *line) {
    gpci_live *live = profile->live;
    gpci_live_sm *sm = &live->sms[line->request->sm];
    const uint64_t number = line->request->address >> profile->line_shift;
    const bool needed = in_stream(line) || line->request->kind == GPC_LOAD;
    sm->touches++;
    live->filled = live->fetched = false;
    live->way = GPCI_NO_WAY;
    live->line = needed ? gpci_live_line(sm, number) : gpci_live_find_line(sm, number);
    if (live->line == GPCI_NONE)
        return needed ? GPC_ERROR_MEMORY : GPC_OK;
    gpc_status status = gpci_stack_reserve(&sm->stack, &sm->lines[0].place, sizeof sm->lines[0]);
    if (status == GPC_OK)
        status = gpci_distances_reserve(profile->context, &profile->distances[line->request->sm], sm->stack.used);
    if (status == GPC_OK && line->request->kind == GPC_LOAD)
        status = gpci_live_pair(sm, live->line, live->instruction);
    return status;
}

static gpc_status before_line(void *data, const gpci_observed_line *line) {
    gpc_profile *profile = data;
    gpci_live *live = profile->live;
    gpc_access_result found;
    gpc_status status = take_line(profile, line);
    if (status < 0 || live->line == GPCI_NONE || !line->l1)
        return status;
    gpc_request request = *line->request;
    request.sector_mask = live->profiler->hierarchy->l1_level.sectors_of[line->segments];
    status = gpc_cache_probe(line->l1, &request, &found, NULL);
    if (status == GPC_OK) {
        live->set = found.set;
        live->way = found.way;
    }
    return status;
}

static void count_residence(gpci_live_sm *sm, uint64_t hits, int change) {
    const uint64_t last = GPC_PROFILE_REUSE_BUCKETS - 1;
    sm->row.residences_by_reuse[hits < last ? hits : last] += (uint64_t)change;
}

/* Find the three counts to which the result of a load is added: of the SM, the instruction and the class. */
static void rows_of(gpci_live_sm *sm, uint32_t instruction, uint8_t class_of, gpc_profile_counts *rows[3]) {
    gpci_live *live = sm->profile->live;
    rows[0] = &sm->row.counts;
    rows[1] = &live->instructions[instruction].counts;
    rows[2] = &live->classes[class_of].counts;
}

/* Count the beginning of a residence that a load has filled, with earlier hits on the line in flight. */
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
 * Sectors have arrived in a line. If the way has no residence, a residence begins. If the fill is for a load, the hits
 * of the residence are counted for the load's instruction; for any other fill, the filler is GPCI_NONE.
 */
static void on_fill(void *data, uint64_t line_address, uint32_t set, uint32_t way, uint8_t sectors,
                    const gpc_request *request) {
    gpci_live_sm *sm = data;
    gpc_profile *profile = sm->profile;
    gpci_live *live = profile->live;
    gpci_residence *residence = residence_of(sm, set, way);
    (void)sectors;
    live->fetched = true;
    if (residence->active)
        return;
    *residence = (gpci_residence){.last = sm->touches, .line = GPCI_NONE, .filler = GPCI_NONE, .active = true};
    if (request->kind != GPC_LOAD)
        return;
    live->filled = true;
    residence->line = gpci_live_find_line(sm, line_address >> profile->line_shift);
    residence->filler = gpci_live_instruction_of(profile, live->kernel, request->pc);
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

/*
 * Number of lines of the set that were accessed after the residence's line. `*out_lines`: number of lines in the set.
 */
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
    uint64_t distance, stack_distance; /* GPCI_STACK_FIRST: no earlier access to the line */
    uint32_t used, moved, segments;
    bool hit, sector_miss, bypass, first, intra_warp, mru, lru;
} amounts;

static unsigned bucket_of(uint64_t distance) {
    unsigned bucket = distance ? gpci_log2(distance) + 1 : 0;
    return bucket < GPC_PROFILE_DISTANCE_BUCKETS ? bucket : GPC_PROFILE_DISTANCE_BUCKETS - 1;
}

static void count(gpc_profile_counts *counts, const amounts *amount) {
    counts->accesses++;
    counts->hits += amount->hit;
    counts->sector_misses += amount->sector_miss;
    counts->bypasses += amount->bypass;
    counts->intra_warp_hits += amount->hit && amount->intra_warp;
    counts->inter_warp_hits += amount->hit && !amount->intra_warp;
    counts->mru_hits += amount->mru;
    counts->lru_hits += amount->lru;
    counts->bytes_used += amount->used;
    counts->bytes_moved += amount->moved;
    counts->segments += amount->segments;
    counts->first_accesses += amount->first;
    if (amount->stack_distance != GPCI_STACK_FIRST) {
        counts->reuse_distances[bucket_of(amount->distance)]++;
        counts->stack_distances[bucket_of(amount->stack_distance)]++;
    }
}

static void count_line(gpci_line_row *row, const amounts *amount) {
    row->accesses++;
    row->hits += amount->hit;
    row->bytes_used += amount->used;
    row->bytes_moved += amount->moved;
    row->segments += amount->segments;
    if (amount->stack_distance != GPCI_STACK_FIRST) {
        row->distances++;
        row->reuse_distance_sum += amount->distance;
        row->stack_distance_sum += amount->stack_distance;
    }
}

/* Add the access to the SM's stream, and measure the two distances from the last access to the line. */
static void pass_stream(gpci_live_sm *sm, uint32_t line, uint64_t *distance, uint64_t *stack_distance) {
    gpci_line_row *row = &sm->lines[line];
    *stack_distance = gpci_stack_touch(&sm->stack, line, &row->place);
    *distance = *stack_distance == GPCI_STACK_FIRST ? GPCI_STACK_FIRST : sm->clock - row->last;
    row->last = ++sm->clock; /* index of the access in the stream, plus 1: an access directly after has distance 0 */
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

/* Count a hit on a line that is not in flight: for the residence, and for the position of the line in the set. */
static void count_resident_hit(gpci_live *live, gpci_live_sm *sm, uint32_t warp, amounts *amount) {
    gpci_residence *residence = residence_of(sm, live->set, live->way);
    if (!residence->active) /* a store has allocated the line, and no sector has been filled */
        *residence = (gpci_residence){.line = GPCI_NONE, .filler = GPCI_NONE, .active = true};
    uint32_t lines, position = position_of(sm, residence, live->set, &lines);
    amount->intra_warp = residence->filler != GPCI_NONE && residence->warp == warp;
    amount->mru = position == 0;
    amount->lru = position + 1 == lines && lines == sm->ways;
    count_reuse(sm, residence);
    sm->row.hits_by_recency[position < GPC_PROFILE_RECENCY_BUCKETS ? position : GPC_PROFILE_RECENCY_BUCKETS - 1]++;
}

static void count_hit(gpci_live *live, gpci_live_sm *sm, const gpc_request *request, bool in_flight, amounts *amount) {
    const uint32_t age = request->warp_age;
    if (!in_flight) {
        count_resident_hit(live, sm, request->warp, amount);
    } else {
        gpci_line_row *row = &sm->lines[live->line];
        amount->intra_warp = row->sender == request->warp;
        row->awaited++;
    }
    sm->row.hits_by_age[age < GPC_AGE_BUCKETS ? age : GPC_AGE_BUCKETS - 1]++;
}

/* Amounts of an access with its bytes and segments; the other amounts are 0. */
static amounts amounts_of(const gpci_live *live, const gpci_observed_line *observed) {
    const gpci_level *level = &live->profiler->hierarchy->l1_level;
    amounts amount = {.distance = GPCI_STACK_FIRST,
                      .stack_distance = GPCI_STACK_FIRST,
                      .used = observed->request->bytes_used,
                      .segments = gpci_count_sectors(observed->segments)};
    amount.moved =
        GPCI_SEGMENT * (observed->l1 ? gpci_count_sectors(level->segments_of[level->sectors_of[observed->segments]])
                                     : amount.segments);
    return amount;
}

static void count_load(gpc_profile *profile, const gpci_observed_line *observed, bool in_flight, amounts *amount) {
    gpci_live *live = profile->live;
    gpci_live_sm *sm = &live->sms[observed->request->sm];
    gpc_profile_counts *rows[3];
    if (amount->hit)
        count_hit(live, sm, observed->request, in_flight, amount);
    if (!amount->bypass) {
        pass_stream(sm, live->line, &amount->distance, &amount->stack_distance);
        amount->first = amount->stack_distance == GPCI_STACK_FIRST;
        if (!amount->first) {
            gpci_distances *distances = &profile->distances[observed->request->sm];
            for (; distances->count <= amount->stack_distance; distances->count++)
                distances->counts[distances->count] = 0;
            distances->counts[amount->stack_distance]++;
        }
    }
    rows_of(sm, live->instruction, live->class_of, rows);
    for (unsigned i = 0; i < 3; i++)
        count(rows[i], amount);
    count_line(&sm->lines[live->line], amount);
}

/*
 * Add accesses that are no loads to the stream; if an access drops its line from L1, drop the line from the stack. For
 * every access, update the recency of the line in its set.
 */
static void pass_others(gpci_live *live, const gpci_observed_line *line) {
    gpci_live_sm *sm = &live->sms[line->request->sm];
    uint64_t distance, stack_distance;
    if (line->request->kind != GPC_LOAD) {
        if (in_stream(line))
            pass_stream(sm, live->line, &distance, &stack_distance);
        else if (live->line != GPCI_NONE && line->l1 &&
                 !(gpci_is_write(line->request) && gpci_write_policy(line->l1, line->request) != GPC_WRITE_EVICT))
            gpci_stack_drop(&sm->stack, &sm->lines[live->line].place);
    }
    if (live->way != GPCI_NO_WAY)
        residence_of(sm, live->set, live->way)->last = sm->touches;
}

static void after_line(void *data, const gpci_observed_line *line, uint32_t hits) {
    gpc_profile *profile = data;
    gpci_live *live = profile->live;
    if (line->request->kind == GPC_LOAD) {
        amounts amount = amounts_of(live, line);
        amount.hit = live->way != GPCI_NO_WAY && hits == amount.segments;
        amount.sector_miss = live->way != GPCI_NO_WAY && !amount.hit && live->fetched;
        amount.bypass = !amount.hit && !amount.sector_miss && !live->filled;
        count_load(profile, line, false, &amount);
    }
    pass_others(live, line);
}

/* Set the amounts from the lookup of a load, with a clock. True: the line is in flight, and has no residence yet. */
static bool read_lookup(gpci_live *live, const gpci_observed_line *line, const gpci_observed_lookup *found,
                        amounts *amount) {
    gpci_live_sm *sm = &live->sms[line->request->sm];
    amount->hit = found->all_hit;
    amount->bypass = !amount->hit && found->bypassed;
    amount->sector_miss = !amount->hit && !amount->bypass && (live->way != GPCI_NO_WAY || found->in_flight);
    if (!found->in_flight) {
        sm->lines[live->line].awaited = 0;
        sm->lines[live->line].sender = line->request->warp;
    }
    return found->in_flight && (live->way == GPCI_NO_WAY || !residence_of(sm, live->set, live->way)->active);
}

static gpc_status on_lookup(void *data, const gpci_observed_line *line, const gpci_observed_lookup *found) {
    gpc_profile *profile = data;
    gpci_live *live = profile->live;
    const bool load = line->request->kind == GPC_LOAD;
    gpc_status status = load ? take_instruction(profile, line->request) : GPC_OK;
    if (status == GPC_OK)
        status = take_line(profile, line);
    if (status < 0)
        return status;
    live->set = found->set;
    live->way = found->way;
    if (load) {
        amounts amount = amounts_of(live, line);
        const bool in_flight = read_lookup(live, line, found, &amount);
        count_load(profile, line, in_flight, &amount);
    }
    pass_others(live, line);
    return GPC_OK;
}

/*
 * Correct the bypass that was counted at the lookup: the later decision `bypass` differs. The stream does not change.
 */
static void on_verdict(void *data, const gpc_request *request, bool bypass) {
    gpc_profile *profile = data;
    gpc_profile_counts *rows[3];
    if (request->kind != GPC_LOAD)
        return;
    rows_of(&profile->live->sms[request->sm], gpci_live_instruction_of(profile, profile->live->kernel, request->pc),
            class_of(request->transactions), rows);
    for (unsigned i = 0; i < 3; i++)
        rows[i]->bypasses += bypass ? 1 : UINT64_MAX;
}

void gpci_profile_observer(gpc_profile *profile) {
    gpci_observer *observer = &profile->live->profiler->observer;
    observer->data = profile;
    observer->on_kernel = on_kernel;
    observer->on_instruction = on_instruction;
    observer->before_line = before_line;
    observer->after_line = after_line;
    observer->on_lookup = on_lookup;
    observer->on_verdict = on_verdict;
    observer->on_fill = on_fill;
    observer->on_evict = on_evict;
}

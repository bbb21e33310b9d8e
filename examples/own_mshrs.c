/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A host with a clock, tags and MSHRs. The library decides: the way reserved by a miss (gpc_replacement), bypasses, at
 * full queues too (gpc_predictor), and the warps allowed to issue (gpc_throttle). Memory answers after LATENCY cycles.
 * A way that waits for data is no candidate.
 *
 * Usage: own_mshrs [PREDICTOR [THROTTLES]]
 */
#include <gpucache/ext/parts.h>
#include <gpucache/gpucache.h>

#include <inttypes.h>
#include <stdio.h>

enum { SETS = 8, WAYS = 4, LINE = 128, MSHRS = 6, LATENCY = 60, WARPS = 12, LOADS = 200 };

/* Miss in flight. A miss without a way bypasses: the data go to the warp alone. */
typedef struct mshr {
    bool busy, has_way;
    uint32_t set, way, warp;
    uint64_t line, due;
} mshr;

/* Stalled load of a warp: events and questions come once per load. */
typedef struct held_load {
    bool told;
    uint32_t asked; /* reasons, as bits */
    gpc_prediction prediction;
} held_load;

typedef struct host {
    gpc_replacement *replacement;
    gpc_predictor *predictor;
    gpc_throttle *throttle;
    uint64_t lines[SETS][WAYS];
    bool valid[SETS][WAYS], pending[SETS][WAYS];
    mshr mshrs[MSHRS];
    held_load loads[WARPS];
    uint64_t passing[WARPS]; /* cycle of return of loads past the MSHRs, by warp; 0 = no load */
    uint32_t done[WARPS];    /* loads issued by each warp */
    uint64_t cycle, hits, misses, bypasses, past_mshrs, stalls;
} host;

/* Address of a load: a warp reads eight private lines repeatedly, and at times a line without reuse. */
static gpc_request next_load(const host *h, uint32_t warp) {
    const uint32_t n = h->done[warp];
    const bool stream = n % 4 == 3;
    const uint64_t line = stream ? 10000 + warp * LOADS + n : warp * 8 + n % 8;
    return (gpc_request){.address = line * LINE,
                         .pc = stream ? 0x20 : 0x10,
                         .cycle = h->cycle,
                         .warp = warp,
                         .warp_age = warp,
                         .policy.token = (uint8_t)gpc_throttle_token_of(h->throttle, warp, 1)};
}

/* A warp ends at the return of the last load. */
static void set_state(host *h, uint32_t warp, gpc_warp_state state) {
    const bool ends = h->done[warp] == LOADS && state != GPC_STATE_WAITING;
    gpc_throttle_set_state(h->throttle, warp, ends ? GPC_STATE_ABSENT : state, NULL);
}

/* Take arrived data, and wake the waiting warps. */
static void take_replies(host *h) {
    for (uint32_t m = 0; m < MSHRS; m++) {
        mshr *entry = &h->mshrs[m];
        if (!entry->busy || entry->due > h->cycle)
            continue;
        if (entry->has_way)
            h->pending[entry->set][entry->way] = false;
        entry->busy = false;
        set_state(h, entry->warp, GPC_STATE_READY_MEMORY);
    }
    for (uint32_t warp = 0; warp < WARPS; warp++)
        if (h->passing[warp] && h->passing[warp] <= h->cycle) {
            h->passing[warp] = 0;
            set_state(h, warp, GPC_STATE_READY_MEMORY);
        }
}

/* Tell policy and predictor of an event at the tags. */
static void tell(host *h, const gpc_policy_event *event) {
    gpc_replacement_event(h->replacement, event, 1, NULL, NULL);
    gpc_predictor_event(h->predictor, event, 1, NULL, NULL);
}

/* Find a way for the line. False: every way of the set is reserved, or the policy declines. */
static bool reserve(host *h, uint32_t set, const gpc_request *request, uint32_t *out_way) {
    uint64_t candidates = 0;
    for (uint32_t way = 0; way < WAYS; way++) {
        if (!h->valid[set][way]) {
            *out_way = way;
            return true;
        }
        candidates |= (uint64_t)!h->pending[set][way] << way;
    }
    if (!candidates || gpc_replacement_choose(h->replacement, set, &candidates, request, out_way, NULL) < 0 ||
        *out_way == GPC_WAY_BYPASS)
        return false;
    const gpc_eviction leaves = {.line_address = h->lines[set][*out_way], .set = set, .way = *out_way};
    tell(h, &(gpc_policy_event){
                .kind = GPC_ON_EVICT, .set = set, .way = *out_way, .request = request, .eviction = &leaves});
    return true;
}

/* Held up for a reason: does it go below instead, without way or entry? */
static bool pass(host *h, const gpc_request *request, gpc_busy reason) {
    held_load *l = &h->loads[request->warp];
    if (l->asked >> reason & 1)
        return false;
    l->asked |= 1u << reason;
    if (gpc_predictor_stall(h->predictor, request, reason) != GPC_BYPASS)
        return false;
    h->past_mshrs++;
    h->passing[request->warp] = h->cycle + LATENCY;
    return true;
}

/* Handle a missing load. False: the load waits at the tags. */
static bool miss(host *h, uint32_t set, const gpc_request *request) {
    held_load *l = &h->loads[request->warp];
    uint32_t m = 0;
    if (!l->told) {
        gpc_replacement_event(h->replacement, &(gpc_policy_event){.kind = GPC_ON_MISS, .set = set, .request = request},
                              1, NULL, NULL);
        gpc_predictor_predict(h->predictor, set, request, &l->prediction, NULL);
        l->told = true;
    }
    while (m < MSHRS && h->mshrs[m].busy)
        m++;
    if (m == MSHRS)
        return pass(h, request, GPC_BUSY_MSHR);
    mshr *entry = &h->mshrs[m];
    *entry = (mshr){.set = set, .warp = request->warp, .line = request->address, .due = h->cycle + LATENCY};
    if (l->prediction.decision == GPC_BYPASS) {
        h->bypasses++;
    } else if (reserve(h, set, request, &entry->way)) {
        entry->has_way = true;
        h->lines[set][entry->way] = request->address;
        h->valid[set][entry->way] = h->pending[set][entry->way] = true;
        tell(h, &(gpc_policy_event){.kind = GPC_ON_FILL, .set = set, .way = entry->way, .request = request});
    } else {
        return pass(h, request, GPC_BUSY_LINE);
    }
    entry->busy = true;
    h->misses++;
    return true;
}

/* Issue a load of a warp. False: the load stalls. */
static bool load(host *h, uint32_t warp) {
    const gpc_request request = next_load(h, warp);
    const uint32_t set = (uint32_t)(request.address / LINE % SETS);
    for (uint32_t way = 0; way < WAYS; way++)
        if (h->valid[set][way] && h->lines[set][way] == request.address && !h->pending[set][way]) {
            h->hits++;
            tell(h, &(gpc_policy_event){.kind = GPC_ON_HIT, .set = set, .way = way, .request = &request});
            return true;
        }
    return miss(h, set, &request);
}

static bool under_way(const host *h, uint32_t warp) {
    bool waits = h->passing[warp] != 0;
    for (uint32_t m = 0; m < MSHRS; m++)
        waits |= h->mshrs[m].busy && h->mshrs[m].warp == warp;
    return waits;
}

/* Issue for the first allowed warp without a stalled load. Returns true while warps are left. */
static bool step(host *h) {
    uint64_t throttled, held;
    gpc_throttle_classes classes = GPC_THROTTLE_CLASSES_INIT;
    classes.throttled = &throttled;
    classes.held = &held;
    take_replies(h);
    gpc_throttle_classify(h->throttle, h->cycle, &classes, NULL);
    bool left = false, issued = false;
    for (uint32_t warp = 0; warp < WARPS; warp++) {
        const bool waits = under_way(h, warp);
        left |= waits || h->done[warp] < LOADS;
        if (issued || waits || h->done[warp] == LOADS || (throttled | held) >> warp & 1)
            continue;
        issued = true;
        if (!load(h, warp)) {
            h->stalls++;
            continue;
        }
        gpc_throttle_issued(h->throttle, warp, h->cycle, NULL);
        h->loads[warp] = (held_load){.told = false};
        h->done[warp]++;
        set_state(h, warp, under_way(h, warp) ? GPC_STATE_WAITING : GPC_STATE_READY_MEMORY);
    }
    h->cycle++;
    return left;
}

static gpc_status make(gpc_context *context, const char *predictor, const char *throttles, gpc_error *error, host *h) {
    gpc_replacement_options r = GPC_REPLACEMENT_OPTIONS_INIT;
    gpc_predictor_options p = GPC_PREDICTOR_OPTIONS_INIT;
    gpc_throttle_options t = GPC_THROTTLE_OPTIONS_INIT;
    r.sets = p.sets = SETS;
    r.ways = p.ways = WAYS;
    r.line_bytes = p.line_bytes = LINE;
    p.policy = predictor;
    p.tells = GPC_READS_OF_REQUESTS | GPC_READS_STALLS; /* no replies of a level below: agcb would be refused */
    t.throttles = throttles;
    t.warps = WARPS;
    gpc_status status = gpc_replacement_create(context, &r, &h->replacement, error);
    if (status == GPC_OK)
        status = gpc_predictor_create(context, &p, &h->predictor, error);
    if (status == GPC_OK)
        status = gpc_throttle_create(context, &t, &h->throttle, error);
    for (uint32_t warp = 0; warp < WARPS && status == GPC_OK; warp++) {
        gpc_throttle_start(h->throttle, warp, warp / 4, NULL);
        status = gpc_throttle_set_state(h->throttle, warp, GPC_STATE_READY_MEMORY, error);
    }
    return status;
}

int main(int argc, char **argv) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context = NULL;
    static host h;
    gpc_status status = gpc_context_create(NULL, &context, &error);
    if (status == GPC_OK)
        status = make(context, argc > 1 ? argv[1] : "mrpb", argc > 2 ? argv[2] : "warps(limit=12)", &error, &h);
    if (status == GPC_OK) {
        while (step(&h)) {}
        printf("cycles %" PRIu64 "\nhits %" PRIu64 "\nmisses %" PRIu64 "\nbypasses %" PRIu64 "\npast_mshrs %" PRIu64
               "\nstalls %" PRIu64 "\n",
               h.cycle, h.hits, h.misses, h.bypasses, h.past_mshrs, h.stalls);
    } else {
        fprintf(stderr, "%s: %s\n", gpc_status_string(status), error.message);
    }
    gpc_replacement_destroy(h.replacement);
    gpc_predictor_destroy(h.predictor);
    gpc_throttle_destroy(h.throttle);
    gpc_context_destroy(context);
    return status != GPC_OK;
}

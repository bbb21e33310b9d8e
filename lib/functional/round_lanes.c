/* SPDX-License-Identifier: BSD-2-Clause */
#include "functional/round_lanes.h"
#include "base/array.h"
#include "level/access/tlb.h"
#include "level/rules/level_rules.h"

#include <stdio.h>

/* Largest number of requests of L1 to L2 for a line: a write-back, a read, and another read or write. */
#define ASKED_PER_LINE 3u

typedef struct lane {
    gpc_hierarchy hierarchy; /* the thread's copy of the hierarchy: the same caches, statistics of its own */
    char padding[64];        /* keeps the next lane's data on another line of the CPU's cache */
} lane;

struct gpci_round_lanes {
    gpc_hierarchy *hierarchy;
    gpci_workers *workers;
    gpci_asked_list *asked; /* [sms] */
    lane *each;             /* [count] */
    uint32_t count;
    /* state of the present round */
    uint32_t *sms; /* [sms] */
    uint32_t accesses;
    gpci_lane_access_fn access;
    void *user_data;
};

/* Reason why a hierarchy cannot run on several threads; NULL: it can. */
static const char *refused(const gpc_hierarchy *hierarchy) {
    if (hierarchy->coherent)
        return "a tree of coherent modules is run by one thread";
    if (hierarchy->inclusive)
        return "l2.inclusion: a slice takes lines from all L1s";
    if (hierarchy->tlbs && !hierarchy->l2)
        return "tlb.page: without L2 slices no thread takes an L2 TLB's lookups in order";
    if (hierarchy->l15 && gpci_number(hierarchy, GPCI_KEY_L15_SMS) > 1)
        return "l15.sms: SMs of several threads would share one";
    if (hierarchy->gl1)
        return "gl1.size: SMs of several threads would share one";
    const gpci_memory_map *memory = &hierarchy->memory;
    if (hierarchy->memory_caches && memory->slices > memory->channels &&
        (memory->slices % memory->channels || hierarchy->slices_per_partition % memory->slices_per_channel))
        return "memory_cache.size: slices of several threads would share a channel's part";
    if (hierarchy->l1_future)
        return "l1.future: L1 is told when its lines are used next";
    for (uint32_t sm = 0; hierarchy->l1 && sm < hierarchy->sms; sm++)
        if (hierarchy->l1[sm]->predictor_ops->on_reply)
            return "l1.bypass: the predictor hears at once what L2 replies";
    return NULL;
}

bool gpci_round_lanes_check(const gpc_hierarchy *hierarchy, char text[GPCI_THREADS_TEXT]) {
    static const gpci_key keys[] = {
        GPCI_KEY_L1_REPLACEMENT,    GPCI_KEY_L1_BYPASS,       GPCI_KEY_L2_REPLACEMENT,          GPCI_KEY_L2_BYPASS,
        GPCI_KEY_CONST_REPLACEMENT, GPCI_KEY_L15_REPLACEMENT, GPCI_KEY_MEMORY_CACHE_REPLACEMENT};
    const char *why = refused(hierarchy);
    bool may = !why;
    if (why)
        snprintf(text, GPCI_THREADS_TEXT, "%s", why);
    for (size_t i = 0; may && i < sizeof keys / sizeof *keys; i++)
        may = gpci_threads_check_key(hierarchy, keys[i], text);
    return may;
}

void gpci_round_lanes_destroy(gpci_round_lanes *lanes) {
    if (!lanes)
        return;
    gpc_context *context = lanes->hierarchy->context;
    for (uint32_t sm = 0; lanes->asked && sm < lanes->hierarchy->sms; sm++)
        gpci_free(context, lanes->asked[sm].each);
    gpci_workers_destroy(lanes->workers);
    gpci_free(context, lanes->sms);
    gpci_free_lines(context, lanes->asked);
    gpci_free_lines(context, lanes->each);
    gpci_free(context, lanes);
}

gpc_status gpci_round_lanes_create(gpc_hierarchy *hierarchy, const gpci_workers_options *options, gpc_error *error,
                                   gpci_round_lanes **out) {
    *out = NULL;
    gpci_round_lanes *lanes = gpci_zalloc(hierarchy->context, 1, sizeof *lanes);
    if (!lanes)
        return gpci_out_of_memory(error);
    lanes->hierarchy = hierarchy;
    gpc_status status = gpci_workers_create(hierarchy->context, options, error, &lanes->workers);
    if (status == GPC_OK) {
        lanes->count = gpci_workers_count(lanes->workers);
        lanes->asked = gpci_zalloc_lines(hierarchy->context, hierarchy->sms, sizeof *lanes->asked);
        lanes->each = gpci_zalloc_lines(hierarchy->context, lanes->count, sizeof *lanes->each);
        lanes->sms = gpci_zalloc(hierarchy->context, hierarchy->sms, sizeof *lanes->sms);
        if (!lanes->asked || !lanes->each || !lanes->sms)
            status = gpci_out_of_memory(error);
    }
    if (status < 0)
        gpci_round_lanes_destroy(lanes);
    else
        *out = lanes;
    return status;
}

void gpci_round_lanes_begin(gpci_round_lanes *lanes) {
    for (uint32_t i = 0; i < lanes->count; i++) {
        gpc_hierarchy *hierarchy = &lanes->each[i].hierarchy;
        *hierarchy = *lanes->hierarchy;
        gpci_stats_init(&hierarchy->stats);
    }
}

uint32_t gpci_round_lanes_count(const gpci_round_lanes *lanes) {
    return lanes->count;
}

void gpci_round_lanes_fold(gpci_round_lanes *lanes) {
    for (uint32_t i = 0; i < lanes->count; i++) {
        gpci_stats_add(&lanes->hierarchy->stats, &lanes->each[i].hierarchy.stats);
        gpci_stats_init(&lanes->each[i].hierarchy.stats);
    }
}

/* Reserve for the largest number of lines of an access: every thread touches lines of its own. */
gpc_status gpci_round_lanes_reserve(gpci_round_lanes *lanes, uint32_t sm, uint32_t threads, uint32_t width) {
    gpci_asked_list *list = &lanes->asked[sm];
    const gpci_level *level = lanes->hierarchy->has_l1 ? &lanes->hierarchy->l1_level : &lanes->hierarchy->l2_level;
    const uint32_t pages = lanes->hierarchy->tlbs != NULL, /* a line's */
        most = threads * (2 + (width - 1) / level->line_bytes) * (ASKED_PER_LINE + pages);
    return GPCI_ARRAY_RESERVE(lanes->hierarchy->context, list->each, list->capacity, 0, most) ? GPC_OK
                                                                                              : GPC_ERROR_MEMORY;
}

void gpci_round_lanes_keep(const gpc_hierarchy *hierarchy, gpci_asked_what what, const gpc_request *request,
                           uint8_t segments, uint32_t policy_word, const uint64_t bytes[2]) {
    gpci_asked_list *list = &hierarchy->asked[request->sm];
    gpci_asked *asked = &list->each[list->count++];
    asked->request = *request;
    asked->bytes[0] = bytes ? bytes[0] : 0;
    asked->bytes[1] = bytes ? bytes[1] : 0;
    asked->policy_word = policy_word;
    asked->slice =
        GPCI_UNLIKELY(what == GPCI_ASKED_PAGE)
            ? request->sm / hierarchy->tlbs->gpu_sms
            : gpci_l2_place_of(hierarchy, request->address).slice /
                  (GPCI_UNLIKELY(hierarchy->memory_caches != NULL) ? hierarchy->memory.slices_per_channel : 1);
    asked->segments = segments;
    asked->what = (uint8_t)what;
}

/* True if the SM belongs to thread `number`. Neighbouring SMs share a thread, to keep their counters together. */
static bool is_own(const gpci_round_lanes *lanes, uint32_t sm, uint32_t number) {
    const uint64_t sms = lanes->hierarchy->sms;
    return (uint64_t)sm * lanes->count - number * sms < sms; /* sm * count / sms == number, without a division */
}

static void pass_l1s(void *user_data, uint32_t number) {
    gpci_round_lanes *lanes = user_data;
    gpc_hierarchy *hierarchy = &lanes->each[number].hierarchy;
    hierarchy->asked = hierarchy->l2 ? lanes->asked : NULL;
    for (uint32_t i = 0; i < lanes->accesses; i++) {
        const uint32_t sm = lanes->sms[i];
        if (!is_own(lanes, sm, number))
            continue;
        lanes->asked[sm].count = 0;
        lanes->asked[sm].status = lanes->access(lanes->user_data, hierarchy, i);
    }
    hierarchy->asked = NULL;
}

static void serve(gpc_hierarchy *hierarchy, const gpci_asked *asked) {
    gpc_warp_result ignored = GPC_WARP_RESULT_INIT;
    const gpci_transaction line = {.segments = asked->segments, .bytes = {asked->bytes[0], asked->bytes[1]}};
    const gpci_line_access access = {.line = &line, .result = &ignored, .request = asked->request};
    uint32_t word;
    if (asked->what == GPCI_ASKED_READ)
        gpci_functional_l2_read(hierarchy, &access, &asked->request, asked->segments, asked->policy_word, &word);
    else if (asked->what == GPCI_ASKED_WRITE)
        gpci_functional_l2_write(hierarchy, &access, &asked->request, asked->policy_word, asked->bytes);
    else if (asked->what == GPCI_ASKED_ATOMIC)
        gpci_functional_l2_atomic(hierarchy, &access);
    else
        gpci_tlbs_below(hierarchy, asked->request.sm, asked->request.address);
}

static void pass_l2(void *user_data, uint32_t number) {
    gpci_round_lanes *lanes = user_data;
    gpc_hierarchy *hierarchy = &lanes->each[number].hierarchy;
    for (uint32_t i = 0; i < lanes->accesses; i++) {
        const gpci_asked_list *list = &lanes->asked[lanes->sms[i]];
        for (size_t k = 0; k < list->count; k++)
            if (list->each[k].slice % lanes->count == number)
                serve(hierarchy, &list->each[k]);
    }
}

uint32_t *gpci_round_lanes_order(gpci_round_lanes *lanes) {
    return lanes->sms;
}

gpc_status gpci_round_lanes_round(gpci_round_lanes *lanes, uint32_t count, gpci_lane_access_fn access, void *user_data,
                                  uint32_t *out_failed) {
    lanes->accesses = count;
    lanes->access = access;
    lanes->user_data = user_data;
    gpci_workers_run(lanes->workers, pass_l1s, lanes);
    if (lanes->hierarchy->l2)
        gpci_workers_run(lanes->workers, pass_l2, lanes);
    for (*out_failed = 0; *out_failed < count; ++*out_failed)
        if (lanes->asked[lanes->sms[*out_failed]].status < 0)
            return lanes->asked[lanes->sms[*out_failed]].status;
    return GPC_OK;
}

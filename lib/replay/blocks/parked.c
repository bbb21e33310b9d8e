/* SPDX-License-Identifier: BSD-2-Clause */
#include "replay/blocks/parked.h"

#include "base/map.h"
#include "replay/blocks/clusters.h"
#include "replay/core/timed_replay.h"

#include <string.h>

static uint64_t digest(uint64_t hash, uint64_t word) {
    return gpci_hash(hash ^ word) + word;
}

static uint64_t digest_of_text(const char *text) {
    uint64_t hash = 0;
    for (; *text; text++)
        hash = hash * 0x100000001b3u ^ (uint8_t)*text;
    return hash;
}

/* Part of an instruction after the opcode number and the line: registers and what the opcode implies. */
#define FIRST_OF_FORM offsetof(gpc_instruction, registers)
#define WORDS_OF_FORM ((GPCI_INSTRUCTION_FIELDS - FIRST_OF_FORM) / sizeof(uint64_t))
_Static_assert(WORDS_OF_FORM * sizeof(uint64_t) + FIRST_OF_FORM == GPCI_INSTRUCTION_FIELDS, "whole words");

static uint64_t digest_of_warp(const gpc_replay *r, const gpci_packed_warp *warp, uint64_t hash) {
    gpci_address_cursor cursor = gpci_packed_begin(warp);
    uint64_t words[WORDS_OF_FORM], addresses[GPCI_MOST_LANES];
    hash = digest(hash, warp->path->count);
    for (size_t n = 0; n < warp->path->count; n++) {
        const gpci_path_step *step = &warp->path->steps[n];
        const gpc_instruction *i = &step->form->instruction;
        const unsigned lanes = i->addresses ? gpci_path_lanes(step) : 0;
        hash = digest(digest(hash, i->pc), step->mask);
        hash = digest(hash, digest_of_text(gpc_trace_opcode(r->trace, i->opcode)));
        memcpy(words, (const char *)i + FIRST_OF_FORM, sizeof words);
        for (size_t w = 0; w < WORDS_OF_FORM; w++)
            hash = digest(hash, words[w]);
        gpci_packed_take(&cursor, lanes, addresses);
        for (unsigned lane = 0; lane < lanes; lane++)
            hash = digest(hash, addresses[lane]);
    }
    return hash;
}

static uint64_t digest_of(const gpc_replay *r, const gpci_packed_block *block) {
    uint64_t hash = digest(0, block->warp_count);
    for (uint32_t w = 0; w < block->warp_count; w++)
        hash = digest_of_warp(r, &block->warps[w], hash);
    return hash;
}

/* Park blocks */

static void park_warps(const gpc_replay *r, const gpci_block_run *run, gpci_parked_block *b, gpci_parked_warp *to) {
    memset(to, 0, b->warps * sizeof *to);
    for (uint32_t w = 0; w < b->warps && b->where == GPCI_PARKED_RUNS; w++) {
        const gpci_packed_warp *packed = &run->block->warps[w];
        const gpci_warp_run *warp = &run->warps[w];
        const gpci_address_cursor *cursor = &warp->addresses;
        to[w] =
            (gpci_parked_warp){.next = r->timed ? gpci_timed_step_of(r->timed, run, b->sm, w)
                                                : (uint64_t)(warp->next - packed->path->steps),
                               .at = (uint64_t)(cursor->at - packed->addresses),
                               .list = cursor->list ? (uint64_t)(cursor->list - packed->addresses) : GPCI_PARKED_NONE,
                               .first = cursor->first,
                               .width = cursor->width,
                               .slot = warp->slot,
                               .at_barrier = !r->timed && warp->at_barrier,
                               .barrier = run->apart ? warp->barrier : 0};
    }
}

static void park(const gpc_replay *r, gpci_parked *p, uint32_t sm, const gpci_block_run *run, gpci_parked_where where) {
    gpci_parked_block *b = &p->each[p->block_count];
    p->block_count++;
    *b = (gpci_parked_block){.digest = digest_of(r, run->block),
                             .start = run->start,
                             .index = run->block->index,
                             .sm = sm,
                             .where = (uint32_t)where,
                             .warps = run->block->warp_count,
                             .slot = run->slot,
                             .turn = run->turn,
                             .live = run->live,
                             .at_barrier = run->at_barrier,
                             .apart = run->apart,
                             .writes = run->writes,
                             .at_cluster = run->at_cluster};
    park_warps(r, run, b, &p->warps[p->warp_count]);
    p->warp_count += b->warps;
}

/* Blocks of a timed SM that have not started come last. */
static gpci_parked_where where_is(const gpc_replay *r, uint32_t sm, const gpci_block_run *run) {
    const gpci_block_run *waiting = r->timed ? r->timed->sms[sm].first_start : NULL;
    while (waiting && waiting != run)
        waiting = waiting->queued;
    return waiting ? GPCI_PARKED_STARTS : GPCI_PARKED_RUNS;
}

static bool make_room(gpc_context *context, gpci_parked *p, size_t blocks, size_t warps) {
    p->each = gpci_zalloc(context, blocks + 1, sizeof *p->each);
    p->warps = gpci_zalloc(context, warps + 1, sizeof *p->warps);
    return p->each && p->warps;
}

static void clear(gpc_context *context, gpci_parked *p) {
    gpci_free(context, p->each);
    gpci_free(context, p->warps);
}

static size_t warps_waiting(const gpci_block_run *run) {
    size_t warps = 0;
    for (; run; run = run->queued)
        warps += run->block->warp_count;
    return warps;
}

static bool park_all(const gpc_replay *r, gpci_parked *p) {
    const size_t blocks = (size_t)r->resident + r->queued;
    size_t warps = 0;
    for (uint32_t sm = 0; sm < r->sm_count; sm++) {
        for (uint32_t i = 0; i < r->sms[sm].residents; i++)
            warps += r->sms[sm].resident[i]->block->warp_count;
        warps += warps_waiting(r->sms[sm].first_queued);
    }
    warps += warps_waiting(r->first_gathered);
    if (!make_room(r->context, p, blocks, warps))
        return false;
    for (uint32_t sm = 0; sm < r->sm_count; sm++) {
        for (uint32_t i = 0; i < r->sms[sm].residents; i++)
            park(r, p, sm, r->sms[sm].resident[i], where_is(r, sm, r->sms[sm].resident[i]));
        for (const gpci_block_run *run = r->sms[sm].first_queued; run; run = run->queued)
            park(r, p, sm, run, GPCI_PARKED_QUEUED);
    }
    for (const gpci_block_run *run = r->first_gathered; run; run = run->queued)
        park(r, p, 0, run, GPCI_PARKED_GATHERED);
    return true;
}

static void archive(gpci_parked *p, gpci_archive *a) {
    gpci_archive_bytes(a, p->each, p->block_count * sizeof *p->each);
    gpci_archive_bytes(a, p->warps, p->warp_count * sizeof *p->warps);
}

static void save(const gpc_replay *r, gpci_archive *a) {
    gpci_parked own = {.each = NULL}, *p = r->parked ? r->parked : &own;
    if (!r->parked && !park_all(r, &own))
        gpci_archive_fail(a, GPC_ERROR_MEMORY, "");
    gpci_archive_number(a, p->block_count);
    gpci_archive_number(a, p->warp_count);
    archive(p, a);
    clear(r->context, &own);
}

void gpci_parked_archive(gpc_replay *r, gpci_archive *a) {
    if (!a->loading) {
        save(r, a);
        return;
    }
    const size_t blocks = (size_t)gpci_archive_count(a, 0, sizeof(gpci_parked_block)),
                 warps = (size_t)gpci_archive_count(a, 0, sizeof(gpci_parked_warp));
    if (a->status < 0)
        return;
    r->parked = gpci_zalloc(r->context, 1, sizeof *r->parked);
    if (!r->parked || !make_room(r->context, r->parked, blocks, warps)) {
        gpci_archive_fail(a, GPC_ERROR_MEMORY, "");
        return;
    }
    r->parked->block_count = blocks;
    r->parked->warp_count = warps;
    archive(r->parked, a);
}

void gpci_parked_destroy(gpc_replay *r) {
    if (!r->parked)
        return;
    clear(r->context, r->parked);
    gpci_free(r->context, r->parked);
    r->parked = NULL;
}

/* Return blocks */

/* True if `block` is the parked block and the SM exists. */
static bool is_same(const gpc_replay *r, const gpci_parked_block *b, const gpci_packed_block *block) {
    return b->warps == block->warp_count && b->sm < r->sm_count && b->digest == digest_of(r, block);
}

static gpc_status refuse(const gpc_replay *r, const char *what, uint64_t block, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_FORMAT, "gpc_replay_resume: %s: %s %llu", r->kernel.file, what,
                     (unsigned long long)block);
}

/* Read again every block read before the snapshot; give every parked block a run. */
static gpc_status read_blocks(gpc_replay *r, const gpci_map *places, gpci_block_run **runs, gpc_error *error) {
    const gpci_parked *p = r->parked;
    size_t found = 0;
    for (uint64_t n = 0; n < r->blocks_read; n++) {
        const gpci_packed_block *block;
        gpc_status status = gpci_trace_next_packed(r->trace, &block, error);
        if (status == GPC_END)
            return refuse(r, "the trace's kernel has fewer blocks than", r->blocks_read, error);
        if (status < 0)
            return status;
        const gpci_map_entry *place = gpci_map_find(places, block->index);
        if (!place) {
            gpci_trace_release_packed(r->trace, block);
            continue;
        }
        const bool same = is_same(r, &p->each[place->value], block) && !runs[place->value];
        gpci_block_run *run = same ? gpci_dispatch_take(r, block) : NULL;
        const uint32_t index = block->index;
        if (!run)
            gpci_trace_release_packed(r->trace, block);
        if (!same)
            return refuse(r, "the trace has another block", index, error);
        if (!run)
            return gpci_out_of_memory(error);
        runs[place->value] = run;
        found++;
    }
    return found == p->block_count ? GPC_OK
                                   : refuse(r, "the trace lacks some of the first blocks, of", r->blocks_read, error);
}

static void return_warps(const gpci_parked_block *b, gpci_block_run *run, const gpci_parked_warp *from) {
    for (uint32_t w = 0; w < b->warps; w++) {
        const gpci_packed_warp *packed = &run->block->warps[w];
        gpci_warp_run *warp = &run->warps[w];
        *warp = (gpci_warp_run){
            .next = packed->path->steps + from[w].next,
            .end = packed->path->steps + packed->path->count,
            .addresses = {.at = packed->addresses + from[w].at, .first = from[w].first, .width = from[w].width},
            .slot = from[w].slot,
            .at_barrier = from[w].at_barrier != 0,
            .barrier = from[w].barrier};
        if (from[w].list != GPCI_PARKED_NONE)
            warp->addresses.list = packed->addresses + from[w].list;
    }
}

static void return_block(gpc_replay *r, const gpci_parked_block *b, gpci_block_run *run, const gpci_parked_warp *from) {
    gpci_sm_run *sm = &r->sms[b->sm];
    run->start = b->start;
    run->slot = b->slot;
    run->first = b->slot * run->block->warp_count;
    run->turn = b->turn;
    run->live = b->live;
    run->at_barrier = b->at_barrier;
    run->apart = b->apart != 0;
    run->writes = b->writes;
    run->at_cluster = b->at_cluster;
    run->sm = b->sm;
    if (b->where == GPCI_PARKED_GATHERED) {
        gpci_clusters_gather(r, run);
        return;
    }
    if (b->where == GPCI_PARKED_QUEUED) {
        gpci_dispatch_queue(r, b->sm, run);
        return;
    }
    sm->resident[sm->residents++] = run;
    r->resident++;
    return_warps(b, run, from);
    if (r->timed)
        gpci_timed_return(r->timed, b->sm, run, b->where == GPCI_PARKED_RUNS ? from : NULL);
}

static void return_blocks(gpc_replay *r, gpci_block_run **runs) {
    const gpci_parked_warp *warps = r->parked->warps;
    r->resident = r->queued = 0;
    for (size_t n = 0; n < r->parked->block_count; n++) {
        return_block(r, &r->parked->each[n], runs[n], warps);
        warps += r->parked->each[n].warps;
    }
    gpci_clusters_relink(r);
    if (r->timed)
        gpci_timed_take_part(r->timed);
    gpci_parked_destroy(r);
}

/* Map block indices to places of parked blocks. */
static gpc_status find_places(const gpc_replay *r, gpci_map *places, gpc_error *error) {
    if (!gpci_map_reserve(r->context, places, r->parked->block_count))
        return gpci_out_of_memory(error);
    for (size_t n = 0; n < r->parked->block_count; n++)
        gpci_map_add(places, r->parked->each[n].index, n);
    return GPC_OK;
}

gpc_status gpci_parked_return(gpc_replay *r, gpc_trace *trace, gpc_error *error) {
    const size_t blocks = r->parked->block_count;
    gpci_map places = {.entries = NULL};
    gpc_launch launch = GPC_LAUNCH_INIT;
    gpci_block_run **runs = gpci_zalloc(r->context, blocks + 1, sizeof(gpci_block_run *));
    r->trace = trace;
    gpc_status status = runs ? find_places(r, &places, error) : gpci_out_of_memory(error);
    if (status == GPC_OK)
        status = gpci_replay_launch(r, &launch, error);
    if (status == GPC_OK)
        status = gpci_dispatch_start(r, &launch, error);
    if (status == GPC_OK)
        status = read_blocks(r, &places, runs, error);
    if (status == GPC_OK) {
        return_blocks(r, runs);
    } else {
        for (size_t n = 0; runs && n < blocks; n++)
            if (runs[n])
                gpci_dispatch_give(r, runs[n]);
        r->trace = NULL;
    }
    gpci_map_free(r->context, &places);
    gpci_free(r->context, runs);
    return status;
}

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

/*
 * The digest reads the fields of gpc_instruction from `registers` on. The fields before may differ between two traces
 * of the same kernel (opcode number, source line), or are read separately.
 */
#define FIRST_OF_FORM offsetof(gpc_instruction, registers)
#define WORDS_OF_FORM ((GPCI_INSTRUCTION_FIELDS - FIRST_OF_FORM) / sizeof(uint64_t))
_Static_assert(WORDS_OF_FORM * sizeof(uint64_t) + FIRST_OF_FORM == GPCI_INSTRUCTION_FIELDS, "whole words");

static uint64_t digest_of_warp(const gpc_replay *replay, const gpci_packed_warp *warp, uint64_t hash) {
    gpci_address_cursor cursor = gpci_packed_begin(warp);
    uint64_t words[WORDS_OF_FORM], addresses[GPCI_MOST_LANES];
    hash = digest(hash, warp->path->count);
    for (size_t n = 0; n < warp->path->count; n++) {
        const gpci_path_step *step = &warp->path->steps[n];
        const gpc_instruction *instruction = &step->form->instruction;
        const unsigned lanes = instruction->addresses ? gpci_path_lanes(step) : 0;
        hash = digest(digest(hash, instruction->pc), step->mask);
        hash = digest(hash, digest_of_text(gpc_trace_opcode(replay->trace, instruction->opcode)));
        memcpy(words, (const char *)instruction + FIRST_OF_FORM, sizeof words);
        for (size_t w = 0; w < WORDS_OF_FORM; w++)
            hash = digest(hash, words[w]);
        gpci_packed_take(&cursor, lanes, addresses);
        for (unsigned lane = 0; lane < lanes; lane++)
            hash = digest(hash, addresses[lane]);
    }
    return hash;
}

static uint64_t digest_of(const gpc_replay *replay, const gpci_packed_block *block) {
    uint64_t hash = digest(0, block->warp_count);
    for (uint32_t w = 0; w < block->warp_count; w++)
        hash = digest_of_warp(replay, &block->warps[w], hash);
    return hash;
}

/* Park blocks */

static void park_warps(const gpc_replay *replay, const gpci_block_run *run, gpci_parked_block *parked,
                       gpci_parked_warp *parked_warp) {
    memset(parked_warp, 0, parked->warps * sizeof *parked_warp);
    for (uint32_t w = 0; w < parked->warps && parked->where == GPCI_PARKED_RUNS; w++) {
        const gpci_packed_warp *packed = &run->block->warps[w];
        const gpci_warp_run *warp = &run->warps[w];
        const gpci_address_cursor *cursor = &warp->addresses;
        parked_warp[w] =
            (gpci_parked_warp){.next = replay->timed ? gpci_timed_step_of(replay->timed, run, parked->sm, w)
                                                     : (uint64_t)(warp->next - packed->path->steps),
                               .at = (uint64_t)(cursor->at - packed->addresses),
                               .list = cursor->list ? (uint64_t)(cursor->list - packed->addresses) : GPCI_PARKED_NONE,
                               .first = cursor->first,
                               .width = cursor->width,
                               .slot = warp->slot,
                               .at_barrier = !replay->timed && warp->at_barrier,
                               .barrier = run->counts_by_warp ? warp->barrier : 0};
    }
}

static void park(const gpc_replay *replay, gpci_parked *parked, uint32_t sm, const gpci_block_run *run,
                 gpci_parked_where where) {
    gpci_parked_block *block = &parked->each[parked->block_count];
    parked->block_count++;
    *block = (gpci_parked_block){.digest = digest_of(replay, run->block),
                                 .start = run->start,
                                 .index = run->block->index,
                                 .sm = sm,
                                 .where = (uint32_t)where,
                                 .warps = run->block->warp_count,
                                 .slot = run->slot,
                                 .next_warp = run->next_warp,
                                 .live = run->live,
                                 .at_barrier = run->at_barrier,
                                 .counts_by_warp = run->counts_by_warp,
                                 .writes = run->writes,
                                 .at_cluster = run->at_cluster};
    park_warps(replay, run, block, &parked->warps[parked->warp_count]);
    parked->warp_count += block->warps;
}

/* State of a resident block: a block of a timed SM may wait for its start (first_start), after all running blocks. */
static gpci_parked_where where_is(const gpc_replay *replay, uint32_t sm, const gpci_block_run *run) {
    const gpci_block_run *waiting = replay->timed ? replay->timed->sms[sm].first_start : NULL;
    while (waiting && waiting != run)
        waiting = waiting->queued;
    return waiting ? GPCI_PARKED_STARTS : GPCI_PARKED_RUNS;
}

static bool reserve(gpc_context *context, gpci_parked *parked, size_t blocks, size_t warps) {
    parked->each = gpci_zalloc(context, blocks + 1, sizeof *parked->each);
    parked->warps = gpci_zalloc(context, warps + 1, sizeof *parked->warps);
    return parked->each && parked->warps;
}

static void clear(gpc_context *context, gpci_parked *parked) {
    gpci_free(context, parked->each);
    gpci_free(context, parked->warps);
}

static size_t warps_waiting(const gpci_block_run *run) {
    size_t warps = 0;
    for (; run; run = run->queued)
        warps += run->block->warp_count;
    return warps;
}

static bool park_all(const gpc_replay *replay, gpci_parked *parked) {
    const size_t blocks = (size_t)replay->resident + replay->queued;
    size_t warps = 0;
    for (uint32_t sm = 0; sm < replay->sm_count; sm++) {
        for (uint32_t i = 0; i < replay->sms[sm].residents; i++)
            warps += replay->sms[sm].resident[i]->block->warp_count;
        warps += warps_waiting(replay->sms[sm].first_queued);
    }
    warps += warps_waiting(replay->first_gathered);
    if (!reserve(replay->context, parked, blocks, warps))
        return false;
    for (uint32_t sm = 0; sm < replay->sm_count; sm++) {
        for (uint32_t i = 0; i < replay->sms[sm].residents; i++)
            park(replay, parked, sm, replay->sms[sm].resident[i], where_is(replay, sm, replay->sms[sm].resident[i]));
        for (const gpci_block_run *run = replay->sms[sm].first_queued; run; run = run->queued)
            park(replay, parked, sm, run, GPCI_PARKED_QUEUED);
    }
    for (const gpci_block_run *run = replay->first_gathered; run; run = run->queued)
        park(replay, parked, 0, run, GPCI_PARKED_GATHERED);
    return true;
}

static void archive(gpci_parked *parked, gpci_archive *archived) {
    gpci_archive_bytes(archived, parked->each, parked->block_count * sizeof *parked->each);
    gpci_archive_bytes(archived, parked->warps, parked->warp_count * sizeof *parked->warps);
}

static void save(const gpc_replay *replay, gpci_archive *archived) {
    gpci_parked own = {.each = NULL}, *parked = replay->parked ? replay->parked : &own;
    if (!replay->parked && !park_all(replay, &own))
        gpci_archive_fail(archived, GPC_ERROR_MEMORY, "");
    gpci_archive_number(archived, parked->block_count);
    gpci_archive_number(archived, parked->warp_count);
    archive(parked, archived);
    clear(replay->context, &own);
}

void gpci_parked_archive(gpc_replay *replay, gpci_archive *archived) {
    if (!archived->loading) {
        save(replay, archived);
        return;
    }
    const size_t blocks = (size_t)gpci_archive_count(archived, 0, sizeof(gpci_parked_block)),
                 warps = (size_t)gpci_archive_count(archived, 0, sizeof(gpci_parked_warp));
    if (archived->status < 0)
        return;
    replay->parked = gpci_zalloc(replay->context, 1, sizeof *replay->parked);
    if (!replay->parked || !reserve(replay->context, replay->parked, blocks, warps)) {
        gpci_archive_fail(archived, GPC_ERROR_MEMORY, "");
        return;
    }
    replay->parked->block_count = blocks;
    replay->parked->warp_count = warps;
    archive(replay->parked, archived);
}

void gpci_parked_destroy(gpc_replay *replay) {
    if (!replay->parked)
        return;
    clear(replay->context, replay->parked);
    gpci_free(replay->context, replay->parked);
    replay->parked = NULL;
}

/* Return blocks */

/* True if `block` is the parked block and the SM exists. */
static bool is_same(const gpc_replay *replay, const gpci_parked_block *parked, const gpci_packed_block *block) {
    return parked->warps == block->warp_count && parked->sm < replay->sm_count &&
           parked->digest == digest_of(replay, block);
}

static gpc_status refuse(const gpc_replay *replay, const char *what, uint64_t block, gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_FORMAT, "gpc_replay_resume: %s: %s %llu", replay->kernel.file, what,
                     (unsigned long long)block);
}

/* Read again all blocks that were read before the snapshot, and make a run for every parked block. */
static gpc_status read_blocks(gpc_replay *replay, const gpci_map *places, gpci_block_run **runs, gpc_error *error) {
    const gpci_parked *parked = replay->parked;
    size_t found = 0;
    for (uint64_t n = 0; n < replay->blocks_read; n++) {
        const gpci_packed_block *block;
        gpc_status status = gpci_trace_next_packed(replay->trace, &block, error);
        if (status == GPC_END)
            return refuse(replay, "the trace's kernel has fewer blocks than", replay->blocks_read, error);
        if (status < 0)
            return status;
        const gpci_map_entry *place = gpci_map_find(places, block->index);
        if (!place) {
            gpci_trace_release_packed(replay->trace, block);
            continue;
        }
        const bool same = is_same(replay, &parked->each[place->value], block) && !runs[place->value];
        gpci_block_run *run = same ? gpci_dispatch_take(replay, block) : NULL;
        const uint32_t index = block->index;
        if (!run)
            gpci_trace_release_packed(replay->trace, block);
        if (!same)
            return refuse(replay, "the trace has another block", index, error);
        if (!run)
            return gpci_out_of_memory(error);
        runs[place->value] = run;
        found++;
    }
    return found == parked->block_count
               ? GPC_OK
               : refuse(replay, "the trace lacks some of the first blocks, of", replay->blocks_read, error);
}

static void return_warps(const gpci_parked_block *parked, gpci_block_run *run, const gpci_parked_warp *from) {
    for (uint32_t w = 0; w < parked->warps; w++) {
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

static void return_block(gpc_replay *replay, const gpci_parked_block *parked, gpci_block_run *run,
                         const gpci_parked_warp *from) {
    gpci_sm_run *sm = &replay->sms[parked->sm];
    run->start = parked->start;
    run->slot = parked->slot;
    run->first = parked->slot * run->block->warp_count;
    run->next_warp = parked->next_warp;
    run->live = parked->live;
    run->at_barrier = parked->at_barrier;
    run->counts_by_warp = parked->counts_by_warp != 0;
    run->writes = parked->writes;
    run->at_cluster = parked->at_cluster;
    run->sm = parked->sm;
    if (parked->where == GPCI_PARKED_GATHERED) {
        gpci_clusters_gather(replay, run);
        return;
    }
    if (parked->where == GPCI_PARKED_QUEUED) {
        gpci_dispatch_queue(replay, parked->sm, run);
        return;
    }
    sm->resident[sm->residents++] = run;
    replay->resident++;
    return_warps(parked, run, from);
    if (replay->timed)
        gpci_timed_return(replay->timed, parked->sm, run, parked->where == GPCI_PARKED_RUNS ? from : NULL);
}

static void return_blocks(gpc_replay *replay, gpci_block_run **runs) {
    const gpci_parked_warp *warps = replay->parked->warps;
    replay->resident = replay->queued = 0;
    for (size_t n = 0; n < replay->parked->block_count; n++) {
        return_block(replay, &replay->parked->each[n], runs[n], warps);
        warps += replay->parked->each[n].warps;
    }
    gpci_clusters_relink(replay);
    if (replay->timed)
        gpci_timed_take_part(replay->timed);
    gpci_parked_destroy(replay);
}

/* Map the index of each parked block to its place in parked->each. */
static gpc_status find_places(const gpc_replay *replay, gpci_map *places, gpc_error *error) {
    if (!gpci_map_reserve(replay->context, places, replay->parked->block_count))
        return gpci_out_of_memory(error);
    for (size_t n = 0; n < replay->parked->block_count; n++)
        gpci_map_add(places, replay->parked->each[n].index, n);
    return GPC_OK;
}

gpc_status gpci_parked_return(gpc_replay *replay, gpc_trace *trace, gpc_error *error) {
    const size_t blocks = replay->parked->block_count;
    gpci_map places = {.entries = NULL};
    gpc_launch launch = GPC_LAUNCH_INIT;
    gpci_block_run **runs = gpci_zalloc(replay->context, blocks + 1, sizeof(gpci_block_run *));
    replay->trace = trace;
    gpc_status status = runs ? find_places(replay, &places, error) : gpci_out_of_memory(error);
    if (status == GPC_OK)
        status = gpci_replay_launch(replay, &launch, error);
    if (status == GPC_OK)
        status = gpci_dispatch_start(replay, &launch, error);
    if (status == GPC_OK)
        status = read_blocks(replay, &places, runs, error);
    if (status == GPC_OK) {
        return_blocks(replay, runs);
    } else {
        for (size_t n = 0; runs && n < blocks; n++)
            if (runs[n])
                gpci_dispatch_give(replay, runs[n]);
        replay->trace = NULL;
    }
    gpci_map_free(replay->context, &places);
    gpci_free(replay->context, runs);
    return status;
}

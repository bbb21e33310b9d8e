/* SPDX-License-Identifier: BSD-2-Clause */
#include "functional/functional_memory.h"
#include "functional/round_lanes.h"
#include "level/build/gl1.h"

/* Functional path of a request below L1: the L2 partition of the SM, the home partition of the line, and DRAM. */

/* Write segments of the L2 line of an address, in a slice, through the cache beside memory. */
static GPCI_NOINLINE gpc_status write_beside(gpc_hierarchy *hierarchy, uint32_t slice, uint64_t address,
                                             uint8_t segments) {
    GPCI_AGAIN(hierarchy->of_slice[slice].again.memory_cache_write_sectors += gpci_count_sectors(segments));
    return gpci_functional_write_beside(hierarchy, slice, address, segments);
}

/* Write segments of the L1 line at an address, in a slice, to memory. */
GPCI_INLINE gpc_status write_memory(gpc_hierarchy *hierarchy, uint32_t slice, uint64_t address, uint8_t segments,
                                    bool watched) {
    if (GPCI_UNLIKELY(hierarchy->memory_caches != NULL))
        return write_beside(hierarchy, slice, address, (uint8_t)(segments << gpci_l2_shift(hierarchy, address)));
    gpci_functional_write_dram(hierarchy, address, gpci_count_sectors(segments), watched);
    return GPC_OK;
}

/* Lines that an inclusive L2 takes from L1s. */
typedef struct taken_lines {
    gpc_hierarchy *hierarchy;
    uint32_t slice;
    gpc_status status;
} taken_lines;

static void write_taken(void *user_data, uint64_t address, uint8_t segments) {
    taken_lines *taken = user_data;
    const gpc_status status =
        write_memory(taken->hierarchy, taken->slice, address, segments, taken->hierarchy->log != NULL);
    taken->status = taken->status < 0 ? taken->status : status;
}

/* Write segments of a slice's line to memory, with its event. */
static GPCI_COLD gpc_status write_back_watched(gpc_hierarchy *hierarchy, uint32_t slice, uint64_t line,
                                               uint8_t segments) {
    const gpci_ids present = hierarchy->log->below;
    gpci_append_step(hierarchy->log, GPC_WHAT_WRITE_BACK, GPC_COMPONENT_L2, slice, line, gpci_count_sectors(segments),
                     0);
    const gpc_status status = write_memory(hierarchy, slice, line, segments, true);
    hierarchy->log->below = present;
    return status;
}

/* Write dirty bytes of a slice's line to memory. */
static gpc_status write_back(gpc_hierarchy *hierarchy, uint32_t slice, uint64_t line, const uint64_t bytes[2]) {
    const uint8_t segments = gpci_l2_write_back(hierarchy, slice, bytes);
    if (!segments)
        return GPC_OK;
    if (GPCI_UNLIKELY(hierarchy->log != NULL))
        return write_back_watched(hierarchy, slice, gpci_l2_host_address(hierarchy, slice, line), segments);
    if (GPCI_UNLIKELY(hierarchy->memory_caches != NULL))
        return write_beside(hierarchy, slice, gpci_l2_host_address(hierarchy, slice, line), segments);
    gpci_count_dram_write(hierarchy, gpci_count_sectors(segments));
    return GPC_OK;
}

static GPCI_COLD void tell_access(const gpc_hierarchy *hierarchy, uint32_t slice, const gpc_request *request,
                                  const gpc_access_result *result) {
    uint32_t sectors = gpci_count_sectors(hierarchy->l2_level.segments_of[request->sector_mask]);
    gpci_append_step(hierarchy->log, GPC_WHAT_LOOKUP, GPC_COMPONENT_L2, slice,
                     gpci_l2_host_address(hierarchy, slice, request->address), sectors, result->outcome);
    if (result->evicted)
        gpci_append_evict(hierarchy->log, GPC_COMPONENT_L2, slice,
                          gpci_l2_host_address(hierarchy, slice, result->eviction.line_address), &result->eviction);
}

static void tell_sectors(const gpc_hierarchy *hierarchy, gpc_what what, uint32_t slice, uint64_t inner,
                         uint8_t sectors) {
    gpci_append_step(hierarchy->log, what, GPC_COMPONENT_L2, slice, gpci_l2_host_address(hierarchy, slice, inner),
                     gpci_count_sectors(hierarchy->l2_level.segments_of[sectors]), 0);
}

/* Record a fetch by a slice. Returns the event ids of the slice's requester; pass them to tell_fill. */
static GPCI_COLD gpci_ids tell_fetch(const gpc_hierarchy *hierarchy, uint32_t slice, uint64_t inner,
                                     const gpc_access_result *result) {
    gpci_ids requester = hierarchy->log->below;
    tell_sectors(hierarchy, GPC_WHAT_FETCH, slice, inner, result->fetch_sectors);
    return requester;
}

/* Record the arrival of fetched data at a slice, which keeps the data, or bypasses. `requester`: from tell_fetch. */
static GPCI_COLD void tell_fill(const gpc_hierarchy *hierarchy, uint32_t slice, uint64_t inner,
                                const gpc_access_result *result, gpci_ids requester) {
    hierarchy->log->below = requester;
    tell_sectors(hierarchy, result->way == GPCI_NO_WAY ? GPC_WHAT_BYPASS : GPC_WHAT_FILL, slice, inner,
                 result->fetch_sectors);
}

/* Handle an eviction from a slice. */
static GPCI_NOINLINE gpc_status line_left(gpc_hierarchy *hierarchy, uint32_t slice, const gpc_eviction *eviction) {
    taken_lines taken = {hierarchy, slice, write_back(hierarchy, slice, eviction->line_address, eviction->dirty_bytes)};
    gpci_l2_take_from_l1(hierarchy, slice, eviction->line_address, write_taken, &taken);
    return taken.status;
}

GPCI_INLINE gpc_status access_slice(gpc_hierarchy *hierarchy, uint32_t slice, const gpc_request *request,
                                    gpc_access_result *result, bool watched) {
    gpc_status status = gpc_cache_access(hierarchy->l2[slice], request, result, NULL);
    if (watched && status == GPC_OK)
        tell_access(hierarchy, slice, request, result);
    if (status == GPC_OK && result->evicted)
        return line_left(hierarchy, slice, &result->eviction);
    return status;
}

/* Read a slice's missing sectors from memory. */
GPCI_INLINE gpc_status fetch(gpc_hierarchy *hierarchy, const gpci_line_access *access, const gpc_request *request,
                             uint32_t slice, uint64_t inner, uint64_t address, const gpc_access_result *result,
                             bool watched) {
    const uint8_t segments = hierarchy->l2_level.segments_of[result->fetch_sectors];
    gpc_status status = GPC_OK;
    gpci_ids requester = {0, 0};
    if (watched && segments)
        requester = tell_fetch(hierarchy, slice, inner, result);
    if (GPCI_LIKELY(hierarchy->memory_caches == NULL))
        gpci_functional_read_dram(hierarchy, access, request, address, gpci_count_sectors(segments), watched);
    else if (segments) {
        GPCI_AGAIN(hierarchy->of_slice[slice].again.memory_cache_read_sectors += gpci_count_sectors(segments));
        status = gpci_functional_read_beside(hierarchy, access, request, slice, address, segments);
    }
    if (watched && segments)
        tell_fill(hierarchy, slice, inner, result, requester);
    return status;
}

/* Read a slice's missing sectors from the line's home slice in the other partition. */
GPCI_INLINE gpc_status fetch_remote(gpc_hierarchy *hierarchy, const gpci_line_access *access, uint64_t address,
                                    const gpci_l2_place *place, gpc_request *request, const gpc_access_result *lacks,
                                    bool watched) {
    uint32_t own = hierarchy->sm_partition[request->sm], home = gpci_l2_home(hierarchy, own, address);
    uint32_t slice = gpci_l2_slice(hierarchy, own, place->slice), remote = gpci_l2_slice(hierarchy, home, place->slice);
    gpc_access_result result;
    gpci_ids requester = {0, 0};
    if (watched)
        requester = tell_fetch(hierarchy, slice, place->inner, lacks);
    gpci_count_l2_remote(hierarchy, slice, gpci_count_sectors(hierarchy->l2_level.segments_of[lacks->fetch_sectors]));
    gpci_l2_ask_on(request, lacks->fetch_sectors, lacks->policy_word);
    gpc_status status = access_slice(hierarchy, remote, request, &result, watched);
    GPCI_AGAIN(gpci_count_l2_remote_again(
        hierarchy, remote, status != GPC_OK ? 0 : hierarchy->l2_level.segments_of[result.needed_sectors]));
    if (status == GPC_OK)
        status = fetch(hierarchy, access, request, remote, place->inner, address, &result, watched);
    if (watched && status == GPC_OK)
        tell_fill(hierarchy, slice, place->inner, lacks, requester);
    return status;
}

/* Read the line at `address` through the slice of the SM's own partition. `hits`: segments found in the slice. */
GPCI_INLINE gpc_status read_slices(gpc_hierarchy *hierarchy, const gpci_line_access *access, uint64_t address,
                                   const gpci_l2_place *place, gpc_request *request, uint8_t segments, uint8_t *hits,
                                   uint32_t *reply_word, bool watched) {
    uint32_t own = hierarchy->sm_partition[request->sm], home = gpci_l2_home(hierarchy, own, address);
    uint32_t slice = gpci_l2_slice(hierarchy, own, place->slice);
    gpc_access_result result;
    gpci_l2_ask(hierarchy, place, segments, request);
    gpc_status status = access_slice(hierarchy, slice, request, &result, watched);
    if (status < 0)
        return status;
    *reply_word = gpc_cache_respond(hierarchy->l2[slice], request);
    *hits = gpci_l2_segments(hierarchy, place->shift, result.hit_sectors, segments);
    if (!result.fetch_sectors)
        return GPC_OK;
    if (home != own)
        return fetch_remote(hierarchy, access, address, place, request, &result, watched);
    return fetch(hierarchy, access, request, slice, place->inner, address, &result, watched);
}

GPCI_INLINE gpc_status read(gpc_hierarchy *hierarchy, const gpci_line_access *access, const gpc_request *request,
                            uint8_t segments, uint32_t policy_word, uint32_t *reply_word, bool watched) {
    uint32_t count = gpci_count_sectors(segments);
    *reply_word = 0;
    if (!hierarchy->l2) {
        gpci_functional_read_dram(hierarchy, access, request, request->address, count, watched);
        return GPC_OK;
    }
    uint8_t found = 0;
    gpc_request down = *request;
    gpci_l1_ask_read(&down, policy_word);
    gpci_l2_window(hierarchy, request->address, &down);
    gpci_l2_place place = gpci_l2_place_of(hierarchy, request->address);
    gpc_status status =
        read_slices(hierarchy, access, request->address, &place, &down, segments, &found, reply_word, watched);
    uint32_t hits = gpci_count_sectors(found);
    const uint32_t asked = gpci_l2_slice(hierarchy, hierarchy->sm_partition[request->sm], place.slice);
    gpci_count_l2_read(hierarchy, asked, count, hits);
    gpci_count_l2_persisting(hierarchy, asked, down.priority, count, hits);
    gpci_stream_l2_read(hierarchy, asked, request, count, hits);
    access->result->l2_sectors += count;
    access->result->l2_sector_hits += hits;
    return status;
}

static GPCI_COLD gpc_status read_watched(gpc_hierarchy *hierarchy, const gpci_line_access *access,
                                         const gpc_request *request, uint8_t segments, uint32_t policy_word,
                                         uint32_t *reply_word) {
    return read(hierarchy, access, request, segments, policy_word, reply_word, true);
}

gpc_status gpci_functional_slice_read(gpc_hierarchy *hierarchy, const gpci_line_access *access,
                                      const gpc_request *request, uint8_t segments, uint32_t policy_word,
                                      uint32_t *reply_word) {
    if (GPCI_UNLIKELY(hierarchy->log != NULL))
        return read_watched(hierarchy, access, request, segments, policy_word, reply_word);
    return read(hierarchy, access, request, segments, policy_word, reply_word, false);
}

gpc_status gpci_functional_l2_read(gpc_hierarchy *hierarchy, const gpci_line_access *access, const gpc_request *request,
                                   uint8_t segments, uint32_t policy_word, uint32_t *reply_word) {
    if (GPCI_UNLIKELY(hierarchy->asked != NULL)) {
        *reply_word = 0;
        gpci_round_lanes_keep(hierarchy, GPCI_ASKED_READ, request, segments, policy_word, NULL);
        return GPC_OK;
    }
    if (GPCI_UNLIKELY(hierarchy->gl1 != NULL) && gpci_gl1_takes(request)) {
        *reply_word = 0;
        return gpci_functional_gl1_read(hierarchy, access, request, segments, policy_word);
    }
    if (GPCI_UNLIKELY(hierarchy->log != NULL))
        return read_watched(hierarchy, access, request, segments, policy_word, reply_word);
    return read(hierarchy, access, request, segments, policy_word, reply_word, false);
}

/*
 * Run a write or an atomic on segments of an L1 line, in the home slice of the line. `down`: the request with the
 * slice's address and sectors.
 */
GPCI_INLINE gpc_status change(gpc_hierarchy *hierarchy, const gpci_line_access *access, uint64_t address,
                              const gpci_l2_place *place, const gpc_request *down, uint8_t segments,
                              const uint64_t bytes[2], bool watched) {
    uint32_t count = gpci_count_sectors(segments),
             home = gpci_l2_home(hierarchy, hierarchy->sm_partition[down->sm], address);
    uint32_t slice = gpci_l2_slice(hierarchy, home, place->slice);
    gpc_access_result result;
    if (hierarchy->sm_partition[down->sm] != home)
        gpci_count_l2_remote(hierarchy, gpci_l2_slice(hierarchy, hierarchy->sm_partition[down->sm], place->slice),
                             count);
    gpci_l2_drop_copy(hierarchy, slice, place->inner, address);
    gpc_status status = access_slice(hierarchy, slice, down, &result, watched);
    if (status < 0)
        return status;
    GPCI_AGAIN(gpci_count_l2_remote_again(
        hierarchy, slice, hierarchy->sm_partition[down->sm] == slice / hierarchy->slices_per_partition ? 0 : segments));
    access->result->l2_sectors += count;
    access->result->l2_sector_hits +=
        gpci_l2_count_change(hierarchy, slice, down, place->shift, segments, bytes, &result);
    status = fetch(hierarchy, access, down, slice, place->inner, address, &result, watched);
    if (status < 0)
        return status;
    const uint8_t written = gpci_l2_written(down, &result, (uint8_t)(segments << place->shift));
    return write_memory(hierarchy, slice, address, (uint8_t)(written >> place->shift), watched);
}

GPCI_INLINE gpc_status write(gpc_hierarchy *hierarchy, const gpci_line_access *access, const gpc_request *request,
                             uint32_t policy_word, const uint64_t bytes[2], bool watched) {
    uint8_t segments = gpci_segments_of(bytes);
    if (!hierarchy->l2) {
        return write_memory(hierarchy, 0, request->address, segments, watched);
    }
    gpc_request down = *request;
    gpci_l2_place place = gpci_l2_place_of(hierarchy, down.address);
    gpci_l2_window(hierarchy, request->address, &down);
    gpci_l2_ask_write(hierarchy, &place, bytes, segments, &down);
    down.policy.policy_word = policy_word;
    return change(hierarchy, access, request->address, &place, &down, segments, bytes, watched);
}

static GPCI_COLD gpc_status write_watched(gpc_hierarchy *hierarchy, const gpci_line_access *access,
                                          const gpc_request *request, uint32_t policy_word, const uint64_t bytes[2]) {
    return write(hierarchy, access, request, policy_word, bytes, true);
}

gpc_status gpci_functional_l2_write(gpc_hierarchy *hierarchy, const gpci_line_access *access,
                                    const gpc_request *request, uint32_t policy_word, const uint64_t bytes[2]) {
    if (GPCI_UNLIKELY(hierarchy->asked != NULL)) {
        gpci_round_lanes_keep(hierarchy, GPCI_ASKED_WRITE, request, 0, policy_word, bytes);
        return GPC_OK;
    }
    if (GPCI_UNLIKELY(hierarchy->gl1 != NULL))
        gpci_gl1_change(hierarchy, request->sm, request->address);
    if (GPCI_UNLIKELY(hierarchy->log != NULL))
        return write_watched(hierarchy, access, request, policy_word, bytes);
    return write(hierarchy, access, request, policy_word, bytes, false);
}

GPCI_INLINE gpc_status atomic(gpc_hierarchy *hierarchy, const gpci_line_access *access, bool watched) {
    uint8_t segments = access->line->segments;
    if (!hierarchy->l2) {
        gpci_functional_read_dram(hierarchy, access, &access->request, access->request.address,
                                  gpci_count_sectors(segments), watched);
        return write_memory(hierarchy, 0, access->request.address, segments, watched);
    }
    gpc_request down = access->request;
    gpci_l2_place place = gpci_l2_place_of(hierarchy, down.address);
    gpci_l2_window(hierarchy, access->request.address, &down);
    gpci_l2_ask(hierarchy, &place, segments, &down);
    return change(hierarchy, access, access->request.address, &place, &down, segments, access->line->bytes, watched);
}

static GPCI_COLD gpc_status atomic_watched(gpc_hierarchy *hierarchy, const gpci_line_access *access) {
    return atomic(hierarchy, access, true);
}

gpc_status gpci_functional_l2_atomic(gpc_hierarchy *hierarchy, const gpci_line_access *access) {
    if (GPCI_UNLIKELY(hierarchy->asked != NULL)) {
        gpci_round_lanes_keep(hierarchy, GPCI_ASKED_ATOMIC, &access->request, access->line->segments, 0,
                              access->line->bytes);
        return GPC_OK;
    }
    if (GPCI_UNLIKELY(hierarchy->gl1 != NULL))
        gpci_gl1_change(hierarchy, access->request.sm, access->request.address);
    return GPCI_UNLIKELY(hierarchy->log != NULL) ? atomic_watched(hierarchy, access) : atomic(hierarchy, access, false);
}

void gpci_functional_l2_expect(const gpc_hierarchy *hierarchy, uint32_t sm, uint64_t address) {
    if (!hierarchy->l2)
        return;
    gpci_l2_place place = gpci_l2_place_of(hierarchy, address);
    uint32_t own = hierarchy->sm_partition[sm], home = gpci_l2_home(hierarchy, own, address);
    gpci_sw_prefetch_set(hierarchy->l2[gpci_l2_slice(hierarchy, home, place.slice)], place.inner);
    if (home != own)
        gpci_sw_prefetch_set(hierarchy->l2[gpci_l2_slice(hierarchy, own, place.slice)], place.inner);
}

gpc_status gpci_functional_flush_l2(gpc_hierarchy *hierarchy) {
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; hierarchy->l2 && i < hierarchy->slices; i++) {
        gpc_line line;
        gpc_cache *slice = hierarchy->l2[i];
        for (size_t slot = 0; gpci_next_dirty(slice, &slot, &line); slot++) {
            uint64_t bytes[2];
            gpci_dirty_bytes(slice, &line, bytes);
            const gpc_status written = write_back(hierarchy, i, line.line_address, bytes);
            status = status < 0 ? status : written;
        }
        gpci_drop_all(slice);
    }
    gpci_functional_flush_beside(hierarchy);
    return status;
}

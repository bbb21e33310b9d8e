/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "hierarchy/hierarchy_snapshot.h"
#include "level/access/future.h"
#include "replay/blocks/parked.h"
#include "replay/core/timed_replay.h"
#include "replay/sampling/sampling.h"

#include <string.h>

/*
 * A replay in a snapshot: its hierarchy, the state that SMs and schedulers keep between kernels, and the number of
 * kernels of the trace so far. Between two kernels no block is on an SM, and no access is in flight. A snapshot within
 * a kernel also has the kernel's progress, its blocks (parked.h), and its warps with their scoreboards.
 */

/* FNV-1a hash. */
static uint64_t mixed(uint64_t hash, const void *data, size_t bytes) {
    for (const uint8_t *at = data; bytes--; at++)
        hash = (hash ^ *at) * 0x100000001b3u;
    return hash;
}

void gpci_replay_had(gpc_replay *replay, const gpc_kernel *kernel) {
    replay->had++;
    replay->had_names =
        mixed(mixed(replay->had_names, kernel->name, strlen(kernel->name)), kernel->grid, sizeof kernel->grid);
    replay->had_names = mixed(mixed(replay->had_names, kernel->block, sizeof kernel->block), &kernel->block_count,
                              sizeof kernel->block_count);
}

/* Save or load the future accesses of each L1 in the current kernel. Between kernels, only the number of accesses. */
static void archive_future(gpci_future *future, bool in_kernel, gpci_archive *archive) {
    for (uint32_t sm = 0; sm < future->sm_count; sm++) {
        gpci_future_sm *future_sm = &future->sms[sm];
        const size_t count = (size_t)gpci_archive_number(archive, future_sm->count), kept = in_kernel ? count : 0;
        GPCI_ARCHIVE_FIELD(archive, future_sm->at), GPCI_ARCHIVE_FIELD(archive, future_sm->base);
        if (archive->loading && kept > (archive->end - archive->at) / sizeof *future_sm->entries)
            gpci_archive_fail(archive, GPC_ERROR_FORMAT, "more than there is in the section");
        if (archive->status == GPC_OK && archive->loading &&
            !GPCI_ARRAY_RESERVE(future->context, future_sm->entries, future_sm->capacity, 0, kept))
            gpci_archive_fail(archive, GPC_ERROR_MEMORY, "");
        if (archive->status == GPC_OK)
            future_sm->count = count;
        gpci_archive_bytes(archive, future_sm->entries, kept * sizeof *future_sm->entries);
    }
}

/* Save or load the progress of the current kernel. */
static void archive_kernel(gpc_replay *replay, gpci_archive *archive) {
    gpci_archive_section(archive, "kernel");
    GPCI_ARCHIVE_FIELD(archive, replay->before), GPCI_ARCHIVE_FIELD(archive, replay->begun),
        GPCI_ARCHIVE_FIELD(archive, replay->policies_vote), GPCI_ARCHIVE_FIELD(archive, replay->ended),
        GPCI_ARCHIVE_FIELD(archive, replay->skipping);
    uint64_t *const counts[] = {&replay->blocks_read,   &replay->blocks_last, &replay->instructions,
                                &replay->threads,       &replay->blocks,      &replay->blocks_told,
                                &replay->next_progress, &replay->first_pc,    &replay->instructions_told,
                                &replay->last_pc};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        gpci_archive_bytes(archive, counts[i], sizeof *counts[i]);
    for (uint32_t sm = 0; sm < replay->sm_count; sm++)
        GPCI_ARCHIVE_FIELD(archive, replay->sms[sm].instructions), GPCI_ARCHIVE_FIELD(archive, replay->sms[sm].threads);
    gpci_parked_archive(replay, archive);
}

static void archive_streams(gpc_replay *replay, gpci_archive *archive) {
    const size_t most = replay->hierarchy->streams;
    if (most == 1)
        return;
    if (!replay->stream_ids && !(replay->stream_ids = gpci_zalloc(replay->context, most, sizeof *replay->stream_ids))) {
        gpci_archive_fail(archive, GPC_ERROR_MEMORY, "");
        return;
    }
    gpci_archive_bytes(archive, replay->stream_ids, most * sizeof *replay->stream_ids);
    GPCI_ARCHIVE_FIELD(archive, replay->streams_seen), GPCI_ARCHIVE_FIELD(archive, replay->stream);
    if (replay->streams_seen > most)
        gpci_archive_fail(archive, GPC_ERROR_FORMAT, "more streams than there are");
}

static void check(const gpc_replay *replay, gpci_archive *archive) {
    if (replay->inside)
        gpci_archive_fail(archive, GPC_ERROR_STATE, "in the middle of a call: not from a callback");
    if (!replay->trace && !replay->parked && gpc_hierarchy_in_flight(replay->hierarchy))
        gpci_archive_fail(archive, GPC_ERROR_STATE, "accesses of a kernel that was given up are in flight");
}

static void archive_replay(void *object, gpci_archive *archive) {
    gpc_replay *replay = object;
    check(replay, archive);
    gpci_hierarchy_archive(replay->hierarchy, archive);
    gpci_archive_section(archive, "replay");
    const bool in_kernel = gpci_archive_number(archive, replay->trace || replay->parked) != 0;
    GPCI_ARCHIVE_FIELD(archive, replay->had), GPCI_ARCHIVE_FIELD(archive, replay->had_names),
        GPCI_ARCHIVE_FIELD(archive, replay->total), GPCI_ARCHIVE_FIELD(archive, replay->last),
        GPCI_ARCHIVE_FIELD(archive, replay->has_last), GPCI_ARCHIVE_FIELD(archive, replay->rounds),
        GPCI_ARCHIVE_FIELD(archive, replay->all_rounds), GPCI_ARCHIVE_FIELD(archive, replay->next_sm),
        GPCI_ARCHIVE_FIELD(archive, replay->random);
    gpci_archive_bytes(archive, replay->samples, replay->sm_count * sizeof *replay->samples);
    for (uint32_t sm = 0; sm < replay->sm_count; sm++)
        GPCI_ARCHIVE_FIELD(archive, replay->sms[sm].next_block);
    archive_streams(replay, archive);
    if (replay->future)
        archive_future(replay->future, in_kernel, archive);
    gpci_replay_archive_objects(replay, archive);
    if (in_kernel)
        archive_kernel(replay, archive);
    if (replay->sampling)
        gpci_sampling_archive(replay, archive);
    if (replay->timed) {
        gpci_archive_section(archive, "sms");
        gpci_timed_archive_sms(replay->timed, in_kernel, archive);
    }
}

static gpc_status create_replay(gpc_context *context, const gpc_config *config, gpc_error *error, void **out) {
    gpc_replay *replay = NULL;
    gpc_status status = gpc_replay_create(context, config, &replay, error);
    *out = replay;
    return status;
}

static void destroy_replay(void *r) {
    gpc_replay_destroy(r);
}

static const uint64_t sizes[] = {sizeof(gpci_timed_sm),  sizeof(gpci_timed_warp),   sizeof(gpci_issuer),
                                 sizeof(gpci_warp_word), sizeof(gpci_parked_block), sizeof(gpci_parked_warp),
                                 sizeof(gpci_alike),     sizeof(gpci_sampling),     GPCI_BOARD_ENTRIES};

static const gpci_saved_kind replays = {.kind = GPCI_SNAPSHOT_REPLAY,
                                        .sizes = sizes,
                                        .size_count = sizeof sizes / sizeof *sizes,
                                        .create = create_replay,
                                        .destroy = destroy_replay,
                                        .archive = archive_replay};

gpci_saved gpci_replay_saved(const gpc_replay *replay) {
    return (gpci_saved){&replays, replay, replay->context, replay->config};
}

gpc_status gpc_replay_load(gpc_context *context, const gpc_stream *from, const gpc_load_options *options,
                           gpc_replay **out, gpc_error *error) {
    if (!context || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_load: %s is NULL", context ? "out" : "context");
    void *r = NULL;
    gpc_status status = gpci_load(&replays, context, from, options, error, &r);
    if (status == GPC_OK)
        *out = r;
    return status;
}

gpc_status gpc_replay_copy(const gpc_replay *replay, gpc_replay **out, gpc_error *error) {
    if (!replay || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_copy: %s is NULL", replay ? "out" : "replay");
    const gpci_saved from = gpci_replay_saved(replay);
    void *copy = NULL;
    gpc_status status = gpci_copy(&from, error, &copy);
    if (status == GPC_OK)
        *out = copy;
    return status;
}

/* Read the kernels of a trace that the replay has had. `last` receives the last of them. */
static gpc_status pass_kernels(const gpc_replay *replay, gpc_trace *trace, gpc_kernel *last, gpc_error *error) {
    gpc_replay seen = {.had = 0};
    while (seen.had < replay->had) {
        *last = (gpc_kernel)GPC_KERNEL_INIT;
        gpc_status status = gpc_trace_next_kernel(trace, last, error);
        if (status == GPC_END)
            return gpci_fail(error, GPC_ERROR_FORMAT,
                             "gpc_replay_resume: the replay has had %llu kernels, the trace has %llu",
                             (unsigned long long)replay->had, (unsigned long long)seen.had);
        if (status < 0)
            return status;
        gpci_replay_had(&seen, last);
    }
    return seen.had_names == replay->had_names
               ? GPC_OK
               : gpci_fail(error, GPC_ERROR_FORMAT, "gpc_replay_resume: the trace begins with other kernels");
}

gpc_status gpc_replay_resume(gpc_replay *replay, gpc_trace *trace, gpc_error *error) {
    if (!replay || !trace)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_resume: %s is NULL", replay ? "trace" : "replay");
    if (replay->trace)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_replay_resume: the replay is in the middle of a kernel");
    gpc_kernel last;
    gpc_status status = pass_kernels(replay, trace, &last, error);
    if (status < 0 || !replay->parked)
        return status;
    replay->kernel = last;
    return gpci_parked_return(replay, trace, error);
}

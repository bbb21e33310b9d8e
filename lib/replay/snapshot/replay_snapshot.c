/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "hierarchy/hierarchy_snapshot.h"
#include "level/access/future.h"
#include "replay/blocks/parked.h"
#include "replay/core/timed_replay.h"
#include "replay/sampling/sampling.h"

#include <string.h>

/*
 * A replay in a snapshot: its hierarchy, the state SMs and schedulers keep between kernels, and the number of kernels
 * of the trace so far. Between two kernels no block is on an SM, and no access is in flight. Within a kernel the
 * snapshot also has the kernel's progress, its blocks (parked.h), and warps with their scoreboards.
 */

/* FNV-1a hash. */
static uint64_t mixed(uint64_t hash, const void *data, size_t bytes) {
    for (const uint8_t *at = data; bytes--; at++)
        hash = (hash ^ *at) * 0x100000001b3u;
    return hash;
}

void gpci_replay_had(gpc_replay *r, const gpc_kernel *k) {
    r->had++;
    r->had_names = mixed(mixed(r->had_names, k->name, strlen(k->name)), k->grid, sizeof k->grid);
    r->had_names = mixed(mixed(r->had_names, k->block, sizeof k->block), &k->block_count, sizeof k->block_count);
}

/* Save or load each L1's future accesses of the current kernel; between kernels only their number. */
static void archive_future(gpci_future *f, bool in_kernel, gpci_archive *a) {
    for (uint32_t sm = 0; sm < f->sm_count; sm++) {
        gpci_future_sm *s = &f->sms[sm];
        const size_t count = (size_t)gpci_archive_number(a, s->count), kept = in_kernel ? count : 0;
        GPCI_ARCHIVE_FIELD(a, s->at), GPCI_ARCHIVE_FIELD(a, s->base);
        if (a->loading && kept > (a->end - a->at) / sizeof *s->entries)
            gpci_archive_fail(a, GPC_ERROR_FORMAT, "more than there is in the section");
        if (a->status == GPC_OK && a->loading && !GPCI_ARRAY_ROOM(f->context, s->entries, s->capacity, 0, kept))
            gpci_archive_fail(a, GPC_ERROR_MEMORY, "");
        if (a->status == GPC_OK)
            s->count = count;
        gpci_archive_bytes(a, s->entries, kept * sizeof *s->entries);
    }
}

/* Save or load the progress of the current kernel. */
static void archive_kernel(gpc_replay *r, gpci_archive *a) {
    gpci_archive_section(a, "kernel");
    GPCI_ARCHIVE_FIELD(a, r->before), GPCI_ARCHIVE_FIELD(a, r->begun), GPCI_ARCHIVE_FIELD(a, r->policies_vote),
        GPCI_ARCHIVE_FIELD(a, r->ended), GPCI_ARCHIVE_FIELD(a, r->skipping);
    uint64_t *const counts[] = {
        &r->blocks_read, &r->blocks_last,   &r->instructions, &r->threads,           &r->blocks,
        &r->blocks_told, &r->next_progress, &r->first_pc,     &r->instructions_told, &r->last_pc};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        gpci_archive_bytes(a, counts[i], sizeof *counts[i]);
    for (uint32_t sm = 0; sm < r->sm_count; sm++)
        GPCI_ARCHIVE_FIELD(a, r->sms[sm].instructions), GPCI_ARCHIVE_FIELD(a, r->sms[sm].threads);
    gpci_parked_archive(r, a);
}

static void archive_streams(gpc_replay *r, gpci_archive *a) {
    const size_t most = r->hierarchy->streams;
    if (most == 1)
        return;
    if (!r->stream_ids && !(r->stream_ids = gpci_zalloc(r->context, most, sizeof *r->stream_ids))) {
        gpci_archive_fail(a, GPC_ERROR_MEMORY, "");
        return;
    }
    gpci_archive_bytes(a, r->stream_ids, most * sizeof *r->stream_ids);
    GPCI_ARCHIVE_FIELD(a, r->streams_seen), GPCI_ARCHIVE_FIELD(a, r->stream);
    if (r->streams_seen > most)
        gpci_archive_fail(a, GPC_ERROR_FORMAT, "more streams than there are");
}

static void check(const gpc_replay *r, gpci_archive *a) {
    if (r->inside)
        gpci_archive_fail(a, GPC_ERROR_STATE, "in the middle of a call: not from a callback");
    if (!r->trace && !r->parked && gpc_hierarchy_in_flight(r->hierarchy))
        gpci_archive_fail(a, GPC_ERROR_STATE, "accesses of a kernel that was given up are in flight");
}

static void archive_replay(void *object, gpci_archive *a) {
    gpc_replay *r = object;
    check(r, a);
    gpci_hierarchy_archive(r->hierarchy, a);
    gpci_archive_section(a, "replay");
    const bool in_kernel = gpci_archive_number(a, r->trace || r->parked) != 0;
    GPCI_ARCHIVE_FIELD(a, r->had), GPCI_ARCHIVE_FIELD(a, r->had_names), GPCI_ARCHIVE_FIELD(a, r->total),
        GPCI_ARCHIVE_FIELD(a, r->rounds), GPCI_ARCHIVE_FIELD(a, r->all_rounds), GPCI_ARCHIVE_FIELD(a, r->next_sm),
        GPCI_ARCHIVE_FIELD(a, r->random);
    gpci_archive_bytes(a, r->samples, r->sm_count * sizeof *r->samples);
    for (uint32_t sm = 0; sm < r->sm_count; sm++)
        GPCI_ARCHIVE_FIELD(a, r->sms[sm].turn);
    archive_streams(r, a);
    if (r->future)
        archive_future(r->future, in_kernel, a);
    gpci_replay_archive_objects(r, a);
    if (in_kernel)
        archive_kernel(r, a);
    if (r->sampling)
        gpci_sampling_archive(r, a);
    if (r->timed) {
        gpci_archive_section(a, "sms");
        gpci_timed_archive_sms(r->timed, in_kernel, a);
    }
}

static gpc_status create_replay(gpc_context *context, const gpc_config *config, gpc_error *error, void **out) {
    gpc_replay *r = NULL;
    gpc_status status = gpc_replay_create(context, config, error, &r);
    *out = r;
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

static gpci_saved saved(const gpc_replay *r) {
    return (gpci_saved){&replays, r, r->context, r->config};
}

gpc_status gpc_replay_save_to(const gpc_replay *r, gpc_write_fn write, void *user_data, gpc_error *error) {
    if (!r || !write)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_save_to: %s is NULL", r ? "write" : "replay");
    const gpci_saved from = saved(r);
    return gpci_save_to(&from, write, user_data, error);
}

gpc_status gpci_replay_load(gpc_context *context, const gpci_loaded_from *from, gpc_error *error, void **out) {
    return gpci_load_from(&replays, context, from, error, out);
}

gpc_status gpc_replay_load_from_with(gpc_context *context, gpc_read_fn read, void *user_data, const char *threads,
                                     gpc_error *error, gpc_replay **out) {
    if (!context || !read || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_load_from: %s is NULL",
                         !context ? "context"
                         : read   ? "out"
                                  : "read");
    void *r = NULL;
    gpc_status status = gpci_replay_load(context, &(gpci_loaded_from){read, user_data, threads}, error, &r);
    if (status == GPC_OK)
        *out = r;
    return status;
}

gpc_status gpc_replay_load_from(gpc_context *context, gpc_read_fn read, void *user_data, gpc_error *error,
                                gpc_replay **out) {
    return gpc_replay_load_from_with(context, read, user_data, NULL, error, out);
}

gpc_status gpc_replay_copy(const gpc_replay *r, gpc_error *error, gpc_replay **out) {
    if (!r || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_copy: %s is NULL", r ? "out" : "replay");
    const gpci_saved from = saved(r);
    void *copy = NULL;
    gpc_status status = gpci_copy(&from, error, &copy);
    if (status == GPC_OK)
        *out = copy;
    return status;
}

/* Skip the kernels the replay has run, up to the last. */
static gpc_status pass_kernels(const gpc_replay *r, gpc_trace *trace, gpc_kernel *last, gpc_error *error) {
    gpc_replay seen = {.had = 0};
    while (seen.had < r->had) {
        *last = (gpc_kernel)GPC_KERNEL_INIT;
        gpc_status status = gpc_trace_next_kernel(trace, last, error);
        if (status == GPC_END)
            return gpci_fail(error, GPC_ERROR_FORMAT,
                             "gpc_replay_resume: the replay has had %llu kernels, the trace has %llu",
                             (unsigned long long)r->had, (unsigned long long)seen.had);
        if (status < 0)
            return status;
        gpci_replay_had(&seen, last);
    }
    return seen.had_names == r->had_names
               ? GPC_OK
               : gpci_fail(error, GPC_ERROR_FORMAT, "gpc_replay_resume: the trace begins with other kernels");
}

gpc_status gpc_replay_resume(gpc_replay *r, gpc_trace *trace, gpc_error *error) {
    if (!r || !trace)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_resume: %s is NULL", r ? "trace" : "replay");
    if (r->trace)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_replay_resume: the replay is in the middle of a kernel");
    gpc_kernel last;
    gpc_status status = pass_kernels(r, trace, &last, error);
    if (status < 0 || !r->parked)
        return status;
    r->kernel = last;
    return gpci_parked_return(r, trace, error);
}

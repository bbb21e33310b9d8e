/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/hierarchy_snapshot.h"
#include "level/future.h"
#include "replay/timed_replay.h"
#include "scheduler/scheduler_archive.h"

#include <string.h>

/*
 * A replay in a snapshot, between two kernels: its hierarchy, what SMs and schedulers have kept from earlier kernels,
 * and how many kernels of the trace it has had. No block is on an SM then, and no access in flight.
 */

/* As FNV-1a. */
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

static void archive_sm(const gpci_timed_replay *t, gpci_timed_sm *m, gpci_archive *a) {
    const size_t of_issuer = offsetof(gpci_issuer, next), gauges = offsetof(gpci_timed_sm, warps_gauge);
    for (uint32_t n = 0; n < t->schedulers; n++) {
        gpci_issuer *issuer = &m->issuers[n];
        gpci_archive_bytes(a, (char *)issuer + of_issuer, sizeof *issuer - of_issuer); /* behind its addresses */
        gpci_archive_bytes(a, issuer->wanting, (size_t)GPCI_TIMED_UNITS * t->scheduler_words * sizeof *issuer->wanting);
        gpci_scheduler_archive(issuer->scheduler, a);
    }
    for (uint32_t slot = 0; slot < t->slots; slot++)
        GPCI_ARCHIVE_FIELD(a, m->warps[slot].starts); /* scoreboards are as new when a warp starts */
    gpci_archive_bytes(a, m->calendar, (size_t)GPCI_CALENDAR * t->words * sizeof *m->calendar);
    gpci_archive_bytes(a, m->answered, t->words * sizeof *m->answered);
    GPCI_ARCHIVE_FIELD(a, m->calendar_used), GPCI_ARCHIVE_FIELD(a, m->next_start);
    gpci_archive_bytes(a, (char *)m + gauges, sizeof *m - gauges); /* likewise */
}

static void archive_timed(gpci_timed_replay *t, gpci_archive *a) {
    gpc_replay *r = t->r;
    gpci_archive_section(a, "sms");
    GPCI_ARCHIVE_FIELD(a, t->cycles), GPCI_ARCHIVE_FIELD(a, t->launched), GPCI_ARCHIVE_FIELD(a, t->first_start),
        GPCI_ARCHIVE_FIELD(a, t->progress), GPCI_ARCHIVE_FIELD(a, t->counted);
    GPCI_ARCHIVE_FIELD(a, t->left), GPCI_ARCHIVE_FIELD(a, t->next_vote), GPCI_ARCHIVE_FIELD(a, t->voted);
    for (uint32_t sm = 0; sm < r->sm_count; sm++)
        archive_sm(t, &t->sms[sm], a);
    if (t->sampler.seen)
        gpci_archive_bytes(a, t->sampler.seen,
                           ((size_t)r->sm_count * t->sampler.by_sm + t->sampler.rest) * sizeof *t->sampler.seen);
}

static void archive_replay(void *object, gpci_archive *a) {
    gpc_replay *r = object;
    if (r->trace)
        gpci_archive_fail(a, GPC_ERROR_STATE, "in the middle of a kernel");
    if (gpc_hierarchy_in_flight(r->hierarchy))
        gpci_archive_fail(a, GPC_ERROR_STATE, "accesses of a kernel that was given up are in flight");
    if (r->sampling)
        gpci_archive_fail(a, GPC_ERROR_UNSUPPORTED, "a sampled replay (sample)");
    gpci_hierarchy_archive(r->hierarchy, a);
    gpci_archive_section(a, "replay");
    GPCI_ARCHIVE_FIELD(a, r->had), GPCI_ARCHIVE_FIELD(a, r->had_names), GPCI_ARCHIVE_FIELD(a, r->total),
        GPCI_ARCHIVE_FIELD(a, r->rounds), GPCI_ARCHIVE_FIELD(a, r->next_sm), GPCI_ARCHIVE_FIELD(a, r->random);
    gpci_archive_bytes(a, r->samples, r->sm_count * sizeof *r->samples);
    for (uint32_t sm = 0; sm < r->sm_count; sm++) {
        GPCI_ARCHIVE_FIELD(a, r->sms[sm].turn);
        if (r->future)
            GPCI_ARCHIVE_FIELD(a, r->future->sms[sm].base);
    }
    if (r->timed)
        archive_timed(r->timed, a);
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

static const gpci_saved_kind replays = {
    .kind = GPCI_SNAPSHOT_REPLAY, .create = create_replay, .destroy = destroy_replay, .archive = archive_replay};

static gpci_saved saved(const gpc_replay *r) {
    return (gpci_saved){&replays, r, r->context, r->config};
}

gpc_status gpc_replay_save_to(const gpc_replay *r, gpc_write_fn write, void *user_data, gpc_error *error) {
    if (!r || !write)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_save_to: %s is NULL", r ? "write" : "replay");
    const gpci_saved from = saved(r);
    return gpci_save_to(&from, write, user_data, error);
}

gpc_status gpc_replay_load_from(gpc_context *context, gpc_read_fn read, void *user_data, gpc_error *error,
                                gpc_replay **out) {
    if (!context || !read || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_load_from: %s is NULL",
                         !context ? "context"
                         : read   ? "out"
                                  : "read");
    void *r = NULL;
    gpc_status status = gpci_load_from(&replays, context, read, user_data, error, &r);
    if (status == GPC_OK)
        *out = r;
    return status;
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

gpc_status gpc_replay_resume(const gpc_replay *r, gpc_trace *trace, gpc_error *error) {
    if (!r || !trace)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_replay_resume: %s is NULL", r ? "trace" : "replay");
    gpc_replay seen = {.had = 0};
    while (seen.had < r->had) {
        gpc_kernel kernel = GPC_KERNEL_INIT;
        gpc_status status = gpc_trace_next_kernel(trace, &kernel, error);
        if (status == GPC_END)
            return gpci_fail(error, GPC_ERROR_FORMAT,
                             "gpc_replay_resume: the replay has had %llu kernels, the trace has %llu",
                             (unsigned long long)r->had, (unsigned long long)seen.had);
        if (status < 0)
            return status;
        gpci_replay_had(&seen, &kernel);
    }
    if (seen.had_names != r->had_names)
        return gpci_fail(error, GPC_ERROR_FORMAT, "gpc_replay_resume: the trace begins with other kernels");
    return GPC_OK;
}

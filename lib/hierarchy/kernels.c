/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/ext/parts.h>
#include <gpucache/ext/replay.h>

#include "cache/cache.h"
#include "hierarchy/ledger_check.h"
#include "level/rules/cache_lines.h"
#include "level/rules/driver.h"
#include "level/rules/events.h"
#include "level/rules/kernels.h"
#include "level/rules/observer.h"
#include "level/rules/recorder.h"

#include <string.h>

/*
 * Concurrent kernels. A sequential launch acts on all caches (hierarchy.c); a concurrent launch acts only on L1s of
 * idle SMs.
 *
 * Example, SMs 0 and 1: kernel 1 begins on SM 0, and the L1 of SM 0 is emptied. Kernel 2 begins on both SMs while
 * kernel 1 runs: the L1 of SM 0 keeps its lines, and the L1 of SM 1 is emptied. Both kernels share the L1 of SM 0.
 */

GPCI_INLINE uint64_t bit(uint32_t sm) {
    return (uint64_t)1 << (sm & 63);
}

gpc_status gpci_kernels_create(gpc_hierarchy *hierarchy, gpc_error *error) {
    const char *what = hierarchy->levels == &gpci_tree_levels ? "coherence: messages of a tree name no stream"
                       : hierarchy->with_data ? "coherence.data: what values an emptied L1 had is not followed"
                       : hierarchy->l1_future ? "l1.future is known of one kernel at a time"
                                              : NULL;
    if (what)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED, "kernels at once: %s", what);
    if (hierarchy->kernels)
        return GPC_OK;
    gpci_kernels **place = &hierarchy->kernels, *kernels = gpci_zalloc(hierarchy->context, 1, sizeof *kernels);
    if (!kernels)
        return gpci_out_of_memory(error);
    *place = kernels;
    kernels->words = (hierarchy->sms + 63) / 64;
    kernels->of_stream = gpci_zalloc(hierarchy->context, hierarchy->streams, sizeof *kernels->of_stream);
    kernels->sms = gpci_zalloc(hierarchy->context, (size_t)hierarchy->streams * kernels->words, sizeof *kernels->sms);
    kernels->shares = gpci_zalloc(hierarchy->context, hierarchy->sms, sizeof *kernels->shares);
    if (!kernels->of_stream || !kernels->sms || !kernels->shares) {
        gpci_kernels_destroy(hierarchy);
        return gpci_out_of_memory(error);
    }
    gpci_kernels_shared(hierarchy, &hierarchy->share);
    return GPC_OK;
}

void gpci_kernels_destroy(gpc_hierarchy *hierarchy) {
    gpci_kernels **place = &hierarchy->kernels, *kernels = *place;
    if (!kernels)
        return;
    gpci_free(hierarchy->context, kernels->of_stream);
    gpci_free(hierarchy->context, kernels->sms);
    gpci_free(hierarchy->context, kernels->shares);
    gpci_free(hierarchy->context, kernels);
    *place = NULL;
}

void gpci_kernels_shared(gpc_hierarchy *hierarchy, const gpci_l1_share *share) {
    for (uint32_t sm = 0; hierarchy->kernels && sm < hierarchy->sms; sm++)
        hierarchy->kernels->shares[sm] = *share;
}

bool gpci_is_shape(const gpci_l1_share *left, const gpci_l1_share *right) {
    return left->sets == right->sets && left->ways == right->ways && left->lines == right->lines;
}

bool gpci_kernels_uniform(const gpc_hierarchy *hierarchy) {
    bool uniform = true;
    for (uint32_t sm = 0; hierarchy->kernels && sm < hierarchy->sms; sm++)
        uniform &= gpci_is_shape(&hierarchy->kernels->shares[sm], &hierarchy->share);
    return uniform;
}

void gpci_kernels_tell(gpc_hierarchy *hierarchy, uint32_t sm, uint32_t kernel, gpc_warp_event_kind kind) {
    const gpc_warp_event event = {.kind = kind, .sm = sm, .kernel = kernel};
    hierarchy->levels->warp_event(hierarchy, &event);
}

static void tell_l2(gpc_hierarchy *hierarchy, uint32_t kernel, gpc_warp_event_kind kind) {
    const gpc_warp_event event = {.kind = kind, .kernel = kernel};
    for (uint32_t slice = 0; hierarchy->l2 && slice < hierarchy->slices; slice++)
        gpci_tokens_event(hierarchy->l2[slice]->token_state, &event);
}

void gpci_kernels_begin(gpc_hierarchy *hierarchy, uint32_t stream, const gpc_launch *launch,
                        const gpci_l1_share *share) {
    gpci_hierarchy_launch(hierarchy, launch, share);
    hierarchy->kernels->of_stream[stream] = hierarchy->kernel;
    if (!hierarchy->kernels->running++)
        tell_l2(hierarchy, hierarchy->kernel, GPC_KERNEL_START);
}

void gpci_kernels_finish(gpc_hierarchy *hierarchy, uint32_t stream) {
    gpci_kernels *kernels = hierarchy->kernels;
    if (!--kernels->running)
        tell_l2(hierarchy, kernels->of_stream[stream], GPC_KERNEL_END);
    kernels->of_stream[stream] = 0;
    memset(&kernels->sms[(size_t)stream * kernels->words], 0, kernels->words * sizeof *kernels->sms);
}

/* Replace the L1 of an SM by `l1`, an empty L1 with a new share. Keep the counts of the old L1. */
static void reshape(gpc_hierarchy *hierarchy, uint32_t sm, gpc_cache *l1, const gpci_l1_share *share) {
    gpci_hierarchy_retire(hierarchy, sm);
    gpci_cache_exchange(hierarchy->l1[sm], l1);
    hierarchy->kernels->shares[sm] = *share;
}

/* Build new L1s for the SMs in `sms` whose L1 has another shape than `share`. */
static gpc_status build(gpc_hierarchy *hierarchy, const uint64_t *sms, const gpci_l1_share *share, gpc_cache **l1,
                        gpc_error *error) {
    for (uint32_t sm = 0; sm < hierarchy->sms; sm++) {
        if (!(sms[sm / 64] & bit(sm)) || gpci_is_shape(share, &hierarchy->kernels->shares[sm]))
            continue;
        gpc_status status = gpci_build_l1_of(hierarchy, share, sm, error, &l1[sm]);
        if (status < 0)
            return status;
    }
    return GPC_OK;
}

/* True if a kernel launch empties L1s. */
static bool is_emptied(const gpc_hierarchy *hierarchy) {
    return gpci_number(hierarchy, GPCI_KEY_KERNELS_FLUSH) >= 1 || hierarchy->viper;
}

/* True if SM `sm` is in `sms`, and the L1 of the SM loses its lines. `l1`: the new L1 of the SM; NULL: no new L1. */
static bool loses_lines(const gpc_hierarchy *hierarchy, const uint64_t *sms, uint32_t sm, const gpc_cache *l1) {
    return sms[sm / 64] & bit(sm) && (is_emptied(hierarchy) || l1);
}

/* Reserve the memory that is needed to empty L1s. If memory runs out, no L1 has changed. */
static gpc_status reserve(gpc_hierarchy *hierarchy, const uint64_t *sms, gpc_cache **l1, gpc_error *error) {
    uint32_t dirty = 0;
    gpc_line line;
    for (uint32_t sm = 0; hierarchy->driver->reserve_l1 && sm < hierarchy->sms; sm++)
        for (size_t slot = 0;
             loses_lines(hierarchy, sms, sm, l1[sm]) && gpci_next_dirty(hierarchy->l1[sm], &slot, &line); slot++)
            dirty++;
    for (uint32_t sm = 0; dirty && sm < hierarchy->sms; sm++)
        if (loses_lines(hierarchy, sms, sm, l1[sm]) && hierarchy->driver->reserve_l1(hierarchy, sm, dirty) < 0)
            return gpci_out_of_memory(error);
    return GPC_OK;
}

static gpc_status change(gpc_hierarchy *hierarchy, const uint64_t *sms, const gpci_l1_share *share, gpc_cache **l1) {
    gpc_status status = GPC_OK;
    bool any = false;
    for (uint32_t sm = 0; sm < hierarchy->sms; sm++) {
        if (!(sms[sm / 64] & bit(sm)))
            continue;
        if (loses_lines(hierarchy, sms, sm, l1[sm]))
            status = status == GPC_OK ? hierarchy->driver->empty_l1(hierarchy, sm) : status;
        if (l1[sm])
            reshape(hierarchy, sm, l1[sm], share);
        else
            hierarchy->kernels->shares[sm].carveout = share->carveout;
        any |= l1[sm] != NULL;
    }
    if (any)
        hierarchy->driver->relink(hierarchy);
    if (any && hierarchy->observer)
        gpci_hierarchy_observe(hierarchy, hierarchy->observer);
    return status;
}

gpc_status gpci_kernels_prepare(gpc_hierarchy *hierarchy, const uint64_t *sms, const gpci_l1_share *share, bool all,
                                gpc_error *error) {
    for (uint32_t sm = 0; hierarchy->l1 && sm < hierarchy->sms; sm++)
        if (sms[sm / 64] & bit(sm) &&
            (is_emptied(hierarchy) || !gpci_is_shape(share, &hierarchy->kernels->shares[sm])) &&
            !hierarchy->driver->quiet(hierarchy, sm))
            return GPC_BUSY;
    for (uint32_t sm = 0; !hierarchy->l1 && sm < hierarchy->sms; sm++)
        if (sms[sm / 64] & bit(sm))
            hierarchy->kernels->shares[sm] = *share;
    if (!hierarchy->l1)
        return all ? gpci_hierarchy_flush_for_kernel(hierarchy) : GPC_OK;
    gpc_cache **l1 = gpci_zalloc(hierarchy->context, hierarchy->sms, sizeof *l1);
    if (!l1)
        return gpci_out_of_memory(error);
    gpc_status status = build(hierarchy, sms, share, l1, error);
    if (status == GPC_OK)
        status = all ? gpci_hierarchy_flush_for_kernel(hierarchy) : reserve(hierarchy, sms, l1, error);
    if (status == GPC_OK)
        status = change(hierarchy, sms, share, l1);
    gpci_destroy_caches(hierarchy, l1, hierarchy->sms);
    return status;
}

/* Bit maps. all: SMs of a new kernel. fresh: SMs of the new kernel on which no other kernel runs. */
typedef struct chosen {
    uint64_t *all, *fresh;
} chosen;

static gpc_status choose(const gpc_hierarchy *hierarchy, const gpc_kernel_options *options, const chosen *choice,
                         gpc_error *error) {
    const gpci_kernels *kernels = hierarchy->kernels;
    if (options->sm_count && !options->sms)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_start_kernel: sms is NULL, but sm_count is %u",
                         options->sm_count);
    if (options->sms && !options->sm_count)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_start_kernel: sm_count is 0");
    for (uint32_t i = 0; i < (options->sms ? options->sm_count : hierarchy->sms); i++) {
        const uint32_t sm = options->sms ? options->sms[i] : i;
        if (sm >= hierarchy->sms)
            return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_start_kernel: sms[%u] is %u, but sm.count is %u",
                             i, sm, hierarchy->sms);
        choice->all[sm / 64] |= bit(sm);
    }
    for (uint32_t word = 0; word < kernels->words; word++) {
        choice->fresh[word] = choice->all[word];
        for (uint32_t stream = 0; stream < hierarchy->streams; stream++)
            choice->fresh[word] &= ~kernels->sms[(size_t)stream * kernels->words + word];
    }
    return GPC_OK;
}

/* True if a block of the new kernel fits the present carve-out of all SMs on which other kernels run. */
static bool has_room(const gpc_hierarchy *hierarchy, const gpc_launch *launch, const chosen *choice) {
    const uint64_t shared = launch ? gpci_launch_needs(hierarchy, launch).shared : 0;
    bool room = true;
    for (uint32_t sm = 0; gpci_number(hierarchy, GPCI_KEY_L1_UNIFIED) && sm < hierarchy->sms; sm++)
        if (choice->all[sm / 64] & ~choice->fresh[sm / 64] & bit(sm))
            room &= shared <= hierarchy->kernels->shares[sm].carveout;
    return room;
}

static gpc_status check(const gpc_hierarchy *hierarchy, const gpc_kernel_options *options, gpc_error *error) {
    if (options->stream >= hierarchy->streams)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_start_kernel: stream is %u, but streams = %u",
                         options->stream, hierarchy->streams);
    if (hierarchy->kernels->of_stream[options->stream])
        return gpci_fail(error, GPC_ERROR_STATE,
                         "gpc_hierarchy_start_kernel: stream %u has kernel %u, which has not ended", options->stream,
                         hierarchy->kernels->of_stream[options->stream]);
    const bool others = hierarchy->kernels->running || !hierarchy->driver->idle(hierarchy);
    if (others && gpci_number(hierarchy, GPCI_KEY_KERNELS_FLUSH) == 2)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "gpc_hierarchy_start_kernel: kernels.flush = all cannot empty L2 while others use it");
    if (others && hierarchy->observer)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "gpc_hierarchy_start_kernel: a profile counts one kernel at a time");
    return GPC_OK;
}

static gpc_status start(gpc_hierarchy *hierarchy, const gpc_kernel_options *options, const gpc_launch *launch,
                        const chosen *choice, gpc_error *error) {
    gpci_l1_share share;
    gpc_status status = choose(hierarchy, options, choice, error);
    if (status == GPC_OK)
        status = gpci_launch_l1_share(hierarchy, launch, &share, error);
    if (status == GPC_OK && !has_room(hierarchy, launch, choice))
        status = GPC_BUSY;
    if (status == GPC_OK) /* with kernels.flush = all, no other kernel runs */
        status = gpci_kernels_prepare(hierarchy, choice->fresh, &share,
                                      gpci_number(hierarchy, GPCI_KEY_KERNELS_FLUSH) == 2, error);
    if (status != GPC_OK)
        return status;
    gpci_kernels_begin(hierarchy, options->stream, launch, &share);
    memcpy(&hierarchy->kernels->sms[(size_t)options->stream * hierarchy->kernels->words], choice->all,
           hierarchy->kernels->words * sizeof *choice->all);
    for (uint32_t sm = 0; sm < hierarchy->sms; sm++)
        if (choice->fresh[sm / 64] & bit(sm))
            gpci_kernels_tell(hierarchy, sm, hierarchy->kernel, GPC_KERNEL_START);
    GPCI_RECORD(hierarchy, cannot, (hierarchy->recorder, "gpc_hierarchy_start_kernel"));
    if (hierarchy->observer) /* if memory runs out, the observer begins at the kernel's first instruction */
        (void)hierarchy->observer->on_kernel(hierarchy->observer->data);
    return GPC_OK;
}

/* True if no kernel runs, and the L1s of all SMs have the share of the hierarchy. */
static bool has_common_share(const gpc_hierarchy *hierarchy) {
    const gpci_kernels *kernels = hierarchy->kernels;
    bool common = kernels && !kernels->running;
    for (uint32_t sm = 0; common && sm < hierarchy->sms; sm++)
        common = !memcmp(&kernels->shares[sm], &hierarchy->share, sizeof hierarchy->share);
    return common;
}

static gpc_status start_or_leave(gpc_hierarchy *hierarchy, const gpc_kernel_options *options, gpc_error *error,
                                 uint32_t *out_kernel) {
    gpc_kernel_options kernel_options = GPC_KERNEL_OPTIONS_INIT;
    gpc_launch launch = GPC_LAUNCH_INIT;
    gpc_status status =
        gpci_take(&kernel_options, sizeof kernel_options, sizeof kernel_options, options, "gpc_kernel_options", error);
    if (status == GPC_OK)
        status = gpci_take(&launch, sizeof launch, sizeof launch, kernel_options.launch, "gpc_launch", error);
    if (status == GPC_OK)
        status = gpci_kernels_create(hierarchy, error);
    if (status == GPC_OK)
        status = check(hierarchy, &kernel_options, error);
    if (status < 0)
        return status;
    const uint32_t words = hierarchy->kernels->words;
    uint64_t *bitmaps = gpci_zalloc(hierarchy->context, 2 * (size_t)words, sizeof *bitmaps);
    if (!bitmaps)
        return gpci_out_of_memory(error);
    const chosen choice = {bitmaps, bitmaps + words};
    status = start(hierarchy, &kernel_options, kernel_options.launch ? &launch : NULL, &choice, error);
    gpci_free(hierarchy->context, bitmaps);
    if (status == GPC_OK)
        *out_kernel = hierarchy->kernel;
    return status;
}

gpc_status gpc_hierarchy_start_kernel(gpc_hierarchy *hierarchy, const gpc_kernel_options *options, uint32_t *out_kernel,
                                      gpc_error *error) {
    if (!hierarchy || !options || !out_kernel)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_start_kernel: %s is NULL",
                         !hierarchy ? "hierarchy"
                         : !options ? "options"
                                    : "out_kernel");
    if (hierarchy->called_back)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_start_kernel: called from within a callback");
    const bool first = !hierarchy->kernels;
    const gpc_status status = start_or_leave(hierarchy, options, error, out_kernel);
    if (status != GPC_OK && first && has_common_share(hierarchy))
        gpci_kernels_destroy(hierarchy); /* no kernel began: the hierarchy and its snapshots are as before the call */
    return status;
}

gpc_status gpc_hierarchy_end_kernel(gpc_hierarchy *hierarchy, uint32_t kernel, gpc_error *error) {
    if (!hierarchy)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_end_kernel: hierarchy is NULL");
    if (hierarchy->called_back)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_end_kernel: called from within a callback");
    const gpci_kernels *kernels = hierarchy->kernels;
    uint32_t stream = 0;
    while (kernels && stream < hierarchy->streams && (!kernel || kernels->of_stream[stream] != kernel))
        stream++;
    if (!kernels || stream == hierarchy->streams)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_end_kernel: kernel %u does not run", kernel);
    for (uint32_t sm = 0; sm < hierarchy->sms; sm++) {
        uint32_t users = 0;
        for (uint32_t s = 0; s < hierarchy->streams; s++)
            users += kernels->sms[(size_t)s * kernels->words + sm / 64] & bit(sm) ? 1 : 0;
        if (users == 1 && kernels->sms[(size_t)stream * kernels->words + sm / 64] & bit(sm))
            gpci_kernels_tell(hierarchy, sm, kernel, GPC_KERNEL_END);
    }
    gpci_kernels_finish(hierarchy, stream);
    gpci_ledger_check(hierarchy);
    return GPC_OK;
}

uint32_t gpc_hierarchy_running_kernels(const gpc_hierarchy *hierarchy) {
    return hierarchy && hierarchy->kernels ? hierarchy->kernels->running : 0;
}

/* After a load, replace the L1s of SMs with another share than hierarchy->share. */
static void restore_shares(gpc_hierarchy *hierarchy, gpci_archive *archive) {
    gpc_error reason = GPC_ERROR_INIT;
    gpc_cache **l1 = gpci_zalloc(hierarchy->context, hierarchy->sms, sizeof *l1);
    gpc_status status = l1 ? GPC_OK : GPC_ERROR_MEMORY;
    for (uint32_t sm = 0; status == GPC_OK && hierarchy->l1 && sm < hierarchy->sms; sm++)
        if (!gpci_is_shape(&hierarchy->kernels->shares[sm], &hierarchy->share))
            status = gpci_build_l1_of(hierarchy, &hierarchy->kernels->shares[sm], sm, &reason, &l1[sm]);
    for (uint32_t sm = 0; status == GPC_OK && sm < hierarchy->sms; sm++)
        if (l1[sm])
            gpci_cache_exchange(hierarchy->l1[sm], l1[sm]);
    gpci_destroy_caches(hierarchy, l1, hierarchy->sms);
    hierarchy->driver->relink(hierarchy);
    if (status < 0)
        gpci_archive_fail(archive, status, reason.message);
}

void gpci_kernels_archive(gpc_hierarchy *hierarchy, gpci_archive *archive) {
    const bool there = gpci_archive_number(archive, hierarchy->kernels != NULL) != 0;
    if (archive->status < 0 || !there)
        return;
    if (archive->loading && gpci_kernels_create(hierarchy, NULL) < 0) {
        gpci_archive_fail(archive, GPC_ERROR_MEMORY, "");
        return;
    }
    gpci_kernels *kernels = hierarchy->kernels;
    GPCI_ARCHIVE_FIELD(archive, kernels->running);
    gpci_archive_bytes(archive, kernels->of_stream, hierarchy->streams * sizeof *kernels->of_stream);
    gpci_archive_bytes(archive, kernels->sms, (size_t)hierarchy->streams * kernels->words * sizeof *kernels->sms);
    gpci_archive_bytes(archive, kernels->shares, hierarchy->sms * sizeof *kernels->shares);
    if (archive->loading && archive->status == GPC_OK)
        restore_shares(hierarchy, archive);
}

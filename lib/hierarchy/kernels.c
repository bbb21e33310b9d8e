/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/kernels.h>

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
 * Example, SMs 0 and 1: kernel 1 begins on SM 0, and the L1 of SM 0 is emptied. Kernel 2 begins on both while kernel 1
 * runs: the L1 of SM 0 stays, the L1 of SM 1 is emptied. Accesses of both kernels meet in the L1 of SM 0.
 */

GPCI_INLINE uint64_t bit(uint32_t sm) {
    return (uint64_t)1 << (sm & 63);
}

gpc_status gpci_kernels_create(gpc_hierarchy *h, gpc_error *error) {
    const char *what = h->levels == &gpci_tree_levels ? "coherence: messages of a tree name no stream"
                       : h->with_data                 ? "coherence.data: what values an emptied L1 had is not followed"
                       : h->l1_future                 ? "l1.future is known of one kernel at a time"
                                                      : NULL;
    if (what)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED, "kernels at once: %s", what);
    if (h->kernels)
        return GPC_OK;
    gpci_kernels **place = &h->kernels, *k = gpci_zalloc(h->context, 1, sizeof *k);
    if (!k)
        return gpci_out_of_memory(error);
    *place = k;
    k->words = (h->sms + 63) / 64;
    k->of_stream = gpci_zalloc(h->context, h->streams, sizeof *k->of_stream);
    k->sms = gpci_zalloc(h->context, (size_t)h->streams * k->words, sizeof *k->sms);
    k->shares = gpci_zalloc(h->context, h->sms, sizeof *k->shares);
    if (!k->of_stream || !k->sms || !k->shares) {
        gpci_kernels_destroy(h);
        return gpci_out_of_memory(error);
    }
    gpci_kernels_shared(h, &h->share);
    return GPC_OK;
}

void gpci_kernels_destroy(gpc_hierarchy *h) {
    gpci_kernels **place = &h->kernels, *k = *place;
    if (!k)
        return;
    gpci_free(h->context, k->of_stream);
    gpci_free(h->context, k->sms);
    gpci_free(h->context, k->shares);
    gpci_free(h->context, k);
    *place = NULL;
}

void gpci_kernels_shared(gpc_hierarchy *h, const gpci_l1_share *share) {
    for (uint32_t sm = 0; h->kernels && sm < h->sms; sm++)
        h->kernels->shares[sm] = *share;
}

bool gpci_is_shape(const gpci_l1_share *a, const gpci_l1_share *b) {
    return a->sets == b->sets && a->ways == b->ways && a->lines == b->lines;
}

bool gpci_kernels_uniform(const gpc_hierarchy *h) {
    bool uniform = true;
    for (uint32_t sm = 0; h->kernels && sm < h->sms; sm++)
        uniform &= gpci_is_shape(&h->kernels->shares[sm], &h->share);
    return uniform;
}

void gpci_kernels_tell(gpc_hierarchy *h, uint32_t sm, uint32_t kernel, gpc_warp_event_kind kind) {
    const gpc_warp_event event = {.kind = kind, .sm = sm, .kernel = kernel};
    h->levels->warp_event(h, &event);
}

static void tell_l2(gpc_hierarchy *h, uint32_t kernel, gpc_warp_event_kind kind) {
    const gpc_warp_event event = {.kind = kind, .kernel = kernel};
    for (uint32_t slice = 0; h->l2 && slice < h->slices; slice++)
        gpci_tokens_event(h->l2[slice]->token_state, &event);
}

void gpci_kernels_begin(gpc_hierarchy *h, uint32_t stream, const gpc_launch *launch, const gpci_l1_share *share) {
    gpci_hierarchy_launch(h, launch, share);
    h->kernels->of_stream[stream] = h->kernel;
    if (!h->kernels->running++)
        tell_l2(h, h->kernel, GPC_KERNEL_START);
}

void gpci_kernels_finish(gpc_hierarchy *h, uint32_t stream) {
    gpci_kernels *k = h->kernels;
    if (!--k->running)
        tell_l2(h, k->of_stream[stream], GPC_KERNEL_END);
    k->of_stream[stream] = 0;
    memset(&k->sms[(size_t)stream * k->words], 0, k->words * sizeof *k->sms);
}

/* Replace the L1 of an SM by an empty one with a new share; keep the old counts. */
static void reshape(gpc_hierarchy *h, uint32_t sm, gpc_cache *l1, const gpci_l1_share *share) {
    const gpc_cache_stats counted = gpci_cache_stats(h->l1[sm]);
    gpci_cache_stats_add(&h->of_sm[sm].retired, &counted);
    gpci_cache_exchange(h->l1[sm], l1);
    h->kernels->shares[sm] = *share;
}

/* Build new L1s for the SMs in `sms` whose share differs. */
static gpc_status build(gpc_hierarchy *h, const uint64_t *sms, const gpci_l1_share *share, gpc_cache **l1,
                        gpc_error *error) {
    for (uint32_t sm = 0; sm < h->sms; sm++) {
        if (!(sms[sm / 64] & bit(sm)) || gpci_is_shape(share, &h->kernels->shares[sm]))
            continue;
        gpc_status status = gpci_build_l1_of(h, share, sm, error, &l1[sm]);
        if (status < 0)
            return status;
    }
    return GPC_OK;
}

/* True if a kernel launch empties L1s. */
static bool is_emptied(const gpc_hierarchy *h) {
    return gpci_number(h, GPCI_KEY_KERNELS_FLUSH) >= 1 || h->viper;
}

/* True if an SM of a new kernel loses the lines of its L1. `l1`: the SM's new L1, or NULL. */
static bool loses_lines(const gpc_hierarchy *h, const uint64_t *sms, uint32_t sm, const gpc_cache *l1) {
    return sms[sm / 64] & bit(sm) && (is_emptied(h) || l1);
}

/* Reserve the memory to empty L1s: a kernel without memory changes no L1. */
static gpc_status reserve(gpc_hierarchy *h, const uint64_t *sms, gpc_cache **l1, gpc_error *error) {
    uint32_t dirty = 0;
    gpc_line line;
    for (uint32_t sm = 0; h->driver->reserve_l1 && sm < h->sms; sm++)
        for (size_t slot = 0; loses_lines(h, sms, sm, l1[sm]) && gpci_next_dirty(h->l1[sm], &slot, &line); slot++)
            dirty++;
    for (uint32_t sm = 0; dirty && sm < h->sms; sm++)
        if (loses_lines(h, sms, sm, l1[sm]) && h->driver->reserve_l1(h, sm, dirty) < 0)
            return gpci_out_of_memory(error);
    return GPC_OK;
}

static gpc_status change(gpc_hierarchy *h, const uint64_t *sms, const gpci_l1_share *share, gpc_cache **l1) {
    gpc_status status = GPC_OK;
    bool any = false;
    for (uint32_t sm = 0; sm < h->sms; sm++) {
        if (!(sms[sm / 64] & bit(sm)))
            continue;
        if (loses_lines(h, sms, sm, l1[sm]))
            status = status == GPC_OK ? h->driver->empty_l1(h, sm) : status;
        if (l1[sm])
            reshape(h, sm, l1[sm], share);
        else
            h->kernels->shares[sm].carveout = share->carveout;
        any |= l1[sm] != NULL;
    }
    if (any)
        h->driver->relink(h);
    if (any && h->observer)
        gpci_hierarchy_observe(h, h->observer);
    return status;
}

gpc_status gpci_kernels_prepare(gpc_hierarchy *h, const uint64_t *sms, const gpci_l1_share *share, bool all,
                                gpc_error *error) {
    for (uint32_t sm = 0; h->l1 && sm < h->sms; sm++)
        if (sms[sm / 64] & bit(sm) && (is_emptied(h) || !gpci_is_shape(share, &h->kernels->shares[sm])) &&
            !h->driver->quiet(h, sm))
            return GPC_BUSY;
    for (uint32_t sm = 0; !h->l1 && sm < h->sms; sm++)
        if (sms[sm / 64] & bit(sm))
            h->kernels->shares[sm] = *share;
    if (!h->l1)
        return all ? gpci_hierarchy_flush_for_kernel(h) : GPC_OK;
    gpc_cache **l1 = gpci_zalloc(h->context, h->sms, sizeof *l1);
    if (!l1)
        return gpci_out_of_memory(error);
    gpc_status status = build(h, sms, share, l1, error);
    if (status == GPC_OK)
        status = all ? gpci_hierarchy_flush_for_kernel(h) : reserve(h, sms, l1, error);
    if (status == GPC_OK)
        status = change(h, sms, share, l1);
    gpci_destroy_caches(h, l1, h->sms);
    return status;
}

/* all: SMs of a new kernel; fresh: those without a running kernel. */
typedef struct chosen {
    uint64_t *all, *fresh;
} chosen;

static gpc_status choose(const gpc_hierarchy *h, const gpc_kernel_options *o, const chosen *c, gpc_error *error) {
    const gpci_kernels *k = h->kernels;
    if (o->sm_count && !o->sms)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_start_kernel: sms is NULL, but sm_count is %u",
                         o->sm_count);
    if (o->sms && !o->sm_count)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_start_kernel: sm_count is 0");
    for (uint32_t i = 0; i < (o->sms ? o->sm_count : h->sms); i++) {
        const uint32_t sm = o->sms ? o->sms[i] : i;
        if (sm >= h->sms)
            return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_start_kernel: sms[%u] is %u, but sm.count is %u",
                             i, sm, h->sms);
        c->all[sm / 64] |= bit(sm);
    }
    for (uint32_t word = 0; word < k->words; word++) {
        c->fresh[word] = c->all[word];
        for (uint32_t stream = 0; stream < h->streams; stream++)
            c->fresh[word] &= ~k->sms[(size_t)stream * k->words + word];
    }
    return GPC_OK;
}

/* True if a block fits the current carve-out of every SM shared with running kernels. */
static bool has_room(const gpc_hierarchy *h, const gpc_launch *launch, const chosen *c) {
    const uint64_t shared = launch ? gpci_launch_needs(h, launch).shared : 0;
    bool room = true;
    for (uint32_t sm = 0; gpci_number(h, GPCI_KEY_L1_UNIFIED) && sm < h->sms; sm++)
        if (c->all[sm / 64] & ~c->fresh[sm / 64] & bit(sm))
            room &= shared <= h->kernels->shares[sm].carveout;
    return room;
}

static gpc_status check(const gpc_hierarchy *h, const gpc_kernel_options *o, gpc_error *error) {
    if (o->stream >= h->streams)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_start_kernel: stream is %u, but streams = %u",
                         o->stream, h->streams);
    if (h->kernels->of_stream[o->stream])
        return gpci_fail(error, GPC_ERROR_STATE,
                         "gpc_hierarchy_start_kernel: stream %u has kernel %u, which has not ended", o->stream,
                         h->kernels->of_stream[o->stream]);
    const bool others = h->kernels->running || !h->driver->idle(h);
    if (others && gpci_number(h, GPCI_KEY_KERNELS_FLUSH) == 2)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "gpc_hierarchy_start_kernel: kernels.flush = all cannot empty L2 while others use it");
    if (others && h->observer)
        return gpci_fail(error, GPC_ERROR_UNSUPPORTED,
                         "gpc_hierarchy_start_kernel: a profile counts one kernel at a time");
    return GPC_OK;
}

static gpc_status start(gpc_hierarchy *h, const gpc_kernel_options *o, const gpc_launch *launch, const chosen *c,
                        gpc_error *error) {
    gpci_l1_share share;
    gpc_status status = choose(h, o, c, error);
    if (status == GPC_OK)
        status = gpci_launch_l1_share(h, launch, &share, error);
    if (status == GPC_OK && !has_room(h, launch, c))
        status = GPC_BUSY;
    if (status == GPC_OK) /* with kernels.flush = all, no other kernel runs */
        status = gpci_kernels_prepare(h, c->fresh, &share, gpci_number(h, GPCI_KEY_KERNELS_FLUSH) == 2, error);
    if (status != GPC_OK)
        return status;
    gpci_kernels_begin(h, o->stream, launch, &share);
    memcpy(&h->kernels->sms[(size_t)o->stream * h->kernels->words], c->all, h->kernels->words * sizeof *c->all);
    for (uint32_t sm = 0; sm < h->sms; sm++)
        if (c->fresh[sm / 64] & bit(sm))
            gpci_kernels_tell(h, sm, h->kernel, GPC_KERNEL_START);
    GPCI_RECORD(h, cannot, (h->recorder, "gpc_hierarchy_start_kernel"));
    if (h->observer) /* an observer without memory begins at the kernel's first instruction */
        (void)h->observer->on_kernel(h->observer->data);
    return GPC_OK;
}

/* True without a running kernel, if no SM's L1 has a share of its own. */
static bool has_common_share(const gpc_hierarchy *h) {
    const gpci_kernels *k = h->kernels;
    bool common = k && !k->running;
    for (uint32_t sm = 0; common && sm < h->sms; sm++)
        common = !memcmp(&k->shares[sm], &h->share, sizeof h->share);
    return common;
}

static gpc_status start_or_leave(gpc_hierarchy *h, const gpc_kernel_options *options, gpc_error *error,
                                 uint32_t *out_kernel) {
    gpc_kernel_options o = GPC_KERNEL_OPTIONS_INIT;
    gpc_launch launch = GPC_LAUNCH_INIT;
    gpc_status status = gpci_take(&o, sizeof o, sizeof o, options, "gpc_kernel_options", error);
    if (status == GPC_OK)
        status = gpci_take(&launch, sizeof launch, sizeof launch, o.launch, "gpc_launch", error);
    if (status == GPC_OK)
        status = gpci_kernels_create(h, error);
    if (status == GPC_OK)
        status = check(h, &o, error);
    if (status < 0)
        return status;
    const uint32_t words = h->kernels->words;
    uint64_t *bitmaps = gpci_zalloc(h->context, 2 * (size_t)words, sizeof *bitmaps);
    if (!bitmaps)
        return gpci_out_of_memory(error);
    const chosen c = {bitmaps, bitmaps + words};
    status = start(h, &o, o.launch ? &launch : NULL, &c, error);
    gpci_free(h->context, bitmaps);
    if (status == GPC_OK)
        *out_kernel = h->kernel;
    return status;
}

gpc_status gpc_hierarchy_start_kernel(gpc_hierarchy *h, const gpc_kernel_options *options, gpc_error *error,
                                      uint32_t *out_kernel) {
    if (!h || !options || !out_kernel)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_start_kernel: %s is NULL",
                         !h         ? "hierarchy"
                         : !options ? "options"
                                    : "out_kernel");
    if (h->called_back)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_start_kernel: called from within a callback");
    const bool first = !h->kernels;
    const gpc_status status = start_or_leave(h, options, error, out_kernel);
    if (status != GPC_OK && first && has_common_share(h))
        gpci_kernels_destroy(h); /* without a kernel the hierarchy is as before, snapshots included */
    return status;
}

gpc_status gpc_hierarchy_end_kernel(gpc_hierarchy *h, uint32_t kernel, gpc_error *error) {
    if (!h)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_end_kernel: hierarchy is NULL");
    if (h->called_back)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_end_kernel: called from within a callback");
    const gpci_kernels *k = h->kernels;
    uint32_t stream = 0;
    while (k && stream < h->streams && (!kernel || k->of_stream[stream] != kernel))
        stream++;
    if (!k || stream == h->streams)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_end_kernel: kernel %u does not run", kernel);
    for (uint32_t sm = 0; sm < h->sms; sm++) {
        uint32_t users = 0;
        for (uint32_t s = 0; s < h->streams; s++)
            users += k->sms[(size_t)s * k->words + sm / 64] & bit(sm) ? 1 : 0;
        if (users == 1 && k->sms[(size_t)stream * k->words + sm / 64] & bit(sm))
            gpci_kernels_tell(h, sm, kernel, GPC_KERNEL_END);
    }
    gpci_kernels_finish(h, stream);
    gpci_ledger_check(h);
    return GPC_OK;
}

uint32_t gpc_hierarchy_running_kernels(const gpc_hierarchy *h) {
    return h && h->kernels ? h->kernels->running : 0;
}

/* Build the L1s of a snapshot with the shares of their SMs. */
static void restore_shares(gpc_hierarchy *h, gpci_archive *a) {
    gpc_error reason = GPC_ERROR_INIT;
    gpc_cache **l1 = gpci_zalloc(h->context, h->sms, sizeof *l1);
    gpc_status status = l1 ? GPC_OK : GPC_ERROR_MEMORY;
    for (uint32_t sm = 0; status == GPC_OK && h->l1 && sm < h->sms; sm++)
        if (!gpci_is_shape(&h->kernels->shares[sm], &h->share))
            status = gpci_build_l1_of(h, &h->kernels->shares[sm], sm, &reason, &l1[sm]);
    for (uint32_t sm = 0; status == GPC_OK && sm < h->sms; sm++)
        if (l1[sm])
            gpci_cache_exchange(h->l1[sm], l1[sm]);
    gpci_destroy_caches(h, l1, h->sms);
    h->driver->relink(h);
    if (status < 0)
        gpci_archive_fail(a, status, reason.message);
}

void gpci_kernels_archive(gpc_hierarchy *h, gpci_archive *a) {
    const bool there = gpci_archive_number(a, h->kernels != NULL) != 0;
    if (a->status < 0 || !there)
        return;
    if (a->loading && gpci_kernels_create(h, NULL) < 0) {
        gpci_archive_fail(a, GPC_ERROR_MEMORY, "");
        return;
    }
    gpci_kernels *k = h->kernels;
    GPCI_ARCHIVE_FIELD(a, k->running);
    gpci_archive_bytes(a, k->of_stream, h->streams * sizeof *k->of_stream);
    gpci_archive_bytes(a, k->sms, (size_t)h->streams * k->words * sizeof *k->sms);
    gpci_archive_bytes(a, k->shares, h->sms * sizeof *k->shares);
    if (a->loading && a->status == GPC_OK)
        restore_shares(h, a);
}

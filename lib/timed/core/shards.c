/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/build/gl1.h"
#include "timed/core/shards_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Shards: assignment of components, creation, queries. */

static gpci_phase_part side_of(uint32_t kind) {
    if (kind == GPCI_GROUP_CHANNELS || kind == GPCI_GROUP_SLICES)
        return GPCI_PHASE_BELOW;
    const bool above = kind == GPCI_GROUP_GL1S || kind == GPCI_GROUP_L15S || kind == GPCI_GROUP_L1S;
    return above || kind == GPCI_GROUP_SMS ? GPCI_PHASE_ABOVE : GPCI_PHASE_OUTSIDE;
}

/*
 * SMs of a request coalescer share a shard, and so do SMs of a GL1, and of an L1.5. Without coalescers and GL1s, and
 * with at most two SMs per L1.5, shards take pairs of SMs in turn.
 */
static uint32_t shard_of_sm(const gpci_timed *timed, uint32_t sm, uint32_t count) {
    if (timed->hierarchy->sm_coalescer)
        return timed->hierarchy->sm_coalescer[sm] % count;
    if (timed->hierarchy->gl1)
        return gpci_gl1_index(timed->hierarchy, sm) % count;
    return (timed->hierarchy->l15 && gpci_number(timed->hierarchy, GPCI_KEY_L15_SMS) > 2 ? timed->hierarchy->sm_l15[sm]
                                                                                         : sm / 2) %
           count;
}

static uint32_t shard_of_l15(const gpci_timed *timed, uint32_t index, uint32_t count) {
    uint32_t sm = 0;
    while (timed->hierarchy->sm_l15[sm] != index)
        sm++;
    return shard_of_sm(timed, sm, count);
}

/*
 * Slices that interact: of a channel, or of a line in both partitions. Shards take slices in turn in this order, a
 * channel's slices and their peers at once.
 */
static uint32_t shard_of_slice(const gpci_timed *timed, uint32_t slice, uint32_t count) {
    const uint32_t half = timed->hierarchy->slices_per_partition;
    const uint64_t in_half = slice % half;
    if (timed->hierarchy->memory.slices > timed->channels &&
        (timed->hierarchy->memory.slices % timed->channels || half % timed->hierarchy->memory.slices_per_channel))
        return 0;
    return (uint32_t)(in_half / timed->hierarchy->memory.slices_per_channel % count);
}

static uint32_t shard_of_channel(const gpci_timed *timed, uint32_t channel, uint32_t count) {
    if (timed->hierarchy->memory.slices < timed->channels)
        return shard_of_slice(timed,
                              channel / timed->hierarchy->memory.channels_per_slice < timed->hierarchy->memory.slices
                                  ? channel / timed->hierarchy->memory.channels_per_slice
                                  : 0,
                              count);
    return shard_of_slice(
        timed,
        (uint32_t)(((uint64_t)channel * timed->hierarchy->memory.slices + timed->channels - 1) / timed->channels),
        count);
}

static uint32_t shard_of(const gpci_timed *timed, uint32_t kind, uint32_t index, uint32_t count) {
    switch (kind) {
    case GPCI_GROUP_CHANNELS:
        return shard_of_channel(timed, index, count);
    case GPCI_GROUP_SLICES:
        return shard_of_slice(timed, index, count);
    case GPCI_GROUP_L15S:
        return shard_of_l15(timed, index, count);
    case GPCI_GROUP_GL1S:
        return index % count;
    case GPCI_GROUP_L1S:
    case GPCI_GROUP_SMS:
        return shard_of_sm(timed, index, count);
    default:
        return GPCI_NO_STRAND;
    }
}

static void assign(gpci_shards *shards) {
    const gpci_timed *timed = shards->main;
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++)
        for (uint32_t i = 0; i < timed->groups[kind].components; i++) {
            const uint32_t number = timed->groups[kind].first + i, shard = shard_of(timed, kind, i, shards->count);
            shards->of[number] = (uint8_t)shard;
            if (shard == GPCI_NO_STRAND)
                continue;
            gpci_bit_set(shards->shard[shard].own, number);
            shards->shard[shard].sms += kind == GPCI_GROUP_SMS;
        }
}

/* Add a group's components to the last phase if the phase has components of the same side; if not, to a new phase. */
static void add_to_phases(gpci_shards *shards, uint32_t kind) {
    const gpci_group *group = &shards->main->groups[kind];
    const gpci_phase_part part = side_of(kind);
    if (!group->components)
        return;
    gpci_shard_phase *phase = shards->phase_count ? &shards->phases[shards->phase_count - 1] : NULL;
    if (!phase || phase->part != part) {
        phase = &shards->phases[shards->phase_count];
        phase->set = shards->bits + (size_t)shards->phase_count++ * shards->main->wheel.words;
        phase->part = part;
        phase->first = group->first;
    }
    phase->first = group->first < phase->first ? group->first : phase->first;
    const uint32_t last = group->first + group->components - 1;
    phase->last = last > phase->last ? last : phase->last;
    for (uint32_t number = group->first; number <= last; number++)
        gpci_bit_set(phase->set, number);
}

/*
 * Phases are in the order of groups, with an exception. If channels have no network, the partitions' reply links are
 * independent of the channels: the links come before the channels, and channels and slices become one phase.
 */
static void make_phases(gpci_shards *shards) {
    const bool early = !shards->main->groups[GPCI_GROUP_MEMORY_REPLIES].components;
    if (early)
        add_to_phases(shards, GPCI_GROUP_PARTITION_REPLIES);
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++)
        if (!early || kind != GPCI_GROUP_PARTITION_REPLIES)
            add_to_phases(shards, kind);
}

/* Receivers of all networks: components of shards, woken on the shards' wheels. */
static void share_networks(gpci_shards *shards) {
    gpci_timed *timed = shards->main;
    gpci_wheel **next = shards->receivers;
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++) {
        if (!timed->groups[kind].components || timed->groups[kind].class != &gpci_network_class)
            continue;
        gpci_network *network = timed->groups[kind].self;
        shards->networks[kind].receivers = next;
        for (uint32_t o = 0; o < network->options.outputs; o++)
            *next++ = &gpci_shards_of(timed, network->options.first_receiver + o)->wheel;
        gpci_network_share(network, &shards->networks[kind]);
    }
}

static gpc_status make_shard(gpci_shards *shards, uint32_t index, gpc_error *error) {
    gpci_shard *shard = &shards->shard[index];
    gpci_timed *timed = shards->main;
    shard->own = shards->bits + (size_t)(GPCI_PHASES + index) * timed->wheel.words;
    shard->view.shard = index;
    shard->view.pool = (gpci_pool){.context = timed->context,
                                   .free = GPCI_NO_PACKET,
                                   .waiter_free = GPCI_NO_PACKET,
                                   .stride = (shards->count - 1) * GPCI_POOL_CHUNK};
    shard->view.inflight_free = UINT32_MAX;
    shard->view.inflight_stride = (shards->count - 1) * GPCI_STRAND_FLIGHTS;
    return gpci_wheel_create(timed->context, timed->wheel.components, error, &shard->view.wheel);
}

static gpc_status make_shards(gpci_shards *shards, gpc_error *error) {
    gpci_timed *timed = shards->main;
    const size_t components = timed->wheel.components;
    shards->shard = gpci_zalloc_lines(timed->context, shards->count, sizeof *shards->shard);
    shards->of = gpci_alloc(timed->context, components);
    shards->bits =
        gpci_zalloc(timed->context, (size_t)(GPCI_PHASES + shards->count) * timed->wheel.words, sizeof *shards->bits);
    shards->receivers = gpci_zalloc(timed->context, components, sizeof *shards->receivers);
    if (!shards->shard || !shards->of || !shards->bits || !shards->receivers)
        return gpci_out_of_memory(error);
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; status == GPC_OK && i < shards->count; i++)
        status = make_shard(shards, i, error);
    if (status < 0)
        return status;
    const gpci_workers_options options = {.count = shards->count};
    status = gpci_workers_create(timed->context, &options, error, &shards->workers);
    if (status < 0)
        return status;
    assign(shards);
    make_phases(shards);
    share_networks(shards);
    gpci_shards_refresh(timed);
    gpci_shards_split(timed);
    return GPC_OK;
}

/* With fewer components, one thread is faster than a meeting of threads. */
#define LEAST 16u

gpc_status gpci_shards_create(gpci_timed *timed, gpc_error *error) {
    const uint64_t asked = gpci_number(timed->hierarchy, GPCI_KEY_THREADS);
    const bool automatic = asked == UINT64_MAX;
    uint64_t count = automatic ? gpci_processors() : asked;
    count = count < timed->hierarchy->sms ? count : timed->hierarchy->sms;
    count = count < GPCI_MOST_STRANDS ? count : GPCI_MOST_STRANDS;
    if (automatic && count > 8) /* beyond 8, the sequential part dominates */
        count = 8;
    if (asked == 1 || (automatic && count == 1))
        return GPC_OK;
    bool above, below;
    char why[GPCI_THREADS_TEXT];
    gpci_shards_check(timed, &above, &below, why);
    if (!above && !below) {
        if (!automatic)
            return gpci_fail(error, GPC_ERROR_RANGE, "threads = %" PRIu64 " has no effect: %s", asked, why);
        gpci_log(timed->context, GPC_LOG_INFO, "threads = auto: one thread: %s", why);
        return GPC_OK;
    }
    if (!above || !below)
        gpci_log(timed->context, GPC_LOG_INFO, "threads: one thread for the %s: %s",
                 above ? "L2 slices and channels" : "SMs and their L1s", why);
    gpci_shards *shards = timed->shards = gpci_zalloc(timed->context, 1, sizeof *shards);
    if (!shards)
        return gpci_out_of_memory(error);
    *shards = (gpci_shards){.main = timed, .count = (uint32_t)count, .least = LEAST, .above = !above, .below = !below};
    return make_shards(shards, error);
}

void gpci_shards_destroy(gpci_timed *timed) {
    gpci_shards *shards = timed->shards;
    if (!shards)
        return;
    gpci_workers_destroy(shards->workers);
    for (uint32_t i = 0; shards->shard && i < shards->count; i++)
        gpci_wheel_destroy(&shards->shard[i].view.wheel);
    gpci_free_lines(timed->context, shards->shard);
    gpci_free(timed->context, shards->of);
    gpci_free(timed->context, shards->bits);
    gpci_free(timed->context, shards->receivers);
    gpci_free(timed->context, shards);
    timed->shards = NULL;
}

void gpci_shards_refresh(gpci_timed *timed) {
    for (uint32_t i = 0; timed->shards && i < timed->shards->count; i++) {
        gpci_timed *view = &timed->shards->shard[i].view;
        const gpci_timed own = *view;
        *view = *timed;
        view->shard = i;
        view->wheel = own.wheel;
        view->pool = own.pool;
        view->inflight_fresh = own.inflight_fresh;
        view->inflight_free = own.inflight_free;
        view->inflight_stride = own.inflight_stride;
        view->in_flight = own.in_flight;
        view->taken = own.taken;
        view->ended = own.ended;
        view->starters = own.starters;
        view->progress = own.progress;
        view->failed = own.failed;
        for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++)
            view->groups[kind].timed = view;
    }
    for (uint32_t i = 0; timed->shards && i < timed->hierarchy->sms; i++)
        timed->l1[i].timed = gpci_shards_of(timed, timed->l1[i].component);
    for (uint32_t i = 0; timed->shards && i < timed->hierarchy->l15_count; i++)
        timed->l15[i].timed = gpci_shards_of(timed, timed->l15[i].component);
    for (uint32_t i = 0; timed->shards && i < timed->hierarchy->gl1_count; i++)
        timed->gl1[i].timed = gpci_shards_of(timed, timed->gl1[i].component);
    for (uint32_t i = 0; timed->shards && timed->memory_caches && i < timed->channels; i++)
        timed->memory_caches[i].timed = gpci_shards_of(timed, timed->memory_caches[i].component);
    for (uint32_t i = 0; timed->shards && i < timed->hierarchy->slices; i++)
        timed->l2[i].timed = gpci_shards_of(timed, timed->l2[i].component);
    if (timed->shards)
        gpci_shards_share_memory(timed->shards);
}

void gpci_shards_fold(gpci_timed *timed) {
    gpci_shards *shards = timed->shards;
    for (uint32_t i = 0; i < shards->count; i++) {
        gpci_timed *view = &shards->shard[i].view;
        shards->shard[i].spare -= (int32_t)view->pool.live;
        timed->pool.live += view->pool.live;
        timed->in_flight += view->in_flight;
        timed->taken += view->taken;
        timed->ended += view->ended;
        timed->starters += view->starters;
        timed->progress = view->progress > timed->progress ? view->progress : timed->progress;
        timed->failed = timed->failed == GPC_OK ? view->failed : timed->failed;
        view->pool.live = 0;
        view->in_flight = view->taken = view->ended = view->starters = view->progress = 0;
        view->failed = GPC_OK;
    }
}

uint64_t gpci_shards_component_next(const gpci_timed *timed, uint32_t number) {
    const gpci_shards *shards = timed->shards;
    const uint32_t shard = shards->of[number];
    const uint64_t next = gpci_wheel_component_next(&timed->wheel, number);
    const uint64_t own =
        shard == GPCI_NO_STRAND ? GPCI_NEVER : gpci_wheel_component_next(&shards->shard[shard].view.wheel, number);
    return own < next ? own : next;
}

gpci_timed *gpci_shards_of(gpci_timed *timed, uint32_t component) {
    const uint32_t shard = timed->shards->of[component];
    return shard == GPCI_NO_STRAND ? timed : &timed->shards->shard[shard].view;
}

gpci_timed *gpci_shards_of_sm(gpci_timed *timed, uint32_t sm) {
    return gpci_shards_of(timed, timed->groups[GPCI_GROUP_SMS].first + sm);
}

uint32_t gpci_shards_count(const gpci_timed *timed) {
    return timed->shards ? timed->shards->count : 1;
}

uint32_t gpci_shards_shard_of_sm(const gpci_timed *timed, uint32_t sm) {
    return timed->shards ? timed->shards->of[timed->groups[GPCI_GROUP_SMS].first + sm] : 0;
}

void gpci_shards_keep_sms(gpci_timed *timed, bool alone) {
    if (timed->shards)
        timed->shards->keep_sms = alone;
}

gpc_status gpci_shards_test(gpci_timed *timed, uint64_t delay, gpc_error *error) {
    gpci_shards *shards = timed->shards;
    gpci_workers *workers;
    const gpci_workers_options options = {.count = shards->count, .exactly = true, .delay = delay};
    const gpc_status status = gpci_workers_create(timed->context, &options, error, &workers);
    if (status < 0)
        return status;
    gpci_workers_destroy(shards->workers);
    shards->workers = workers;
    shards->least = 1;
    return GPC_OK;
}

uint64_t gpci_shards_shared(const gpci_timed *timed, double *out_waited) {
    if (out_waited)
        *out_waited = timed->shards ? gpci_workers_waited(timed->shards->workers, NULL) : 0;
    return timed->shards ? timed->shards->shared : 0;
}

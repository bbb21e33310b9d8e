/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/core/strands_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Strands: assignment of components, creation, queries. */

static gpci_side side_of(uint32_t kind) {
    if (kind == GPCI_GROUP_CHANNELS || kind == GPCI_GROUP_SLICES)
        return GPCI_SIDE_BELOW;
    return kind == GPCI_GROUP_L15S || kind == GPCI_GROUP_L1S || kind == GPCI_GROUP_SMS ? GPCI_SIDE_ABOVE
                                                                                       : GPCI_SIDE_NONE;
}

/* SMs of a request coalescer, or an L1.5, share a strand; so do some neighbours, busy in turns. */
static uint32_t strand_of_sm(const gpci_timed *t, uint32_t sm, uint32_t count) {
    if (t->h->sm_coalescer)
        return t->h->sm_coalescer[sm] % count;
    return (t->h->l15 && gpci_number(t->h, GPCI_KEY_L15_SMS) > 2 ? t->h->sm_l15[sm] : sm / 2) % count;
}

static uint32_t strand_of_l15(const gpci_timed *t, uint32_t index, uint32_t count) {
    uint32_t sm = 0;
    while (t->h->sm_l15[sm] != index)
        sm++;
    return strand_of_sm(t, sm, count);
}

/*
 * Slices that interact: of a channel, or of a line in both partitions. Strands take slices in turn in this order, a
 * channel's slices and their peers at once.
 */
static uint32_t strand_of_slice(const gpci_timed *t, uint32_t slice, uint32_t count) {
    const uint32_t half = t->h->slices_per_partition;
    const uint64_t in_half = slice % half;
    if (t->h->slices < t->channels || t->h->slices % t->channels || half % t->slices_per_channel)
        return t->h->slices <= t->channels ? (uint32_t)(in_half % count) : 0;
    return (uint32_t)(in_half / t->slices_per_channel % count);
}

static uint32_t strand_of_channel(const gpci_timed *t, uint32_t channel, uint32_t count) {
    if (t->h->slices < t->channels)
        return strand_of_slice(t, channel / t->channels_per_slice < t->h->slices ? channel / t->channels_per_slice : 0,
                               count);
    return strand_of_slice(t, (uint32_t)(((uint64_t)channel * t->h->slices + t->channels - 1) / t->channels), count);
}

static uint32_t strand_of(const gpci_timed *t, uint32_t kind, uint32_t index, uint32_t count) {
    switch (kind) {
    case GPCI_GROUP_CHANNELS:
        return strand_of_channel(t, index, count);
    case GPCI_GROUP_SLICES:
        return strand_of_slice(t, index, count);
    case GPCI_GROUP_L15S:
        return strand_of_l15(t, index, count);
    case GPCI_GROUP_L1S:
    case GPCI_GROUP_SMS:
        return strand_of_sm(t, index, count);
    default:
        return GPCI_NO_STRAND;
    }
}

static void assign(gpci_strands *strands) {
    const gpci_timed *t = strands->main;
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++)
        for (uint32_t i = 0; i < t->groups[kind].components; i++) {
            const uint32_t number = t->groups[kind].first + i, strand = strand_of(t, kind, i, strands->count);
            strands->of[number] = (uint8_t)strand;
            if (strand == GPCI_NO_STRAND)
                continue;
            gpci_bit_set(strands->strand[strand].own, number);
            strands->strand[strand].sms += kind == GPCI_GROUP_SMS;
        }
}

/* Add a group's components to a phase of the side: the last phase if of the side, or a new phase. */
static void add_to_phases(gpci_strands *strands, uint32_t kind) {
    const gpci_group *group = &strands->main->groups[kind];
    const gpci_side side = side_of(kind);
    if (!group->components)
        return;
    gpci_strand_phase *phase = strands->phase_count ? &strands->phases[strands->phase_count - 1] : NULL;
    if (!phase || phase->side != side) {
        phase = &strands->phases[strands->phase_count];
        phase->set = strands->bits + (size_t)strands->phase_count++ * strands->main->wheel.words;
        phase->side = side;
        phase->first = group->first;
    }
    phase->first = group->first < phase->first ? group->first : phase->first;
    const uint32_t last = group->first + group->components - 1;
    phase->last = last > phase->last ? last : phase->last;
    for (uint32_t number = group->first; number <= last; number++)
        gpci_bit_set(phase->set, number);
}

/*
 * Phases in the order of groups; but the partitions' reply links come before the channels if channels have no network:
 * independent then, and channels and slices become one phase.
 */
static void make_phases(gpci_strands *strands) {
    const bool early = !strands->main->groups[GPCI_GROUP_MEMORY_REPLIES].components;
    if (early)
        add_to_phases(strands, GPCI_GROUP_PARTITION_REPLIES);
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++)
        if (!early || kind != GPCI_GROUP_PARTITION_REPLIES)
            add_to_phases(strands, kind);
}

/* Receivers of all networks: components of strands, woken on the strands' wheels. */
static void share_networks(gpci_strands *strands) {
    gpci_timed *t = strands->main;
    gpci_wheel **next = strands->receivers;
    for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++) {
        if (!t->groups[kind].components || t->groups[kind].class != &gpci_network_class)
            continue;
        gpci_network *network = t->groups[kind].self;
        strands->networks[kind].receivers = next;
        for (uint32_t o = 0; o < network->options.outputs; o++)
            *next++ = &gpci_strands_of(t, network->options.first_receiver + o)->wheel;
        gpci_network_share(network, &strands->networks[kind]);
    }
}

static gpc_status make_strand(gpci_strands *strands, uint32_t index, gpc_error *error) {
    gpci_strand *strand = &strands->strand[index];
    gpci_timed *t = strands->main;
    strand->own = strands->bits + (size_t)(GPCI_PHASES + index) * t->wheel.words;
    strand->view.strand = index;
    strand->view.pool = (gpci_pool){.context = t->context,
                                    .free = GPCI_NO_PACKET,
                                    .waiter_free = GPCI_NO_PACKET,
                                    .stride = (strands->count - 1) * GPCI_POOL_CHUNK};
    strand->view.flight_free = UINT32_MAX;
    strand->view.flight_stride = (strands->count - 1) * GPCI_STRAND_FLIGHTS;
    return gpci_wheel_create(t->context, t->wheel.components, error, &strand->view.wheel);
}

static gpc_status make_strands(gpci_strands *strands, gpc_error *error) {
    gpci_timed *t = strands->main;
    const size_t components = t->wheel.components;
    strands->strand = gpci_zalloc_lines(t->context, strands->count, sizeof *strands->strand);
    strands->of = gpci_alloc(t->context, components);
    strands->bits =
        gpci_zalloc(t->context, (size_t)(GPCI_PHASES + strands->count) * t->wheel.words, sizeof *strands->bits);
    strands->receivers = gpci_zalloc(t->context, components, sizeof *strands->receivers);
    if (!strands->strand || !strands->of || !strands->bits || !strands->receivers)
        return gpci_out_of_memory(error);
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; status == GPC_OK && i < strands->count; i++)
        status = make_strand(strands, i, error);
    if (status < 0)
        return status;
    const gpci_workers_options options = {.count = strands->count};
    status = gpci_workers_create(t->context, &options, error, &strands->workers);
    if (status < 0)
        return status;
    assign(strands);
    make_phases(strands);
    share_networks(strands);
    gpci_strands_refresh(t);
    gpci_strands_split(t);
    return GPC_OK;
}

/* With fewer components, one thread is faster than a meeting of threads. */
#define LEAST 16u

gpc_status gpci_strands_create(gpci_timed *t, gpc_error *error) {
    const uint64_t asked = gpci_number(t->h, GPCI_KEY_THREADS);
    const bool automatic = asked == UINT64_MAX;
    uint64_t count = automatic ? gpci_processors() : asked;
    count = count < t->h->sms ? count : t->h->sms;
    count = count < GPCI_MOST_STRANDS ? count : GPCI_MOST_STRANDS;
    if (automatic && count > 8) /* beyond 8, the sequential part dominates */
        count = 8;
    if (asked == 1 || (automatic && count == 1))
        return GPC_OK;
    bool above, below;
    char why[GPCI_THREADS_TEXT];
    gpci_strands_check(t, &above, &below, why);
    if (!above && !below) {
        if (!automatic)
            return gpci_fail(error, GPC_ERROR_RANGE, "threads = %" PRIu64 " has no effect: %s", asked, why);
        gpci_log(t->context, GPC_LOG_INFO, "threads = auto: one thread: %s", why);
        return GPC_OK;
    }
    if (!above || !below)
        gpci_log(t->context, GPC_LOG_INFO, "threads: one thread for the %s: %s",
                 above ? "L2 slices and channels" : "SMs and their L1s", why);
    gpci_strands *strands = t->strands = gpci_zalloc(t->context, 1, sizeof *strands);
    if (!strands)
        return gpci_out_of_memory(error);
    *strands = (gpci_strands){.main = t, .count = (uint32_t)count, .least = LEAST, .above = !above, .below = !below};
    return make_strands(strands, error);
}

void gpci_strands_destroy(gpci_timed *t) {
    gpci_strands *strands = t->strands;
    if (!strands)
        return;
    gpci_workers_destroy(strands->workers);
    for (uint32_t i = 0; strands->strand && i < strands->count; i++)
        gpci_wheel_destroy(&strands->strand[i].view.wheel);
    gpci_free_lines(t->context, strands->strand);
    gpci_free(t->context, strands->of);
    gpci_free(t->context, strands->bits);
    gpci_free(t->context, strands->receivers);
    gpci_free(t->context, strands);
    t->strands = NULL;
}

void gpci_strands_refresh(gpci_timed *t) {
    for (uint32_t i = 0; t->strands && i < t->strands->count; i++) {
        gpci_timed *view = &t->strands->strand[i].view;
        const gpci_timed own = *view;
        *view = *t;
        view->strand = i;
        view->wheel = own.wheel;
        view->pool = own.pool;
        view->flight_fresh = own.flight_fresh;
        view->flight_free = own.flight_free;
        view->flight_stride = own.flight_stride;
        view->in_flight = own.in_flight;
        view->taken = own.taken;
        view->ended = own.ended;
        view->progress = own.progress;
        view->failed = own.failed;
        for (uint32_t kind = 0; kind < GPCI_GROUP_COUNT; kind++)
            view->groups[kind].timed = view;
    }
    for (uint32_t i = 0; t->strands && i < t->h->sms; i++)
        t->l1[i].timed = gpci_strands_of(t, t->l1[i].component);
    for (uint32_t i = 0; t->strands && i < t->h->l15_count; i++)
        t->l15[i].timed = gpci_strands_of(t, t->l15[i].component);
    for (uint32_t i = 0; t->strands && i < t->h->slices; i++)
        t->l2[i].timed = gpci_strands_of(t, t->l2[i].component);
    if (t->strands)
        gpci_strands_share_rooms(t->strands);
}

void gpci_strands_fold(gpci_timed *t) {
    gpci_strands *strands = t->strands;
    for (uint32_t i = 0; i < strands->count; i++) {
        gpci_timed *view = &strands->strand[i].view;
        strands->strand[i].spare -= (int32_t)view->pool.live;
        t->pool.live += view->pool.live;
        t->in_flight += view->in_flight;
        t->taken += view->taken;
        t->ended += view->ended;
        t->progress = view->progress > t->progress ? view->progress : t->progress;
        t->failed = t->failed == GPC_OK ? view->failed : t->failed;
        view->pool.live = 0;
        view->in_flight = view->taken = view->ended = view->progress = 0;
        view->failed = GPC_OK;
    }
}

uint64_t gpci_strands_component_next(const gpci_timed *t, uint32_t number) {
    const gpci_strands *strands = t->strands;
    const uint32_t strand = strands->of[number];
    const uint64_t next = gpci_wheel_component_next(&t->wheel, number);
    const uint64_t own =
        strand == GPCI_NO_STRAND ? GPCI_NEVER : gpci_wheel_component_next(&strands->strand[strand].view.wheel, number);
    return own < next ? own : next;
}

gpci_timed *gpci_strands_of(gpci_timed *t, uint32_t component) {
    const uint32_t strand = t->strands->of[component];
    return strand == GPCI_NO_STRAND ? t : &t->strands->strand[strand].view;
}

gpci_timed *gpci_strands_of_sm(gpci_timed *t, uint32_t sm) {
    return gpci_strands_of(t, t->groups[GPCI_GROUP_SMS].first + sm);
}

uint32_t gpci_strands_count(const gpci_timed *t) {
    return t->strands ? t->strands->count : 1;
}

uint32_t gpci_strands_strand_of_sm(const gpci_timed *t, uint32_t sm) {
    return t->strands ? t->strands->of[t->groups[GPCI_GROUP_SMS].first + sm] : 0;
}

void gpci_strands_keep_sms(gpci_timed *t, bool alone) {
    if (t->strands)
        t->strands->keep_sms = alone;
}

gpc_status gpci_strands_test(gpci_timed *t, uint64_t delay, gpc_error *error) {
    gpci_strands *strands = t->strands;
    gpci_workers *workers;
    const gpci_workers_options options = {.count = strands->count, .exactly = true, .delay = delay};
    const gpc_status status = gpci_workers_create(t->context, &options, error, &workers);
    if (status < 0)
        return status;
    gpci_workers_destroy(strands->workers);
    strands->workers = workers;
    strands->least = 1;
    return GPC_OK;
}

uint64_t gpci_strands_shared(const gpci_timed *t, double *out_waited) {
    if (out_waited)
        *out_waited = t->strands ? gpci_workers_waited(t->strands->workers, NULL) : 0;
    return t->strands ? t->strands->shared : 0;
}

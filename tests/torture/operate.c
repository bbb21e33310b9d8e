/* SPDX-License-Identifier: BSD-2-Clause */
#define GPC_EXPERIMENTAL
#include <gpucache/experimental/experimental.h>

#include "host.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Cycles for which a host repeats a refused offer before the host gives up. */
enum { PATIENCE = 20000 };

/* Arguments of an operation's call, kept for repeated offers. */
typedef struct offer {
    uint64_t addresses[64];
    uint32_t multicast[16];
    uint8_t bytes[64 * 64];
    gpc_warp_access access;
    gpc_request requests[MOST_TRANSACTIONS];
    gpc_fence fence;
    gpc_port_request port;
    unsigned expected; /* completions */
    gpc_error error;
} offer;

static uint32_t lanes_of(uint64_t mask) {
    uint32_t count = 0;
    for (; mask; mask &= mask - 1)
        count++;
    return count;
}

static uint8_t store_byte(uint64_t token, uint32_t i) {
    return (uint8_t)((token * 0x9e3779b97f4a7c15u >> 32) + i * 7u);
}

static void carry_values(host *at, const op *o, uint32_t n, offer *f) {
    gpc_warp_access *w = &f->access;
    const uint8_t *known;
    uint32_t count;
    if (!at->data || w->kind == GPC_LOAD || w->kind == GPC_PREFETCH || w->width > 64)
        return;
    w->atomic = w->kind == GPC_STORE ? GPC_OP_NONE : o->atomic;
    for (uint32_t i = 0; i < sizeof f->bytes; i++)
        f->bytes[i] = store_byte(n, i);
    if (at->expected && expected_bytes(at->expected, n, &known, &count))
        memcpy(f->bytes, known, count);
    w->bytes = f->bytes;
    w->compare = w->atomic == GPC_OP_COMPARE_SWAP ? f->bytes : NULL;
}

static void make_access(host *at, const op *o, uint32_t n, offer *f) {
    gpc_warp_access *w = &f->access;
    *w = (gpc_warp_access)GPC_WARP_ACCESS_INIT;
    w->sm = o->sm % at->shape.sms;
    w->warp = o->warp % at->slots;
    w->warp_age = o->warp;
    w->block = o->warp / 4;
    w->pc = o->pc;
    w->mask = at->shape.lanes < 64 ? o->mask & (((uint64_t)1 << at->shape.lanes) - 1) : o->mask;
    w->mask += !w->mask;
    w->addresses = f->addresses;
    const uint32_t lanes = lanes_of(w->mask);
    for (uint32_t i = 0; i < lanes; i++)
        f->addresses[i] = o->address + i * o->stride;
    w->width = o->width;
    w->kind = o->kind, w->space = o->space, w->hint = o->hint, w->priority = o->priority;
    w->token = o->token, w->token_l2 = o->token_l2, w->scope = o->scope, w->order = o->order;
    w->stream = (uint8_t)(o->stream % at->streams);
    w->copy = o->copy;
    w->process = o->process;
    w->local_offsets = o->local;
    if (o->multicast) {
        w->multicast_count = o->multicast < at->shape.sms ? o->multicast : at->shape.sms;
        for (uint32_t i = 0; i < w->multicast_count; i++)
            f->multicast[i] = (o->warp + i) % at->shape.sms;
        w->multicast = f->multicast;
    }
    carry_values(at, o, n, f);
    f->expected = w->multicast_count ? w->multicast_count : 1;
}

static void make_requests(const host *at, const op *o, offer *f) {
    const uint32_t own = at->shape.l1_line ? at->shape.l1_line : at->shape.l2_line, line = own ? own : 128;
    const uint32_t bytes = 4 * (1 + o->width % 8);
    for (uint32_t i = 0; i < MOST_TRANSACTIONS; i++) {
        gpc_request *r = &f->requests[i];
        memset(r, 0, sizeof *r);
        r->address = o->address / line * line + i * (o->stride ? o->stride / line * line + line : 0);
        r->pc = o->pc;
        r->sm = o->sm % at->shape.sms, r->warp = o->warp % at->slots, r->warp_age = o->warp;
        r->block = o->warp / 4;
        r->size = o->count % 3 && bytes <= line ? bytes : 0;
        r->kind = o->kind, r->space = o->space, r->hint = o->hint, r->priority = o->priority;
        r->policy.token = o->token, r->policy.token_l2 = o->token_l2, r->scope = o->scope, r->order = o->order;
        r->stream = (uint8_t)(o->stream % at->streams);
        r->copy = o->copy;
        r->process = o->process;
    }
}

static void make_offer(host *at, const op *o, uint32_t n, offer *f) {
    f->expected = 1;
    f->error = (gpc_error)GPC_ERROR_INIT;
    switch (o->what) {
    case OP_ACCESS:
        make_access(at, o, n, f);
        break;
    case OP_TRANSACTIONS:
    case OP_MISS:
        make_requests(at, o, f);
        break;
    case OP_FENCE:
        f->fence = (gpc_fence)GPC_FENCE_INIT;
        f->fence.sm = o->sm % at->shape.sms, f->fence.warp = o->warp % at->slots;
        f->fence.scope = o->scope, f->fence.order = o->order, f->fence.control = o->control;
        break;
    default:
        f->port = (gpc_port_request)GPC_PORT_REQUEST_INIT;
        f->port.address = o->address + o->pc;
        f->port.bytes = 1 + o->width * o->count * 3;
        f->port.port = o->sm % (gpc_hierarchy_ports(at->h) + !gpc_hierarchy_ports(at->h));
        f->port.kind = o->kind == GPC_STORE ? GPC_STORE : GPC_LOAD;
        f->port.process = o->process;
    }
}

static gpc_status give(host *at, const op *o, uint32_t n, offer *f) {
    switch (o->what) {
    case OP_ACCESS:
        return gpc_hierarchy_try_issue(at->h, &f->access, n, NULL, &f->error);
    case OP_TRANSACTIONS:
        return gpc_hierarchy_try_transactions(at->h, f->requests, 1 + o->count % MOST_TRANSACTIONS, n, NULL, &f->error);
    case OP_MISS:
        return gpc_hierarchy_try_miss(at->h, f->requests, n, NULL, &f->error);
    case OP_FENCE:
        return gpc_hierarchy_try_fence(at->h, &f->fence, n, NULL, &f->error);
    default:
        return gpc_hierarchy_try_port(at->h, &f->port, n, &f->error);
    }
}

/* True if the library can tell whether there is room: it cannot for ports and for queues of bulk copies. */
static bool room_is_told(const op *o, const offer *f) {
    return o->what != OP_PORT && !(o->what == OP_ACCESS && f->access.copy == GPC_COPY_BULK);
}

static bool has_room(host *at, const op *o) {
    const uint32_t sm = o->sm % at->shape.sms;
    if (o->what == OP_PORT)
        return true;
    return o->what == OP_MISS ? gpc_hierarchy_can_accept_miss(at->h, sm, NULL)
                              : gpc_hierarchy_can_accept(at->h, sm, NULL);
}

static void accepted(host *at, const op *o, unsigned n, const offer *f) {
    at->completions[n] = (uint8_t)(at->completions[n] + f->expected);
    if (o->what == OP_ACCESS)
        at->r->accesses++;
}

/* Offers an operation until the hierarchy takes it. Contradictory operations are passed over. */
static void offer_op(host *at, const op *o, unsigned n) {
    offer *f = calloc(1, sizeof *f);
    if (!f)
        abort();
    make_offer(at, o, n, f);
    const uint64_t last = at->c->values ? UINT64_MAX : gpc_hierarchy_now(at->h) + PATIENCE;
    at->completions[n] = 0;
    gpc_status status;
    HOST_CALL(at, status, give(at, o, n, f));
    if (status < 0 && (f->error.status != status || !f->error.message[0]))
        fail(at->f, "unsaid", "operation %u returns %s without a sentence", n, gpc_status_string(status));
    while (status == GPC_BUSY && !at->f->failed && gpc_hierarchy_now(at->h) < last) {
        if (!host_go_on(at, last)) {
            if (!at->f->failed)
                fail(at->f, "refused", "operation %u is refused, and nothing is under way", n);
            break;
        }
        if (!has_room(at, o))
            continue;
        HOST_CALL(at, status, give(at, o, n, f));
        if (status == GPC_BUSY && room_is_told(o, f))
            fail(at->f, "room", "operation %u: there is room, but it is refused", n);
    }
    record_tell(at->r, (uint64_t)status);
    if (status == GPC_OK)
        accepted(at, o, n, f);
    else if (at->c->values)
        fail(at->f, "refusal", "operation %u of a program with values: %s", n, f->error.message);
    free(f);
}

static void start_kernel(host *at, const op *o) {
    gpc_kernel_options options = GPC_KERNEL_OPTIONS_INIT;
    gpc_launch launch = GPC_LAUNCH_INIT;
    gpc_error error = GPC_ERROR_INIT;
    uint32_t sms[64], count = 0, number;
    for (uint32_t sm = 0; sm < at->shape.sms && sm < 64; sm++)
        if (o->count % 4 == 0 || o->mask >> sm & 1)
            sms[count++] = sm;
    launch.threads = 64, launch.registers = 16, launch.shared_bytes = o->width * 64;
    options.launch = o->count % 3 ? &launch : NULL;
    options.sms = count ? sms : NULL, options.sm_count = count;
    options.stream = o->stream % at->streams;
    if (at->kernel_count == MOST_KERNELS)
        return;
    gpc_status status;
    HOST_CALL(at, status, gpc_hierarchy_start_kernel(at->h, &options, &number, &error));
    if (status == GPC_OK)
        at->kernels[at->kernel_count++] = number;
}

static void end_kernel(host *at) {
    gpc_error error = GPC_ERROR_INIT;
    if (!at->kernel_count)
        return;
    while (gpc_hierarchy_in_flight(at->h) && host_go_on(at, UINT64_MAX))
        ;
    gpc_status status = GPC_OK;
    if (!at->f->failed)
        HOST_CALL(at, status, gpc_hierarchy_end_kernel(at->h, at->kernels[0], &error));
    if (status != GPC_OK)
        fail(at->f, "end", "gpc_hierarchy_end_kernel: %s", error.message);
    at->kernel_count--;
    memmove(at->kernels, at->kernels + 1, at->kernel_count * sizeof *at->kernels);
}

static void begin_kernel(host *at, const op *o) {
    gpc_launch launch = GPC_LAUNCH_INIT;
    gpc_error error = GPC_ERROR_INIT;
    host_wait(at);
    while (at->kernel_count && !at->f->failed)
        end_kernel(at);
    launch.threads = 64, launch.registers = 16, launch.shared_bytes = o->width * 64;
    if (at->f->failed)
        return;
    gpc_status status;
    HOST_CALL(at, status, gpc_hierarchy_begin_kernel(at->h, o->count % 3 ? &launch : NULL, &error));
    if (status != GPC_OK && status != GPC_ERROR_RANGE)
        fail(at->f, "begin", "gpc_hierarchy_begin_kernel: %s", error.message);
}

static void rank(host *at, bool ranked) {
    gpc_status status;
    at->ranked = ranked;
    HOST_CALL(at, status, gpc_hierarchy_rank_warps(at->h, ranked, NULL));
    if (status != GPC_OK)
        fail(at->f, "rank", "gpc_hierarchy_rank_warps fails");
}

static void sample(host *at, const op *o) {
    gpc_sample *samples = calloc(at->shape.sms, sizeof *samples);
    for (uint32_t sm = 0; samples && sm < at->shape.sms; sm++) {
        samples[sm].struct_size = sizeof *samples;
        samples[sm].cycle = gpc_hierarchy_now(at->h);
        samples[sm].cycles = 1000;
        samples[sm].active_cycles = 900;
        samples[sm].instructions = 100 + o->count * sm;
    }
    gpc_status status;
    HOST_CALL(at, status, gpc_hierarchy_sample(at->h, samples, NULL));
    if (status != GPC_OK)
        fail(at->f, "sample", "gpc_hierarchy_sample fails");
    free(samples);
}

static void alone(host *at, const op *o) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_access_window window = GPC_ACCESS_WINDOW_INIT;
    gpc_status status = GPC_OK;
    host_wait(at);
    if (at->f->failed)
        return;
    window.begin = o->address, window.bytes = o->width * 128, window.hit_ratio = o->count;
    window.hit = (uint8_t)(o->sm % 3);
    if (o->what == OP_PRELOAD)
        HOST_CALL(
            at, status,
            gpc_hierarchy_preload(at->h, 1 + o->count % 2, o->sm % at->shape.sms, o->address, o->width * 64, &error));
    else if (o->what == OP_FLUSH)
        HOST_CALL(at, status, gpc_hierarchy_flush(at->h, NULL));
    else if (o->count % 3)
        HOST_CALL(at, status, gpc_hierarchy_set_window(at->h, &window, &error));
    else
        HOST_CALL(at, status, gpc_hierarchy_reset_persisting(at->h, NULL));
    if (status == GPC_ERROR_STATE)
        fail(at->f, "alone", "operation of kind %u while idle: %s", o->what, error.message);
}

static void tell(host *at, const op *o) {
    gpc_warp_event event = {.kind = o->count % 3, .sm = o->sm % at->shape.sms, .warp = o->warp % at->slots};
    event.block = event.warp / 4;
    gpc_status status;
    HOST_CALL(at, status, gpc_hierarchy_warp_event(at->h, &event, NULL));
    if (status != GPC_OK && !at->ranked)
        fail(at->f, "event", "gpc_hierarchy_warp_event fails");
}

void host_operate(host *at, unsigned n) {
    const op *o = &at->c->ops[n];
    const uint64_t due = gpc_hierarchy_now(at->h) + o->delay;
    while (gpc_hierarchy_now(at->h) < due && !at->f->failed)
        if (!host_go_on(at, due))
            return;
    switch (o->what) {
    case OP_START:
        start_kernel(at, o);
        break;
    case OP_END:
        end_kernel(at);
        break;
    case OP_BEGIN:
        begin_kernel(at, o);
        break;
    case OP_WAIT:
        host_wait(at);
        break;
    case OP_CREDITS:
        if (at->c->manners.credits)
            gpc_hierarchy_set_reply_credits(at->h, o->sm % at->shape.sms, o->count, NULL);
        break;
    case OP_EVENT:
        tell(at, o);
        break;
    case OP_SAMPLE:
        sample(at, o);
        break;
    case OP_INSTRUCTIONS:
        gpc_hierarchy_count_instructions(at->h, o->count, o->count * 32, o->sm % 2);
        break;
    case OP_PRELOAD:
    case OP_FLUSH:
    case OP_WINDOW:
        alone(at, o);
        break;
    case OP_RESET:
        gpc_hierarchy_reset_stats(at->h);
        break;
    case OP_RANK:
        rank(at, o->count % 2);
        break;
    default:
        offer_op(at, o, n);
    }
}

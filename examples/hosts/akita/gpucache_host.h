/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_HOST_GLUE_H
#define GPUCACHE_HOST_GLUE_H

/*
 * Functions of plain numbers for gpucache.go, called by cgo: Go may not keep pointers of C structs to Go's memory, and
 * callbacks into Go are slow. Finished accesses are read from a list after every cycle.
 */
#include <gpucache/ext/hierarchy.h>
#include <gpucache/gpucache.h>

#include <stdlib.h>
#include <string.h>

typedef struct host_memory {
    gpc_context *context;
    gpc_hierarchy *hierarchy;
    uint64_t *done; /* tokens, in order of completion */
    size_t count, room;
    uint32_t line;     /* bytes */
    gpc_status status; /* status of the last failed call */
    gpc_error error;
} host_memory;

/* Keep a call's status if an error: not every call has a message, and an old message must not stand for a new error. */
static gpc_status host_keep(host_memory *h, gpc_status status) {
    if (status < 0)
        h->status = status;
    return status;
}

static void host_on_complete(void *user_data, const gpc_completion *completion) {
    host_memory *h = user_data;
    h->done[h->count++] = completion->token; /* room for every request in flight: host_issue */
}

static void host_destroy(host_memory *h) {
    if (!h)
        return;
    gpc_hierarchy_destroy(h->hierarchy);
    gpc_context_destroy(h->context);
    free(h->done);
    free(h);
}

/*
 * `settings`: KEY=VALUE, one per line, over the preset. NULL: out of memory; if the hierarchy is NULL, host_error gives
 * the reason.
 */
static host_memory *host_create(const char *preset, const char *settings) {
    host_memory *h = calloc(1, sizeof *h);
    gpc_config *config = NULL;
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    gpc_shape shape = GPC_SHAPE_INIT;
    if (!h)
        return NULL;
    h->error = (gpc_error)GPC_ERROR_INIT;
    callbacks.user_data = h;
    callbacks.on_complete = host_on_complete;
    if (host_keep(h, gpc_context_create(NULL, &h->context, &h->error)) == GPC_OK &&
        host_keep(h, gpc_config_create(h->context, &config, &h->error)) == GPC_OK &&
        host_keep(h, gpc_config_load_preset(config, preset, &h->error)) == GPC_OK &&
        host_keep(h, gpc_config_load_text(config, settings, "settings", &h->error)) == GPC_OK &&
        host_keep(h, gpc_config_set_pair(config, "mode=timed", &h->error)) == GPC_OK &&
        host_keep(h, gpc_hierarchy_create(h->context, config, &h->hierarchy, &h->error)) == GPC_OK &&
        (host_keep(h, gpc_hierarchy_set_callbacks(h->hierarchy, &callbacks, &h->error)) < 0 ||
         host_keep(h, gpc_hierarchy_get_shape(h->hierarchy, &shape, &h->error)) < 0 ||
         host_keep(h, gpc_hierarchy_begin_kernel(h->hierarchy, NULL, &h->error)) < 0)) {
        gpc_hierarchy_destroy(h->hierarchy);
        h->hierarchy = NULL;
    }
    h->line = shape.l1_line ? shape.l1_line : shape.l2_line;
    gpc_config_destroy(config);
    return h;
}

/* Access to the bytes [address, address + size) of a line. */
typedef struct host_access {
    uint64_t address, size;
    uint32_t sm;
    bool below; /* past L1: for a cache with its own lines */
    bool write;
} host_access;

/* Bytes of a write's mask as bits of the line; false: the mask does not fit. */
static bool host_mask(host_memory *h, const host_access *access, const bool *mask, uint64_t out[2]) {
    const uint64_t first = access->address % h->line;
    for (uint64_t i = 0; i < access->size; i++) {
        if (!mask[i])
            continue;
        if (first + i >= h->line || first + i >= 128) {
            strcpy(h->error.message, "a mask has bytes beyond the line, or beyond 128 bytes");
            host_keep(h, GPC_ERROR_ARGUMENT);
            return false;
        }
        out[(first + i) / 64] |= 1ull << (first + i) % 64;
    }
    return true;
}

/*
 * Offer an access. `mask`: [size], the bytes that a write writes, or NULL for all. GPC_OK: `token` comes back in `done`,
 * at once for a write of no bytes. GPC_BUSY: try again later. Or an error.
 */
static int host_issue(host_memory *h, const host_access *access, const bool *mask, uint64_t token) {
    gpc_request request;
    if (host_keep(h, gpc_struct_init("gpc_request", sizeof request, &request, &h->error)) < 0)
        return h->status;
    const size_t needed = (size_t)gpc_hierarchy_in_flight(h->hierarchy) + h->count + 1;
    if (needed > h->room) {
        uint64_t *grown = realloc(h->done, 2 * needed * sizeof *grown);
        if (!grown)
            return host_keep(h, GPC_ERROR_MEMORY);
        h->done = grown;
        h->room = 2 * needed;
    }
    request.sm = access->sm;
    request.address = access->address;
    request.kind = access->write ? GPC_STORE : GPC_LOAD;
    if (!access->write || !mask)
        request.size = (uint32_t)access->size;
    else if (!host_mask(h, access, mask, request.byte_mask))
        return h->status;
    else if (!request.byte_mask[0] && !request.byte_mask[1]) {
        h->done[h->count++] = token;
        return GPC_OK;
    }
    if (access->below)
        return host_keep(h, gpc_hierarchy_try_miss(h->hierarchy, &request, token, NULL, &h->error));
    return host_keep(h, gpc_hierarchy_try_transactions(h->hierarchy, &request, 1, token, NULL, &h->error));
}

/* Run cycles. `done` has `count` completed tokens; host_taken empties the list. */
static int host_advance(host_memory *h, uint64_t cycles) {
    return host_keep(h, gpc_hierarchy_advance(h->hierarchy, cycles, &h->error));
}

static void host_taken(host_memory *h) {
    h->count = 0;
}

/* Nothing is in flight, and nobody waits for a token of `done`. */
static int host_is_idle(const host_memory *h) {
    return !h->count && gpc_hierarchy_is_idle(h->hierarchy);
}

/* Write dirty lines down and drop all lines of an idle memory, in no time. */
static int host_flush(host_memory *h) {
    return host_keep(h, gpc_hierarchy_flush(h->hierarchy, &h->error));
}

/* Counter `index` of the hierarchy: its name, NULL beyond the last; `value` is GPC_ABSENT without such a part. */
static const char *host_counter(const host_memory *h, size_t index, uint64_t *value) {
    gpc_counter_info info = GPC_COUNTER_INFO_INIT;
    *value = GPC_ABSENT;
    if (gpc_counter_table_at(GPC_TABLE_HIERARCHY, index, &info, NULL) != GPC_OK)
        return NULL;
    if (info.values == 1 &&
        gpc_hierarchy_read(h->hierarchy, GPC_OBJECT_WHOLE, 0, &info.id, 1, value, 1, NULL) != GPC_OK)
        *value = GPC_ABSENT;
    return info.name;
}

/* Last error. */
static const char *host_error(const host_memory *h) {
    return !h ? "out of memory" : *h->error.message ? h->error.message : gpc_status_string(h->status);
}

#endif

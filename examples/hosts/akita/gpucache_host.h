/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_HOST_GLUE_H
#define GPUCACHE_HOST_GLUE_H

/*
 * Functions of plain numbers for gpucache.go, called by cgo: Go may not keep pointers of C structs to Go's memory, and
 * callbacks into Go are slow. Finished accesses are read from a list after every cycle.
 */
#include <gpucache/gpucache.h>

#include <stdlib.h>
#include <string.h>

typedef struct host_memory {
    gpc_context *context;
    gpc_hierarchy *hierarchy;
    uint64_t *done; /* tokens, in order of completion */
    size_t count, room;
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
         host_keep(h, gpc_hierarchy_begin_kernel(h->hierarchy, NULL, &h->error)) < 0)) {
        gpc_hierarchy_destroy(h->hierarchy);
        h->hierarchy = NULL;
    }
    gpc_config_destroy(config);
    return h;
}

/* A line's bytes [address, address + size), read or written by a compute unit. GPC_OK, GPC_BUSY, or an error. */
static int host_issue(host_memory *h, uint32_t sm, uint64_t address, uint64_t size, int write, uint64_t token) {
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
    request.sm = sm;
    request.address = address;
    request.size = (uint32_t)size;
    request.kind = write ? GPC_STORE : GPC_LOAD;
    const gpc_status status = gpc_hierarchy_try_transactions(h->hierarchy, &request, 1, token, NULL, &h->error);
    return host_keep(h, status);
}

/* Run a cycle. `done` has `count` completed tokens; host_taken empties the list. */
static int host_cycle(host_memory *h) {
    return host_keep(h, gpc_hierarchy_advance(h->hierarchy, 1, &h->error));
}

static void host_taken(host_memory *h) {
    h->count = 0;
}

static int host_is_idle(const host_memory *h) {
    return gpc_hierarchy_is_idle(h->hierarchy);
}

/* Last error. */
static const char *host_error(const host_memory *h) {
    return *h->error.message ? h->error.message : gpc_status_string(h->status);
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_FUZZ_API_H
#define TESTS_FUZZ_API_H

#include "fuzz/fuzz.h"

#include <gpucache/ext/policies.h>
#include <gpucache/gpucache.h>

/*
 * The API as a machine: contexts and objects of every kind, made, called, copied and destroyed. The input gives the
 * order, within the rules of the headers. The host's callbacks and policies call a second object, and return values
 * from the input.
 */

#define API_CONTEXTS 2u
#define API_THINGS 10u

typedef enum api_kind {
    API_NOTHING,
    API_CONFIG,
    API_CACHE,
    API_HIERARCHY,
    API_REPLAY,
    API_TRACE,
    API_SCHEDULER,
    API_THROTTLE,
    API_REPLACEMENT,
    API_PREDICTOR,
    API_DRAM,
    API_KINDS
} api_kind;

struct api_world;

typedef struct api_thing {
    struct api_world *world;
    api_kind kind;
    void *it;
    unsigned context;
    struct api_thing *at_hand; /* replay: the trace that it paused in; or the replay once the trace is closed */
    uint64_t memory_id;        /* hierarchy: the last read accepted by the host's memory */
    bool failed;               /* hierarchy: only destruction is allowed */
} api_thing;

typedef struct api_world {
    const uint8_t *data;
    size_t size;
    fuzz_memory memories[API_CONTEXTS + 1]; /* the last is of `beside` */
    bool open[API_CONTEXTS];
    api_thing things[API_THINGS];
    gpc_cache *beside; /* called by callbacks */
    uint32_t answer;   /* value that the host's policies return */
    uint64_t calls;    /* number of callbacks whose arguments were all read */
} api_world;

/* Next byte of the input, 0 behind the end. */
uint8_t api_byte(api_world *world);
uint32_t api_below(api_world *world, uint32_t end);
uint64_t api_number(api_world *world); /* often small, sometimes huge */

/* First thing of a kind, searched from a place given by the input; or NULL. */
api_thing *api_find(api_world *world, api_kind kind);
/* After a failure `error` gives the reason; no object was made. */
void api_check(gpc_status status, const gpc_error *error);
/* Put a new thing in place of another; NULL is ignored. */
void api_put(api_world *world, api_kind kind, void *it, unsigned context);
void api_destroy(api_thing *thing);
bool api_is_borrowed(const api_world *world, const api_thing *trace); /* true if a replay uses the trace */

gpc_request api_request(api_world *world);
gpc_warp_event api_warp_event(api_world *world);
gpc_sample api_sample(api_world *world);

/* Host's part: policies of every kind named `own`, and callbacks that call `beside`. */
void api_register(api_world *world, gpc_context *context);
void api_call_back(api_world *world, uint64_t address);
void api_set_callbacks(api_thing *hierarchy);
void api_set_events(api_thing *hierarchy);

/* Make a thing of the kind in a context, or fail. */
void api_make(api_world *world, api_kind kind, unsigned context);
/* A call of the thing's kind. */
void api_call(api_thing *thing);
void api_call_hierarchy(api_thing *thing);
void api_call_hierarchy_more(api_thing *thing);
void api_call_cache(api_thing *thing);
void api_call_replay(api_thing *thing);
void api_call_streams(api_thing *thing, uint8_t what);
void api_call_decider(api_thing *thing);
void api_call_scheduler(api_thing *thing);

#endif

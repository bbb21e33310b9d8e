/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of a hierarchy: their names and meanings, and the lookups of a load. */
#include "example.h"

#include <gpucache/ext/observe.h>

#include <inttypes.h>

static bool on_event(void *data, const gpc_event *event) {
    printf("cycle %" PRIu64 ": %s %s %" PRIu32 " %s\n", event->cycle, gpc_what_name(event->what),
           gpc_component_name(event->component), event->index, gpc_event_outcome(event));
    ++*(unsigned *)data;
    return true;
}

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    unsigned lookups = 0;
    for (unsigned what = 0; what < GPC_WHAT_COUNT; what++)
        printf("%-14s %s\n", gpc_what_name(what), gpc_what_meaning(what));
    for (unsigned component = 0; component < GPC_COMPONENT_COUNT; component++)
        printf("%-18s index: %s\n", gpc_component_name(component), gpc_component_meaning(component));

    check(gpc_context_create(NULL, &context, &error), &error);
    gpc_hierarchy *hierarchy = begun(context, "kepler", "sm.count = 1\n");
    gpc_event_options options = GPC_EVENT_OPTIONS_INIT;
    options.on_event = on_event;
    options.user_data = &lookups;
    options.whats = UINT64_C(1) << GPC_WHAT_LOOKUP;
    check(gpc_hierarchy_set_trace(hierarchy, &options, &error), &error);
    uint64_t addresses[32];
    const gpc_warp_access access = load_of(addresses, 0x1000);
    check(gpc_hierarchy_access(hierarchy, &access, NULL, &error), &error);
    expect(lookups >= 2, "L1 and L2 look the line up");
    gpc_hierarchy_destroy(hierarchy);
    gpc_context_destroy(context);
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The life of a load: every step of the load and of its requests, with the cycle:
 *   events [PRESET [KEY=VALUE...]]
 * Two warps of an SM load the same line, one after the other; the second load's life is shorter.
 */
#include <gpucache/ext/observe.h>
#include <gpucache/gpucache.h>

#include <inttypes.h>
#include <stdio.h>

enum { LANES = 32 };

static bool on_event(void *user_data, const gpc_event *event) {
    uint64_t *steps = user_data;
    printf("%5" PRIu64 "  %-16s %s %" PRIu32, event->cycle, gpc_what_name(event->what),
           gpc_component_name(event->component), event->index);
    if (event->bank != GPC_NONE)
        printf(" bank %" PRIu32, event->bank);
    printf(", packet %" PRIu64, event->packet);
    if (event->parent)
        printf(" of %" PRIu64, event->parent);
    if (event->bytes)
        printf(", %" PRIu32 " bytes", event->bytes);
    printf("%s%s\n", *gpc_event_outcome(event) ? ": " : "", gpc_event_outcome(event));
    ++*steps;
    return true; /* go on */
}

static gpc_status load(gpc_hierarchy *memory, uint32_t warp, gpc_error *error) {
    uint64_t addresses[LANES];
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    for (uint32_t lane = 0; lane < LANES; lane++)
        addresses[lane] = 0x10000 + lane * sizeof(float);
    access.warp = warp;
    access.mask = 0xffffffff;
    access.addresses = addresses;
    access.width = sizeof(float);
    access.kind = GPC_LOAD;
    gpc_status status = gpc_hierarchy_try_issue(memory, &access, warp, NULL, error);
    return status == GPC_OK ? gpc_hierarchy_drain(memory, error) : status;
}

int main(int argc, char **argv) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context = NULL;
    gpc_config *config = NULL;
    gpc_hierarchy *memory = NULL;
    uint64_t steps = 0;
    gpc_event_options options = GPC_EVENT_OPTIONS_INIT;
    options.on_event = on_event;
    options.user_data = &steps;
    options.last_sm = 0; /* leaves out events without SM, such as a refresh */
    bool done = gpc_context_create(NULL, &context, &error) == GPC_OK &&
                gpc_config_create(context, &config, &error) == GPC_OK &&
                gpc_config_load_preset(config, argc > 1 ? argv[1] : "h100", &error) == GPC_OK &&
                gpc_config_set_pair(config, "mode=timed", &error) == GPC_OK;
    for (int i = 2; done && i < argc; i++)
        done = gpc_config_set_pair(config, argv[i], &error) == GPC_OK;
    done = done && gpc_hierarchy_create(context, config, &memory, &error) == GPC_OK &&
           gpc_hierarchy_begin_kernel(memory, NULL, &error) == GPC_OK &&
           gpc_hierarchy_set_trace(memory, &options, &error) == GPC_OK;
    for (uint32_t warp = 0; done && warp < 2; warp++) {
        printf("cycle  the load of warp %" PRIu32 "\n", warp);
        done = load(memory, warp, &error) == GPC_OK;
        printf("%" PRIu64 " steps\n", steps);
        steps = 0;
    }
    if (!done)
        fprintf(stderr, "failed: %s\n", error.message);
    gpc_hierarchy_destroy(memory);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return done ? 0 : 1;
}

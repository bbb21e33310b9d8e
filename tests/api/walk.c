/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Walk of one access through an instrumented library (test_walk.py): print the address of each entered function, in
 * order, a line each.
 *
 * Usage: walk PRESET load|store functional|timed [KEY=VALUE]...: one warp of 32 lanes on 128 cold bytes of one line.
 */
#include <gpucache/gpucache.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 20 };
static void *entered[MOST];
static size_t count;
static int recording;

void __cyg_profile_func_enter(void *function, void *caller) __attribute__((no_instrument_function));
void __cyg_profile_func_exit(void *function, void *caller) __attribute__((no_instrument_function));

void __cyg_profile_func_enter(void *function, void *caller) {
    (void)caller;
    if (recording && count < MOST)
        entered[count++] = function;
}

void __cyg_profile_func_exit(void *function, void *caller) {
    (void)function;
    (void)caller;
}

static void need(gpc_status status, const gpc_error *error) {
    if (status >= 0)
        return;
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

static gpc_config *configure(gpc_context *context, char **words, gpc_error *error) {
    gpc_config *config = NULL;
    need(gpc_config_create(context, &config, error), error);
    need(gpc_config_load_preset(config, words[0], error), error);
    for (char **pair = words + 3; *pair; pair++)
        need(gpc_config_set_pair(config, *pair, error), error);
    return config;
}

static void walk(gpc_hierarchy *h, const gpc_warp_access *access, bool timed, const gpc_error *error) {
    recording = 1;
    need(timed ? gpc_hierarchy_try_issue(h, access, 1, NULL, NULL) : gpc_hierarchy_access(h, access, NULL, NULL),
         error);
    while (timed && gpc_hierarchy_in_flight(h))
        need(gpc_hierarchy_advance(h, gpc_hierarchy_next_event(h) - gpc_hierarchy_now(h), NULL), error);
    recording = 0;
}

int main(int argc, char **argv) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context = NULL;
    gpc_hierarchy *h = NULL;
    uint64_t addresses[32];
    if (argc < 4)
        return 2;
    need(gpc_context_create(NULL, &context, &error), &error);
    gpc_config *config = configure(context, argv + 1, &error);
    const bool timed = !strcmp(argv[3], "timed");
    need(gpc_config_set(config, "mode", argv[3], &error), &error);
    need(gpc_hierarchy_create(context, config, &h, &error), &error);
    for (unsigned lane = 0; lane < 32; lane++)
        addresses[lane] = 0x10000 + 4 * lane;
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    access.kind = strcmp(argv[2], "store") ? GPC_LOAD : GPC_STORE;
    access.mask = UINT32_MAX;
    access.width = 4;
    access.addresses = addresses;
    walk(h, &access, timed, &error);
    for (size_t i = 0; i < count; i++)
        printf("%p\n", entered[i]);
    gpc_hierarchy_destroy(h);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return 0;
}

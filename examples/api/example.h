/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPUCACHE_EXAMPLE_H
#define GPUCACHE_EXAMPLE_H

#include <gpucache/gpucache.h>

#include <stdio.h>
#include <stdlib.h>

/* End the program if a call failed, with the call's sentence. */
static inline void check(gpc_status status, const gpc_error *error) {
    if (status < 0) {
        fprintf(stderr, "%s: %s\n", gpc_status_string(status), error->message);
        exit(EXIT_FAILURE);
    }
}

/* End the program if a result differs from the text beside the call. */
static inline void expect(bool right, const char *text) {
    if (!right) {
        fprintf(stderr, "not so: %s\n", text);
        exit(EXIT_FAILURE);
    }
}

/* Make a configuration from a preset and a text. The caller destroys the configuration. */
static inline gpc_config *configured(gpc_context *context, const char *preset, const char *text) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_config *config;
    check(gpc_config_create(context, &config, &error), &error);
    check(gpc_config_load_preset(config, preset, &error), &error);
    check(gpc_config_load_text(config, text, "example", &error), &error);
    return config;
}

/* Make a hierarchy and begin a kernel. The caller destroys the hierarchy. */
static inline gpc_hierarchy *begun(gpc_context *context, const char *preset, const char *text) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_config *config = configured(context, preset, text);
    gpc_hierarchy *hierarchy;
    check(gpc_hierarchy_create(context, config, &hierarchy, &error), &error);
    check(gpc_hierarchy_begin_kernel(hierarchy, NULL, &error), &error);
    gpc_config_destroy(config);
    return hierarchy;
}

/* A load of 32 words by the lanes of a warp. `addresses` [32] must live as long as the access. */
static inline gpc_warp_access load_of(uint64_t *addresses, uint64_t first) {
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    for (uint64_t lane = 0; lane < 32; lane++)
        addresses[lane] = first + lane * 4;
    access.addresses = addresses;
    access.mask = UINT32_MAX;
    access.width = 4;
    return access;
}

#endif

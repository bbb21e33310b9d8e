/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/world.h"

#include "suited.h"
#include "timed/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void on_complete(void *user_data, const gpc_completion *c) {
    ((world *)user_data)->done[c->token % WORLD_TOKENS] = true;
}

/* False: the protocol has no such machine. */
bool world_open(world *w, const char *protocol, const char *settings, bool kept, const char *mode) {
    static const char through[] = "l1.write_policy = through\nl1.write_policy_local = through\n"
                                  "l1.write_allocate = none\nl1.write_allocate_local = none\n";
    static const char back[] = "l1.write_policy = back\nl1.write_policy_local = back\n"
                               "l1.write_allocate = fetch\nl1.write_allocate_local = fetch\n"
                               "l2.inclusion = inclusive\n";
    const bool plain = !strcmp(protocol, "none") || !strcmp(protocol, "viper");
    char text[2048];
    gpc_error error = GPC_ERROR_INIT;
    *w = (world){0};
    snprintf(text, sizeof text,
             "mode = %s\nsm.count = %d\nl1.sectors = 1\nl2.sectors = 1\nl2.slices = 2\ndram.channels = 2\ndram.model = "
             "fixed\n"
             "dram.fixed_latency = 20\nl2.interleave_bytes = 128\nl1.size = 2KiB\nl2.size = 32KiB\nl1.bypass = hint\n"
             "%scoherence = %s\ncoherence.data = true\nkernels.flush = %s\n%s",
             mode, WORLD_SMS, plain ? through : back, protocol, kept ? "none" : "l1", settings);
    cr_assert_eq(gpc_context_create(NULL, &w->context, &error), GPC_OK);
    cr_assert_eq(gpc_config_create(w->context, &w->config, &error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(w->config, rig_base, "base", &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_config_load_text(w->config, text, "settings", &error), GPC_OK, "%s", error.message);
    suit(w->context, w->config);
    if (strstr(settings, "cluster")) /* suited machines of plain caches have none */
        cr_assert_eq(gpc_config_load_text(w->config, settings, "settings", &error), GPC_OK, "%s", error.message);
    const gpc_status status = gpc_hierarchy_create(w->context, w->config, &w->h, &error);
    if (status < 0) {
        gpc_config_destroy(w->config);
        gpc_context_destroy(w->context);
        return false;
    }
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    callbacks.user_data = w;
    callbacks.on_complete = on_complete;
    if (!strcmp(mode, "timed"))
        cr_assert_eq(gpc_hierarchy_set_callbacks(w->h, &callbacks, NULL), GPC_OK);
    return true;
}

void world_close(world *w) {
    gpc_hierarchy_destroy(w->h);
    gpc_config_destroy(w->config);
    gpc_context_destroy(w->context);
}

void world_step(world *w) {
    cr_assert_eq(gpc_hierarchy_advance(w->h, 1, NULL), GPC_OK);
}

void world_wait(world *w, uint64_t token) {
    for (uint32_t n = 0; !w->done[token % WORLD_TOKENS]; n++) {
        cr_assert_lt(n, 100000u, "an access never completes");
        world_step(w);
    }
}

uint64_t world_issue(world *w, const gpc_warp_access *access) {
    const uint64_t token = ++w->token;
    gpc_status status;
    w->done[token % WORLD_TOKENS] = false;
    while ((status = gpc_hierarchy_try_issue(w->h, access, token, NULL, NULL)) == GPC_BUSY)
        world_step(w);
    cr_assert_eq(status, GPC_OK, "%s", gpc_status_string(status));
    return token;
}

uint64_t world_load(world *w, uint32_t sm, uint64_t address, load_manner how, uint32_t *found) {
    gpc_warp_access a = GPC_WARP_ACCESS_INIT;
    a.kind = GPC_LOAD;
    a.sm = sm;
    a.mask = 1;
    a.addresses = &address;
    a.width = 4;
    a.hint = how == LOAD_CV ? GPC_HINT_CV : GPC_HINT_NONE;
    a.order = how == LOAD_GPU || how == LOAD_SYS ? GPC_ORDER_RELAXED : GPC_ORDER_WEAK;
    a.scope = how == LOAD_GPU ? GPC_SCOPE_GPU : how == LOAD_SYS ? GPC_SCOPE_SYS : GPC_SCOPE_CTA;
    a.out = (uint8_t *)found;
    return world_issue(w, &a);
}

uint64_t world_store_value(world *w, uint32_t sm, uint64_t address, uint8_t hint, bool atomic, const uint32_t *value) {
    gpc_warp_access a = GPC_WARP_ACCESS_INIT;
    a.kind = atomic ? GPC_ATOMIC : GPC_STORE;
    a.atomic = atomic ? GPC_OP_EXCHANGE : GPC_OP_NONE;
    a.order = atomic ? GPC_ORDER_RELAXED : GPC_ORDER_WEAK;
    a.scope = atomic ? GPC_SCOPE_GPU : GPC_SCOPE_CTA;
    a.sm = sm;
    a.mask = 1;
    a.addresses = &address;
    a.width = 4;
    a.hint = hint;
    a.bytes = (const uint8_t *)value;
    return world_issue(w, &a);
}

uint64_t world_store(world *w, uint32_t sm, uint64_t address, uint8_t hint, bool atomic) {
    static const uint32_t one = 1;
    return world_store_value(w, sm, address, hint, atomic, &one);
}

uint64_t world_begin_fence(world *w, uint32_t sm, gpc_order order, gpc_scope scope) {
    gpc_fence f = GPC_FENCE_INIT;
    const uint64_t token = ++w->token;
    gpc_status status;
    f.sm = sm;
    f.order = (uint8_t)order;
    f.scope = (uint8_t)scope;
    w->done[token % WORLD_TOKENS] = false;
    while ((status = gpc_hierarchy_try_fence(w->h, &f, token, NULL, NULL)) == GPC_BUSY)
        world_step(w);
    cr_assert_eq(status, GPC_OK);
    return token;
}

void world_fence(world *w, uint32_t sm, gpc_order order, gpc_scope scope) {
    world_wait(w, world_begin_fence(w, sm, order, scope));
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/small.h"

#include <stdio.h>
#include <stdlib.h>

static small *open_any(void) {
    small *s = calloc(1, sizeof *s);
    cr_assert_eq(gpc_context_create(NULL, &s->context, NULL), GPC_OK);
    s->options = (gpc_coherence_options)GPC_COHERENCE_OPTIONS_INIT;
    s->options.modules = s->modules;
    s->options.networks = s->networks;
    for (uint32_t i = 0; i < SMALL_MODULES; i++) {
        snprintf(s->names[i], sizeof s->names[i], "m%u", i);
        s->modules[i] = (gpc_coherence_module)GPC_COHERENCE_MODULE_INIT;
        s->modules[i].name = s->names[i];
        s->modules[i].low = s->lows[i];
    }
    for (uint32_t i = 0; i < 4; i++)
        s->networks[i] = (gpc_coherence_network)GPC_COHERENCE_NETWORK_INIT;
    s->networks[0].name = "up";
    s->networks[1].name = "down";
    s->networks[2].name = "third";
    s->networks[3].name = "fourth";
    s->error = (gpc_error)GPC_ERROR_INIT;
    return s;
}

small *small_open_bare(uint32_t count) {
    small *s = open_any();
    s->options.module_count = count;
    s->options.network_count = 1;
    return s;
}

void small_link(small *s, uint32_t module, uint32_t low) {
    s->lows[module][s->modules[module].low_count++] = low;
    s->modules[module].low_network = 0;
    s->modules[low].high_network = 0;
}

static void shape(gpc_coherence_module *m, const char *name, uint32_t sets, uint32_t ways, uint32_t block_bytes) {
    m->name = name;
    m->sets = sets;
    m->ways = ways;
    m->block_bytes = block_bytes;
}

small *small_open(void) {
    small *s = open_any();
    s->options.module_count = 4;
    s->options.network_count = 2;
    shape(&s->modules[0], "l1-0", 4, 2, 64);
    shape(&s->modules[1], "l1-1", 4, 2, 64);
    shape(&s->modules[2], "l2", 8, 4, 128);
    shape(&s->modules[3], "mm", 16, 4, 256);
    small_link(s, 0, 2);
    small_link(s, 1, 2);
    small_link(s, 2, 3);
    s->modules[2].low_network = s->modules[3].high_network = 1;
    s->modules[3].memory = true;
    return s;
}

gpc_status small_create(small *s) {
    return gpc_coherence_create(s->context, &s->options, &s->tree, &s->error);
}

gpc_coherence *small_tree(small *s) {
    cr_assert_eq(small_create(s), GPC_OK, "%s", s->error.message);
    return s->tree;
}

uint8_t small_access(gpc_coherence *c, uint32_t module, uint32_t kind, uint64_t address, uint8_t value) {
    uint8_t out = 0;
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    gpc_error error = GPC_ERROR_INIT;
    request.module = module;
    request.kind = kind;
    request.address = address;
    request.size = 1;
    request.bytes = &value;
    request.out = &out;
    cr_assert_eq(gpc_coherence_access(c, &request, NULL, &error), GPC_OK, "%s", error.message);
    return out;
}

void small_close(small *s) {
    gpc_coherence_destroy(s->tree);
    gpc_context_destroy(s->context);
    free(s);
}

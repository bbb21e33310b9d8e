/* SPDX-License-Identifier: BSD-2-Clause */
/* Two caches over a memory, one access at a time: values, states, and the messages that each access takes. */
#include <gpucache/ext/coherence.h>
#include <gpucache/gpucache.h>

#include <inttypes.h>
#include <stdio.h>

#define BLOCK 0x100

static const char *const names[] = {"l1-0", "l1-1", "memory"};
static const char *const kinds[] = {"load", "store", "n-store"};
static const char *const messages[] = {"read request", "write request", "read probe", "write probe", "data",
                                       "ack",          "write-back",    "notice",     "clear owner", "write-through"};

static gpc_status make(gpc_context *context, const char *protocol, gpc_error *error, gpc_coherence **out) {
    static const uint32_t memory = 2;
    gpc_coherence_network network = GPC_COHERENCE_NETWORK_INIT;
    gpc_coherence_module module = GPC_COHERENCE_MODULE_INIT, modules[3] = {module, module, module};
    gpc_coherence_options options = GPC_COHERENCE_OPTIONS_INIT;
    network.name = "bus";
    for (int i = 0; i < 2; i++) {
        modules[i].name = names[i];
        modules[i].low = &memory;
        modules[i].low_count = 1;
        modules[i].low_network = 0;
        modules[i].sets = 16;
        modules[i].ways = 4;
    }
    modules[2].name = names[2];
    modules[2].memory = true;
    modules[2].high_network = 0;
    modules[2].ways = 0; /* a directory entry for every block cached */
    modules[2].latency = 20;
    options.protocol = protocol;
    options.modules = modules;
    options.module_count = 3;
    options.networks = &network;
    options.network_count = 1;
    return gpc_coherence_create(context, &options, out, error);
}

/* Make one access to the first byte of the block, and print states and messages. */
static gpc_status step(gpc_coherence *tree, uint32_t cache, gpc_coherence_kind kind, uint8_t value, gpc_error *error) {
    static const char letters[] = "NMOESI";
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    gpc_coherence_result result = GPC_COHERENCE_RESULT_INIT;
    request.module = cache;
    request.kind = kind;
    request.address = BLOCK;
    request.bytes = &value;
    request.out = &value;
    gpc_status status = gpc_coherence_access(tree, &request, &result, error);
    if (status != GPC_OK)
        return status;
    printf("%s %s: %u, %c -> %c, %" PRIu64 " cycles\n", names[cache], kinds[kind], value, letters[result.found],
           letters[result.state], result.completed);
    for (uint32_t i = 0; i < result.message_count; i++) {
        const gpc_coherence_message *m = &result.messages[i];
        if (m->bytes)
            printf("  cycle %" PRIu64 ": %s to %s, %s, %" PRIu32 " bytes\n", m->sent, names[m->from], names[m->to],
                   messages[m->kind], m->bytes);
    }
    return GPC_OK;
}

int main(int argc, char **argv) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context = NULL;
    gpc_coherence *tree = NULL;
    bool done = gpc_context_create(NULL, &context, &error) == GPC_OK &&
                make(context, argc > 1 ? argv[1] : "nmoesi", &error, &tree) == GPC_OK &&
                step(tree, 0, GPC_COHERENCE_STORE, 6, &error) == GPC_OK &&
                step(tree, 1, GPC_COHERENCE_LOAD, 0, &error) == GPC_OK &&
                step(tree, 1, GPC_COHERENCE_N_STORE, 7, &error) == GPC_OK &&
                step(tree, 0, GPC_COHERENCE_LOAD, 0, &error) == GPC_OK;
    if (!done)
        fprintf(stderr, "%s\n", error.message);
    gpc_coherence_destroy(tree);
    gpc_context_destroy(context);
    return done ? 0 : 1;
}

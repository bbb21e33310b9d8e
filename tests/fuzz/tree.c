/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/fuzz.h"
#include "measured.h"

#include <string.h>

/*
 * Trees of caches with arbitrary settings, and accesses to accepted trees.
 *
 *   byte 0   protocol, of those registered          byte 1   modules, 1 to 12
 *   byte 2   1 = data, 2 = cycles, 4 = the last addresses of the address space, 8 = small buffers
 *   then 8 bytes a module: low modules (a bit for each later module), flags, sets, ways, block, served addresses,
 *   range, networks; then accesses of 5 bytes: module and kind, flags, address, size.
 */

#define MODULES 12u
#define NETWORKS 4u
#define SPAN 65536u

typedef struct input {
    const uint8_t *data;
    size_t size;
} input;

static uint8_t next(input *in) {
    if (!in->size)
        return 0;
    in->size--;
    return *in->data++;
}

typedef struct tree {
    gpc_coherence_module modules[MODULES];
    gpc_coherence_network networks[NETWORKS];
    uint32_t lows[MODULES][MODULES];
    char names[MODULES][16];
    gpc_coherence_options options;
    uint64_t base;
    bool oracle; /* a load sees the last store */
    uint8_t bytes[SPAN];
} tree;

static void take_served(gpc_coherence_module *m, uint8_t what, uint8_t range, uint64_t base) {
    m->served = what & 3;
    m->divisor = (uint64_t)16 << (what >> 2 & 7);
    m->modulus = 1 + (range & 7);
    m->residue = what >> 5;
    if (m->served != GPC_SERVES_RANGE)
        return;
    m->first = base + (range & 15u) * 4096u;
    m->last = m->first + (1 + (range >> 4)) * 4096u - 1;
}

static void take_module(tree *t, input *in, uint32_t i) {
    static const char *const policies[] = {NULL, "lru", "fifo", "srrip", "random", "plru", "opt", "none-such"};
    gpc_coherence_module *m = &t->modules[i];
    *m = (gpc_coherence_module)GPC_COHERENCE_MODULE_INIT;
    snprintf(t->names[i], sizeof t->names[i], "m%u", i);
    m->name = t->names[i];
    m->low = t->lows[i];
    const uint8_t low = next(in), flags = next(in), sets = next(in), ways = next(in), block = next(in);
    for (uint32_t k = 0; k < 8; k++)
        if (low >> k & 1)
            t->lows[i][m->low_count++] = (i + 1 + k) % MODULES;
    m->memory = flags & 1;
    m->non_inclusive = flags & 2;
    m->any_victim = flags & 4;
    m->write_through = flags & 8;
    m->no_write_allocate = flags & 16;
    m->replacement = policies[flags >> 5];
    m->sets = sets;
    m->ways = ways & 15;
    m->directory_ways = ways >> 4;
    m->block_bytes = 1u << block % 14;
    m->latency = block >> 4;
    m->directory_latency = block & 3;
    const uint8_t what = next(in), range = next(in), networks = next(in);
    take_served(m, what, range, t->base);
    m->low_network = (networks & 7) == 7 ? GPC_NO_MODULE : networks & 7u;
    m->high_network = (networks >> 4 & 7) == 7 ? GPC_NO_MODULE : networks >> 4 & 7u;
}

static void take_tree(tree *t, input *in, gpc_context *context) {
    static const char *const names[NETWORKS] = {"a", "b", "c", "d"};
    static const char *const coherent[] = {"msi", "mesi", "mosi", "moesi"};
    gpc_policy_info info = GPC_POLICY_INFO_INIT;
    gpc_policy_at(context, GPC_POLICY_PROTOCOL, next(in) % gpc_policy_count(context, GPC_POLICY_PROTOCOL), &info, NULL);
    t->options = (gpc_coherence_options)GPC_COHERENCE_OPTIONS_INIT;
    t->options.protocol = info.name;
    t->options.modules = t->modules;
    t->options.networks = t->networks;
    t->options.network_count = NETWORKS;
    t->options.module_count = 1 + next(in) % MODULES;
    const uint8_t flags = next(in);
    t->options.data = flags & 1;
    t->options.timing = flags & 2;
    t->base = flags & 4 ? UINT64_MAX - (SPAN - 1) : 0;
    for (size_t i = 0; i < sizeof coherent / sizeof *coherent; i++)
        t->oracle |= t->options.data && !strcmp(info.name, coherent[i]);
    for (uint32_t i = 0; i < NETWORKS; i++) {
        t->networks[i] = (gpc_coherence_network)GPC_COHERENCE_NETWORK_INIT;
        t->networks[i].name = names[i];
        t->networks[i].input_buffer = flags & 8 ? 72 : 0;
    }
    for (uint32_t i = 0; i < t->options.module_count; i++)
        take_module(t, in, i);
}

static void access(tree *t, gpc_coherence *c, input *in) {
    uint8_t bytes[256], out[256];
    gpc_coherence_request request = GPC_COHERENCE_REQUEST_INIT;
    gpc_coherence_result result = GPC_COHERENCE_RESULT_INIT;
    gpc_error error = GPC_ERROR_INIT;
    const uint8_t who = next(in), flags = next(in), high = next(in), low = next(in), size = next(in);
    const uint32_t place = high * 256u + low;
    memset(bytes, size ^ low, sizeof bytes);
    request.module = who & 15;
    request.kind = who >> 4 & 3;
    request.flags = flags & 3;
    request.address = t->base + place;
    request.size = 1 + (size & 15);
    request.bytes = bytes;
    request.out = out;
    gpc_status status = gpc_coherence_access(c, &request, &result, &error);
    if (status < 0) {
        CHECK(status == GPC_ERROR_ARGUMENT || status == GPC_ERROR_RANGE || status == GPC_ERROR_MEMORY);
        CHECK(error.status == status && error.message[0]);
        fuzz_tell_error(status, &error);
        return;
    }
    CHECK(result.message_count > 0 && result.level > 0);
    fuzz_tell(result.message_count);
    fuzz_tell(result.level);
    if (!t->oracle)
        return;
    if (request.kind != GPC_COHERENCE_LOAD)
        memcpy(t->bytes + place, bytes, request.size);
    CHECK(!memcmp(t->bytes + place, out, request.size));
}

/* Sent equals received, and after flushing everything memory holds the stored bytes. */
static void finish(const tree *t, gpc_coherence *c) {
    static uint8_t read[SPAN];
    measured_module sum = {0};
    gpc_error error = GPC_ERROR_INIT;
    gpc_status status = gpc_coherence_flush(c, GPC_NO_MODULE, 0, NULL, &error);
    CHECK(status == GPC_OK || status == GPC_ERROR_MEMORY);
    CHECK(measure_module(c, GPC_NO_MODULE, &sum) == GPC_OK);
    fuzz_tell(sum.low_sent);
    fuzz_tell(sum.high_sent);
    CHECK(sum.low_sent + sum.high_sent == sum.low_received + sum.high_received);
    if (!t->oracle || status < 0)
        return;
    CHECK(gpc_coherence_read_memory(c, t->base, read, sizeof read, NULL) == GPC_OK);
    CHECK(!memcmp(read, t->bytes, sizeof read));
}

void fuzz_tree(const uint8_t *data, size_t size) {
    input in = {data, size};
    fuzz_memory memory;
    gpc_coherence *c = NULL;
    gpc_error error = GPC_ERROR_INIT;
    tree *t = calloc(1, sizeof *t);
    CHECK(t);
    fuzz_memory_open(&memory);
    take_tree(t, &in, memory.context);
    gpc_status status = gpc_coherence_create(memory.context, &t->options, &c, &error);
    CHECK((status == GPC_OK) == (c != NULL));
    CHECK(status == GPC_OK || (error.status == status && error.message[0]));
    fuzz_tell_error(status, &error);
    while (c && in.size)
        access(t, c, &in);
    if (c)
        finish(t, c);
    gpc_coherence_destroy(c);
    fuzz_memory_close(&memory);
    free(t);
}

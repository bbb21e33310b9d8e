/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The C part of the component by itself: a trace by the calls that gpucache.go makes, in their order.
 *   akita SOURCE PRESET [KEY=VALUE]...          the hierarchy's counters
 *   akita --list SOURCE [SMS]                   the requests, for run/main.go: SM, address, bytes, write
 *   akita --steps PRESET [KEY=VALUE]...         what single accesses add to four counters
 * Blocks have a warp, block b is on SM b modulo sm.count, and lanes are side by side, in a line.
 */
#include "../gpucache_host.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct request {
    uint64_t address, size;
    uint32_t sm;
    bool write;
} request;

typedef struct requests {
    request *each;
    size_t count, room;
} requests;

static void add(requests *r, request one) {
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 1024;
        r->each = realloc(r->each, r->room * sizeof one);
        if (!r->each)
            exit(1);
    }
    r->each[r->count++] = one;
}

static gpc_status read_trace(const char *source, uint32_t sms, requests *out, gpc_error *error) {
    gpc_context *context = NULL;
    gpc_trace *trace = NULL;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    const gpc_block *block;
    gpc_status status = gpc_context_create(NULL, &context, error);
    if (status == GPC_OK)
        status = gpc_trace_open(context, source, &trace, error);
    if (status == GPC_OK)
        status = gpc_trace_next_kernel(trace, &kernel, error);
    while (status == GPC_OK && (status = gpc_trace_next_block(trace, &block, error)) == GPC_OK) {
        for (uint64_t n = 0; n < block->warps[0].count; n++) {
            const gpc_instruction *i = &block->warps[0].instructions[n];
            if (i->op_class != GPC_OP_MEMORY || !i->mask || i->space > GPC_SPACE_LOCAL)
                continue;
            const unsigned lanes = (unsigned)__builtin_popcountll(i->mask);
            add(out, (request){i->addresses[0], i->addresses[lanes - 1] + i->width - i->addresses[0],
                               block->index % sms, i->kind == GPC_STORE});
        }
        gpc_trace_release_block(trace, block);
    }
    gpc_trace_close(trace);
    gpc_context_destroy(context);
    return status == GPC_END ? GPC_OK : status;
}

static void print(const host_memory *h) {
    uint64_t value;
    const char *name;
    printf("now %" PRIu64 "\n", gpc_hierarchy_now(h->hierarchy));
    for (size_t i = 0; (name = host_counter(h, i, &value)); i++)
        if (value != GPC_ABSENT)
            printf("%s %" PRIu64 "\n", name, value);
}

/* Issue each SM's requests in order, a read at a time. Tokens are places in the list. */
static int drive(host_memory *h, requests *all, uint32_t sms) {
    size_t *next = calloc(sms, sizeof *next);
    char *waits = calloc(sms, 1);
    int status = host_advance(h, 1);
    for (int left = 1; left && next && waits && status >= 0;) {
        left = 0;
        for (uint32_t sm = 0; sm < sms && status >= 0; sm++) {
            while (next[sm] < all->count && all->each[next[sm]].sm != sm)
                next[sm]++;
            left |= next[sm] < all->count || waits[sm];
            if (waits[sm] || next[sm] == all->count)
                continue;
            const request *r = &all->each[next[sm]];
            const host_access access = {r->address, r->size, sm, false, r->write};
            status = host_issue(h, &access, NULL, next[sm]);
            if (status == GPC_OK) {
                waits[sm] = !r->write;
                next[sm]++;
            }
        }
        if (status >= 0)
            status = host_advance(h, 1);
        for (size_t i = 0; i < h->count; i++)
            if (!all->each[h->done[i]].write)
                waits[all->each[h->done[i]].sm] = 0;
        host_taken(h);
    }
    while (status >= 0 && !host_is_idle(h)) {
        status = host_advance(h, 1);
        host_taken(h);
    }
    free(next);
    free(waits);
    return status;
}

static uint64_t counter(const host_memory *h, const char *wanted) {
    uint64_t value = GPC_ABSENT;
    const char *name;
    for (size_t i = 0; (name = host_counter(h, i, &value)) && strcmp(name, wanted) != 0; i++)
        ;
    return value;
}

/* Accesses of 64 bytes, each until nothing is in flight; and a flush. */
static int steps(host_memory *h) {
    static const char *const counters[] = {"l1.lookups", "l2.lookups", "network.requests", "network.request_bytes"};
    static const bool four[64] = {[3] = true, [4] = true, [5] = true, [6] = true}, none[64];
    static const struct {
        const char *name;
        bool below, write;
        const bool *mask;
    } each[] = {
        {"write", false, true, NULL},    {"masked", false, true, four}, {"empty", false, true, none},
        {"below", true, true, four},     {"read", false, false, NULL},  {"again", false, false, NULL},
        {"flushed", false, false, NULL},
    };
    int status = 0;
    for (uint64_t i = 0; i < sizeof each / sizeof *each && status >= 0; i++) {
        const host_access access = {0x10000, 64, 0, each[i].below, each[i].write};
        uint64_t before[4];
        for (int c = 0; c < 4; c++)
            before[c] = counter(h, counters[c]);
        if (!strcmp(each[i].name, "flushed"))
            status = host_flush(h);
        if (status >= 0)
            status = host_issue(h, &access, each[i].mask, i);
        while (status >= 0 && !host_is_idle(h)) {
            status = host_advance(h, 1);
            host_taken(h);
        }
        for (int c = 0; c < 4; c++)
            printf("%s.%s %" PRIu64 "\n", each[i].name, counters[c], counter(h, counters[c]) - before[c]);
    }
    return status;
}

int main(int argc, char **argv) {
    const int list = argc > 2 && !strcmp(argv[1], "--list"), single = argc > 2 && !strcmp(argv[1], "--steps");
    char settings[4096] = "";
    gpc_error error = GPC_ERROR_INIT;
    requests all = {0};
    if (argc < 3)
        return 2;
    for (int i = 3; !list && i < argc; i++)
        snprintf(settings + strlen(settings), sizeof settings - strlen(settings), "%s\n", argv[i]);
    host_memory *h = list ? NULL : host_create(argv[2], settings);
    if (!list && (!h || !h->hierarchy)) {
        fprintf(stderr, "%s\n", host_error(h));
        host_destroy(h);
        return 1;
    }
    const uint32_t sms =
        list ? (argc > 3 ? (uint32_t)atoi(argv[3]) : 1) : gpc_hierarchy_object_count(h->hierarchy, GPC_OBJECT_SM);
    int status = single ? steps(h) : read_trace(list ? argv[2] : argv[1], sms, &all, &error);
    for (size_t i = 0; list && i < all.count; i++)
        printf("%" PRIu32 " %" PRIu64 " %" PRIu64 " %d\n", all.each[i].sm, all.each[i].address, all.each[i].size,
               all.each[i].write);
    if (!list && !single && status == GPC_OK)
        status = drive(h, &all, sms);
    if (!list && !single && status >= 0)
        print(h);
    if (status < 0)
        fprintf(stderr, "%s: %s\n", gpc_status_string((gpc_status)status),
                *error.message ? error.message
                : h            ? host_error(h)
                               : "");
    host_destroy(h);
    free(all.each);
    return status < 0;
}

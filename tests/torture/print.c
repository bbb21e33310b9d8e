/* SPDX-License-Identifier: BSD-2-Clause */
#include "torture.h"

#include <inttypes.h>
#include <string.h>

/* Prints a case as a short C file of the public headers alone. */

static void put_settings(FILE *to, const torture_case *c) {
    fprintf(to, "    static const char text[] = \"mode = timed\\n\"");
    for (unsigned i = 0; i < c->setting_count; i++)
        fprintf(to, "\n        \"%s = %s\\n\"", c->settings[i].key, c->settings[i].value);
    fprintf(to, ";\n");
}

/* Prints `, .name = value` of a field other than 0. */
static void put_field(FILE *to, const char *name, uint64_t value) {
    if (value)
        fprintf(to, value > 0xffff ? ", .%s = 0x%" PRIx64 : ", .%s = %" PRIu64, name, value);
}

static void put_access(FILE *to, const op *o, unsigned n, bool data) {
    fprintf(to, "    offer_access((gpc_warp_access){.struct_size = sizeof(gpc_warp_access)");
    put_field(to, "sm", o->sm), put_field(to, "warp", o->warp), put_field(to, "warp_age", o->warp);
    put_field(to, "block", o->warp / 4), put_field(to, "pc", o->pc), put_field(to, "mask", o->mask ? o->mask : 1);
    put_field(to, "width", o->width), put_field(to, "kind", o->kind), put_field(to, "space", o->space);
    put_field(to, "hint", o->hint), put_field(to, "priority", o->priority), put_field(to, "token", o->token);
    put_field(to, "token_l2", o->token_l2), put_field(to, "scope", o->scope), put_field(to, "order", o->order);
    put_field(to, "stream", o->stream), put_field(to, "copy", o->copy), put_field(to, "process", o->process);
    put_field(to, "local_offsets", o->local), put_field(to, "multicast_count", o->multicast);
    if (data)
        put_field(to, "atomic", o->atomic);
    fprintf(to, "}, 0x%" PRIx64 ", %" PRIu64 ", %u);\n", o->address, o->stride, n);
}

static void put_requests(FILE *to, const op *o, unsigned n) {
    fprintf(to, "    offer_requests((gpc_request){.address = 0x%" PRIx64, o->address);
    put_field(to, "sm", o->sm), put_field(to, "warp", o->warp), put_field(to, "warp_age", o->warp);
    put_field(to, "block", o->warp / 4), put_field(to, "pc", o->pc);
    put_field(to, "size", o->count % 3 ? 4 * (1 + o->width % 8) : 0);
    put_field(to, "kind", o->kind), put_field(to, "space", o->space);
    put_field(to, "hint", o->hint), put_field(to, "priority", o->priority), put_field(to, "policy.token", o->token);
    put_field(to, "policy.token_l2", o->token_l2), put_field(to, "scope", o->scope), put_field(to, "order", o->order);
    put_field(to, "stream", o->stream), put_field(to, "copy", o->copy), put_field(to, "process", o->process);
    fprintf(to, "}, %" PRIu64 ", %" PRIu32 ", %u);\n", o->stride, o->what == OP_MISS ? 0 : 1 + o->count % 40, n);
}

static void put_fence(FILE *to, const op *o, unsigned n) {
    fprintf(to, "    OFFER(gpc_hierarchy_try_fence(h, &(gpc_fence){.struct_size = sizeof(gpc_fence)");
    put_field(to, "sm", o->sm), put_field(to, "warp", o->warp), put_field(to, "scope", o->scope);
    put_field(to, "order", o->order), put_field(to, "control", o->control);
    fprintf(to, "}, %u, NULL));\n", n);
}

static void put_port(FILE *to, const op *o, unsigned n) {
    fprintf(to,
            "    OFFER(gpc_hierarchy_try_port(h, &(gpc_port_request){.struct_size = sizeof(gpc_port_request), .address "
            "= 0x%" PRIx64 ", .bytes = %" PRIu32 ", .port = %" PRIu32 ", .kind = %d}, %u, &error));\n",
            o->address + o->pc, 1 + o->width * o->count * 3, o->sm, o->kind == GPC_STORE, n);
}

static void put_start(FILE *to, const op *o) {
    fprintf(to,
            "    gpc_hierarchy_start_kernel(h, &(gpc_kernel_options){.struct_size = sizeof(gpc_kernel_options), "
            ".stream = %u}, &error, &kernel);\n",
            o->stream);
}

static void put_op(FILE *to, const op *o, unsigned n, bool data) {
    if (o->delay)
        fprintf(to, "    go(%" PRIu32 ");\n", o->delay);
    switch (o->what) {
    case OP_ACCESS:
        put_access(to, o, n, data);
        break;
    case OP_TRANSACTIONS:
    case OP_MISS:
        put_requests(to, o, n);
        break;
    case OP_FENCE:
        put_fence(to, o, n);
        break;
    case OP_PORT:
        put_port(to, o, n);
        break;
    case OP_START:
        put_start(to, o);
        break;
    case OP_END:
        fprintf(to, "    rest();\n    gpc_hierarchy_end_kernel(h, kernel, &error);\n");
        break;
    case OP_BEGIN:
        fprintf(to, "    rest();\n    gpc_hierarchy_begin_kernel(h, NULL, &error);\n");
        break;
    case OP_FLUSH:
        fprintf(to, "    rest();\n    gpc_hierarchy_flush(h, &error);\n");
        break;
    case OP_PRELOAD:
        fprintf(to,
                "    rest();\n    gpc_hierarchy_preload(h, %" PRIu32 ", %" PRIu32 ", 0x%" PRIx64 ", %" PRIu32
                ", &error);\n",
                1 + o->count % 2, o->sm, o->address, o->width * 64);
        break;
    case OP_RESET:
        fprintf(to, "    gpc_hierarchy_reset_stats(h);\n");
        break;
    case OP_CREDITS:
        fprintf(to, "    gpc_hierarchy_set_reply_credits(h, %" PRIu32 ", %" PRIu32 ", &error);\n", o->sm, o->count);
        break;
    case OP_EVENT:
        fprintf(to,
                "    gpc_hierarchy_warp_event(h, &(gpc_warp_event){.kind = %" PRIu32 ", .sm = %" PRIu32
                ", .warp = %" PRIu32 ", .block = %" PRIu32 "}, &error);\n",
                o->count % 3, o->sm, o->warp, o->warp / 4);
        break;
    case OP_WAIT:
        fprintf(to, "    rest();\n");
        break;
    default:
        fprintf(to, "    /* an operation of kind %u, which changes no cycle */\n", o->what);
    }
}

static const char head[] = "#include <gpucache/gpucache.h>\n"
                           "#include <stdio.h>\n"
                           "#include <string.h>\n"
                           "#define ID(id, ...) id,\n"
                           "static const uint32_t ids[] = {GPC_COUNTERS(ID) GPC_HISTOGRAMS(ID)};\n"
                           "static gpc_context *context;\n"
                           "static gpc_hierarchy *h;\n"
                           "static gpc_error error = GPC_ERROR_INIT;\n"
                           "static int steps; /* single cycles, or from event to event */\n"
                           "static int renews; /* saved and loaded after each event */\n"
                           "static uint32_t kernel;\n";

static const char memory_of_host[] =
    "static struct { uint64_t id, due; } reads[8192];\n"
    "static unsigned count;\n"
    "static uint64_t calls, ready[64];\n"
    "static uint32_t below(uint64_t state, unsigned n, uint32_t bound) {\n"
    "    uint64_t z = 0;\n"
    "    while (n--) {\n"
    "        z = state += 0x9e3779b97f4a7c15u;\n"
    "        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;\n"
    "        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;\n"
    "    }\n"
    "    return (uint32_t)(((z ^ z >> 31) >> 32) * bound >> 32);\n"
    "}\n"
    "static bool on_memory(void *user_data, const gpc_memory_request *r) {\n"
    "    const uint64_t now = gpc_hierarchy_now(h), seed = SEED + ++calls;\n"
    "    (void)user_data;\n"
    "    if (below(seed, 1, 100) < REFUSES)\n"
    "        return ready[r->channel] += ready[r->channel] ? 0 : now + PATIENCE, false;\n"
    "    if (!r->write)\n"
    "        reads[count].id = r->id, reads[count++].due = now + LATENCY + below(seed, 2, 8);\n"
    "    return true;\n"
    "}\n"
    "static uint64_t give(void) {\n"
    "    uint64_t now = gpc_hierarchy_now(h), due = UINT64_MAX;\n"
    "    for (unsigned i = 0; i < count;)\n"
    "        if (reads[i].due <= now) {\n"
    "            gpc_hierarchy_memory_reply(h, reads[i].id, &error);\n"
    "            memmove(&reads[i], &reads[i + 1], (--count - i) * sizeof *reads);\n"
    "        } else {\n"
    "            due = reads[i].due < due ? reads[i].due : due, i++;\n"
    "        }\n"
    "    for (unsigned i = 0; i < 64; i++) {\n"
    "        if (ready[i] && ready[i] <= now)\n"
    "            ready[i] = 0, gpc_hierarchy_memory_ready(h, i, &error);\n"
    "        due = ready[i] && ready[i] < due ? ready[i] : due;\n"
    "    }\n"
    "    return due;\n"
    "}\n";

static const char no_memory_of_host[] = "static uint64_t give(void) {\n    return UINT64_MAX;\n}\n";

static const char callbacks_of_host[] = "static void attach(void) {\n"
                                        "    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;\n"
                                        "    callbacks.on_memory = on_memory;\n"
                                        "    gpc_hierarchy_set_callbacks(h, &callbacks, &error);\n"
                                        "}\n";

static const char no_callbacks_of_host[] = "static void attach(void) {\n}\n";

static const char clock_of_host[] =
    "static void renew(void) { /* the two files should have the same bytes */\n"
    "    gpc_hierarchy *loaded;\n"
    "    if (gpc_hierarchy_save(h, &(gpc_stream)GPC_STREAM_FILE(\"torture.1\"), &error) != GPC_OK ||\n"
    "        gpc_hierarchy_load(context, &(gpc_stream)GPC_STREAM_FILE(\"torture.1\"), NULL, &loaded, &error) !=\n"
    "            GPC_OK ||\n"
    "        gpc_hierarchy_save(loaded, &(gpc_stream)GPC_STREAM_FILE(\"torture.2\"), &error) != GPC_OK) {\n"
    "        puts(error.message);\n"
    "        return;\n"
    "    }\n"
    "    gpc_hierarchy_destroy(h), h = loaded;\n"
    "    attach();\n"
    "}\n"
    "static int move(uint64_t end) {\n"
    "    const uint64_t now = gpc_hierarchy_now(h), event = gpc_hierarchy_next_event(h), due = give();\n"
    "    uint64_t to = event < due ? event : due;\n"
    "    to = to < end ? to : end;\n"
    "    if (to == UINT64_MAX || gpc_hierarchy_advance(h, steps ? 1 : to - now, &error) != GPC_OK) {\n"
    "        printf(\"cycle %llu: %llu in flight, and no end: %s\\n\", (unsigned long long)gpc_hierarchy_now(h),\n"
    "               (unsigned long long)gpc_hierarchy_in_flight(h), error.message);\n"
    "        return 0;\n"
    "    }\n"
    "    give();\n"
    "    if (renews)\n"
    "        renew();\n"
    "    return 1;\n"
    "}\n"
    "static void go(uint64_t cycles) {\n"
    "    const uint64_t end = gpc_hierarchy_now(h) + cycles;\n"
    "    while (gpc_hierarchy_now(h) < end && move(end))\n"
    "        ;\n"
    "}\n"
    "static void rest(void) {\n"
    "    while ((gpc_hierarchy_in_flight(h) || !gpc_hierarchy_is_idle(h)) && move(UINT64_MAX))\n"
    "        ;\n"
    "}\n"
    "#define OFFER(call) \\\n"
    "    for (int tries = 0; (call) == GPC_BUSY && tries < 20000; tries++) \\\n"
    "    go(1)\n";

static const char accesses_of_host[] =
    "static void offer_access(gpc_warp_access a, uint64_t address, uint64_t stride, uint64_t token) {\n"
    "    static uint8_t bytes[64 * 64];\n"
    "    uint64_t addresses[64];\n"
    "    uint32_t sms[16];\n"
    "    for (unsigned i = 0; i < 64; i++)\n"
    "        addresses[i] = address + i * stride;\n"
    "    for (unsigned i = 0; i < sizeof bytes; i++)\n"
    "        bytes[i] = (uint8_t)((token * 0x9e3779b97f4a7c15u >> 32) + i * 7u);\n"
    "    gpc_shape shape = GPC_SHAPE_INIT;\n"
    "    gpc_hierarchy_get_shape(h, &shape, &error);\n"
    "    a.sm %= shape.sms;\n"
    "    a.mask &= shape.lanes < 64 ? ((uint64_t)1 << shape.lanes) - 1 : UINT64_MAX;\n"
    "    a.mask += !a.mask;\n"
    "    a.addresses = addresses;\n"
    "    a.bytes = DATA && (a.kind == GPC_STORE || a.kind == GPC_ATOMIC || a.kind == GPC_REDUCTION) ? bytes : NULL;\n"
    "    a.compare = a.atomic == GPC_OP_COMPARE_SWAP ? bytes : NULL;\n"
    "    for (unsigned i = 0; i < 16; i++)\n"
    "        sms[i] = (a.warp + i) % shape.sms;\n"
    "    a.multicast = a.multicast_count ? sms : NULL;\n"
    "    OFFER(gpc_hierarchy_try_issue(h, &a, token, NULL, &error));\n"
    "}\n";

static const char requests_of_host[] =
    "static void offer_requests(gpc_request r, uint64_t stride, uint32_t n, uint64_t token) {\n"
    "    static gpc_request all[40];\n"
    "    gpc_shape shape = GPC_SHAPE_INIT;\n"
    "    gpc_hierarchy_get_shape(h, &shape, &error);\n"
    "    const uint32_t line = shape.l1_line ? shape.l1_line : shape.l2_line ? shape.l2_line : 128;\n"
    "    r.sm %= shape.sms;\n"
    "    r.address = r.address / line * line;\n"
    "    for (unsigned i = 0; i < 40; i++, r.address += stride ? stride / line * line + line : 0)\n"
    "        all[i] = r;\n"
    "    if (n)\n"
    "        OFFER(gpc_hierarchy_try_transactions(h, all, n, token, NULL, &error));\n"
    "    else\n"
    "        OFFER(gpc_hierarchy_try_miss(h, all, token, NULL, &error));\n"
    "}\n";

static bool uses(const torture_case *c, unsigned first, unsigned last) {
    for (unsigned i = 0; i < c->op_count; i++)
        if (c->ops[i].what >= first && c->ops[i].what <= last)
            return true;
    return false;
}

static void put_helpers(FILE *to, const torture_case *c, bool data) {
    fputs(head, to);
    if (c->manners.memory) {
        fprintf(to,
                "enum { REFUSES = %" PRIu32 ", PATIENCE = %" PRIu32 ", LATENCY = %" PRIu32 " };\n#define SEED %" PRIu64
                "u\n",
                c->manners.refuses, c->manners.patience, c->manners.latency, c->seed);
        fputs(memory_of_host, to);
        fputs(callbacks_of_host, to);
    } else {
        fputs(no_memory_of_host, to);
        fputs(no_callbacks_of_host, to);
    }
    fputs(clock_of_host, to);
    fprintf(to, "enum { DATA = %d };\n", data);
    if (uses(c, OP_ACCESS, OP_ACCESS))
        fputs(accesses_of_host, to);
    if (uses(c, OP_TRANSACTIONS, OP_MISS))
        fputs(requests_of_host, to);
}

static void put_snapshot(FILE *to, int only) {
    if (only == WAY_SAVED)
        fprintf(to, "    if (how)\n        renew();\n");
    else
        fprintf(to, "    gpc_hierarchy *copy;\n    if (how && gpc_hierarchy_copy(h, &copy, &error) == GPC_OK)\n"
                    "        gpc_hierarchy_destroy(h), h = copy, attach();\n");
}

static void put_run(FILE *to, const torture_case *c, int only, bool data) {
    fprintf(to, "static void run(int how, uint64_t *values) {\n");
    put_settings(to, c);
    fprintf(to, "    gpc_config *config;\n    gpc_context_create(NULL, &context, &error);\n"
                "    gpc_config_create(context, &config, &error);\n"
                "    if (gpc_config_load_text(config, text, \"text\", &error) != GPC_OK ||\n");
    fprintf(to,
            "%s        gpc_hierarchy_create(context, config, &h, &error) != GPC_OK) {\n"
            "        puts(error.message);\n        return;\n    }\n",
            only == WAY_THREADS ? "        (how && gpc_config_set(config, \"threads\", \"2\", &error) != GPC_OK) ||\n"
                                : "");
    fprintf(to, "    steps = %s, renews = %s;\n", only == WAY_STEPS ? "how" : "0", only == WAY_RENEWED ? "how" : "0");
    fprintf(to, "    attach();\n");
    for (unsigned n = 0; n < c->op_count; n++) {
        put_op(to, &c->ops[n], n, data);
        if (n == c->cut && (only == WAY_SAVED || only == WAY_COPIED))
            put_snapshot(to, only);
    }
    fprintf(to, "    rest();\n    gpc_hierarchy_drain(h, &error);\n"
                "    gpc_hierarchy_read(h, GPC_OBJECT_WHOLE, 0, ids, sizeof ids / sizeof *ids,\n"
                "                       values, 4096, &error);\n"
                "    printf(\"way %%d: the end at cycle %%llu\\n\", how, (unsigned long long)gpc_hierarchy_now(h));\n"
                "    gpc_hierarchy_destroy(h);\n    gpc_config_destroy(config);\n"
                "    gpc_context_destroy(context);\n}\n");
}

void print_case(FILE *to, const torture_case *c, int only, const failure *f) {
    const char *value = case_value(c, "coherence.data");
    const bool data = value && !strcmp(value, "true");
    fprintf(to, "/*\n * gpucache torture, seed %" PRIu64 ": %s\n * %s\n", c->seed, f->kind, f->text);
    if (c->manners.credits)
        fprintf(to, " * Its host gives %" PRIu32 " credits every %" PRIu32 " cycles, which is not shown here.\n",
                c->manners.credits, c->manners.period);
    if (only >= WAY_REPLAY || only == WAY_STARVED)
        fprintf(to, " * This file has the operations alone. %s: gpucache torture --first %" PRIu64 " --count 1\n",
                only == WAY_STARVED ? "Allocations fail in" : "Traces of the accesses are replayed by", c->seed);
    fprintf(to, " */\n");
    put_helpers(to, c, data);
    put_run(to, c, only, data);
    fprintf(to, "int main(void) {\n    static uint64_t a[4096], b[4096];\n    run(0, a);\n");
    if (only > WAY_JUMPS)
        fprintf(to, "    run(1, b);\n    puts(memcmp(a, b, sizeof a) ? \"statistics differ\" : \"the same\");\n");
    else
        fprintf(to, "    (void)b;\n");
    fprintf(to, "    return 0;\n}\n");
}

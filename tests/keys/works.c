/* SPDX-License-Identifier: BSD-2-Clause */
#include "keys/keys.h"
#include "measured.h"
#include "torture/torture.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Workloads: texts of traces, written once, and accesses of a host. */

static const char *const names[] = {"memory", "burst", "classes", "code", "cluster", "blocks", "many", "longer"};

/* Lines of a warp, with their PCs and their number. */
typedef struct lines {
    char text[16384];
    size_t length;
    unsigned count, pc;
} lines;

static void line(lines *l, const char *format, ...) {
    va_list arguments;
    l->length += (size_t)snprintf(l->text + l->length, sizeof l->text - l->length, "%04x ", l->pc);
    va_start(arguments, format);
    l->length += (size_t)vsnprintf(l->text + l->length, sizeof l->text - l->length, format, arguments);
    va_end(arguments);
    l->length += (size_t)snprintf(l->text + l->length, sizeof l->text - l->length, "\n");
    l->pc += 16;
    l->count++;
    cr_assert_lt(l->length, sizeof l->text - 1);
}

/* An access of 4 bytes a lane, `stride` bytes apart. */
static void load(lines *l, const char *opcode, unsigned to, uint64_t address, unsigned stride) {
    line(l, "ffffffff 1 R%u %s 1 R2 4 1 0x%llx %u", to, opcode, (unsigned long long)address, stride);
}

static void store(lines *l, const char *mask, const char *opcode, uint64_t address, unsigned stride) {
    line(l, "%s 0 %s 2 R2 R3 4 1 0x%llx %u", mask, opcode, (unsigned long long)address, stride);
}

#define GLOBAL 0x100000ull

/* Loads of lines with reuse and without, kept in L1 and passed. */
static void memory_loads(lines *l, unsigned warp) {
    for (unsigned i = 0; i < 6; i++) {
        load(l, i == 3 ? "LDG.E.EF" : i == 4 ? "LDG.E.EL" : "LDG.E", 4 + i, GLOBAL + (warp * 7 + i * 13) % 40 * 128, 4);
        load(l, "LDG.E", 10 + i, GLOBAL + 0x10000 + (warp * 8 + i) * 1152, 4);
    }
    line(l, "ffffffff 1 R20 IADD3 2 R4 R10 0");
    if (warp % 3 == 0)
        load(l, "LDG.E", 36, GLOBAL + 0xc000, 4);
    load(l, "LDG.E", 21, GLOBAL + 0x8000, 36);
    load(l, "LDG.E", 22, GLOBAL + 0x20000 + warp * 0x2000, 128);
    line(l, "0000000f 1 R23 LDG.E.STRONG.GPU 1 R2 4 1 0x%llx 4", GLOBAL + warp % 3 * 128);
    load(l, "LDG.E.NA", 24, GLOBAL + warp % 5 * 128, 4);
    load(l, "LDG.E", 3, GLOBAL + warp * 128, 4);
}

/* Stores of whole lines and of parts, hits and misses, to global and local memory, and loads behind stores. */
static void memory_stores(lines *l, unsigned warp) {
    store(l, "ffffffff", "STG.E", GLOBAL + warp * 128, 4);
    store(l, "0000ffff", "STG.E", GLOBAL + 0x9000 + warp % 4 * 128, 4);
    store(l, "00000003", "STG.E", GLOBAL + 0xa000 + warp * 256, 4);
    load(l, "LDG.E", 25, GLOBAL + 0xa000 + warp * 256, 4);
    load(l, "LDG.E", 26, GLOBAL + warp * 128, 4);
    load(l, "LDL", 34, 0xfffc04, 0);
    for (unsigned i = 0; i < 3; i++) {
        store(l, "ffffffff", "STL", 0xfffc00 + i * 4, 0);
        store(l, i ? "0000000f" : "ffffffff", "STG.E", GLOBAL + 0x40000 + (warp * 3 + i) * 512, 4);
    }
    store(l, "ffffffff", "STL", 0xfff804, 0);
    load(l, "LDL", 27, 0xfffc04, 0);
    load(l, "LDL", 35, 0xfff804, 0);
    if (warp % 5 == 1)
        store(l, "ffffffff", "STG.E", GLOBAL + 0xc000, 4);
}

static void memory_warp(lines *l, unsigned warp) {
    memory_loads(l, warp);
    memory_stores(l, warp);
    load(l, "LDG.E", 28, GLOBAL + 0x8040, 4);
    line(l, "ffffffff 1 R29 ATOMG.E.ADD.STRONG.GPU 2 R2 R3 4 1 0x%llx 0", GLOBAL + 0xb000);
    line(l, "0000ffff 1 R29 ATOMG.E.ADD.STRONG.SM 2 R2 R3 4 1 0x%llx 4", GLOBAL + 0x8000);
    line(l, "ffffffff 0 RED.E.ADD.STRONG.GPU 2 R2 R3 4 1 0x%llx 4", GLOBAL + 0xb000 + warp % 2 * 64);
    line(l, "ffffffff 0 MEMBAR.SC.GPU 0 0");
    line(l, "ffffffff 0 CCTL.IVALL 0 0");
    for (unsigned i = 0; i < 4; i++)
        load(l, "LDG.E", 30 + i, GLOBAL + (warp * 7 + i * 13) % 40 * 128, 4);
    line(l, "ffffffff 1 R20 IADD3 2 R30 R31 0");
    line(l, "ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0");
    line(l, "ffffffff 0 EXIT 0 0");
}

/* Loads side by side: hits in L1, hits in L2, misses in both. */
static void burst_warp(lines *l, unsigned warp) {
    for (unsigned i = 0; i < 16; i++)
        line(l, "%s 1 R%u LDG.E 1 R2 4 1 0x%llx %u", i % 4 == 1 ? "000000ff" : "ffffffff", 4 + i,
             GLOBAL + (warp * 3 + i * 5) % 24 * 128 + (warp + i) % 4 * 32, i % 4 ? 4 : 2);
    for (unsigned i = 0; i < 8; i++)
        load(l, i % 2 ? "LDG.E.STRONG.GPU" : "LDG.E", 20 + i, GLOBAL + (warp % 4 * 5 + i * 7) % 48 * 256, 8);
    for (unsigned i = 0; i < 8; i++)
        load(l, "LDG.E", 28 + i, GLOBAL + 0x40000 + (warp / 8 * 8 + i) * 8192, 4);
    for (unsigned i = 0; i < 4; i++)
        store(l, i ? "00ff00ff" : "ffffffff", "STG.E", GLOBAL + 0x10000 + (warp * 4 + i) * 128, 4);
    for (unsigned i = 0; i < 8; i++)
        load(l, "LDG.E", 36 + i, GLOBAL + (warp * 3 + i * 5) % 12 * 128, 4);
    line(l, "ffffffff 1 R2 IADD3 2 R4 R43 0");
    line(l, "ffffffff 0 EXIT 0 0");
}

static void classes_warp(lines *l, unsigned warp) {
    static const char *const pairs[] = {"IADD3", "FADD",     "FFMA",          "IMAD",     "MOV",
                                        "DADD",  "MUFU.RCP", "HMMA.1688.F32", "SHF.L.U32"};
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (unsigned n = 0; n < 4; n++)
            line(l, "ffffffff 1 R%u %s 2 R%u R2 0", 4 + i * 4 + n, pairs[i], n % 2 ? 3 + i * 4 + n : 1);
    for (unsigned i = 0; i < 6 && warp % 4 == 0; i++)
        line(l, "ffffffff 1 R%u MUFU.RCP 0 0", 100 + i);
    line(l, "ffffffff 1 UR4 UMOV 0 0");
    line(l, "ffffffff 1 UR5 UIADD3 1 UR4 0");
    line(l, "ffffffff 1 UR6 UMOV 0 0");
    line(l, "ffffffff 1 R50 LDC 0 0");
    line(l, "ffffffff 1 R51 IADD3 1 R50 0");
    line(l, "ffffffff 1 R58 LDC 0 0");
    line(l, "ffffffff 0 STS 2 R2 R3 4 1 0x%x 4", warp * 128);
    line(l, "ffffffff 1 R52 LDS 1 R2 4 1 0x%x 4", warp * 128);
    line(l, "ffffffff 1 R53 LDS 1 R2 4 1 0x%x 8", warp * 128);
    line(l, "ffffffff 1 R54 IADD3 2 R52 R53 0");
    for (unsigned i = 0; i < 3; i++) {
        load(l, "LDG.E", 55 + i, GLOBAL + (warp * 4 + i) * 128, 4);
        line(l, "ffffffff 0 BRA 0 0");
        line(l, "ffffffff 0 BRA 0 0");
    }
    line(l, "ffffffff 1 R60 IADD3 2 R55 R56 0");
    line(l, "ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0");
    line(l, "ffffffff 0 EXIT 0 0");
}

static void code_warp(lines *l, unsigned warp) {
    for (unsigned i = 0; i < 96; i++) {
        l->pc = (i < 48 ? i : i * (7 + warp % 2 * 4) % 48) * 16;
        line(l, "ffffffff 1 R%u IADD3 1 R%u 0", 4 + i % 32, 4 + (i + 7) % 32);
    }
    load(l, "LDG.E", 40, GLOBAL + warp * 128, 4);
    line(l, "ffffffff 0 EXIT 0 0");
}

static void cluster_warp(lines *l, unsigned warp) {
    for (unsigned i = 0; i < 4; i++)
        line(l, "ffffffff 0 STAS 2 R2 R3 4 1 0x%x 4", 0x1000000 * (warp % 2) + i * 128);
    line(l, "ffffffff 0 UCGABAR_WAIT 0 0");
    load(l, "LDG.E", 8, GLOBAL + warp * 128, 4);
    line(l, "ffffffff 1 R9 IADD3 1 R8 0");
    line(l, "ffffffff 0 EXIT 0 0");
}

static void short_warp(lines *l, unsigned warp) {
    load(l, "LDG.E", 4, GLOBAL + warp % 24 * 128, 4);
    line(l, "ffffffff 1 R5 IADD3 1 R4 0");
    store(l, "ffffffff", "STG.E", GLOBAL + 0x4000 + warp % 24 * 128, 4);
    line(l, "ffffffff 0 EXIT 0 0");
}

/* Short blocks, of which the later blocks are longer. */
static void longer_warp(lines *l, unsigned warp) {
    for (unsigned i = 0; i < 2 && warp > 3; i++)
        line(l, "ffffffff 1 R6 IADD3 1 R6 0");
    short_warp(l, warp);
}

typedef struct program {
    void (*warp)(lines *, unsigned);
    unsigned blocks, warps, launches;
    const char *more; /* of the header */
} program;

static const program programs[] = {
    {memory_warp, 6, 2, 1, "-shmem base_addr = 0x0000700000000000\n-local mem base_addr = 0x0000000000fff000\n"},
    {burst_warp, 8, 3, 1, ""},
    {classes_warp, 3, 4, 1, ""},
    {code_warp, 3, 4, 2, ""},
    {cluster_warp, 8, 1, 1, "-cluster dim = (2,1,1)\n"},
    {short_warp, 120, 1, 1, ""},
    {short_warp, 8, 1, 16, ""},
    {longer_warp, 8, 1, 0, ""},
};

#define PROGRAMS (sizeof programs / sizeof *programs)

static void write_program(const works *w, size_t which) {
    const program *p = &programs[which];
    static lines l;
    char path[128];
    snprintf(path, sizeof path, "%s/kernel-%s.traceg", w->folder, names[which]);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fprintf(file,
            "-kernel name = %s\n-kernel id = 1\n-grid dim = (%u,1,1)\n-block dim = (%u,1,1)\n-shmem = 1024\n"
            "-nregs = 32\n%s-accelsim tracer version = 4\n#traces format = ...\n",
            names[which < WORK_HOST ? which : WORK_MANY], p->blocks, p->warps * 32, p->more);
    for (unsigned b = 0; b < p->blocks; b++) {
        fprintf(file, "#BEGIN_TB\nthread block = %u,0,0\n", b);
        for (unsigned warp = 0; warp < p->warps; warp++) {
            l.length = l.count = l.pc = 0;
            p->warp(&l, b * p->warps + warp);
            fprintf(file, "warp = %u\ninsts = %u\n%s", warp, l.count, l.text);
        }
        fputs("#END_TB\n", file);
    }
    cr_assert_eq(fclose(file), 0);
    snprintf(path, sizeof path, "%s/%s.g", w->folder, names[which]);
    file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs("MemcpyHtoD,0x0000000000100000,4096\n", file);
    for (unsigned n = 0; n < p->launches; n++)
        fprintf(file, "kernel-%s.traceg\n", which == WORK_MANY && n % 2 ? "longer" : names[which]);
    cr_assert_eq(fclose(file), 0);
}

void works_open(works *w) {
    *w = (works){.context = NULL};
    cr_assert_eq(gpc_context_create(NULL, &w->context, NULL), GPC_OK);
    snprintf(w->folder, sizeof w->folder, "/tmp/gpucache-keys-XXXXXX");
    cr_assert_not_null(mkdtemp(w->folder));
    for (size_t i = 0; i < PROGRAMS; i++)
        write_program(w, i);
}

void works_close(works *w) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf -- '%s'", w->folder);
    cr_assert_eq(system(command), 0);
    gpc_context_destroy(w->context);
}

static void digest(outcome *o, const void *bytes, size_t size) {
    for (const unsigned char *at = bytes; size--; at++)
        o->digest = (o->digest ^ *at) * 1099511628211u;
}

void works_digest_number(outcome *o, uint64_t number) {
    digest(o, &number, sizeof number);
}

/*
 * Ids from here on are of counters added since the golden digests were made. Absent ones among them leave the digests
 * as they are.
 */
#define ADDED 393u

/* Counters other than 0: a counter that is added, and counts nothing here, leaves the digest as it is. */
void works_digest_stats(outcome *o, const measured_stats *stats) {
#define X(id, field, name, unit, kind, objects, needs, since, meaning, equals) \
    if (stats->field && (id < ADDED || stats->field != GPC_ABSENT)) {          \
        works_digest_number(o, id);                                            \
        works_digest_number(o, stats->field);                                  \
    }
    GPC_COUNTERS(X)
#undef X
}

static void digest_objects(outcome *o, gpc_hierarchy *h) {
    record all = {0};
    record_read(h, &all);
    digest(o, all.words, all.word_count * sizeof *all.words);
    record_free(&all);
}

/* Estimates of a sampled replay: of each counter the value and the interval. */
static void digest_estimates(outcome *o, const gpc_replay *r) {
    for (uint32_t scope = 0; scope < 2; scope++)
        for (size_t i = 0; i < gpc_counter_table_count(GPC_TABLE_HIERARCHY); i++) {
            gpc_counter_info info = GPC_COUNTER_INFO_INIT;
            gpc_estimate estimate = GPC_ESTIMATE_INIT;
            char text[96];
            if (gpc_counter_table_at(GPC_TABLE_HIERARCHY, i, &info, NULL) != GPC_OK ||
                gpc_replay_estimate(r, (gpc_sampling_scope)scope, info.id, &estimate, NULL) != GPC_OK ||
                (info.id >= ADDED && estimate.value >= (double)GPC_ABSENT))
                continue;
            snprintf(text, sizeof text, "%u %u %.9g %.9g %.9g", info.id, estimate.estimated, estimate.value,
                     estimate.low, estimate.high);
            digest(o, text, strlen(text));
        }
}

/* Values of policies, of schedulers and throttles too. */
static void digest_policies(outcome *o, const gpc_replay *r) {
    gpc_policy_value value = GPC_POLICY_VALUE_INIT;
    for (size_t i = 0; gpc_replay_policy_value(r, i, &value, NULL) == GPC_OK; i++) {
        digest(o, value.name, strlen(value.name));
        works_digest_number(o, value.value);
    }
}

/* Counters of a tree's modules. */
static void digest_tree(outcome *o, gpc_hierarchy *h) {
    const gpc_coherence *tree = gpc_hierarchy_coherence(h);
    measured_module stats;
    measured_clear(&stats);
    for (uint32_t module = 0; tree && measure_module(tree, module, &stats) == GPC_OK; module++) {
        const uint64_t bytes = sizeof bytes + sizeof stats; /* golden digests begin with a size */
        digest(o, &bytes, sizeof bytes);
        digest(o, &stats, sizeof stats);
    }
}

void works_digest(outcome *o, gpc_replay *r) {
    digest_objects(o, gpc_replay_hierarchy(r));
    digest_policies(o, r);
    digest_estimates(o, r);
}

static gpc_trace *open_trace(const works *w, work which, outcome *o) {
    gpc_trace *trace = NULL;
    char path[128];
    snprintf(path, sizeof path, "%s/%s.g", w->folder, names[which]);
    gpc_status status = gpc_trace_open(w->context, w->source ? w->source : path, &trace, &o->error);
    cr_assert_eq(status, GPC_OK, "%s", o->error.message);
    return trace;
}

/* Bytes of a snapshot. */
typedef struct kept {
    char *data;
    size_t size, at;
} kept;

static gpc_status keep(void *user_data, const void *data, size_t size) {
    kept *k = user_data;
    k->data = realloc(k->data, k->size + size + 1);
    cr_assert_not_null(k->data);
    memcpy(k->data + k->size, data, size);
    k->size += size;
    return GPC_OK;
}

static gpc_status give_kept(void *user_data, void *data, size_t size, size_t *out_read) {
    kept *k = user_data;
    *out_read = size < k->size - k->at ? size : k->size - k->at;
    memcpy(data, k->data + k->at, *out_read);
    k->at += *out_read;
    return GPC_OK;
}

/* A paused replay and its trace give way to a replay that is loaded, and to a trace of its own. */
static void load_again(const works *w, gpc_replay **r, gpc_trace **trace, work which, outcome *o) {
    kept snapshot = {NULL, 0, 0};
    gpc_replay *loaded = NULL;
    gpc_status status = gpc_replay_save(*r, &(gpc_stream)GPC_STREAM_WRITE(keep, &snapshot), &o->error);
    if (status == GPC_OK)
        status =
            gpc_replay_load(w->context, &(gpc_stream)GPC_STREAM_READ(give_kept, &snapshot), NULL, &loaded, &o->error);
    free(snapshot.data);
    gpc_replay_pause_at(*r, UINT64_MAX, NULL);
    if (status == GPC_ERROR_UNSUPPORTED)
        return;
    cr_assert_eq(status, GPC_OK, "%s", o->error.message);
    gpc_replay_destroy(*r);
    gpc_trace_close(*trace);
    *r = loaded;
    *trace = open_trace(w, which, o);
    cr_assert_eq(gpc_replay_resume(loaded, *trace, &o->error), GPC_OK, "%s", o->error.message);
    gpc_replay_pause_at(loaded, UINT64_MAX, NULL);
}

static gpc_replay *replay(const works *w, gpc_replay *r, work which, outcome *o) {
    gpc_trace *trace = open_trace(w, which, o);
    gpc_status status = GPC_OK;
    if (w->pause)
        gpc_replay_pause_at(r, w->pause, NULL);
    gpc_kernel kernel = GPC_KERNEL_INIT;
    measured_stats stats;
    measured_clear(&stats);
    while (status == GPC_OK) {
        while ((status = measure_kernel(r, trace, &kernel, &stats, &o->error)) == GPC_BUSY)
            load_again(w, &r, &trace, which, o);
        works_digest_stats(o, &stats);
        works_digest_number(o, (uint64_t)status);
        o->end = status;
        for (uint32_t scope = 0; scope < 2; scope++) {
            gpc_sampling sampling = GPC_SAMPLING_INIT;
            if (gpc_replay_get_sampling(r, (gpc_sampling_scope)scope, &sampling, NULL) == GPC_OK)
                digest(o, &sampling, sizeof sampling);
        }
    }
    gpc_trace_close(trace);
    digest_tree(o, gpc_replay_hierarchy(r));
    if (w->deep)
        works_digest(o, r);
    return r;
}

/* Completions go into the digest, with cycles, levels and values. */
static void on_complete(void *user_data, const gpc_completion *c) {
    works_digest_number(user_data, c->token);
    works_digest_number(user_data, c->cycle);
    works_digest_number(user_data, c->level);
    digest(user_data, c->values, c->value_bytes);
}

/* Offer an access; offer a refused access again, without values, copy and stream. */
static gpc_status offer_once(gpc_hierarchy *h, gpc_warp_access *access, uint64_t token, bool timed) {
    for (unsigned again = 0;; again++) {
        gpc_warp_result result = GPC_WARP_RESULT_INIT;
        const gpc_status status = timed ? gpc_hierarchy_try_issue(h, access, token, NULL, NULL)
                                        : gpc_hierarchy_access(h, access, &result, NULL);
        if (status != GPC_ERROR_ARGUMENT || again)
            return status;
        access->bytes = access->out = NULL;
        access->copy = GPC_COPY_NONE;
        access->stream = 0;
    }
}

/* Offer an access until the hierarchy takes the access; a refusal goes into the digest. */
static void offer(gpc_hierarchy *h, gpc_warp_access *access, uint64_t token, bool timed, outcome *o) {
    gpc_status status = GPC_BUSY;
    for (unsigned tries = 0; timed && status == GPC_BUSY && tries < 5000; tries++) {
        status = offer_once(h, access, token, true);
        if (gpc_hierarchy_advance(h, 1, NULL) < 0)
            break;
    }
    if (!timed)
        status = offer_once(h, access, token, false);
    works_digest_number(o, (uint64_t)status);
}

static void drive_ports(gpc_hierarchy *h, outcome *o) {
    for (unsigned n = 0; n < 12 && gpc_hierarchy_ports(h); n++) {
        gpc_port_request request = GPC_PORT_REQUEST_INIT;
        request.address = GLOBAL + 0x30000 + n * 2048;
        request.bytes = 1024;
        request.port = n % gpc_hierarchy_ports(h);
        request.kind = n % 3 ? GPC_LOAD : GPC_STORE;
        works_digest_number(o, (uint64_t)gpc_hierarchy_try_port(h, &request, 1000 + n, &o->error));
    }
}

/* A host's n-th access: global or constant space, with tokens, now and then a bulk copy. */
static gpc_warp_access access_of(unsigned n, uint64_t addresses[32]) {
    gpc_warp_access access = GPC_WARP_ACCESS_INIT;
    const bool constant = n % 4 == 3 || n % 8 == 2;
    access.sm = n % 4;
    access.warp = n / 4 % 4;
    access.mask = 0xffffffff;
    access.kind = n % 5 == 1 && !constant ? GPC_STORE : GPC_LOAD;
    access.space = constant ? GPC_SPACE_CONSTANT : GPC_SPACE_GLOBAL;
    access.copy = n % 8 == 6 && access.kind == GPC_LOAD && !constant ? GPC_COPY_BULK : GPC_COPY_NONE;
    access.width = access.copy ? 64 : 4;
    access.stream = (uint8_t)(n % 2);
    access.token = n % 3 ? GPC_TOKEN_NONE : GPC_TOKEN_HELD;
    access.token_l2 = n % 2 ? GPC_TOKEN_NONE : GPC_TOKEN_HELD;
    for (unsigned i = 0; i < 32; i++)
        addresses[i] =
            GLOBAL + i * access.width + (constant ? n / 2 * (n / 2 + 3) % 11 * 192 : n % 9 * 512 + n % 2 * 0x8000);
    access.addresses = addresses;
    return access;
}

/*
 * Offer accesses with values, copies and streams, or without if the hierarchy refuses the access. A recording holds no
 * copies.
 */
static void drive_sms(gpc_hierarchy *h, bool timed, outcome *o) {
    for (unsigned n = 0; n < 96; n++) {
        uint64_t addresses[32];
        uint8_t bytes[128];
        gpc_warp_access access = access_of(n, addresses);
        memset(bytes, (int)n + 1, sizeof bytes);
        if (access.kind == GPC_STORE)
            access.bytes = bytes;
        else if (!timed && !access.copy)
            access.out = bytes;
        if (gpc_hierarchy_is_recording(h))
            access.copy = GPC_COPY_NONE;
        offer(h, &access, n, timed, o);
        digest(o, bytes, sizeof bytes);
    }
}

static void host(gpc_hierarchy *h, bool timed, outcome *o) {
    gpc_hierarchy_callbacks callbacks = GPC_HIERARCHY_CALLBACKS_INIT;
    callbacks.on_complete = on_complete;
    callbacks.user_data = o;
    works_digest_number(o, (uint64_t)gpc_hierarchy_set_callbacks(h, &callbacks, NULL));
    works_digest_number(o, (uint64_t)gpc_hierarchy_begin_kernel(h, NULL, &o->error));
    if (!gpc_hierarchy_is_recording(h))
        drive_ports(h, o);
    drive_sms(h, timed, o);
    works_digest_number(o, (uint64_t)gpc_hierarchy_drain(h, &o->error));
    measured_stats stats;
    measured_clear(&stats);
    measure_hierarchy(h, &stats);
    works_digest_stats(o, &stats);
    digest_tree(o, h);
    for (uint32_t port = 0; port < gpc_hierarchy_ports(h); port++) {
        gpc_port_stats ports = GPC_PORT_STATS_INIT;
        works_digest_number(o, (uint64_t)gpc_hierarchy_port_stats(h, port, &ports, NULL));
        digest(o, &ports, sizeof ports);
    }
}

outcome works_run(const works *w, const gpc_config *config, work which) {
    outcome o = {.digest = 14695981039346656037u, .error = GPC_ERROR_INIT};
    const char *mode = NULL;
    gpc_config_get(config, "mode", &mode, NULL);
    if (which == WORK_HOST) {
        gpc_hierarchy *h = NULL;
        o.status = gpc_hierarchy_create(w->context, config, &h, &o.error);
        if (o.status == GPC_OK && w->recording)
            o.status = gpc_hierarchy_record(h, w->recording, &o.error);
        if (o.status == GPC_OK)
            host(h, !strcmp(mode, "timed"), &o);
        if (o.status == GPC_OK && w->recording)
            works_digest_number(&o, (uint64_t)gpc_hierarchy_record_end(h, &o.error));
        if (o.status == GPC_OK && w->deep)
            digest_objects(&o, h);
        gpc_hierarchy_destroy(h);
        return o;
    }
    gpc_replay *r = NULL;
    o.status = gpc_replay_create(w->context, config, &r, &o.error);
    if (o.status == GPC_OK)
        r = replay(w, r, which, &o);
    gpc_replay_destroy(r);
    return o;
}

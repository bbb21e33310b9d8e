/* SPDX-License-Identifier: BSD-2-Clause */
#include "keys/keys.h"

#include "golden.h"
#include "measured.h"
#include "torture/torture.h"

#include <inttypes.h>
#include <stdarg.h>
#include <unistd.h>

/*
 * Golden digests of random traces on machines of random keys, in golden/replays.golden: a replay with a clock and one
 * without, and streams at once. With two threads, or from a snapshot on, the digests are equal.
 */

enum { ROOM = 1 << 16, SEEDS = 96, MOST_LINES = 28 };

#define GLOBAL 0x100000u
#define SHARED 0x700000000000u
#define LOCAL 0xfff000u

/* A trace in the making. */
typedef struct scribe {
    FILE *file;
    char lines[8192];
    size_t length;
    unsigned count, pc;
    bool bulk; /* bulk copies, unsupported by coherent trees */
    dice d;
} scribe;

static __attribute__((format(printf, 2, 3))) void put(scribe *s, const char *format, ...) {
    va_list list;
    s->length += (size_t)snprintf(s->lines + s->length, sizeof s->lines - s->length, "%04x ", s->pc);
    va_start(list, format);
    s->length += (size_t)vsnprintf(s->lines + s->length, sizeof s->lines - s->length, format, list);
    va_end(list);
    s->length += (size_t)snprintf(s->lines + s->length, sizeof s->lines - s->length, "\n");
    cr_assert_lt(s->length, sizeof s->lines - 1);
    s->pc += 16;
    s->count++;
}

static const char *mask_of(scribe *s) {
    static const char *const masks[] = {"ffffffff", "ffffffff", "0000ffff", "00000001", "f0f0f0f0", "0"};
    return masks[dice_below(&s->d, 6)];
}

/* An access with an address in one of the windows. */
static void put_access(scribe *s) {
    static const char *const loads[] = {"LDG.E",     "LDG.E.64",         "LDG.E.128", "LDG.E.EF",
                                        "LDG.E.EL",  "LDG.E.STRONG.GPU", "LDG.E.NA",  "LDG.E.CONSTANT",
                                        "LDG.E.U16", "LDG.E.STRONG.SYS"};
    static const unsigned widths[] = {4, 8, 16, 4, 4, 4, 4, 4, 2, 4}, strides[] = {4, 4, 8, 0, 36, 128};
    const unsigned n = dice_below(&s->d, 10), to = 4 + dice_below(&s->d, 24);
    const uint64_t address = GLOBAL + dice_below(&s->d, 48) * 128u + (dice_one_in(&s->d, 3) ? 64 : 0);
    const unsigned stride = strides[dice_below(&s->d, 6)] * (widths[n] > 4 ? widths[n] / 4 : 1);
    switch (dice_below(&s->d, 8)) {
    case 0:
        put(s, "%s 0 STG.E 2 R2 R3 4 1 0x%" PRIx64 " %u", mask_of(s), address, stride);
        break;
    case 1:
        put(s, "%s 1 R%u LDL 1 R2 4 1 0x%x 0", mask_of(s), to, LOCAL + dice_below(&s->d, 64) * 4);
        break;
    case 2:
        put(s, "%s 0 STL 2 R2 R3 4 1 0x%x 0", mask_of(s), LOCAL + dice_below(&s->d, 64) * 4);
        break;
    case 3:
        put(s, "%s 1 R%u LD.E 1 R2 4 1 0x%" PRIx64 " %u", mask_of(s), to,
            dice_one_in(&s->d, 2) ? SHARED + dice_below(&s->d, 8) * 128u : address, stride);
        break;
    case 4:
        put(s, "%s 1 R%u ATOMG.E.ADD.STRONG.GPU 2 R2 R3 4 1 0x%" PRIx64 " %u", mask_of(s), to, address, stride);
        break;
    default:
        put(s, "%s 1 R%u %s 1 R2 %u 1 0x%" PRIx64 " %u", mask_of(s), to, loads[n], widths[n], address, stride);
    }
}

/* Copies into shared memory, groups, and separate barriers. */
static void put_copy(scribe *s) {
    const uint64_t address = GLOBAL + dice_below(&s->d, 32) * 128u;
    switch (dice_below(&s->d, s->bulk ? 8 : 6)) {
    case 0:
    case 1:
        put(s, "%s 0 LDGSTS.E.BYPASS 2 R4 R2 4 1 0x%" PRIx64 " 4", mask_of(s), address);
        break;
    case 2:
        put(s, "%s 0 LDGSTS.E 2 R4 R2 4 1 0x%" PRIx64 " 4", mask_of(s), address);
        break;
    case 3:
    case 4:
        put(s, "ffffffff 0 LDGDEPBAR 0 0 0");
        break;
    case 5:
        put(s, "ffffffff 0 DEPBAR.LE 0 0 %u", dice_below(&s->d, 3));
        break;
    case 6:
        put(s, "1 0 SYNCS.EXCH.64 4 UR4 V0 V1 M8 0");
        put(s, "1 0 SYNCS.ARRIVE.TRANS64 6 R4 V0 V4096 V0 V1 M8 0");
        put(s, "ffffffff 0 UBLKCP.S.G 3 UR4 UR8 M8 128 1 0x%" PRIx64 " 128", address);
        if (dice_one_in(&s->d, 2))
            put(s, "ffffffff 1 P0 SYNCS.PHASECHK.TRANS64.TRYWAIT 4 R8 V0 V0 M8 0");
        break;
    default:
        put(s, "ffffffff 0 UBLKCP.S.G 3 UR4 UR8 M16 64 1 0x%" PRIx64 " 256", address);
    }
}

static void put_other(scribe *s) {
    static const char *const lines[] = {
        "ffffffff 0 MEMBAR.SC.GPU 0 0",  "ffffffff 0 MEMBAR.SC.CTA 0 0",
        "ffffffff 0 MEMBAR.SC.SYS 0 0",  "ffffffff 0 CCTL.IVALL 0 0",
        "ffffffff 0 ERRBAR 0 0",         "ffffffff 0 BRA 0 0",
        "ffffffff 1 R8 MUFU.RCP 1 R4 0", "ffffffff 1 R9 DADD 1 R8 0",
        "ffffffff 1 UR5 UIADD3 1 UR4 0", "ffffffff 1 R50 LDC 0 0",
        "ffffffff 0 NANOSLEEP 0 0",      "0000ffff 0 RED.E.ADD.STRONG.GPU 2 R2 R3 4 1 0x101000 4"};
    switch (dice_below(&s->d, 4)) {
    case 0:
        put(s, "%s 1 R%u LDS 1 R2 4 1 0x%x %u", mask_of(s), 4 + dice_below(&s->d, 24), dice_below(&s->d, 8) * 128,
            4u << dice_below(&s->d, 4));
        break;
    case 1:
        put(s, "ffffffff 1 R%u IADD3 2 R%u R%u 0", 4 + dice_below(&s->d, 24), 4 + dice_below(&s->d, 24),
            4 + dice_below(&s->d, 24));
        break;
    default:
        put(s, "%s", lines[dice_below(&s->d, sizeof lines / sizeof *lines)]);
    }
}

/* Lines of a warp. All warps of a kernel have equally many barriers. */
static void put_warp(scribe *s, unsigned warp, unsigned barriers) {
    s->length = s->count = s->pc = 0;
    for (unsigned part = 0; part <= barriers; part++) {
        for (unsigned n = 1 + dice_below(&s->d, MOST_LINES / (barriers + 1)); n; n--)
            switch (dice_below(&s->d, 6)) {
            case 0:
                put_copy(s);
                break;
            case 1:
            case 2:
                put_other(s);
                break;
            default:
                put_access(s);
            }
        if (part < barriers)
            put(s, "ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0");
    }
    put(s, "ffffffff 0 EXIT 0 0");
    fprintf(s->file, "warp = %u\ninsts = %u\n%s", warp, s->count, s->lines);
}

static void write_kernel(const char *folder, const char *name, uint64_t seed, bool bulk, bool clusters) {
    static scribe s;
    char path[128];
    s.d.state = seed * 77 + 5;
    s.bulk = bulk;
    const unsigned blocks = (2 + dice_below(&s.d, 7)) & (clusters ? ~1u : ~0u), warps = 1 + dice_below(&s.d, 3),
                   barriers = dice_below(&s.d, 3);
    snprintf(path, sizeof path, "%s/%s.traceg", folder, name);
    s.file = fopen(path, "w");
    cr_assert_not_null(s.file);
    fprintf(s.file,
            "-kernel name = %s\n-kernel id = 1\n-grid dim = (%u,1,1)\n-block dim = (%u,1,1)\n-shmem = %u\n-nregs = %u\n"
            "-cuda stream id = %u\n%s-shmem base_addr = 0x0000700000000000\n"
            "-local mem base_addr = 0x0000000000fff000\n-accelsim tracer version = 4\n#traces format = ...\n",
            name, blocks, warps * 32, 1024 * dice_below(&s.d, 3), 16 + 8 * dice_below(&s.d, 3), dice_below(&s.d, 2),
            clusters ? "-cluster dim = (2,1,1)\n" : "");
    for (unsigned b = 0; b < blocks; b++) {
        fprintf(s.file, "#BEGIN_TB\nthread block = %u,0,0\n", b);
        for (unsigned w = 0; w < warps; w++)
            put_warp(&s, w, barriers);
        fputs("#END_TB\n", s.file);
    }
    cr_assert_eq(fclose(s.file), 0);
}

/* Three kernels, the first of them twice. Streams at once have no clusters of thread blocks. */
void keys_write_trace(const works *w, uint64_t seed, char *path, size_t size) {
    char names[3][32];
    snprintf(path, size, "%s/%" PRIu64 ".g", w->folder, seed);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fprintf(file, "MemcpyHtoD,0x%016x,4096\n", GLOBAL);
    for (unsigned k = 0; k < 3; k++) {
        snprintf(names[k], sizeof names[k], "kernel-%" PRIu64 "-%u", seed, k);
        write_kernel(w->folder, names[k], seed * 3 + k, seed % 2 == 0, seed < SEEDS && seed % 5 == 4 && k == 1);
    }
    fprintf(file, "%s.traceg\n%s.traceg\n%s.traceg\n%s.traceg\n", names[0], names[1], names[0], names[2]);
    cr_assert_eq(fclose(file), 0);
}

static gpc_config *config_of(gpc_context *context, const torture_case *c, const char *mode, const char *threads) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_config *config = case_config(context, c, threads, &error);
    cr_assert_not_null(config, "%s", error.message);
    cr_assert_eq(gpc_config_set(config, "mode", mode, &error), GPC_OK, "%s", error.message);
    gpc_config_set(config, "deadlock.cycles", "20000", &error);
    return config;
}

static outcome run(const works *w, const torture_case *c, const char *mode, const char *threads) {
    gpc_config *config = config_of(w->context, c, mode, threads);
    const outcome o = works_run(w, config, WORK_MEMORY);
    gpc_config_destroy(config);
    return o;
}

static void on_kernel(void *user_data, const gpc_kernel_result *result) {
    const uint64_t numbers[] = {result->launched,   result->started, result->ended,
                                result->dispatched, result->stream,  result->process};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        works_digest_number(user_data, numbers[i]);
    measured_stats stats;
    measure_sample(result->stats, &stats);
    works_digest_stats(user_data, &stats);
}

/* Two traces at once: separate programs or one, one of them preferred, perhaps on separate SMs. */
static outcome run_streams(const works *w, const torture_case *c, const char *mode, const char *paths[2]) {
    outcome o = {.digest = c->seed, .error = GPC_ERROR_INIT};
    const uint32_t sms[] = {0};
    gpc_replay *r = NULL;
    gpc_trace *traces[2] = {NULL, NULL};
    gpc_replay_stream streams[2];
    measured_stats stats;
    gpc_config *config = config_of(w->context, c, mode, NULL);
    gpc_config_set(config, "streams", "3", NULL);
    o.status = gpc_replay_create(w->context, config, &r, &o.error);
    for (unsigned i = 0; i < 2 && o.status == GPC_OK; i++) {
        o.status = gpc_trace_open(w->context, paths[i], &traces[i], &o.error);
        streams[i] = (gpc_replay_stream)GPC_REPLAY_STREAM_INIT;
        streams[i].trace = traces[i];
        streams[i].priority = c->seed % 3 == i ? 1 : 0;
        streams[i].process = c->seed % 2 ? 0 : GPC_PROCESS_OWN;
        streams[i].sms = c->seed % 5 == 1 && !i ? sms : NULL;
        streams[i].sm_count = streams[i].sms ? 1 : 0;
    }
    measured_clear(&stats);
    if (o.status == GPC_OK)
        o.end = measure_streams(r, streams, 2, on_kernel, &o, &stats, &o.error);
    works_digest_number(&o, (uint64_t)o.end);
    if (o.status == GPC_OK && o.end == GPC_OK) {
        works_digest_stats(&o, &stats);
        works_digest(&o, r);
    }
    for (unsigned i = 0; i < 2; i++)
        gpc_trace_close(traces[i]);
    gpc_replay_destroy(r);
    gpc_config_destroy(config);
    return o;
}

static void put_outcome(const char *name, const outcome *o, char *text) {
    if (o->status != GPC_OK)
        snprintf(text + strlen(text), ROOM - strlen(text), " %s refused", name);
    else
        snprintf(text + strlen(text), ROOM - strlen(text), " %s %08" PRIx32 "%s", name,
                 (uint32_t)(o->digest ^ o->digest >> 32), o->end < 0 ? " with an error" : "");
}

static void put_seed(works *w, torture_case *c, const char *paths[2], char *text) {
    static const char *const modes[] = {"timed", "functional"};
    for (unsigned m = 0; m < 2; m++) {
        w->source = paths[0];
        const outcome o = run(w, c, modes[m], NULL);
        put_outcome(modes[m], &o, text);
        const outcome threads = run(w, c, modes[m], "2");
        if (o.status == GPC_OK && threads.status == GPC_OK && o.end >= 0)
            cr_expect_eq(o.digest, threads.digest, "seed %" PRIu64 ", %s: other numbers of two threads", c->seed,
                         modes[m]);
        w->pause = 1 + c->seed * 37 % (m ? 50 : 900);
        const outcome loaded = run(w, c, modes[m], NULL);
        w->pause = 0;
        if (o.end >= 0)
            cr_expect_eq(o.digest, loaded.digest, "seed %" PRIu64 ", %s: other numbers after a snapshot", c->seed,
                         modes[m]);
        w->source = NULL;
        const outcome both = run_streams(w, c, modes[m], paths);
        put_outcome("streams", &both, text);
    }
}

static void expect_seeds(uint64_t first, const char *path) {
    static char text[ROOM];
    works w;
    torture_case *c = calloc(1, sizeof *c);
    cr_assert_not_null(c);
    works_open(&w);
    w.deep = true;
    for (uint64_t seed = first; seed < SEEDS; seed += 3) {
        char one[96], other[96];
        keys_write_trace(&w, seed, one, sizeof one);
        keys_write_trace(&w, seed + 1000, other, sizeof other);
        keys_draw(w.context, c, seed + 500);
        if (seed % 8 == 2) /* near the limit SMs are stepped by a single thread */
            case_set(c, "limit.instructions", "120", true);
        if (seed % 8 == 4) { /* launches are compared by what their instructions access */
            case_set(c, "sample", "kernels", true);
            case_set(c, "sample.distance", "5", true);
        }
        snprintf(text + strlen(text), ROOM - strlen(text), "seed %" PRIu64 ":", seed);
        put_seed(&w, c, (const char *[]){one, other}, text);
        strcat(text, "\n");
    }
    free(c);
    works_close(&w);
    expect_golden(path, text);
}

Test(golden, replays_0) {
    expect_seeds(0, "tests/keys/golden/replays_0.golden");
}

Test(golden, replays_1) {
    expect_seeds(1, "tests/keys/golden/replays_1.golden");
}

Test(golden, replays_2) {
    expect_seeds(2, "tests/keys/golden/replays_2.golden");
}

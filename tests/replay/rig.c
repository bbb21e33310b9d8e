/* SPDX-License-Identifier: BSD-2-Clause */
#define _XOPEN_SOURCE 700
#include "replay/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *allocate(void *user_data, size_t bytes) {
    rig *r = user_data;
    void *memory = malloc(bytes);
    r->live += memory != NULL;
    return memory;
}

static void *resize(void *user_data, void *memory, size_t bytes) {
    rig *r = user_data;
    void *larger = realloc(memory, bytes);
    r->live += larger && !memory;
    return larger;
}

static void release(void *user_data, void *memory) {
    rig *r = user_data;
    r->live -= memory != NULL;
    free(memory);
}

static void remember(void *user_data, gpc_log_level level, const char *message) {
    rig *r = user_data;
    r->log_level = level;
    snprintf(r->log, sizeof r->log, "%s", message);
}

typedef struct watcher {
    rig *r;
    uint32_t sm;
} watcher;

static gpc_status watch_init(void *self, const gpc_policy_env *env, char *message) {
    (void)message;
    *(watcher *)self = (watcher){env->user_data, env->index};
    return GPC_OK;
}

static void note(rig *r, seen what) {
    if (r->count < MOST_SEEN)
        r->seen[r->count++] = what;
}

/* The request's SM must match the asked cache: otherwise it is no access of this SM. */
static void watch_access(void *self, const gpc_request *q) {
    const watcher *w = self;
    uint32_t sm = q->sm == w->sm ? q->sm : UINT32_MAX;
    note(w->r, (seen){SEEN_ACCESS, sm, q->warp, q->block, q->pc});
}

static void watch_hit(void *self, uint32_t set, uint32_t way, const gpc_request *q) {
    (void)set, (void)way;
    watch_access(self, q);
}

static void watch_miss(void *self, uint32_t set, const gpc_request *q) {
    (void)set;
    watch_access(self, q);
}

static void watch_event(void *self, const gpc_warp_event *event) {
    const watcher *w = self;
    uint32_t sm = event->sm == w->sm ? event->sm : UINT32_MAX;
    note(w->r, (seen){(int)event->kind, sm, event->warp, event->block, 0});
}

static uint32_t watch_victim(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *q) {
    (void)set, (void)q;
    const watcher *w = self;
    if (w->r->astray)
        return GPC_MAX_WAYS;
    uint32_t way = 0;
    while (candidates && !(candidates[way / 64] >> way % 64 & 1))
        way++;
    return way;
}

rig *rig_open(void) {
    rig *r = calloc(1, sizeof *r);
    cr_assert_not_null(r);
    r->error = (gpc_error)GPC_ERROR_INIT;
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    options.allocate = allocate;
    options.resize = resize;
    options.release = release;
    options.allocator_data = options.log_data = r;
    options.log = remember;
    cr_assert_eq(gpc_context_create(&options, &r->context, &r->error), GPC_OK);
    gpc_replacement_ops watch = {.struct_size = sizeof watch,
                                 .name = "watch",
                                 .summary = "remembers what it is told",
                                 .source = "",
                                 .instance_bytes = sizeof(watcher),
                                 .init = watch_init,
                                 .on_hit = watch_hit,
                                 .on_miss = watch_miss,
                                 .choose_victim = watch_victim,
                                 .on_warp_event = watch_event};
    gpc_status status = gpc_context_register_replacement(r->context, &watch, r, NULL, &r->error);
    cr_assert_eq(status, GPC_OK, "%s", r->error.message);
    cr_assert_eq(gpc_config_create(r->context, &r->config, &r->error), GPC_OK);
    set(r, "sm.count", "1");
    set(r, "sm.blocks", "2");
    set(r, "l1.sectors", "4");
    set(r, "l2.sectors", "4");
    set(r, "l1.replacement", "watch");
    snprintf(r->folder, sizeof r->folder, "/tmp/gpucache-replay-XXXXXX");
    cr_assert_not_null(mkdtemp(r->folder));
    return r;
}

void rig_close(rig *r) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf -- '%s'", r->folder);
    cr_assert_eq(system(command), 0);
    gpc_config_destroy(r->config);
    gpc_context_destroy(r->context);
    cr_assert_eq(r->live, 0, "%zu allocations are left", r->live);
    free(r);
}

void set(rig *r, const char *key, const char *value) {
    gpc_status status = gpc_config_set(r->config, key, value, &r->error);
    cr_assert_eq(status, GPC_OK, "%s", r->error.message);
}

const char *path_of(const rig *r, const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", r->folder, name);
    return path;
}

void write_text(const rig *r, const char *name, const char *text) {
    FILE *file = fopen(path_of(r, name), "w");
    cr_assert_not_null(file, "%s", name);
    cr_assert_geq(fputs(text, file), 0);
    cr_assert_eq(fclose(file), 0);
}

void begin_kernel(rig *r, const char *name, unsigned blocks, unsigned threads, const char *more) {
    r->file = fopen(path_of(r, name), "w");
    cr_assert_not_null(r->file, "%s", name);
    fprintf(r->file,
            "-kernel name = k\n-kernel id = 1\n-grid dim = (%u,1,1)\n-block dim = (%u,1,1)\n%s"
            "-accelsim tracer version = 4\n#traces format = ...\n",
            blocks, threads, more);
}

void begin_block(rig *r, unsigned x) {
    fprintf(r->file, "#BEGIN_TB\nthread block = %u,0,0\n", x);
}

void put_warp(rig *r, unsigned warp, const char *lines) {
    unsigned count = 0;
    for (const char *at = lines; *at; at++)
        count += *at == '\n';
    fprintf(r->file, "warp = %u\ninsts = %u\n%s", warp, count, lines);
}

void end_block(rig *r) {
    fputs("#END_TB\n", r->file);
}

void end_kernel(rig *r) {
    cr_assert_eq(fclose(r->file), 0);
    r->file = NULL;
}

void put_kernel(rig *r, const char *name, unsigned blocks, unsigned warps, const char *more, const char *lines) {
    begin_kernel(r, name, blocks, warps * 32, more);
    for (unsigned b = 0; b < blocks; b++) {
        begin_block(r, b);
        for (unsigned w = 0; w < warps; w++)
            put_warp(r, w, lines);
        end_block(r);
    }
    end_kernel(r);
}

gpc_replay *open_replay(rig *r) {
    gpc_replay *replay = NULL;
    gpc_status status = gpc_replay_create(r->context, r->config, &replay, &r->error);
    cr_assert_eq(status, GPC_OK, "%s", r->error.message);
    return replay;
}

gpc_trace *open_trace(rig *r, const char *name) {
    gpc_trace *trace = NULL;
    const char *source = strchr(name, ':') ? name : path_of(r, name);
    gpc_status status = gpc_trace_open(r->context, source, &trace, &r->error);
    cr_assert_eq(status, GPC_OK, "%s", r->error.message);
    return trace;
}

measured_stats run_kernel(rig *r, gpc_replay *replay, gpc_trace *trace) {
    measured_stats stats;
    measured_clear(&stats);
    gpc_status status = measure_kernel(replay, trace, NULL, &stats, &r->error);
    cr_assert_eq(status, GPC_OK, "%d %s", status, r->error.message);
    return stats;
}

gpc_status run_file(rig *r, const char *name, measured_stats *stats) {
    gpc_replay *replay = open_replay(r);
    gpc_trace *trace = open_trace(r, name);
    r->count = 0;
    gpc_status status = measure_kernel(replay, trace, NULL, stats, &r->error);
    gpc_trace_close(trace);
    gpc_replay_destroy(replay);
    return status;
}

void expect_error(const rig *r, gpc_status status, gpc_status expected, const char *part) {
    cr_assert_eq(status, expected, "%s and not %s: %s", gpc_status_string(status), gpc_status_string(expected),
                 r->error.message);
    cr_assert(strstr(r->error.message, part), "'%s' says nothing of '%s'", r->error.message, part);
}

void expect_same_stats(const measured_stats *a, const measured_stats *b) {
    for (size_t n = 0; n < gpc_counter_table_count(GPC_TABLE_HIERARCHY); n++) {
        gpc_counter_info info = GPC_COUNTER_INFO_INIT;
        cr_assert_eq(gpc_counter_table_at(GPC_TABLE_HIERARCHY, n, &info, NULL), GPC_OK);
        const void *x = (const char *)a + measured_offset(info.id), *y = (const char *)b + measured_offset(info.id);
        cr_assert(info.ratio || !memcmp(x, y, info.buckets * sizeof(uint64_t)), "%s", info.name);
    }
}

const seen *nth(const rig *r, int kind, unsigned n) {
    for (unsigned i = 0; i < r->count; i++)
        if ((int)r->seen[i].kind == kind && !n--)
            return &r->seen[i];
    cr_assert_fail("too few of kind %d were seen", kind);
    return NULL;
}

unsigned how_many(const rig *r, int kind) {
    unsigned found = 0;
    for (unsigned i = 0; i < r->count; i++)
        found += (int)r->seen[i].kind == kind;
    return found;
}

unsigned place_of(const rig *r, uint32_t block, uint32_t warp, uint64_t pc) {
    for (unsigned i = 0; i < r->count; i++) {
        const seen *s = &r->seen[i];
        if (s->kind == SEEN_ACCESS && s->block == block && s->warp == warp && s->pc == pc)
            return i;
    }
    cr_assert_fail("block %u, warp %u, pc 0x%llx was not seen", block, warp, (unsigned long long)pc);
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/ext/parts.h>
#include <gpucache/gpucache.h>

#include "streams.h"

#include <string.h>

/*
 * Every registered replacement policy, and every bypass predictor over LRU, in gpc_cache_access_many: million accesses
 * per CPU second on the streams and caches of bench/cache.c, and the slowdown against LRU. LRU is measured again beside
 * each policy, so that a busy machine slows both.
 *
 * Accesses carry inputs of policies: one of 16 PCs and one of 48 warps, in turns of 32 accesses, and for policies named
 * opt... the next use.
 *
 * bench-policy-speed [-p] [SPEC]...: only the given policies (with -p: predictors).
 */

#define ACCESSES 4000000u
#define ROUNDS 3

typedef struct subject {
    gpc_policy_kind kind;
    char spec[128];
    double worst, logs; /* ratios on all streams and caches: the highest, and the sum of logarithms */
    unsigned ratios;
    bool out; /* cannot be made without parameters */
} subject;

typedef struct arrays {
    uint64_t *addresses, *pcs, *next_uses, *evicted;
    uint32_t *warps;
    uint8_t *results;
} arrays;

static void *array(size_t element) {
    void *memory = calloc(ACCESSES, element);
    if (!memory)
        exit(1);
    return memory;
}

static void make_arrays(arrays *a) {
    uint64_t state = 11;
    *a = (arrays){array(8), array(8), array(8), array(8), array(4), array(1)};
    for (uint32_t i = 0; i < ACCESSES; i++) {
        a->pcs[i] = i % 32 ? a->pcs[i - 1] : next_random(&state) % 16 * 16;
        a->warps[i] = i % 32 ? a->warps[i - 1] : (uint32_t)(next_random(&state) % 48);
    }
}

static gpc_cache *make(gpc_context *context, bool l2, subject *s) {
    gpc_cache_options options = GPC_CACHE_OPTIONS_INIT;
    gpc_error error = GPC_ERROR_INIT;
    gpc_cache *cache;
    options.sets = l2 ? 384 : 32;
    options.ways = l2 ? 16 : 4;
    if (s && s->kind == GPC_POLICY_REPLACEMENT)
        options.replacement = s->spec;
    else if (s)
        options.predictor = s->spec;
    gpc_status status = gpc_cache_create(context, &options, &cache, &error);
    if (status == GPC_OK)
        return cache;
    if (!s)
        need(status, "lru", &error);
    fprintf(stderr, "%s: left out: %s\n", s->spec, error.message);
    s->out = true;
    return NULL;
}

static double rate(gpc_cache *cache, const gpc_batch *batch) {
    double start = cpu_seconds();
    need(gpc_cache_access_many(cache, batch, NULL, NULL), "access_many", NULL);
    return (double)batch->count / (cpu_seconds() - start) * 1e-6;
}

static void measure(gpc_context *context, subject *s, const gpc_batch *batch, bool l2, const char *stream) {
    gpc_cache *lru = make(context, l2, NULL), *cache = make(context, l2, s);
    double best = 0, reference = 0;
    for (int round = 0; cache && round < ROUNDS; round++) {
        double now = rate(cache, batch), then = rate(lru, batch);
        best = now > best ? now : best;
        reference = then > reference ? then : reference;
    }
    gpc_cache_destroy(lru);
    gpc_cache_destroy(cache);
    if (!best)
        return;
    char name[224];
    const char *kind = s->kind == GPC_POLICY_REPLACEMENT ? "policy" : "predictor";
    snprintf(name, sizeof name, "%s.%s.%s.%s", kind, s->spec, l2 ? "768k16" : "16k4", stream);
    figure(name, best, "Maccess/s");
    snprintf(name, sizeof name, "%s.%s.%s.%s.times-slower", kind, s->spec, l2 ? "768k16" : "16k4", stream);
    figure(name, reference / best, "x");
    s->worst = reference / best > s->worst ? reference / best : s->worst;
    s->logs += log(reference / best);
    s->ratios++;
}

static size_t registered(gpc_context *context, gpc_policy_kind kind, subject *subjects) {
    size_t count = gpc_policy_count(context, kind);
    for (size_t i = 0; i < count; i++) {
        gpc_policy_info info = GPC_POLICY_INFO_INIT;
        need(gpc_policy_at(context, kind, i, &info, NULL), "registry", NULL);
        subjects[i] = (subject){.kind = kind};
        snprintf(subjects[i].spec, sizeof subjects[i].spec, "%s", info.name);
    }
    return count;
}

/* Policies of the arguments, or all. */
static size_t find_subjects(gpc_context *context, int argc, char **argv, subject *subjects) {
    bool predictors = argc > 1 && !strcmp(argv[1], "-p");
    size_t count = 0;
    for (int i = 1 + predictors; i < argc; i++, count++) {
        subjects[count] = (subject){.kind = predictors ? GPC_POLICY_PREDICTOR : GPC_POLICY_REPLACEMENT};
        snprintf(subjects[count].spec, sizeof subjects[count].spec, "%s", argv[i]);
    }
    if (count)
        return count;
    if (!predictors)
        count = registered(context, GPC_POLICY_REPLACEMENT, subjects);
    return count + registered(context, GPC_POLICY_PREDICTOR, subjects + count);
}

static void sum_up(const subject *s) {
    const char *kind = s->kind == GPC_POLICY_REPLACEMENT ? "policy" : "predictor";
    char name[224];
    if (!s->ratios)
        return;
    snprintf(name, sizeof name, "%s.%s.times-slower-at-worst", kind, s->spec);
    figure(name, s->worst, "x");
    snprintf(name, sizeof name, "%s.%s.times-slower-mean", kind, s->spec); /* geometric */
    figure(name, exp(s->logs / s->ratios), "x");
}

int main(int argc, char **argv) {
    gpc_context *context;
    gpc_error error = GPC_ERROR_INIT;
    arrays a;
    need(gpc_context_create(NULL, &context, &error), "context", &error);
    size_t room = (size_t)argc + gpc_policy_count(context, GPC_POLICY_REPLACEMENT) +
                  gpc_policy_count(context, GPC_POLICY_PREDICTOR);
    subject *subjects = calloc(room, sizeof *subjects);
    if (!subjects)
        return 1;
    size_t count = find_subjects(context, argc, argv, subjects);
    make_arrays(&a);
    for (int s = 0; s < STREAMS; s++) {
        streams[s].fill(a.addresses, ACCESSES);
        need(gpc_next_uses(context, a.addresses, ACCESSES, STREAM_LINE, a.next_uses, NULL), "next uses", NULL);
        gpc_batch batch = GPC_BATCH_INIT;
        batch.count = ACCESSES;
        batch.addresses = a.addresses;
        batch.pcs = a.pcs;
        batch.warps = a.warps;
        batch.results = a.results;
        batch.evicted = a.evicted;
        for (size_t i = 0; i < count; i++) {
            batch.next_uses = strncmp(subjects[i].spec, "opt", 3) ? NULL : a.next_uses;
            for (int l2 = 0; l2 < 2 && !subjects[i].out; l2++)
                measure(context, &subjects[i], &batch, l2, streams[s].name);
        }
    }
    for (size_t i = 0; i < count; i++)
        sum_up(&subjects[i]);
    gpc_context_destroy(context);
    free(subjects);
    free(a.addresses);
    free(a.pcs);
    free(a.next_uses);
    free(a.evicted);
    free(a.warps);
    free(a.results);
    return 0;
}

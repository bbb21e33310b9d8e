/* SPDX-License-Identifier: BSD-2-Clause */
#include "torture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names a number by a new hierarchy of the case. */
static void name_word(gpc_context *context, const torture_case *c, size_t word, char *text, size_t size) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_hierarchy *h = NULL;
    gpc_config *config = case_config(context, c, NULL, &error);
    snprintf(text, size, "number %zu", word);
    if (config && gpc_hierarchy_create(context, config, &h, &error) == GPC_OK)
        record_name(h, word, text, size);
    gpc_hierarchy_destroy(h);
    gpc_config_destroy(config);
}

static void compare_completions(const record *a, const record *b, const char *name, failure *f) {
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        const done *x = &a->list[i], *y = &b->list[i];
        if (memcmp(x, y, sizeof *x) != 0) {
            fail(f, "completions differ",
                 "%s: completion %zu is operation %" PRIu64 " (SM %" PRIu32 ") at cycle %" PRIu64 ", level %u%s; with "
                 "jumps %" PRIu64 " (SM %" PRIu32 ") at %" PRIu64 ", level %u",
                 name, i, y->token, y->sm, y->cycle, y->level,
                 x->cycle == y->cycle && x->token == y->token ? ", of other values or stages" : "", x->token, x->sm,
                 x->cycle, x->level);
            return;
        }
    }
    if (a->count != b->count)
        fail(f, "completions differ", "%s: %zu completions, with jumps %zu", name, b->count, a->count);
}

static void compare(gpc_context *context, const torture_case *c, const record *a, const record *b, torture_way how,
                    failure *f) {
    char text[128];
    if (how != WAY_THREADS)
        compare_completions(a, b, way_names[how], f);
    if (how > WAY_REPLAY && a->told != b->told)
        fail(f, "told otherwise", "%s: statuses, statistics of a kernel, or a time series differ", way_names[how]);
    if (a->end != b->end)
        fail(f, "end differs", "%s: idle at cycle %" PRIu64 ", with jumps at %" PRIu64, way_names[how], b->end, a->end);
    for (size_t i = 0; i < a->word_count && i < b->word_count && !f->failed; i++)
        if (a->words[i] != b->words[i]) {
            name_word(context, c, i, text, sizeof text);
            fail(f, "numbers differ", "%s: %s is %" PRIu64 ", with jumps %" PRIu64, way_names[how], text, b->words[i],
                 a->words[i]);
        }
    if (a->word_count != b->word_count)
        fail(f, "numbers differ", "%s: %zu numbers, with jumps %zu", way_names[how], b->word_count, a->word_count);
}

/*
 * Tells whether a seed takes a way: half of the seeds copy, a quarter have threads, a quarter fail allocations, a
 * quarter are replayed.
 */
static bool takes(const torture_options *o, const torture_case *c, torture_way how) {
    if (o->snapshots || how == WAY_RENEWED)
        return o->snapshots && how == WAY_RENEWED;
    if (how >= WAY_REPLAY)
        return c->seed % 4 == 1 || c->functional;
    if (how == WAY_THREADS)
        return !c->manners.memory && c->seed % 4 == 0;
    return how == WAY_STARVED ? c->seed % 4 == 2 : how != WAY_COPIED || c->seed % 2 == 0 || *theme_settings(c->seed);
}

static const char *threads_of(const torture_case *c, torture_way how) {
    static const char *const counts[] = {"2", "3", "2", "4"};
    return how == WAY_THREADS || how == WAY_REPLAY_THREADS ? counts[c->seed / 4 % 4] : NULL;
}

/* Runs a reference and the ways that have to agree with it, or the way `only` alone. */
static void check_ways(gpc_context *context, const torture_options *o, const torture_case *c, torture_way reference,
                       torture_way end, int only, record *sum, failure *f) {
    void (*const run)(gpc_context *, const torture_case *, torture_way, const char *, unsigned, record *, failure *) =
        reference == WAY_REPLAY ? run_replay : run_case;
    record first = {0};
    run(context, c, reference, NULL, o->fault, &first, f);
    sum->accesses += first.accesses;
    sum->value_bytes += first.value_bytes;
    for (torture_way how = reference + 1; how < end && !f->failed; how++) {
        record other = {0};
        if (only >= 0 ? how != (torture_way)only : !takes(o, c, how))
            continue;
        run(context, c, how, threads_of(c, how), o->fault, &other, f);
        if (f->failed) {
            char text[sizeof f->text];
            memcpy(text, f->text, sizeof text);
            snprintf(f->text, sizeof f->text, "%s: %.1100s", way_names[how], text);
        } else if (other.word_count) {
            compare(context, c, &first, &other, how, f);
        }
        sum->renewals += other.renewals;
        sum->hungers += other.hungers;
        record_free(&other);
    }
    record_free(&first);
}

/* Replays a case: half of the cases have a clock. */
static void check_replays(gpc_context *context, const torture_options *o, const torture_case *c, int only, record *sum,
                          failure *f) {
    torture_case *replayed = malloc(sizeof *replayed);
    if (!replayed)
        abort();
    *replayed = *c;
    replayed->functional |= c->seed / 4 % 2;
    check_ways(context, o, replayed, WAY_REPLAY, WAY_COUNT, only, sum, f);
    sum->replays++;
    remove_traces((long)getpid());
    free(replayed);
}

void check_case(const torture_options *o, const torture_case *c, int only, record *sum, failure *f) {
    gpc_context *context = torture_context(o);
    if (!context) {
        fail(f, "context", "no context");
        return;
    }
    if (!c->functional && only < WAY_REPLAY)
        check_ways(context, o, c, WAY_JUMPS, c->values && only < 0 && !o->snapshots ? WAY_STEPS : WAY_REPLAY, only, sum,
                   f);
    if (!f->failed && !c->values && (only >= 0 ? only >= WAY_REPLAY : takes(o, c, WAY_REPLAY)))
        check_replays(context, o, c, only, sum, f);
    gpc_context_destroy(context);
}

drawn make_case(gpc_context *context, const features *f, const torture_options *o, uint64_t seed, torture_case *c,
                char *why, size_t size) {
    drawn end;
    memset(c, 0, sizeof *c);
    c->seed = seed;
    c->values = o->values;
    c->retraces = seed % 2;
    end = draw_settings(context, f, o, c, why, size);
    if (end == DRAWN_ACCEPTED)
        (c->values ? draw_values_program : draw_program)(o, c);
    if (!c->cut)
        c->cut = c->op_count ? (unsigned)(seed * 2654435761u % c->op_count) : 0;
    return end;
}

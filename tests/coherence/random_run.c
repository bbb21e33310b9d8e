/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/random.h"

#include <stdlib.h>
#include <string.h>

#include "coherence/tree/invariants.h"

/* A program's run: every step on the tree, the oracle, the tally; sometimes the invariants; finally a flush. */

typedef struct run {
    const random_program *p;
    random_failure *failure;
    gpc_context *context;
    gpc_coherence *c;
    random_oracle *oracle;
    random_tally *tally;
} run;

static bool fail(run *r, size_t step, gpc_status status, const char *text) {
    r->failure->step = step;
    r->failure->status = status;
    snprintf(r->failure->text, sizeof(r->failure->text), "%s", text);
    return false;
}

static bool start(run *r) {
    const random_program *p = r->p;
    tree t = p->tree; /* names and lists are set in it */
    gpc_error error = GPC_ERROR_INIT;
    gpc_status status = gpc_context_create(NULL, &r->context, &error);
    if (status == GPC_OK && p->prepare && !p->prepare(r->context, p->data))
        return fail(r, 0, GPC_ERROR_ARGUMENT, "not prepared");
    if (status == GPC_OK)
        status = tree_create(&t, r->context, p->protocol, true, p->timing, &error, &r->c);
    if (status != GPC_OK)
        return fail(r, 0, status, error.message);
    r->failure->built = true;
    if (p->faults || p->protocol_flags)
        gpci_coherence_inject(r->c, p->faults, p->protocol_flags);
    r->oracle = random_oracle_create(p);
    r->tally = random_tally_create(p, r->c);
    if (!r->oracle || !r->tally)
        return fail(r, 0, GPC_ERROR_MEMORY, "out of memory");
    status = gpc_coherence_write_memory(r->c, t.base, random_oracle_bytes(r->oracle), t.bytes, NULL);
    return status == GPC_OK ? true : fail(r, 0, status, "memory cannot be written");
}

gpc_status random_make_step(gpc_coherence *c, const random_step *s, uint8_t *out, gpc_error *error,
                            gpc_coherence_result *result) {
    uint8_t mask[2] = {(uint8_t)s->mask, (uint8_t)(s->mask >> 8)};
    gpc_coherence_request q = GPC_COHERENCE_REQUEST_INIT;
    if (s->kind == RANDOM_FLUSH)
        return gpc_coherence_flush(c, s->module, RANDOM_CYCLE, result, error);
    if (s->kind == RANDOM_ACQUIRE)
        return gpc_coherence_acquire(c, s->module, RANDOM_CYCLE, result, error);
    q.address = s->address;
    q.cycle = RANDOM_CYCLE;
    q.bytes = s->kind == RANDOM_LOAD ? NULL : s->bytes;
    q.mask = s->mask == 0xffff ? NULL : mask;
    q.out = out;
    q.module = s->module;
    q.size = s->size;
    q.kind = s->kind;
    q.flags = s->flags;
    if (random_is_blind(s) && out) {
        q.out = NULL;
        memcpy(out, s->bytes, s->size);
    }
    return gpc_coherence_access(c, &q, result, error);
}

static bool check_tree(run *r, size_t step) {
    char text[384] = "";
    if (!gpci_invariants_of_tags(r->c, text, sizeof(text)) ||
        !gpci_invariants_over(r->c, r->p->tree.base, r->p->tree.bytes, text, sizeof(text)))
        return fail(r, step, GPC_OK, text);
    return true;
}

static bool step(run *r, size_t i) {
    const random_step *s = &r->p->steps[i];
    uint8_t out[RANDOM_BYTES] = {0};
    char text[384] = "";
    gpc_error error = GPC_ERROR_INIT;
    gpc_coherence_result result = GPC_COHERENCE_RESULT_INIT;
    gpc_status status = random_make_step(r->c, s, out, &error, &result);
    if (status != GPC_OK)
        return fail(r, i, status, error.message);
    if (!random_oracle_step(r->oracle, s, out, text, sizeof(text)) ||
        !random_tally_result(r->tally, s, &result, text, sizeof(text)))
        return fail(r, i, GPC_OK, text);
    if (s->kind <= RANDOM_N_STORE && !gpci_invariants_at(r->c, s->address, text, sizeof(text)))
        return fail(r, i, GPC_OK, text);
    return !r->p->check_every || i % r->p->check_every ? true : check_tree(r, i);
}

/* All caches are flushed: caches hold no data, memory has all. */
static bool finish(run *r) {
    const random_step all = {.kind = RANDOM_FLUSH, .module = GPC_NO_MODULE};
    const tree *t = &r->p->tree;
    char text[384] = "";
    gpc_error error = GPC_ERROR_INIT;
    gpc_coherence_result result = GPC_COHERENCE_RESULT_INIT;
    if (!check_tree(r, r->p->count))
        return false;
    gpc_status status = random_make_step(r->c, &all, NULL, &error, &result);
    uint8_t *memory = calloc(1, t->bytes);
    if (status == GPC_OK && memory)
        status = gpc_coherence_read_memory(r->c, t->base, memory, t->bytes, NULL);
    bool good = status == GPC_OK && memory && random_oracle_end(r->oracle, memory, text, sizeof(text)) &&
                random_tally_result(r->tally, &all, &result, text, sizeof(text)) &&
                random_tally_end(r->tally, text, sizeof(text));
    free(memory);
    for (uint32_t i = 0; good && i < t->module_count; i++)
        for (uint32_t b = 0; good && !t->modules[i].memory && b < r->c->modules[i].blocks; b++)
            if (r->c->modules[i].states[b] != GPC_LINE_I) {
                snprintf(text, sizeof(text), "after a flush of all, m%u still has block %u", i, b);
                good = false;
            }
    return good && check_tree(r, r->p->count) ? true : fail(r, r->p->count, status, status ? error.message : text);
}

bool random_run(const random_program *p, random_failure *failure, random_totals *totals) {
    run r = {.p = p, .failure = failure};
    size_t i = 0;
    *failure = (random_failure){0};
    bool good = start(&r);
    while (good && i < p->count)
        good = step(&r, i++);
    if (good)
        good = finish(&r);
    if (totals && r.tally) {
        uint64_t unknown;
        random_tally_totals(r.tally, totals);
        totals->bytes_checked += random_oracle_checked(r.oracle, &unknown);
        totals->bytes_unknown += unknown;
        for (size_t k = 0; k < i; k++)
            totals->accesses += p->steps[k].kind <= RANDOM_N_STORE;
    }
    random_tally_destroy(r.tally);
    random_oracle_destroy(r.oracle);
    gpc_coherence_destroy(r.c);
    gpc_context_destroy(r.context);
    return good;
}

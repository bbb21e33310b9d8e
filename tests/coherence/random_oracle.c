/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/random.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * Required value of every byte. Time is the number of steps made. A byte's last store is known to
 *   - the module that made the store;
 *   - all modules, if the store was coherent;
 *   - other modules, from the release of the store on (the store has reached the level shared by all processors), once
 * every older copy that the module may have kept is gone.
 * Two unordered stores to a byte leave the byte unknown, until an ordered store. The rules hold for any list of steps:
 * steps can be dropped from a failing list, and a later failure is still a failure.
 */

#define NEVER UINT64_MAX
#define NOBODY UINT32_MAX

typedef struct known {
    uint64_t released;
    uint32_t writer;
    bool racy;
} known;

struct random_oracle {
    const random_program *program;
    const gpc_protocol *protocol;
    gpc_context *context;
    uint8_t *value; /* [bytes] */
    known *known;   /* [bytes] */
    uint64_t now, checked, unknown;
    uint64_t fresh[TREE_MODULES]; /* a module's data are at least this new */
    bool open[TREE_MODULES];      /* tree_public */
    uint32_t smallest;            /* block */
};

random_oracle *random_oracle_create(const random_program *p) {
    random_oracle *o = calloc(1, sizeof(*o));
    const tree *t = &p->tree;
    if (!o)
        return NULL;
    o->program = p;
    o->value = malloc(t->bytes);
    o->known = malloc(t->bytes * sizeof(*o->known));
    if (!o->value || !o->known || gpc_context_create(NULL, &o->context, NULL) ||
        (p->prepare && !p->prepare(o->context, p->data))) {
        random_oracle_destroy(o);
        return NULL;
    }
    o->protocol = gpc_protocol_find(o->context, p->protocol);
    o->smallest = TREE_BLOCK;
    for (uint32_t i = 0; i < t->module_count; i++) {
        o->open[i] = tree_public(t, i);
        if (t->modules[i].block_bytes < o->smallest)
            o->smallest = t->modules[i].block_bytes;
    }
    for (uint32_t i = 0; i < t->bytes; i++) {
        o->value[i] = (uint8_t)(gpci_mix(p->seed + i) >> 8);
        o->known[i] = (known){0, NOBODY, false};
    }
    return o;
}

void random_oracle_destroy(random_oracle *o) {
    if (!o)
        return;
    free(o->value);
    free(o->known);
    gpc_context_destroy(o->context);
    free(o);
}

const uint8_t *random_oracle_bytes(const random_oracle *o) {
    return o->value;
}

uint64_t random_oracle_checked(const random_oracle *o, uint64_t *out_unknown) {
    *out_unknown = o->unknown;
    return o->checked;
}

/* True if an access is sent to the low module, and the low module serves all. */
static bool goes_low(const random_oracle *o, const random_step *s) {
    const gpc_protocol *p = o->protocol;
    bool sent = s->flags & (s->kind == RANDOM_LOAD ? p->pass_loads[0] : p->pass_stores[0] | p->through_stores);
    if (s->kind == RANDOM_STORE)
        sent |= (*p->first)[GPC_LINE_I][GPC_EVENT_STORE].actions & GPC_DO_PASS;
    return sent && o->open[tree_low(&o->program->tree, s->module, s->address)];
}

/* True if the module of a step may not know a byte's value. */
static bool is_unknown(const random_oracle *o, const random_step *s, const known *k) {
    if (o->program->rules == RANDOM_COHERENT)
        return false;
    if (o->program->rules == RANDOM_NO_DATA || k->racy)
        return true;
    if (k->writer == s->module || k->released == 0)
        return false;
    if (k->released == NEVER)
        return true;
    return !(s->kind == RANDOM_LOAD && goes_low(o, s)) && k->released > o->fresh[s->module] && !o->open[s->module];
}

static bool check_bytes(random_oracle *o, const random_step *s, const uint8_t *out, char *text, size_t size) {
    uint64_t first = s->address - o->program->tree.base;
    for (uint32_t i = 0; i < s->size; i++) {
        const known *k = &o->known[first + i];
        if (is_unknown(o, s, k)) {
            o->unknown += s->kind == RANDOM_LOAD; /* a store also returns bytes of others */
            continue;
        }
        o->checked++;
        if (out[i] != o->value[first + i]) {
            snprintf(text, size, "byte 0x%" PRIx64 " is 0x%02x, not 0x%02x, which m%u stored last", s->address + i,
                     out[i], o->value[first + i], k->writer);
            return false;
        }
    }
    return true;
}

static bool is_coherent(const random_oracle *o, const random_step *s) {
    return o->program->rules == RANDOM_COHERENT || (o->program->rules == RANDOM_MIXED && s->kind == RANDOM_STORE);
}

/* A coherent store removes all copies of the block, and merges other modules' writes. */
static void merge_block(random_oracle *o, const random_step *s) {
    uint64_t first = (s->address - o->program->tree.base) / o->smallest * o->smallest;
    uint64_t end = s->address + s->size - o->program->tree.base;
    for (uint64_t at = first; at < end || at % o->smallest; at++)
        if (o->known[at].released == NEVER)
            o->known[at].released = 0;
}

static void store_byte(random_oracle *o, const random_step *s, uint64_t at, uint8_t byte) {
    known *k = &o->known[at];
    bool through = o->program->rules == RANDOM_THROUGH || goes_low(o, s);
    k->racy = !is_coherent(o, s) && (k->racy || (k->released == NEVER && k->writer != s->module));
    k->writer = s->module;
    k->released = is_coherent(o, s) ? 0 : through ? o->now : NEVER;
    o->value[at] = byte;
}

/* True if all ways from a module to memory lead through `low`. */
static bool only_through(const tree *t, uint32_t module, uint32_t low) {
    bool all = t->modules[module].low_count > 0;
    for (uint32_t i = 0; i < t->modules[module].low_count && module != low; i++)
        all &= only_through(t, t->lows[module][i], low);
    return module == low || all;
}

/*
 * The data in `module` (GPC_NO_MODULE: all), and in modules above if `above`, are gone: it is as new as the level
 * below. Modules with another way to an address have kept the address's bytes.
 */
static void refresh(random_oracle *o, uint32_t module, bool above) {
    const tree *t = &o->program->tree;
    for (uint32_t i = t->module_count; i-- > 0;) {
        if (i != module && module != GPC_NO_MODULE && !(above && only_through(t, i, module)))
            continue;
        o->fresh[i] = o->now;
        for (uint32_t k = 0; k < t->modules[i].low_count; k++) {
            uint32_t low = t->lows[i][k];
            if (!o->open[low] && o->fresh[low] < o->fresh[i])
                o->fresh[i] = o->fresh[low];
        }
    }
}

/* A flush of `module` moves writes of modules above it to the module below, shared by all or not. */
static void release(random_oracle *o, uint32_t module) {
    const tree *t = &o->program->tree;
    for (uint32_t at = 0; at < t->bytes; at++) {
        known *k = &o->known[at];
        uint32_t i = k->writer, low;
        if (k->released != NEVER || i == NOBODY)
            continue;
        while (i != module && i != GPC_NO_MODULE)
            i = tree_low(t, i, t->base + at);
        low = i == GPC_NO_MODULE ? i : tree_low(t, i, t->base + at);
        if (module == GPC_NO_MODULE || (low != GPC_NO_MODULE && (o->open[low] || o->open[i])))
            k->released = o->now;
    }
}

bool random_oracle_step(random_oracle *o, const random_step *s, const uint8_t *out, char *text, size_t size) {
    o->now++;
    if (s->kind == RANDOM_FLUSH) {
        release(o, s->module);
        refresh(o, s->module, true);
        return true;
    }
    if (s->kind == RANDOM_ACQUIRE) {
        if ((*o->protocol->first)[GPC_LINE_S][GPC_EVENT_ACQUIRE].next == GPC_LINE_I)
            refresh(o, s->module, false);
        return true;
    }
    if (s->kind != RANDOM_LOAD) {
        if (is_coherent(o, s) && o->program->rules == RANDOM_MIXED)
            merge_block(o, s);
        for (uint32_t i = 0; i < s->size; i++)
            if (s->mask >> i & 1)
                store_byte(o, s, s->address - o->program->tree.base + i, s->bytes[i]);
    }
    return check_bytes(o, s, out, text, size);
}

bool random_oracle_end(random_oracle *o, const uint8_t *memory, char *text, size_t size) {
    const tree *t = &o->program->tree;
    for (uint32_t at = 0; at < t->bytes; at++) {
        const known *k = &o->known[at];
        if (k->racy || o->program->rules == RANDOM_NO_DATA)
            continue;
        o->checked++;
        if (memory[at] != o->value[at]) {
            snprintf(text, size,
                     "after a flush of all, byte 0x%" PRIx64 " of memory is 0x%02x, not 0x%02x, which m%u "
                     "stored last",
                     t->base + at, memory[at], o->value[at], k->writer);
            return false;
        }
    }
    return true;
}

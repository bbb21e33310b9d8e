/* SPDX-License-Identifier: BSD-2-Clause */
#include "hierarchy/ledger_check.h"

#include "base/check.h"
#include "base/text.h"
#include "cache/cache.h"
#include "coherence/module/tree.h"
#include "level/coherent/coherent_level.h"
#include "timed/core/timed.h"

#include <inttypes.h>
#include <string.h>

/* Ledger of a hierarchy. Reads the values of an object once, and evaluates all clauses on the values. */

typedef struct books {
    const gpci_ledger_owner *owner;
    gpci_ledger ledger;
    bool *applies;                             /* [clauses] conditions hold */
    gpci_object_values whole, object;          /* object: the current object */
    gpci_object_values sums[GPC_OBJECT_COUNT]; /* sums over all objects of a kind */
    uint32_t objects[GPC_OBJECT_COUNT];        /* number of objects by kind */
    gpc_object kind;                           /* kind of the current object */
    uint32_t index;                            /* index of the current object */
    gpc_stats again;                           /* second counts of the whole */
    gpci_text text;
    bool wrong;
} books;

static const uint64_t *find(const books *b, gpc_object kind, const gpci_object_values *v,
                            const gpc_counter_info *counter) {
    return gpci_object_find(b->owner->hierarchy, kind, b->owner->replayed, v, counter);
}

/* Value of the object itself; for the whole also the sum over the objects of a kind. */
static const uint64_t *value(void *data, const gpc_counter_info *counter, uint8_t part) {
    const books *b = data;
    if (part == GPCI_PART_OWN)
        return find(b, b->kind, &b->object, counter);
    if (b->kind == GPC_OBJECT_WHOLE)
        return b->objects[part] ? find(b, (gpc_object)part, &b->sums[part], counter) : NULL;
    const bool same = part == b->kind;
    return same ? find(b, b->kind, &b->object, counter) : NULL;
}

#ifdef GPCI_CHECK
/* Bytes that L1 holds in the present kernel, by the tags of the first L1. */
static uint64_t l1_capacity(const gpc_hierarchy *h) {
    const gpc_cache *c = h->has_l1 && h->kernel ? h->l1[0] : NULL;
    return c ? ((uint64_t)c->sets * c->ways - c->spare_ways) * c->options.line_bytes : 0;
}

/* Requests at memories: every request to a memory is of its own GPU or of another. */
static void count_gpus(const gpc_hierarchy *h, gpc_stats *s) {
    const gpci_coherent *c = h->coherent;
    uint64_t requests = 0;
    for (uint32_t i = c->first_memory; i < c->first_near; i++) {
        const gpc_coherence_stats *m = &gpci_module_at(c->tree, i)->stats;
        requests += m->read_requests + m->write_requests;
    }
    s->local_requests = requests - (c->parts > 1 ? 0 : h->stats.remote_requests);
    s->remote_requests = c->parts > 1 ? h->stats.remote_requests : requests - h->stats.local_requests;
}

/* Bytes received in the tree less bytes sent: none may be lost. */
static uint64_t lost_bytes(const gpci_coherent *c) {
    uint64_t lost = 0;
    for (uint32_t i = 0; i < c->modules; i++) {
        const gpc_coherence_stats *m = &gpci_module_at(c->tree, i)->stats;
        lost += m->low_received + m->high_received - m->low_sent - m->high_sent;
    }
    return lost;
}

/* Second counts of a module. */
static bool module_again(const books *b, const gpc_counter_info *counter, uint64_t *out) {
    if (counter->offset != offsetof(gpc_coherence_stats, invalidations)) {
        const uint64_t *own = find(b, b->kind, &b->object, counter);
        *out = own ? *own + lost_bytes(b->owner->hierarchy->coherent) : 0;
        return own != NULL;
    }
    const gpci_coherent *c = b->owner->hierarchy->coherent;
    const uint32_t first = b->kind == GPC_OBJECT_L1        ? 0
                           : b->kind == GPC_OBJECT_CLUSTER ? c->first_cluster
                                                           : c->first_slice,
                   near = b->kind == GPC_OBJECT_SLICE ? gpci_near_of(c, b->index) : GPC_NO_MODULE;
    *out = gpci_module_at(c->tree, first + b->index)->invalidations_again;
    *out += near == GPC_NO_MODULE ? 0 : gpci_module_at(c->tree, near)->invalidations_again;
    return true;
}

/* Second counts without a clock, too. */
static void count_again(const gpc_hierarchy *h, gpc_stats *s) {
    for (uint32_t sm = 0; sm < h->sms; sm++)
        s->fence_invalidations += h->of_sm[sm].fence_drops_again;
    s->resident_blocks = h->resident_again;
    s->l1_capacity = h->coherent || h->kernels ? h->stats.l1_capacity : l1_capacity(h);
    if (h->coherent)
        count_gpus(h, s);
    if (h->timed)
        gpci_timed_count_again(h->timed, s);
}

static bool again(void *data, const gpc_counter_info *counter, uint64_t *out) {
    const books *b = data;
    if (counter->table == GPC_TABLE_NETWORK && b->kind == GPC_OBJECT_NETWORK) {
        const gpci_network_stats n = gpci_timed_network_stats_again(b->owner->hierarchy->timed, b->index);
        memcpy(out, (const char *)&n + counter->offset, sizeof *out);
        return true;
    }
    if (counter->table == GPC_TABLE_CACHE && b->owner->hierarchy->timed)
        return gpci_timed_cache_stats_again(b->owner->hierarchy->timed, b->kind, b->index, out);
    if (counter->table == GPC_TABLE_COHERENCE && b->owner->hierarchy->coherent && b->kind != GPC_OBJECT_WHOLE)
        return module_again(b, counter, out);
    if (counter->table != GPC_TABLE_HIERARCHY || b->kind != GPC_OBJECT_WHOLE)
        return false;
    memcpy(out, (const char *)&b->again + counter->offset, sizeof *out);
    return true;
}
#endif

static bool key(void *data, const char *name, uint32_t length, uint64_t *out) {
    const books *b = data;
    for (unsigned i = 0; i < GPCI_KEY_COUNT; i++) {
        const char *is = gpci_key_name((gpci_key)i);
        if (strlen(is) == length && !memcmp(is, name, length)) {
            *out = gpci_number(b->owner->hierarchy, (gpci_key)i);
            return true;
        }
    }
    return false;
}

static bool events(void *data, gpci_ledger_sum sum, const char *words, uint32_t length, uint64_t *out) {
    const books *b = data;
    return b->owner->events(b->owner->followed, b->kind, b->index, sum, words, length, out);
}

/* "key=value", "key!=value" */
static bool is_set(const gpc_hierarchy *h, const char *word, size_t length) {
    char key[64];
    const char *equals = memchr(word, '=', length), *is = NULL;
    if (!equals || (size_t)(equals - word) >= sizeof key)
        return false;
    const bool not = equals > word && equals[-1] == '!';
    const size_t name = (size_t)(equals - word) - not, rest = length - (size_t)(equals - word) - 1;
    memcpy(key, word, name);
    key[name] = '\0';
    return gpc_config_get(h->config, key, &is) == GPC_OK &&
           (strlen(is) == rest && !memcmp(is, equals + 1, rest)) != not ;
}

static bool is_true(const books *b, const char *word, size_t length) {
    const gpc_hierarchy *h = b->owner->hierarchy;
    const struct {
        const char *name;
        bool holds;
    } words[] = {
        {"timed", h->timed != NULL},
        {"functional", h->timed == NULL},
        {"caches", h->coherent == NULL},
        {"tree", h->coherent},
        {"l2", h->l2 || h->coherent},
        {"drained", !h->timed || gpci_timed_is_idle(h->timed, true)},
        {"whole", b->kind == GPC_OBJECT_WHOLE},
        {"hosted", !b->owner->replayed},
        {"unborrowed", !h->lent},
        {"fresh", h->counts_fresh},
        {"no-misses", !h->driver->measures(h, GPC_NEEDS_MISSES)},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].name) == length && !memcmp(words[i].name, word, length))
            return words[i].holds;
    return is_set(h, word, length);
}

static bool applies(const books *b, const gpci_ledger_clause *clause) {
    const char *at = clause->conditions, *end = at + clause->conditions_length;
    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const size_t length = (size_t)((comma ? comma : end) - at);
        if (!is_true(b, at, length))
            return false;
        for (at += length; at < end && (*at == ',' || *at == ' ');)
            at++;
    }
    return true;
}

static void begin(books *b, const gpc_counter_info *row) {
    char name[48] = "?";
    gpc_hierarchy_object_name(b->owner->hierarchy, b->kind, b->index, name, sizeof name);
    gpci_text_put(&b->text, "%s%s of %s: ", b->wrong ? "; " : "", row->name, name);
    b->wrong = true;
}

static void check_clauses(books *b) {
    const gpci_ledger_view view = {.data = b,
                                   .value = value,
#ifdef GPCI_CHECK
                                   .again = again,
#endif
                                   .key = key,
                                   .events = b->owner->events ? events : NULL};
    for (uint32_t i = 0; i < b->ledger.count; i++) {
        const gpci_ledger_clause *clause = &b->ledger.clauses[i];
        uint64_t left, right;
        if (!b->applies[i] || !(clause->row->objects >> b->kind & 1) ||
            gpci_ledger_holds(&b->ledger, clause, &view, &left, &right))
            continue;
        begin(b, clause->row);
        gpci_text_put(&b->text, "%" PRIu64 " is not %.*s, which is %" PRIu64, left, (int)clause->length, clause->text,
                      right);
    }
}

/* No counter and no bucket below 0. */
static void check_signs(books *b) {
    for (unsigned table = 0; table < GPC_TABLE_COUNT; table++) {
        size_t count;
        const gpc_counter_info *rows = gpci_counters((gpc_counter_table)table, &count);
        for (size_t i = 0; i < count; i++) {
            const uint64_t *found = rows[i].ratio ? NULL : find(b, b->kind, &b->object, &rows[i]);
            for (size_t k = 0; found && k < rows[i].buckets; k++)
                if (found[k] >> 63) {
                    begin(b, &rows[i]);
                    gpci_text_put(&b->text, "%" PRId64 " is below 0", (int64_t)found[k]);
                }
        }
    }
}

static void add(gpci_object_values *sum, const gpci_object_values *more) {
    gpci_stats_add(&sum->stats, &more->stats);
    gpci_cache_stats_add(&sum->cache, &more->cache);
#define X(id, field, ...) sum->network.field += more->network.field;
    GPC_NETWORK_COUNTERS(X)
#undef X
#define X(id, field, ...) sum->coherence.field += more->coherence.field;
    GPC_COHERENCE_COUNTERS(X)
#undef X
    for (unsigned table = 0; table < GPC_TABLE_COUNT; table++)
        sum->has[table] |= more->has[table];
}

static void check_objects(books *b, gpc_object kind) {
    b->kind = kind;
    for (b->index = 0; b->owner->get(b->owner->data, kind, b->index, &b->object) == GPC_OK; b->index++) {
        check_signs(b);
        check_clauses(b);
        add(&b->sums[kind], &b->object);
        b->objects[kind]++;
    }
}

/* Energies are rounded down, every energy separately. */
static bool makes(const books *b, gpc_object kind, const gpc_counter_info *row, uint64_t sum, uint64_t whole) {
    if (row->needs == GPC_NEEDS_ENERGY)
        return sum <= whole && whole - sum <= b->objects[kind];
    return sum == whole;
}

/* Objects of a kind add up to the whole. */
static void check_whole(books *b, gpc_object kind) {
    size_t count;
    const gpc_counter_info *rows = gpci_counters(GPC_TABLE_HIERARCHY, &count);
    for (size_t i = 0; b->objects[kind] && i < count; i++) {
        if (rows[i].ratio || rows[i].kind == GPC_COUNTER_MAX)
            continue;
        const uint64_t *sum = find(b, kind, &b->sums[kind], &rows[i]), *whole;
        whole = sum ? find(b, GPC_OBJECT_WHOLE, &b->whole, &rows[i]) : NULL;
        for (size_t k = 0; whole && k < rows[i].buckets; k++)
            if (!makes(b, kind, &rows[i], sum[k], whole[k])) {
                begin(b, &rows[i]);
                gpci_text_put(&b->text, "%" PRIu64 " of the whole, but %" PRIu64 " of all objects of its kind",
                              whole[k], sum[k]);
            }
    }
}

/* Streams add up to the whole, with the counts without a stream. */
static void check_streams(books *b) {
    const gpc_hierarchy *h = b->owner->hierarchy;
    check_objects(b, GPC_OBJECT_STREAM);
    if (b->objects[GPC_OBJECT_STREAM])
        gpci_hierarchy_add_stream(h, h->streams, &b->sums[GPC_OBJECT_STREAM].stats);
    b->index = 0;
    check_whole(b, GPC_OBJECT_STREAM);
}

/* Choose the clauses of the object at hand, a part or the whole. */
static void choose(books *b, gpc_object kind) {
    b->kind = kind;
    for (uint32_t i = 0; i < b->ledger.count; i++)
        b->applies[i] = applies(b, &b->ledger.clauses[i]);
}

static void check_all(books *b) {
    static const gpc_object kinds[] = {GPC_OBJECT_SM,    GPC_OBJECT_L1,      GPC_OBJECT_CLUSTER,
                                       GPC_OBJECT_SLICE, GPC_OBJECT_CHANNEL, GPC_OBJECT_NETWORK};
    if (b->owner->get(b->owner->data, GPC_OBJECT_WHOLE, 0, &b->whole) < 0)
        return;
    choose(b, GPC_OBJECT_SM);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        check_objects(b, kinds[i]);
        b->index = 0;
        check_whole(b, kinds[i]);
    }
    check_streams(b);
    choose(b, GPC_OBJECT_WHOLE);
#ifdef GPCI_CHECK
    count_again(b->owner->hierarchy, &b->again);
#endif
    b->object = b->whole;
    check_signs(b);
    check_clauses(b);
}

bool gpci_ledger_right(const gpci_ledger_owner *owner, char *text, size_t size) {
    /* The host's allocator hears nothing of the ledger. */
    gpc_context own = {.allocate = gpci_default_allocate,
                       .resize = gpci_default_resize,
                       .release = gpci_default_release},
                *const context = &own;
    const gpc_counter_info *none = NULL;
    books *b = gpci_zalloc(context, 1, sizeof *b);
    if (!b)
        return true;
    b->owner = owner;
    b->text = gpci_text_of(text, size);
    gpc_status status = gpci_ledger_read(context, &b->ledger, &none);
    b->wrong = none != NULL && status == GPC_ERROR_FORMAT;
    if (b->wrong)
        gpci_text_put(&b->text, "%s: '%s' is no clause", none->name, none->equals);
    b->applies = status == GPC_OK ? gpci_zalloc(context, b->ledger.count, sizeof *b->applies) : NULL;
    if (b->applies)
        check_all(b);
    const bool right = !b->wrong;
    gpci_free(context, b->applies);
    gpci_ledger_free(context, &b->ledger);
    gpci_free(context, b);
    return right;
}

static gpc_status get(const void *data, gpc_object kind, uint32_t index, gpci_object_values *values) {
    return gpci_object_values_get(data, kind, index, values);
}

void gpci_ledger_ensure(const gpci_ledger_owner *owner) {
    const gpc_hierarchy *h = owner->hierarchy;
    if (!GPCI_CHECKING || !h->counts_all || !h->driver->idle(h))
        return;
    char text[2000] = "";
    GPCI_ENSURE(gpci_ledger_right(owner, text, sizeof text), "the ledger: %s", text);
}

void gpci_ledger_check(const gpc_hierarchy *h) {
    const gpci_ledger_owner owner = {.hierarchy = h, .data = h, .get = get};
    if (!h->replayed)
        gpci_ledger_ensure(&owner);
}

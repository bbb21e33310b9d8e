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

/* Check of a hierarchy's counters. The values of an object are read once; all clauses are evaluated on the values. */

typedef struct books {
    const gpci_ledger_owner *owner;
    gpci_ledger ledger;
    bool *applies;                             /* [clauses] true: the conditions of the clause hold */
    gpci_object_values whole, object;          /* object: the current object */
    gpci_object_values sums[GPC_OBJECT_COUNT]; /* sums over all objects of a kind */
    uint32_t objects[GPC_OBJECT_COUNT];        /* number of objects by kind */
    gpc_object kind;                           /* kind of the current object */
    uint32_t index;                            /* index of the current object */
    gpc_stats again;                           /* second counts of the whole, by the checking build */
    gpci_text text;
    bool wrong;
} books;

static const uint64_t *find(const books *audit, gpc_object kind, const gpci_object_values *values,
                            const gpci_counter_row *counter) {
    return gpci_object_find(audit->owner->hierarchy, kind, audit->owner->replayed, values, counter);
}

/*
 * Value of a counter in the current object. If `part` is a kind and the current object is the whole, the sum of the
 * values of all objects of the kind. NULL: absent.
 */
static const uint64_t *value(void *data, const gpci_counter_row *counter, uint8_t part) {
    const books *audit = data;
    if (part == GPCI_PART_OWN)
        return find(audit, audit->kind, &audit->object, counter);
    if (audit->kind == GPC_OBJECT_WHOLE)
        return audit->objects[part] ? find(audit, (gpc_object)part, &audit->sums[part], counter) : NULL;
    const bool same = part == audit->kind;
    return same ? find(audit, audit->kind, &audit->object, counter) : NULL;
}

#ifdef GPCI_CHECK
/* Capacity of an L1 in the present kernel, in bytes, computed from the tags of the first L1. */
static uint64_t l1_capacity(const gpc_hierarchy *hierarchy) {
    const gpc_cache *cache = hierarchy->l1 && hierarchy->kernel ? hierarchy->l1[0] : NULL;
    if (hierarchy->coherent && hierarchy->has_l1 && hierarchy->kernel) {
        const gpci_module *module = gpci_module_at(hierarchy->coherent->tree, 0);
        return (uint64_t)module->rows * module->given.ways * module->given.block_bytes;
    }
    return cache ? ((uint64_t)cache->sets * cache->ways - cache->spare_ways) * cache->options.line_bytes : 0;
}

/*
 * Count requests at memories a second time. With coherent->parts of 1, every request is local or remote: the second
 * count of one number is the number of all requests less the other number. With more parts, all requests are local.
 */
static void count_gpus(const gpc_hierarchy *hierarchy, gpc_stats *stats) {
    const gpci_coherent *coherent = hierarchy->coherent;
    uint64_t requests = 0;
    for (uint32_t i = coherent->first_memory; i < coherent->first_near; i++) {
        const gpci_module *module = gpci_module_at(coherent->tree, i);
        requests += module->stats.read_requests + module->stats.write_requests + module->refused_again;
    }
    stats->local_requests = requests - (coherent->parts > 1 ? 0 : hierarchy->stats.remote_requests);
    stats->remote_requests =
        coherent->parts > 1 ? hierarchy->stats.remote_requests : requests - hierarchy->stats.local_requests;
}

/* Number of bytes that all modules received minus bytes that all modules sent. The number must be 0. */
static uint64_t lost_bytes(const gpci_coherent *coherent) {
    uint64_t lost = 0;
    for (uint32_t i = 0; i < coherent->modules; i++) {
        const gpci_coherence_stats *stats = &gpci_module_at(coherent->tree, i)->stats;
        lost += stats->low_received + stats->high_received - stats->low_sent - stats->high_sent;
    }
    return lost;
}

/* Second count of a module's counter, for an L1, a cluster cache or a slice. */
static bool module_again(const books *audit, const gpci_counter_row *counter, uint64_t *out) {
    if (counter->offset >= offsetof(gpci_coherence_stats, low_sent) &&
        counter->offset <= offsetof(gpci_coherence_stats, high_received)) {
        const uint64_t *own = find(audit, audit->kind, &audit->object, counter);
        *out = own ? *own + lost_bytes(audit->owner->hierarchy->coherent) : 0;
        return own != NULL;
    }
    const gpci_coherent *coherent = audit->owner->hierarchy->coherent;
    const uint32_t first = audit->kind == GPC_OBJECT_L1        ? 0
                           : audit->kind == GPC_OBJECT_CLUSTER ? coherent->first_cluster
                                                               : coherent->first_slice,
                   near = audit->kind == GPC_OBJECT_SLICE ? gpci_near_of(coherent, audit->index) : GPC_NO_MODULE;
    gpci_coherence_stats stats = gpci_module_at(coherent->tree, first + audit->index)->again;
    if (near != GPC_NO_MODULE)
        gpci_coherence_add_stats(&stats, &gpci_module_at(coherent->tree, near)->again);
    stats.directory_accesses = stats.accesses; /* both clauses need the number of lookups that waited or were refused */
    memcpy(out, (const char *)&stats + counter->offset, sizeof *out);
    return true;
}

/* Second counts of lookups: the constant caches and the L1.5s count their lookups themselves. */
static void count_read_only(const gpc_hierarchy *hierarchy, gpc_stats *stats) {
    for (uint32_t sm = 0; hierarchy->constants && sm < hierarchy->sms; sm++) {
        const gpci_cache_stats cache_stats = gpci_cache_get_stats(hierarchy->constants[sm]);
        stats->const_lines += cache_stats.reads;
        stats->const_line_hits += cache_stats.read_hits;
    }
    for (uint32_t i = 0; i < hierarchy->l15_count; i++) {
        const gpci_cache_stats cache_stats = gpci_cache_get_stats(hierarchy->l15[i]);
        stats->l15_lines += cache_stats.reads;
        stats->l15_line_hits += cache_stats.read_hits;
    }
}

/* Count a second time the sectors between the two partitions of L2. */
static void count_halves(const gpci_coherent *coherent, gpc_stats *stats) {
    for (uint32_t i = coherent->first_near; i < coherent->modules; i++)
        stats->l2_remote_sectors += gpci_module_at(coherent->tree, i)->remote_again;
}

/* Collect the second counts of the whole, in functional and timed mode. */
static void count_again(const gpc_hierarchy *hierarchy, gpc_stats *stats) {
    for (uint32_t sm = 0; sm < hierarchy->sms; sm++)
        gpci_stats_add(stats, &hierarchy->of_sm[sm].again);
    for (uint32_t slice = 0; slice < hierarchy->slices; slice++)
        gpci_stats_add(stats, &hierarchy->of_slice[slice].again);
    count_read_only(hierarchy, stats);
    stats->resident_blocks = hierarchy->resident_again;
    stats->l1_capacity = hierarchy->kernels ? hierarchy->stats.l1_capacity : l1_capacity(hierarchy);
    if (hierarchy->coherent) {
        count_gpus(hierarchy, stats);
        count_halves(hierarchy->coherent, stats);
    }
    if (hierarchy->timed)
        gpci_timed_count_again(hierarchy->timed, stats);
}

/* Cache of the current object, an L1 or a slice; NULL: the object has no plain cache. */
static const gpc_cache *cache_at(const books *audit) {
    const gpc_hierarchy *hierarchy = audit->owner->hierarchy;
    gpc_cache *const *caches = audit->kind == GPC_OBJECT_L1      ? hierarchy->l1
                               : audit->kind == GPC_OBJECT_SLICE ? hierarchy->l2
                                                                 : NULL;
    return caches ? caches[audit->index] : NULL;
}

/*
 * Second count of a cache's counter. A cache counts its own steps. The controller of a timed cache counts how often no
 * line could be evicted (no_victims).
 */
static bool cache_again(const books *audit, const gpci_counter_row *counter, uint64_t *out) {
    const gpc_hierarchy *hierarchy = audit->owner->hierarchy;
    const gpc_cache *cache = cache_at(audit);
    if (!cache)
        return false;
    if (counter->offset == offsetof(gpci_cache_stats, no_victims))
        return hierarchy->timed && gpci_timed_cache_stats_again(hierarchy->timed, audit->kind, audit->index, out);
    gpci_cache_stats cache_stats = gpci_cache_stats_again(cache);
    if (audit->kind == GPC_OBJECT_L1)
        gpci_cache_stats_add(&cache_stats, &hierarchy->of_sm[audit->index].retired_again);
    memcpy(out, (const char *)&cache_stats + counter->offset, sizeof *out);
    return true;
}

/* Number of lines present in the cache of the current object. False: the object has no cache. */
static bool held(void *data, uint64_t *out) {
    const gpc_cache *cache = cache_at(data);
    *out = cache ? gpci_cache_lines(cache) : 0;
    return cache != NULL;
}

static bool again(void *data, const gpci_counter_row *counter, uint64_t *out) {
    const books *audit = data;
    if (counter->table == GPC_TABLE_NETWORK && audit->kind == GPC_OBJECT_NETWORK) {
        const gpci_network_stats stats = gpci_timed_network_stats_again(audit->owner->hierarchy->timed, audit->index);
        memcpy(out, (const char *)&stats + counter->offset, sizeof *out);
        return true;
    }
    if (counter->table == GPC_TABLE_CACHE)
        return cache_again(audit, counter, out);
    if (counter->table == GPC_TABLE_COHERENCE && audit->owner->hierarchy->coherent && audit->kind != GPC_OBJECT_WHOLE)
        return module_again(audit, counter, out);
    if (counter->table != GPC_TABLE_HIERARCHY || audit->kind != GPC_OBJECT_WHOLE)
        return false;
    memcpy(out, (const char *)&audit->again + counter->offset, sizeof *out);
    return true;
}
#endif

static bool key(void *data, const char *name, uint32_t length, uint64_t *out) {
    const books *audit = data;
    for (unsigned i = 0; i < GPCI_KEY_COUNT; i++) {
        const char *is = gpci_key_name((gpci_key)i);
        if (strlen(is) == length && !memcmp(is, name, length)) {
            *out = i == GPCI_KEY_SM_COUNT || i == GPCI_KEY_L2_SLICES
                       ? gpci_total(audit->owner->hierarchy, (gpci_key)i)
                       : gpci_number(audit->owner->hierarchy, (gpci_key)i);
            return true;
        }
    }
    return false;
}

static bool events(void *data, gpci_ledger_sum sum, const char *words, uint32_t length, uint64_t *out) {
    const books *audit = data;
    return audit->owner->events(audit->owner->followed, audit->kind, audit->index, sum, words, length, out);
}

/* True if the condition "key=value" or "key!=value" holds for the configuration. */
static bool is_set(const gpc_hierarchy *hierarchy, const char *word, size_t length) {
    char key[64];
    const char *equals = memchr(word, '=', length), *is = NULL;
    if (!equals || (size_t)(equals - word) >= sizeof key)
        return false;
    const bool not = equals > word && equals[-1] == '!';
    const size_t name = (size_t)(equals - word) - not, rest = length - (size_t)(equals - word) - 1;
    memcpy(key, word, name);
    key[name] = '\0';
    return gpc_config_get(hierarchy->config, key, &is, NULL) == GPC_OK &&
           (strlen(is) == rest && !memcmp(is, equals + 1, rest)) != not ;
}

static bool is_true(const books *audit, const char *word, size_t length) {
    const gpc_hierarchy *hierarchy = audit->owner->hierarchy;
    const struct {
        const char *name;
        bool holds;
    } words[] = {
        {"timed", hierarchy->timed && !gpci_number(hierarchy, GPCI_KEY_SAMPLE)},
        {"functional", hierarchy->timed == NULL},
        {"caches", hierarchy->coherent == NULL},
        {"tree", hierarchy->coherent},
        {"l2", hierarchy->l2 || hierarchy->coherent},
        {"drained", !hierarchy->timed || gpci_timed_is_idle(hierarchy->timed, true)},
        {"whole", audit->kind == GPC_OBJECT_WHOLE},
        {"hosted", !audit->owner->replayed},
        {"unborrowed", !hierarchy->lent},
        {"fresh", hierarchy->counts_fresh},
        {"no-misses", !hierarchy->driver->measures(hierarchy, GPCI_NEEDS_MISSES)},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].name) == length && !memcmp(words[i].name, word, length))
            return words[i].holds;
    return is_set(hierarchy, word, length);
}

static bool applies(const books *audit, const gpci_ledger_clause *clause) {
    const char *at = clause->conditions, *end = at + clause->conditions_length;
    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const size_t length = (size_t)((comma ? comma : end) - at);
        if (!is_true(audit, at, length))
            return false;
        for (at += length; at < end && (*at == ',' || *at == ' ');)
            at++;
    }
    return true;
}

static void begin(books *audit, const gpci_counter_row *row) {
    char name[48] = "?";
    gpc_hierarchy_object_name(audit->owner->hierarchy, audit->kind, audit->index, name, sizeof name, NULL);
    gpci_text_put(&audit->text, "%s%s of %s: ", audit->wrong ? "; " : "", row->name, name);
    audit->wrong = true;
}

static void check_clauses(books *audit) {
    const gpci_ledger_view view = {.data = audit,
                                   .value = value,
#ifdef GPCI_CHECK
                                   .again = again,
                                   .held = held,
#endif
                                   .key = key,
                                   .events = audit->owner->events ? events : NULL};
    for (uint32_t i = 0; i < audit->ledger.count; i++) {
        const gpci_ledger_clause *clause = &audit->ledger.clauses[i];
        uint64_t left, right;
        if (!audit->applies[i] || gpci_ledger_holds(&audit->ledger, clause, &view, &left, &right))
            continue;
        begin(audit, clause->row);
        gpci_text_put(&audit->text, "%" PRIu64 " is not %.*s, which is %" PRIu64, left, (int)clause->length,
                      clause->text, right);
    }
}

/*
 * Check that no counter and no bucket is negative. From cycle 2^63 on, counts of cycles have the sign bit set, and
 * nothing is checked.
 */
static void check_signs(books *audit) {
    if (gpc_hierarchy_now(audit->owner->hierarchy) >> 63)
        return;
    for (unsigned table = 0; table < GPC_TABLE_COUNT; table++) {
        size_t count;
        const gpci_counter_row *rows = gpci_counters((gpc_counter_table)table, &count);
        for (size_t i = 0; i < count; i++) {
            const uint64_t *found = rows[i].ratio ? NULL : find(audit, audit->kind, &audit->object, &rows[i]);
            for (size_t k = 0; found && k < rows[i].buckets; k++)
                if (found[k] >> 63) {
                    begin(audit, &rows[i]);
                    gpci_text_put(&audit->text, "%" PRId64 " is below 0", (int64_t)found[k]);
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

static void check_objects(books *audit, gpc_object kind) {
    audit->kind = kind;
    for (audit->index = 0; audit->owner->get(audit->owner->data, kind, audit->index, &audit->object) == GPC_OK;
         audit->index++) {
        check_signs(audit);
        check_clauses(audit);
        add(&audit->sums[kind], &audit->object);
        audit->objects[kind]++;
    }
}

/* True if `sum` over objects agrees with `whole`. The energy of each object is rounded down, so a sum may be less. */
static bool makes(const books *audit, gpc_object kind, const gpci_counter_row *row, uint64_t sum, uint64_t whole) {
    if (row->needs == GPCI_NEEDS_ENERGY)
        return sum <= whole && whole - sum <= audit->objects[kind];
    return sum == whole;
}

/* Check that the values of all objects of a kind add up to the value of the whole. */
static void check_whole(books *audit, gpc_object kind) {
    size_t count;
    const gpci_counter_row *rows = gpci_counters(GPC_TABLE_HIERARCHY, &count);
    for (size_t i = 0; audit->objects[kind] && i < count; i++) {
        if (rows[i].ratio || rows[i].kind == GPC_COUNTER_MAX)
            continue;
        const uint64_t *sum = find(audit, kind, &audit->sums[kind], &rows[i]), *whole;
        whole = sum ? find(audit, GPC_OBJECT_WHOLE, &audit->whole, &rows[i]) : NULL;
        for (size_t k = 0; whole && k < rows[i].buckets; k++)
            if (!makes(audit, kind, &rows[i], sum[k], whole[k])) {
                begin(audit, &rows[i]);
                gpci_text_put(&audit->text, "%" PRIu64 " of the whole, but %" PRIu64 " of all objects of its kind",
                              whole[k], sum[k]);
            }
    }
}

/* Check that the values of all streams, and the counts that belong to no stream, add up to the value of the whole. */
static void check_streams(books *audit) {
    const gpc_hierarchy *hierarchy = audit->owner->hierarchy;
    check_objects(audit, GPC_OBJECT_STREAM);
    if (audit->objects[GPC_OBJECT_STREAM])
        gpci_hierarchy_add_stream(hierarchy, hierarchy->streams, &audit->sums[GPC_OBJECT_STREAM].stats);
    audit->index = 0;
    check_whole(audit, GPC_OBJECT_STREAM);
}

/* Choose the clauses with conditions that hold: `kind` is GPC_OBJECT_WHOLE, or GPC_OBJECT_SM for all parts. */
static void choose(books *audit, gpc_object kind) {
    audit->kind = kind;
    for (uint32_t i = 0; i < audit->ledger.count; i++)
        audit->applies[i] = applies(audit, &audit->ledger.clauses[i]);
}

static void check_all(books *audit) {
    static const gpc_object kinds[] = {GPC_OBJECT_SM,    GPC_OBJECT_L1,      GPC_OBJECT_CLUSTER,
                                       GPC_OBJECT_SLICE, GPC_OBJECT_CHANNEL, GPC_OBJECT_NETWORK};
    if (audit->owner->get(audit->owner->data, GPC_OBJECT_WHOLE, 0, &audit->whole) < 0)
        return;
    choose(audit, GPC_OBJECT_SM);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        check_objects(audit, kinds[i]);
        audit->index = 0;
        check_whole(audit, kinds[i]);
    }
    check_streams(audit);
    choose(audit, GPC_OBJECT_WHOLE);
#ifdef GPCI_CHECK
    count_again(audit->owner->hierarchy, &audit->again);
    if (audit->owner->again)
        audit->owner->again(audit->owner->data, &audit->again);
#endif
    audit->object = audit->whole;
    check_signs(audit);
    check_clauses(audit);
}

bool gpci_ledger_right(const gpci_ledger_owner *owner, char *text, size_t size) {
    /* The ledger uses the default allocator, so that the host's allocator gets no calls from the checks. */
    gpc_context own = {.allocate = gpci_default_allocate,
                       .resize = gpci_default_resize,
                       .release = gpci_default_release},
                *const context = &own;
    const gpci_counter_row *none = NULL;
    books *audit = gpci_zalloc(context, 1, sizeof *audit);
    if (!audit)
        return true;
    audit->owner = owner;
    audit->text = gpci_text_of(text, size);
    gpc_status status = gpci_ledger_read(context, &audit->ledger, &none);
    audit->wrong = none != NULL && status == GPC_ERROR_FORMAT;
    if (audit->wrong)
        gpci_text_put(&audit->text, "%s: '%s' is no clause", none->name, none->equals);
    audit->applies = status == GPC_OK ? gpci_zalloc(context, audit->ledger.count, sizeof *audit->applies) : NULL;
    if (audit->applies)
        check_all(audit);
    const bool right = !audit->wrong;
    gpci_free(context, audit->applies);
    gpci_ledger_free(context, &audit->ledger);
    gpci_free(context, audit);
    return right;
}

static gpc_status get(const void *data, gpc_object kind, uint32_t index, gpci_object_values *values) {
    return gpci_object_values_get(data, kind, index, values);
}

void gpci_ledger_ensure(const gpci_ledger_owner *owner) {
    const gpc_hierarchy *hierarchy = owner->hierarchy;
    if (!GPCI_CHECKING || !hierarchy->counts_all || !hierarchy->driver->idle(hierarchy))
        return;
    char text[2000] = "";
    GPCI_ENSURE(gpci_ledger_right(owner, text, sizeof text), "the ledger: %s", text);
}

void gpci_ledger_check(const gpc_hierarchy *hierarchy) {
    const gpci_ledger_owner owner = {.hierarchy = hierarchy, .data = hierarchy, .get = get};
    if (!hierarchy->replayed)
        gpci_ledger_ensure(&owner);
}

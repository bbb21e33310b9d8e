/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/coherent/coherent_level.h"

#include "base/text.h"
#include "coherence/module/tree.h"
#include "level/rules/idle_keys.h"
#include "policies/predictor/predictors.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * Check if a configuration can have a tree of coherent modules. If keys have values that a tree does not support, a
 * single error message has the needed settings, written as configuration text, and then the reasons.
 *
 * Example: coherence = vi needs l2.write_policy = back; l2.replacement = lru (l2.replacement 'vote(lru, fifo)' reads
 * samples, which coherent modules do not tell policies; a coherent L2 writes back)
 */

#define MOST_NEEDS 96u
#define VALUE_BYTES 64u
#define WHY_BYTES (GPCI_READS_TEXT + 160u)

/* A key with a wrong value, the needed value, and the reason. */
typedef struct need {
    gpci_key key;
    char value[VALUE_BYTES];
    const char *why;
    bool own; /* `why` is an element of needs.own */
} need;

typedef struct needs {
    const gpc_hierarchy *hierarchy;
    need list[MOST_NEEDS];
    uint32_t count;
    char own[4][WHY_BYTES]; /* reasons made by blame, with the name of a policy */
    uint32_t own_count;
} needs;

static void add(needs *required, gpci_key key, const char *why, const char *format, ...) {
    need *added = &required->list[required->count++];
    *added =
        (need){.key = key, .why = why, .own = required->own_count && why == required->own[required->own_count - 1]};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(added->value, sizeof added->value, format, arguments);
    va_end(arguments);
}

/* A key with a single allowed value, as a number (`value`) and as text. */
typedef struct demand {
    gpci_key key;
    uint64_t value;
    const char *text, *why;
} demand;

static const char whole[] = "a coherent L1 that writes back keeps no bytes without their sector";

static const demand demands[] = {
    {GPCI_KEY_L1_ENABLED, 1, "true", "a tree begins with L1s"},
    {GPCI_KEY_L2_WRITE, GPC_WRITE_BACK, "back", "a coherent L2 writes back"},
};

static const char *text_of(const needs *required, gpci_key key) {
    return gpci_config_text(required->hierarchy->config, key);
}

static void check_l1_writes(needs *required) {
    static const gpci_key keys[] = {GPCI_KEY_L1_WRITE_ALLOCATE, GPCI_KEY_L1_WRITE_ALLOCATE_LOCAL};
    static const gpci_key writes[] = {GPCI_KEY_L1_WRITE, GPCI_KEY_L1_WRITE_LOCAL};
    for (unsigned i = 0; i < 2; i++)
        if (gpci_number(required->hierarchy, keys[i]) == GPC_WRITE_LAZY_FETCH &&
            gpci_number(required->hierarchy, writes[i]) == GPC_WRITE_BACK)
            add(required, keys[i], whole, "fetch");
}

/*
 * Check l1.allocate of a timed hierarchy. With values other than on-miss, a line takes its way when the data arrive
 * (coherence/requests/engine_fill.c).
 */
static void check_allocation(needs *required, const gpc_protocol *protocol) {
    const uint64_t conflict =
        gpci_number(required->hierarchy, GPCI_KEY_COHERENCE_CONFLICT); /* 0: protocol, 1: retry, 2: wait */
    const bool retries = conflict == 1 || (!conflict && protocol && protocol->flags & GPC_PROTOCOL_RETRY);
    if (gpci_number(required->hierarchy, GPCI_KEY_MODE) != 1 || gpci_l1_takes_at_miss(required->hierarchy))
        return;
    if (retries)
        add(required, GPCI_KEY_L1_ALLOCATE, "a write-back that is refused would keep its line from a probe", "on-miss");
    else if (gpci_number(required->hierarchy, GPCI_KEY_L1_FETCH) > 1)
        add(required, GPCI_KEY_L1_ALLOCATE, "sectors that come beside others need their line's way", "on-miss");
}

/*
 * Text of the reason to refuse a policy. `reads`: fields that the policy reads, and that modules do not provide; 0: the
 * policy has not declared which fields it reads. `but`: end of the text.
 */
static const char *blame(needs *required, gpci_key key, uint64_t reads, const char *but) {
    char what[GPCI_READS_TEXT];
    gpci_reads_text(reads, what);
    if (!*what)
        snprintf(what, sizeof what, "%s", reads ? "nothing of a request" : "what it has not declared");
    char *why = required->own[required->own_count++];
    snprintf(why, WHY_BYTES, "%s '%.63s' reads %s, %s", gpci_key_name(key), text_of(required, key), what, but);
    return why;
}

/* Check that a replacement policy reads only fields that modules provide (GPCI_L1_TREE_READS, GPCI_L2_TREE_READS). */
static gpc_status check_replacement(needs *required, gpci_key key, gpc_error *error) {
    uint64_t reads;
    const uint64_t told = key == GPCI_KEY_L1_REPLACEMENT ? GPCI_L1_TREE_READS : GPCI_L2_TREE_READS;
    gpc_status status =
        gpci_policy_reads(required->hierarchy->context, GPC_POLICY_REPLACEMENT, text_of(required, key), error, &reads);
    if (status < 0)
        return status;
    uint64_t unknown = reads & ~told;
    if (!reads || unknown)
        add(required, key, blame(required, key, unknown, "which coherent modules do not tell policies"), "lru");
    return GPC_OK;
}

/*
 * Fields that predictors may read: those of replacement policies (`told`) without the admission, the policy word, and
 * stalls, which plain caches do not give to predictors either. Only agcb-below also gets the bytes of the sector.
 */
static uint64_t told_predictors(const needs *required, const char *spec, uint64_t told) {
    const bool sectors =
        gpci_policy_table(required->hierarchy->context, GPC_POLICY_PREDICTOR, spec) == &gpci_agcb_below;
    return (told & ~(uint64_t)GPC_READS_ADMISSION) | GPC_READS_STALLS | GPC_READS_POLICY_WORD |
           (sectors ? GPC_READS_BYTES : 0);
}

static gpc_status check_predictor(needs *required, gpci_key key, uint64_t told, const char *but, gpc_error *error) {
    const char *spec = text_of(required, key);
    uint64_t reads;
    gpc_status status = gpci_policy_reads(required->hierarchy->context, GPC_POLICY_PREDICTOR, spec, error, &reads);
    if (status < 0)
        return status;
    const uint64_t unknown = reads & ~told_predictors(required, spec, told);
    if (!reads || unknown)
        add(required, key, blame(required, key, unknown, but), "hint");
    return GPC_OK;
}

/*
 * Reject an inclusive L2 that may decline lines. With a directory, a line in L1 needs an entry in the slice's
 * directory; in an inclusive slice the line also needs a way of the slice.
 */
static gpc_status check_l2_room(needs *required, gpc_error *error) {
    const gpc_protocol *protocol =
        gpc_protocol_find(required->hierarchy->context, text_of(required, GPCI_KEY_COHERENCE));
    const bool tracks = protocol && protocol->flags & GPC_PROTOCOL_DIRECTORY;
    bool asks;
    const gpc_status status = gpci_coherent_l2_asks(required->hierarchy, error, &asks);
    if (status == GPC_OK && asks && tracks && gpci_number(required->hierarchy, GPCI_KEY_L2_INCLUSION) == 1)
        add(required, GPCI_KEY_L2_INCLUSION, "an inclusive L2 keeps all that L1s have", "non-inclusive");
    return status;
}

/* Reject keys that the host has set, and that have no effect with the protocol. */
static void check_idle(needs *required) {
    gpci_idle idle;
    for (size_t i = 0; gpci_idle_key(required->hierarchy, true, i, &idle); i++) {
        gpc_key_info info = GPC_KEY_INFO_INIT;
        gpc_key_at(idle.key, &info, NULL);
        add(required, idle.key, idle.why, "%.24s, not %.24s", info.initial, text_of(required, idle.key));
    }
}

/* Require an order of lines whose banks trees have. */
static void check_order(needs *required) {
    if (required->hierarchy->line_order == GPCI_LINES_BY_BANK &&
        !gpci_number(required->hierarchy, GPCI_KEY_L1_BANK_INDEX))
        add(required, GPCI_KEY_L1_LINE_ORDER, "lines of hashed banks alone pass a tree's tags together", "lanes");
}

/* Check that every cache has at least a set. */
static void check_sizes(needs *required) {
    const gpc_hierarchy *hierarchy = required->hierarchy;
    uint64_t set = (uint64_t)hierarchy->l1_level.line_bytes * hierarchy->line_blocks *
                   gpci_number(hierarchy, GPCI_KEY_CLUSTER_WAYS);
    if (gpci_number(hierarchy, GPCI_KEY_CLUSTER_SMS) && gpci_number(hierarchy, GPCI_KEY_CLUSTER_SIZE) < set)
        add(required, GPCI_KEY_CLUSTER_SIZE, "a cluster's cache has one set at least", "%lluB",
            (unsigned long long)set);
    set = (uint64_t)hierarchy->l2_level.line_bytes * gpci_number(hierarchy, GPCI_KEY_L2_WAYS) * hierarchy->slices;
    if (gpci_number(hierarchy, GPCI_KEY_L2_ENABLED) && gpci_total(hierarchy, GPCI_KEY_L2_SIZE) < set)
        add(required, GPCI_KEY_L2_SIZE, "a slice has one set at least", "%lluB",
            (unsigned long long)(set / hierarchy->gpus));
}

/* Check what several GPUs of a tree need. */
static void check_gpus(needs *required) {
    const gpc_hierarchy *hierarchy = required->hierarchy;
    const uint64_t page = gpci_number(hierarchy, GPCI_KEY_PAGE_BYTES);
    if (hierarchy->gpus == 1)
        return;
    const uint64_t sms = gpci_number(hierarchy, GPCI_KEY_SM_COUNT),
                   cluster = gpci_number(hierarchy, GPCI_KEY_CLUSTER_SMS);
    if (cluster && sms % cluster)
        add(required, GPCI_KEY_SM_COUNT, "only SMs of one GPU share a cluster", "%llu",
            (unsigned long long)((sms / cluster + 1) * cluster));
    if (!gpci_number(hierarchy, GPCI_KEY_L2_ENABLED))
        add(required, GPCI_KEY_L2_ENABLED, "each GPU has an L2 of its own", "true");
    if (!gpci_power_of_two(page) || page < hierarchy->l2_level.line_bytes)
        add(required, GPCI_KEY_PAGE_BYTES, "pages are a power of two, and no smaller than lines", "64KiB");
}

/* True if all SMs of every group of `sms` neighbouring SMs use the same partition. */
static bool are_together(const gpc_hierarchy *hierarchy, uint64_t sms) {
    for (uint32_t sm = 0; sm < hierarchy->sms && sms; sm++)
        if (hierarchy->sm_partition[sm] != hierarchy->sm_partition[sm / sms * sms])
            return false;
    return true;
}

/* True if all SMs of every L2 request coalescer use the same partition. */
static bool read_together(const gpc_hierarchy *hierarchy) {
    for (uint32_t sm = 0; sm < hierarchy->sms && hierarchy->coalescers; sm++)
        for (uint32_t first = 0; first < sm; first++)
            if (hierarchy->sm_coalescer[first] == hierarchy->sm_coalescer[sm] &&
                hierarchy->sm_partition[first] != hierarchy->sm_partition[sm])
                return false;
    return true;
}

/* Check a configuration with near halves: slices that keep copies of lines of other slices. */
static gpc_status check_halves(needs *required, gpc_error *error) {
    static const char room[] = "copies leave something to lines that are at home";
    const gpc_hierarchy *hierarchy = required->hierarchy;
    const bool parted = hierarchy->partitions == 2,
               homes = hierarchy->gpus > 1 && gpci_number(hierarchy, GPCI_KEY_GPU_HOME) == 1;
    bool asks = false;
    if (!parted && !homes)
        return GPC_OK;
    if (parted && hierarchy->gpus > 1)
        add(required, GPCI_KEY_L2_PARTITIONS, "an L2 of several GPUs has no partitions", "1");
    else if (parted && !gpci_number(hierarchy, GPCI_KEY_L2_ENABLED))
        add(required, GPCI_KEY_L2_PARTITIONS, "without an L2 there is nothing to part", "1");
    if (gpci_number(hierarchy, GPCI_KEY_L2_WAYS) < 2)
        add(required, GPCI_KEY_L2_WAYS, room, "2");
    if (gpci_number(hierarchy, GPCI_KEY_L2_MSHR) < 2)
        add(required, GPCI_KEY_L2_MSHR, room, "2");
    if (gpci_number(hierarchy, GPCI_KEY_L2_TOKENS) == GPC_TOKENS_OPPORTUNISTIC)
        add(required, GPCI_KEY_L2_TOKENS, "slices of two halves keep no priorities", "ignore");
    if (parted && !are_together(hierarchy, gpci_number(hierarchy, GPCI_KEY_CLUSTER_SMS)))
        add(required, GPCI_KEY_CLUSTER_SMS, "a cluster reads through one partition", "0");
    if (parted && !read_together(hierarchy))
        add(required, GPCI_KEY_LRC_SMS, "a coalescer is of one partition", "0");
    const uint32_t sector = hierarchy->l2_level.line_bytes / (uint32_t)gpci_number(hierarchy, GPCI_KEY_L2_SECTORS);
    if (sector > hierarchy->l1_level.line_bytes && gpci_number(hierarchy, GPCI_KEY_COHERENCE_DIRECTORY_POINTERS) &&
        gpci_number(hierarchy, GPCI_KEY_COHERENCE_DIRECTORY_OVERFLOW) == GPC_OVERFLOW_EVICT)
        add(required, GPCI_KEY_COHERENCE_DIRECTORY_OVERFLOW, "slices and L1s differ in what they have copies of",
            "broadcast");
    const gpc_status status = gpci_coherent_l2_asks(hierarchy, error, &asks);
    if (asks && !(parted && (hierarchy->gpus > 1 || !gpci_number(hierarchy, GPCI_KEY_L2_ENABLED))))
        add(required, parted ? GPCI_KEY_L2_PARTITIONS : GPCI_KEY_GPU_HOME, "slices of two halves keep nothing out",
            parted ? "1" : "memory");
    return status;
}

static gpc_status check_policies(needs *required, gpc_error *error) {
    bool below =
        gpci_number(required->hierarchy, GPCI_KEY_L2_ENABLED) || gpci_number(required->hierarchy, GPCI_KEY_CLUSTER_SMS);
    gpc_status status = check_replacement(required, GPCI_KEY_L1_REPLACEMENT, error);
    if (status == GPC_OK && below) /* cluster caches have the replacement policy of L2 */
        status = check_replacement(required, GPCI_KEY_L2_REPLACEMENT, error);
    if (status == GPC_OK)
        status = check_predictor(required, GPCI_KEY_L1_BYPASS, GPCI_L1_TREE_READS,
                                 "which coherent L1s do not tell predictors", error);
    if (gpci_has_prefetcher(required->hierarchy, GPCI_KEY_L1_PREFETCHER))
        add(required, GPCI_KEY_L1_PREFETCHER, "coherent L1s fetch nothing ahead", "none");
    if (gpci_has_prefetcher(required->hierarchy, GPCI_KEY_L2_PREFETCHER))
        add(required, GPCI_KEY_L2_PREFETCHER, "coherent slices fetch nothing ahead", "none");
    if (gpci_number(required->hierarchy, GPCI_KEY_CONST_SIZE))
        add(required, GPCI_KEY_CONST_SIZE, "a tree knows no constants", "0B");
    if (gpci_number(required->hierarchy, GPCI_KEY_KERNELS_CODE))
        add(required, GPCI_KEY_KERNELS_CODE, "a tree knows no code", "kept");
    if (gpci_number(required->hierarchy, GPCI_KEY_L15_SIZE))
        add(required, GPCI_KEY_L15_SIZE, "a tree knows no code or constants", "0B");
    if (gpci_number(required->hierarchy, GPCI_KEY_GL1_SIZE))
        add(required, GPCI_KEY_GL1_SIZE, "a tree has caches of clusters between L1s and L2 (cluster.sms)", "0B");
    if (gpci_number(required->hierarchy, GPCI_KEY_L1_MISS_LATENCY))
        add(required, GPCI_KEY_L1_MISS_LATENCY, "coherent L1s send at once", "0");
    if (gpci_number(required->hierarchy, GPCI_KEY_L1_RELEASE_WIDTH))
        add(required, GPCI_KEY_L1_RELEASE_WIDTH, "coherent L1s serve at once", "0B");
    if (gpci_number(required->hierarchy, GPCI_KEY_L1_MSHR_FREE))
        add(required, GPCI_KEY_L1_MSHR_FREE, "coherent L1s serve at once", "filled");
    if (gpci_number(required->hierarchy, GPCI_KEY_L1_RELEASE_LATENCY))
        add(required, GPCI_KEY_L1_RELEASE_LATENCY, "coherent L1s serve at once", "0");
    if (gpci_number(required->hierarchy, GPCI_KEY_L1_COLLECTORS))
        add(required, GPCI_KEY_L1_COLLECTORS, "before coherent L1s there is one queue", "0");
    if (gpci_number(required->hierarchy, GPCI_KEY_L2_INTAKE))
        add(required, GPCI_KEY_L2_INTAKE, "messages have no queue of requests to wait for", "pipeline");
    if (gpci_number(required->hierarchy, GPCI_KEY_DRAM_LATENCY_AT))
        add(required, GPCI_KEY_DRAM_LATENCY_AT, "messages wait for data", "data");
    if (gpci_number(required->hierarchy, GPCI_KEY_L1_MERGED))
        add(required, GPCI_KEY_L1_MERGED, "coherent modules count all that wait for a block", "line");
    if (gpci_number(required->hierarchy, GPCI_KEY_L2_MERGED))
        add(required, GPCI_KEY_L2_MERGED, "coherent modules count all that wait for a block", "line");
    if (gpci_number(required->hierarchy, GPCI_KEY_L2_INTERLEAVE) > GPCI_SPREAD_RANGE)
        add(required, GPCI_KEY_L2_INTERLEAVE, "modules of a tree are interleaved by modulo or by one hash", "hash");
    if (required->hierarchy->address_map)
        add(required, GPCI_KEY_ADDRESS_MAPPING, "modules of a tree are interleaved by modulo or by one hash", "none");
    if (status == GPC_OK && gpci_number(required->hierarchy, GPCI_KEY_L2_ENABLED)) {
        status = check_predictor(required, GPCI_KEY_L2_BYPASS, GPCI_L2_TREE_READS,
                                 "which coherent slices do not tell predictors", error);
        if (status == GPC_OK)
            status = check_l2_room(required, error);
    }
    return status;
}

/* True if the text leaves more than `spare` bytes free. Otherwise cut the text back to `length`, and return false. */
static bool stays(gpci_text *text, size_t length, size_t spare) {
    if (text->length + spare < text->size)
        return true;
    text->length = length;
    text->buffer[length] = '\0';
    return false;
}

static bool is_new(const needs *required, uint32_t index) {
    for (uint32_t i = 0; i < index; i++)
        if (!strcmp(required->list[i].why, required->list[index].why))
            return false;
    return true;
}

#define SPARE 24u /* bytes kept free for "; and 40 more", or for "; ...)" */

/* Write every reason once: first the reasons about policies (`own`), then the others. Omit reasons without room. */
static void put_reasons(const needs *required, gpci_text *text) {
    const char *before = " (";
    bool all = true;
    for (unsigned own = 2; own-- > 0;)
        for (uint32_t i = 0; i < required->count; i++) {
            if (required->list[i].own != own || !is_new(required, i))
                continue;
            size_t length = text->length;
            gpci_text_put(text, "%s%s", before, required->list[i].why);
            if (stays(text, length, SPARE))
                before = "; ";
            else
                all = false;
        }
    if (*before == ';')
        gpci_text_put(text, all ? ")" : "; ...)");
}

static gpc_status refuse(const needs *required, gpc_error *error) {
    char message[sizeof error->message];
    gpci_text text = gpci_text_of(message, sizeof message);
    gpci_text_put(&text, "coherence = %.63s needs", text_of(required, GPCI_KEY_COHERENCE));
    uint32_t i = 0;
    for (; i < required->count; i++) {
        size_t length = text.length;
        gpci_text_put(&text, "%s %s = %s", i ? ";" : "", gpci_key_name(required->list[i].key), required->list[i].value);
        if (!stays(&text, length, SPARE))
            break;
    }
    if (i < required->count)
        gpci_text_put(&text, "; and %u more", required->count - i);
    put_reasons(required, &text);
    return gpci_fail(error, GPC_ERROR_RANGE, "%s", message);
}

gpc_status gpci_coherent_check(gpc_hierarchy *hierarchy, gpc_error *error) {
    needs required = {.hierarchy = hierarchy};
    for (size_t i = 0; i < sizeof demands / sizeof *demands; i++)
        if (gpci_number(hierarchy, demands[i].key) != demands[i].value)
            add(&required, demands[i].key, demands[i].why, "%s", demands[i].text);
    const uint64_t allocate = gpci_number(hierarchy, GPCI_KEY_L2_WRITE_ALLOCATE);
    if (allocate == GPC_WRITE_NO_ALLOCATE || allocate == GPC_WRITE_NAIVE_FETCH)
        add(&required, GPCI_KEY_L2_WRITE_ALLOCATE, "a coherent L2 keeps what is stored to", "fetch");
    else if (allocate == GPC_WRITE_LAZY_FETCH && hierarchy->gpus > 1 && !gpci_number(hierarchy, GPCI_KEY_GPU_HOME))
        add(&required, GPCI_KEY_L2_WRITE_ALLOCATE, "L2s of several GPUs are asked for whole sectors by each other",
            "fetch");
    const gpc_protocol *protocol =
        gpc_protocol_find(hierarchy->context, gpci_config_text(hierarchy->config, GPCI_KEY_COHERENCE));
    check_l1_writes(&required);
    if (hierarchy->lane_packets && gpci_number(hierarchy, GPCI_KEY_COHERENCE_DATA))
        add(&required, GPCI_KEY_COHERENCE_DATA, "lanes that are accesses of their own carry no values", "false");
    check_allocation(&required, protocol);
    if (hierarchy->lane_packets && gpci_number(hierarchy, GPCI_KEY_L1_SPACES))
        add(&required, GPCI_KEY_L1_SPACES, "load/store units go to L1 with all", "all");
    if (gpci_number(hierarchy, GPCI_KEY_LRC_SMS) && gpci_number(hierarchy, GPCI_KEY_CLUSTER_SMS))
        add(&required, GPCI_KEY_LRC_SMS, "a cluster's cache is where requests would merge", "0");
    if (gpci_number(hierarchy, GPCI_KEY_COHERENCE_CONFLICT) == 2 && protocol && protocol->flags & GPC_PROTOCOL_RETRY)
        add(&required, GPCI_KEY_COHERENCE_CONFLICT, "the protocol is one that refuses", "protocol");
    if (gpci_number(hierarchy, GPCI_KEY_COHERENCE_DIRECTORY_POINTERS) && protocol &&
        (protocol->flags & (GPC_PROTOCOL_DIRECTORY | GPC_PROTOCOL_PROBE_WHOLE)) ==
            (GPC_PROTOCOL_DIRECTORY | GPC_PROTOCOL_PROBE_WHOLE))
        add(&required, GPCI_KEY_COHERENCE_DIRECTORY_POINTERS, "its directories name all copies", "0");
    if (!gpci_number(hierarchy, GPCI_KEY_NETWORK_HEADER))
        add(&required, GPCI_KEY_NETWORK_HEADER, "messages need a header", "8B");
    check_idle(&required);
    check_sizes(&required);
    check_order(&required);
    check_gpus(&required);
    gpc_status status = check_policies(&required, error);
    if (status == GPC_OK)
        status = check_halves(&required, error);
    if (status < 0 || required.count)
        return status < 0 ? status : refuse(&required, error);
    return gpci_build_future(hierarchy, error);
}

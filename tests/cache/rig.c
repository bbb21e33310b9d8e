/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/rig.h"
#include "measured.h"

#include <criterion/criterion.h>
#include <string.h>

static void on_fill(void *data, uint64_t line_address, uint32_t set, uint32_t way, uint8_t sectors,
                    const gpc_request *request) {
    rig *r = data;
    r->fills++;
    r->fill_line = line_address;
    r->fill_set = set;
    r->fill_way = way;
    r->fill_sectors = sectors;
    r->fill_request = *request;
}

static void on_evict(void *data, const gpc_eviction *eviction, const gpc_request *request) {
    rig *r = data;
    r->evictions++;
    r->eviction = *eviction;
    r->eviction_has_request = request != NULL;
    r->eviction_request = request ? request->address : 0;
}

void rig_init(rig *r) {
    *r = (rig){.options = GPC_CACHE_OPTIONS_INIT};
    r->options.sets = 1;
    r->options.ways = 2;
}

void rig_listen(rig *r) {
    r->options.on_fill = on_fill;
    r->options.on_evict = on_evict;
    r->options.callback_data = r;
}

void rig_open(rig *r) {
    gpc_error error = GPC_ERROR_INIT;
    if (!r->context)
        cr_assert_eq(gpc_context_create(NULL, &r->context, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_cache_create(r->context, &r->options, &r->cache, &error), GPC_OK, "%s", error.message);
}

void rig_close(rig *r) {
    gpc_cache_destroy(r->cache);
    gpc_context_destroy(r->context);
}

gpc_access_result rig_access(rig *r, gpc_request request) {
    gpc_access_result result;
    memset(&result, 0xa5, sizeof result);
    cr_assert_eq(gpc_cache_access(r->cache, &request, &result, NULL), GPC_OK);
    return result;
}

gpc_access_result rig_lookup(rig *r, gpc_request request) {
    gpc_access_result result;
    memset(&result, 0xa5, sizeof result);
    cr_assert_eq(gpc_cache_lookup(r->cache, &request, &result, NULL), GPC_OK);
    return result;
}

gpc_access_result rig_reserve(rig *r, gpc_request request, uint8_t sectors) {
    gpc_access_result result;
    memset(&result, 0xa5, sizeof result);
    cr_assert_eq(gpc_cache_reserve(r->cache, &request, sectors, &result, NULL), GPC_OK);
    return result;
}

gpc_access_result rig_fill(rig *r, gpc_request request, uint8_t sectors) {
    gpc_access_result result;
    memset(&result, 0xa5, sizeof result);
    cr_assert_eq(gpc_cache_fill(r->cache, &request, sectors, &result, NULL), GPC_OK);
    return result;
}

gpc_access_result rig_probe(const rig *r, uint64_t address) {
    gpc_request request = {.address = address};
    gpc_access_result result;
    memset(&result, 0xa5, sizeof result);
    cr_assert_eq(gpc_cache_probe(r->cache, &request, &result, NULL), GPC_OK);
    return result;
}

gpc_outcome rig_load(rig *r, uint64_t address) {
    return (gpc_outcome)rig_access(r, LOAD_LINE(address)).outcome;
}

bool rig_holds(const rig *r, uint64_t address) {
    return rig_probe(r, address).outcome != GPC_MISS;
}

gpc_line rig_line(const rig *r, uint64_t address) {
    gpc_line line;
    for (uint64_t cursor = 0; gpc_cache_next_line(r->cache, &cursor, &line, NULL) == GPC_OK;)
        if (line.line_address == address)
            return line;
    cr_assert_fail("line %llx is not resident", (unsigned long long)address);
    return line;
}

unsigned rig_lines(const rig *r) {
    gpc_line line;
    unsigned n = 0;
    for (uint64_t cursor = 0; gpc_cache_next_line(r->cache, &cursor, &line, NULL) == GPC_OK;)
        n++;
    return n;
}

measured_cache rig_stats(const rig *r) {
    measured_cache stats;
    measured_clear(&stats);
    cr_assert_eq(measure_cache(r->cache, &stats), GPC_OK);
    return stats;
}

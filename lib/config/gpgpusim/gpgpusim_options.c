/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"
#include "config/gpgpusim/gpgpusim_import.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    gpci_option_kind kind;
} known[] = {
#define X(id, name, kind) {name, GPCI_OPTION_##kind},
    GPCI_GPGPUSIM_OPTIONS(X)
#undef X
};

/* Older names of options: names of 3.x, and names before release 4.0. */
static const struct {
    const char *name;
    gpci_option_id id;
} older[] = {
    {"-gmem_skip_L1D", GPCI_OPTION_SKIP_L1},
    {"-rop_latency", GPCI_OPTION_L2_ROP},
    {"-dual_bus_interface", GPCI_OPTION_DRAM_DUAL},
    {"-Seperate_Write_Queue_Enable", GPCI_OPTION_DRAM_WRITES},
    {"-Write_Queue_Size", GPCI_OPTION_DRAM_WRITE_QUEUE},
    {"-simple_dram_model", GPCI_OPTION_DRAM_SIMPLE},
    {"-memory_partition_indexing", GPCI_OPTION_INDEXING},
    {"-adaptive_cache_config", GPCI_OPTION_ADAPTIVE},
    {"-adaptive_volta_cache_config", GPCI_OPTION_ADAPTIVE},
    {"-l1_banks", GPCI_OPTION_L1_BANKS},
    {"-l1_latency", GPCI_OPTION_L1_LATENCY},
    {"-smem_latency", GPCI_OPTION_SHARED_LATENCY},
    {"-sub_core_model", GPCI_OPTION_SUB_CORES},
    {"-inct_in_buffer_limit", GPCI_OPTION_NETWORK_INPUT},
    {"-inct_out_buffer_limit", GPCI_OPTION_NETWORK_OUTPUT},
    {"-inct_subnets", GPCI_OPTION_NETWORK_SUBNETS},
};

const char *gpci_option_name(gpci_option_id option) {
    return known[option].name;
}

gpci_option_kind gpci_option_kind_of(gpci_option_id option) {
    return known[option].kind;
}

gpci_option_id gpci_option_find(const char *name) {
    for (size_t i = 0; i < sizeof older / sizeof *older; i++)
        if (!strcmp(older[i].name, name))
            return older[i].id;
    int id = 0;
    while (id < GPCI_OPTION_COUNT && strcmp(known[id].name, name))
        id++;
    return (gpci_option_id)id;
}

gpc_status gpci_import_fail(const gpci_import *import, size_t line, const char *name, gpc_status status,
                            const char *what) {
    return gpci_fail(import->error, status, "%s:%zu: %s: %s", import->path, line, name, what);
}

gpc_status gpci_import_refuse(const gpci_import *import, gpci_option_id option, gpc_status status, const char *what) {
    const gpci_option *o = &import->options[option];
    gpc_error reason = GPC_ERROR_INIT;
    gpci_fail(&reason, status, "'%s' %s", gpci_quote(o->text).text, what);
    return gpci_import_fail(import, o->line, known[option].name, status, reason.message);
}

gpc_status gpci_import_set(const gpci_import *import, gpci_option_id option, gpci_key key, const char *text) {
    gpc_error reason = GPC_ERROR_INIT;
    gpc_status status = gpci_config_assign(import->stage, key, text, &reason);
    if (status == GPC_OK)
        return GPC_OK;
    gpc_error whole = GPC_ERROR_INIT;
    gpci_fail(&whole, status, "%s: %s", gpci_key_name(key), reason.message);
    return gpci_import_fail(import, import->options[option].line, known[option].name, status, whole.message);
}

gpc_status gpci_import_set_number(const gpci_import *import, gpci_option_id option, gpci_key key, uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return gpci_import_set(import, option, key, text);
}

gpc_status gpci_import_set_all(const gpci_import *import, gpci_option_id option, const gpci_setting *settings,
                               size_t count) {
    gpc_status status = GPC_OK;
    for (size_t i = 0; i < count && status == GPC_OK; i++)
        status = gpci_import_set(import, option, settings[i].key, settings[i].text);
    return status;
}

gpc_status gpci_import_set_numbers(const gpci_import *import, gpci_option_id option,
                                   const gpci_number_setting *settings, size_t count) {
    gpc_status status = GPC_OK;
    for (size_t i = 0; i < count && status == GPC_OK; i++)
        status = gpci_import_set_number(import, option, settings[i].key, settings[i].number);
    return status;
}

gpc_status gpci_import_copy(const gpci_import *import, gpci_option_id option, gpci_key key) {
    const gpci_option *o = &import->options[option];
    return o->given ? gpci_import_set_number(import, option, key, o->number) : GPC_OK;
}

uint64_t gpci_import_now(const gpci_import *import, gpci_key key) {
    return gpci_config_number(import->stage, key);
}

uint64_t gpci_import_or(const gpci_import *import, gpci_option_id option, uint64_t otherwise) {
    return import->options[option].given ? import->options[option].number : otherwise;
}

uint64_t gpci_import_cycles(const gpci_import *import, uint64_t core_cycles, gpci_key clock) {
    uint64_t own = gpci_import_now(import, clock), core = gpci_import_now(import, GPCI_KEY_CLOCK_CORE);
    return (core_cycles * own + core / 2) / core; /* no overflow: below 2^32 cycles times below 2^17 MHz */
}

bool gpci_import_number(const char *text, uint64_t *value) {
    if (*text < '0' || *text > '9' || strlen(text) > 20)
        return false;
    char *end;
    *value = strtoull(text, &end, 0);
    return !*end && *value <= UINT32_MAX;
}

size_t gpci_import_list(const char *text, char separator, uint64_t *numbers, size_t least, size_t most) {
    const char between[] = {separator, '\0'};
    for (size_t count = 0; count < most; text++) {
        char number[24];
        size_t length = strcspn(text, between);
        snprintf(number, sizeof number, "%.*s", (int)(length < 23 ? length : 23), text);
        if (!gpci_import_number(number, &numbers[count++]))
            return 0;
        text += length;
        if (!*text)
            return count < least ? 0 : count;
    }
    return 0;
}

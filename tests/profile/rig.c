/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/rig.h"

#include "base/base.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void *allocate(void *data, size_t bytes) {
    ++*(size_t *)data;
    return malloc(bytes);
}

static void *resize(void *data, void *memory, size_t bytes) {
    *(size_t *)data += !memory;
    return realloc(memory, bytes);
}

static void release(void *data, void *memory) {
    *(size_t *)data -= memory != NULL;
    free(memory);
}

void rig_open(rig *r, const char *const *settings) {
    static const char *const defaults[] = {"preset=gtx480",   "sm.count=1",          "l1.size=512B",       "l1.ways=2",
                                           "l1.index=modulo", "l1.track_reuse=true", "l1.track_warps=true"};
    gpc_error error = GPC_ERROR_INIT;
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    *r = (rig){0};
    options.allocate = allocate;
    options.resize = resize;
    options.release = release;
    options.allocator_data = &r->live;
    cr_assert_eq(gpc_context_create(&options, &r->context, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_config_create(r->context, &r->config, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_config_load_preset(r->config, "gtx480", &error), GPC_OK, "%s", error.message);
    for (size_t i = 1; i < sizeof defaults / sizeof *defaults; i++)
        cr_assert_eq(gpc_config_set_pair(r->config, defaults[i], &error), GPC_OK, "%s", error.message);
    for (; settings && *settings; settings++)
        cr_assert_eq(gpc_config_set_pair(r->config, *settings, &error), GPC_OK, "%s", error.message);
    cr_assert_eq(gpc_profile_create(r->context, r->config, &r->profile, &error), GPC_OK, "%s", error.message);
}

void rig_close(rig *r) {
    gpc_profile_destroy(r->profile);
    gpc_config_destroy(r->config);
    gpc_context_destroy(r->context);
    cr_assert_eq(r->live, 0, "%zu allocations are left", r->live);
}

void rig_access(rig *r, gpc_warp_access access) {
    access.struct_size = sizeof access;
    cr_assert_eq(gpc_profile_access(r->profile, &access, NULL, NULL), GPC_OK);
}

void rig_load(rig *r, uint32_t warp, uint64_t pc, uint64_t address) {
    rig_access(
        r, (gpc_warp_access){.warp = warp, .warp_age = warp, .pc = pc, .mask = 1, .addresses = &address, .width = 4});
}

void rig_load_strided(rig *r, uint32_t sm, uint64_t pc, uint64_t address, uint32_t lanes, uint64_t stride) {
    uint64_t addresses[32];
    for (uint32_t i = 0; i < lanes; i++)
        addresses[i] = address + i * stride;
    rig_access(r, (gpc_warp_access){
                      .sm = sm, .pc = pc, .mask = UINT64_MAX >> (64 - lanes), .addresses = addresses, .width = 4});
}

void rig_load_line(rig *r, uint32_t warp, uint64_t pc, uint64_t address) {
    (void)warp;
    rig_load_strided(r, 0, pc, address, 32, 4);
}

gpc_profile_summary rig_summary(const rig *r) {
    gpc_profile_summary summary = GPC_PROFILE_SUMMARY_INIT;
    cr_assert_eq(gpc_profile_get_summary(r->profile, &summary, NULL), GPC_OK);
    return summary;
}

const gpc_profile_sm *rig_sm(const rig *r, uint32_t sm) {
    const gpc_profile_sm *rows;
    size_t count;
    cr_assert_eq(gpc_profile_sms(r->profile, &rows, &count, NULL), GPC_OK);
    cr_assert_lt(sm, count);
    cr_assert_eq(rows[sm].sm, sm);
    return &rows[sm];
}

const gpc_profile_class *rig_class(const rig *r, uint32_t transactions) {
    const gpc_profile_class *rows;
    size_t count;
    cr_assert_eq(gpc_profile_classes(r->profile, &rows, &count, NULL), GPC_OK);
    cr_assert(transactions && transactions <= count);
    cr_assert_eq(rows[transactions - 1].transactions, transactions);
    return &rows[transactions - 1];
}

const gpc_profile_instruction *rig_instruction(const rig *r, uint64_t pc) {
    const gpc_profile_instruction *rows;
    size_t count;
    cr_assert_eq(gpc_profile_instructions(r->profile, &rows, &count, NULL), GPC_OK);
    for (size_t i = 0; i < count; i++)
        if (rows[i].pc == pc)
            return &rows[i];
    return NULL;
}

const gpc_profile_line *rig_line(const rig *r, uint32_t sm, uint64_t address) {
    const gpc_profile_line *rows;
    size_t count;
    cr_assert_eq(gpc_profile_lines(r->profile, &rows, &count, NULL), GPC_OK);
    for (size_t i = 0; i < count; i++)
        if (rows[i].sm == sm && rows[i].address == address)
            return &rows[i];
    return NULL;
}

static gpc_status append(void *user_data, const void *data, size_t bytes) {
    char **text = user_data;
    const size_t length = strlen(*text);
    char *longer = realloc(*text, length + bytes + 1);
    if (!longer)
        return GPC_ERROR_MEMORY;
    memcpy(longer + length, data, bytes);
    longer[length + bytes] = 0;
    *text = longer;
    return GPC_OK;
}

char *rig_json(gpc_profile *profile) {
    char *text = calloc(1, 1);
    cr_assert_not_null(text);
    const gpc_profile_save_options options = {sizeof options, GPC_PROFILE_JSON, 1};
    cr_assert_eq(gpc_profile_save(profile, &(gpc_stream)GPC_STREAM_WRITE(append, &text), &options, NULL), GPC_OK);
    return text;
}

/*
 * Two SMs, lines below 96, pcs below 0x400, all transaction counts: some lines, instructions and classes should bypass,
 * others not.
 */
void rig_open_contract(rig *r) {
    static const char *const settings[] = {"sm.count=2", "l1.size=4KiB", NULL};
    uint64_t random = 1;
    rig_open(r, settings);
    cr_assert_eq(gpc_profile_begin_kernel(r->profile, "contract", NULL, NULL), GPC_OK);
    for (int i = 0; i < 1000; i++) {
        uint32_t lanes = 1 + gpci_random_below(&random, 32), pc = gpci_random_below(&random, 64) * 16;
        uint64_t stride = pc % 32 ? 4 : 128, line = gpci_random_below(&random, stride == 4 ? 32 : 64);
        rig_load_strided(r, gpci_random_below(&random, 2), pc, line * 128, lanes, stride);
    }
}

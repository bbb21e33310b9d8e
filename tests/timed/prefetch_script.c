/* SPDX-License-Identifier: BSD-2-Clause */
#include "timed/prefetch_script.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

prefetch_script script;

static uint32_t on_access(void *self, const gpc_prefetch_access *access, gpc_prefetch *out) {
    (void)self;
    if (script.accesses < 64) {
        script.requests[script.accesses] = *access->request;
        script.seen[script.accesses++] = *access;
    }
    uint32_t count = script.count;
    memcpy(out, script.next, count * sizeof *out);
    script.count = 0;
    return count;
}

static void on_outcome(void *self, uint64_t line_address, uint32_t outcome) {
    (void)self;
    cr_assert_lt(script.told, 127);
    script.lines[script.told] = line_address / 128;
    script.outcomes[script.told++] = "ULNRD"[outcome];
}

static const gpc_prefetcher_ops ops = {
    .struct_size = sizeof ops, .name = "scripted", .on_access = on_access, .on_outcome = on_outcome};

void script_open(rig *r, const char *key, const char *settings, uint64_t memory) {
    char all[512];
    gpc_error error = GPC_ERROR_INIT;
    memset(&script, 0, sizeof script);
    rig_open(r, NULL, memory);
    cr_assert_eq(gpc_context_register_prefetcher(r->context, &ops, NULL, NULL, &error), GPC_OK, "%s", error.message);
    snprintf(all, sizeof all, "%s = scripted\n%s", key, settings);
    rig_reopen(r, all, memory);
}

void script_ask(uint32_t count, uint64_t first) {
    for (uint32_t i = 0; i < count; i++)
        script.next[i] = (gpc_prefetch){.address = LINES(first + i)};
    script.count = count;
}

void script_expect_outcomes(int line, const char *outcomes) {
    cr_expect_str_eq(script.outcomes, outcomes, "line %d: %s, not %s", line, script.outcomes, outcomes);
}

void script_expect_counts(const uint64_t counted[5]) {
    uint64_t told[5] = {0};
    for (uint32_t i = 0; i < script.told; i++)
        told[strchr("ULNRD", script.outcomes[i]) - "ULNRD"]++;
    for (int i = 0; i < 5; i++)
        cr_expect_eq(counted[i], told[i], "%c: %u counted, %u told", "ULNRD"[i], (unsigned)counted[i],
                     (unsigned)told[i]);
}

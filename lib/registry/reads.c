/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"
#include "registry/commons.h"

/* Names of the GPC_READS_ bits in messages, by bit position. */
static const char *const names[] = {
    "place",    "address", "pc",        "cycle",       "next_use",     "bytes",  "sm",    "warp",
    "warp_age", "block",   "kernel",    "policy_word", "transactions", "kind",   "space", "hint",
    "priority", "token",   "admission", "warp events", "samples",      "stalls",
};
_Static_assert(((uint64_t)1 << (sizeof names / sizeof *names)) - 1 == GPC_READS_EVERYTHING, "every bit has a name");
_Static_assert(GPC_READS_OF_REQUESTS ==
                   (GPC_READS_EVERYTHING & ~(unsigned)(GPC_READS_NEXT_USE | GPC_READS_POLICY_WORD |
                                                       GPC_READS_WARP_EVENTS | GPC_READS_SAMPLES | GPC_READS_STALLS)),
               "all that a request says by itself");

void gpci_reads_text(uint64_t reads, char text[GPCI_READS_TEXT]) {
    gpci_text out = gpci_text_of(text, GPCI_READS_TEXT);
    for (size_t i = 1; i < sizeof names / sizeof *names; i++)
        if (reads >> i & 1)
            gpci_text_put(&out, "%s%s", out.length ? ", " : "", names[i]);
}

gpc_status gpci_policy_reads(const gpc_context *context, gpc_policy_kind kind, const char *text, gpc_error *error,
                             uint64_t *out_reads) {
    gpci_resolved resolved;
    gpci_values values;
    gpc_status status = gpci_resolve(context, kind, text, &resolved, &values, error);
    if (status < 0)
        return status;
    const gpc_policy_env smallest = {.sets = 1, .ways = 1, .line_bytes = 128, .sectors = 1, .count = 1};
    const gpc_policy_env env = gpci_resolved_env(context, &resolved, &values, &smallest);
    uint64_t reads, (*reads_with)(const gpc_policy_env *);
    gpci_field_get(resolved.ops, gpci_kinds[kind].at.reads, &reads, sizeof reads);
    gpci_field_get(resolved.ops, gpci_kinds[kind].at.reads_with, &reads_with, sizeof reads_with);
    *out_reads = reads_with ? reads_with(&env) : reads;
    return GPC_OK;
}

uint64_t gpci_policy_hears(gpc_policy_kind kind, const void *ops) {
    if (kind == GPC_POLICY_REPLACEMENT) {
        const gpc_replacement_ops *table = ops;
        return (table->on_sample ? (uint64_t)GPC_READS_SAMPLES : 0) |
               (table->on_warp_event ? (uint64_t)GPC_READS_WARP_EVENTS : 0) |
               (table->needs_future ? (uint64_t)GPC_READS_NEXT_USE : 0);
    }
    const gpc_predictor_ops *table = ops;
    return (table->on_sample ? (uint64_t)GPC_READS_SAMPLES : 0) |
           (table->on_warp_event ? (uint64_t)GPC_READS_WARP_EVENTS : 0) |
           (table->on_reply ? (uint64_t)GPC_READS_POLICY_WORD : 0) | (table->on_stall ? (uint64_t)GPC_READS_STALLS : 0);
}

gpc_status gpci_policy_check_tells(const gpci_policy *policy, uint64_t tells, gpc_error *error) {
    const gpc_policy_kind kind = policy->spec->kind;
    uint64_t reads = 0;
    gpc_status status = gpci_policy_reads(policy->context, kind, policy->spec->text, error, &reads);
    if (status < 0)
        return status;
    reads = reads ? reads : gpci_policy_hears(kind, policy->ops);
    const uint64_t lacks = reads & ~(tells | GPC_READS_PLACE);
    if (!lacks)
        return GPC_OK;
    char text[GPCI_READS_TEXT];
    gpci_reads_text(lacks, text);
    return gpci_fail(error, GPC_ERROR_UNSUPPORTED, "%s '%s' reads what its host does not tell (tells): %s",
                     gpci_kinds[kind].name, policy->spec->text, text);
}

gpc_status gpc_policy_reads(const gpc_context *context, gpc_policy_kind kind, const char *text, uint64_t *out_reads,
                            gpc_error *error) {
    if (!context || !text || !out_reads)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_policy_reads: %s is NULL",
                         !context ? "context"
                         : text   ? "out_reads"
                                  : "spec");
    if ((unsigned)kind >= GPC_POLICY_SCHEDULER)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_policy_reads: kind: its policies are told no requests");
    return gpci_policy_reads(context, kind, text, error, out_reads);
}

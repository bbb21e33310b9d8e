/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"
#include "registry/resolve.h"

/* What each GPC_READS_ bit is called in messages, by its position. */
static const char *const names[] = {
    "place",    "address", "pc",        "cycle",       "next_use",     "bytes",  "sm",    "warp",
    "warp_age", "block",   "kernel",    "policy_word", "transactions", "kind",   "space", "hint",
    "priority", "token",   "admission", "warp events", "samples",      "stalls",
};
_Static_assert(((uint64_t)1 << (sizeof names / sizeof *names)) - 1 == GPC_READS_EVERYTHING, "every bit has a name");

void gpci_reads_text(uint64_t reads, char text[GPCI_READS_TEXT]) {
    gpci_text out = gpci_text_of(text, GPCI_READS_TEXT);
    for (size_t i = 1; i < sizeof names / sizeof *names; i++)
        if (reads >> i & 1)
            gpci_text_put(&out, "%s%s", out.length ? ", " : "", names[i]);
}

gpc_status gpci_policy_reads(const gpc_context *context, gpc_policy_kind kind, const char *text, gpc_error *error,
                             uint64_t *out_reads) {
    gpci_resolved r;
    gpci_values values;
    gpc_status status = gpci_resolve(context, kind, text, &r, &values, error);
    if (status < 0)
        return status;
    const gpc_policy_env smallest = {.sets = 1, .ways = 1, .line_bytes = 128, .sectors = 1, .count = 1};
    const gpc_policy_env env = gpci_resolved_env(context, &r, &values, &smallest);
    uint64_t reads, (*reads_with)(const gpc_policy_env *);
    gpci_field_get(r.ops, gpci_kinds[kind].at.reads, &reads, sizeof reads);
    gpci_field_get(r.ops, gpci_kinds[kind].at.reads_with, &reads_with, sizeof reads_with);
    *out_reads = reads_with ? reads_with(&env) : reads;
    return GPC_OK;
}

gpc_status gpc_policy_reads(const gpc_context *context, gpc_policy_kind kind, const char *text, gpc_error *error,
                            uint64_t *out_reads) {
    if (!context || !text || !out_reads || (unsigned)kind >= GPC_POLICY_SCHEDULER)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_policy_reads: a NULL, or a kind that is told no requests");
    return gpci_policy_reads(context, kind, text, error, out_reads);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "registry/resolve.h"

/* Hardware cost of policies in bits, computed by their tables without an instance. */

gpc_status gpci_policy_cost(const gpc_context *context, gpc_policy_kind kind, const char *text,
                            const gpc_policy_env *geometry, gpc_error *error, uint64_t *out_bits) {
    gpci_resolved resolved;
    gpci_values values;
    gpc_status status = gpci_resolve(context, kind, text, &resolved, &values, error);
    if (status < 0)
        return status;
    const gpc_policy_env env = gpci_resolved_env(context, &resolved, &values, geometry);
    uint64_t (*cost)(const gpc_policy_env *);
    gpci_field_get(resolved.ops, gpci_kinds[kind].at.cost_bits, &cost, sizeof cost);
    *out_bits = cost ? cost(&env) : 0;
    return GPC_OK;
}

/* Check the arguments of a question about a cost. `what`: fault that the caller has found; NULL = no fault. */
static gpc_status check_question(const char *function, const gpc_context *context, const char *spec,
                                 const uint64_t *out_bits, const char *what, gpc_error *error) {
    const char *missing = !context ? "context" : !spec ? "spec" : out_bits ? NULL : "out_bits";
    if (missing)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: %s is NULL", function, missing);
    return what ? gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: %s", function, what) : GPC_OK;
}

static bool is_of_caches(gpc_policy_kind kind) {
    return kind == GPC_POLICY_REPLACEMENT || kind == GPC_POLICY_PREDICTOR || kind == GPC_POLICY_PREFETCHER;
}

static gpc_status level_cost(const char *function, const gpc_context *context, gpc_policy_kind kind, const char *text,
                             uint32_t caches, uint32_t sets, uint32_t ways, uint32_t line_bytes, uint32_t sectors,
                             uint64_t *out_bits, gpc_error *error) {
    const char *wrong = !is_of_caches(kind)            ? "kind: its policies are of no cache"
                        : !caches                      ? "caches is 0"
                        : !sets                        ? "sets is 0"
                        : !ways || ways > GPC_MAX_WAYS ? "ways is not 1 to 1024"
                                                       : NULL;
    const gpc_status checked = check_question(function, context, text, out_bits, wrong, error);
    if (checked < 0)
        return checked;
    uint64_t sum = 0;
    for (uint32_t index = 0; index < caches; index++) {
        gpc_policy_env env = {.sets = sets,
                              .ways = ways,
                              .line_bytes = line_bytes,
                              .sectors = sectors ? sectors : 1,
                              .index = index,
                              .count = caches};
        uint64_t bits;
        gpc_status status = gpci_policy_cost(context, kind, text, &env, error, &bits);
        if (status < 0)
            return status;
        sum += bits;
    }
    *out_bits = sum;
    return GPC_OK;
}

gpc_status gpc_policy_level_cost(const gpc_context *context, gpc_policy_kind kind, const char *text, uint32_t caches,
                                 uint32_t sets, uint32_t ways, uint32_t line_bytes, uint32_t sectors,
                                 uint64_t *out_bits, gpc_error *error) {
    return level_cost("gpc_policy_level_cost", context, kind, text, caches, sets, ways, line_bytes, sectors, out_bits,
                      error);
}

gpc_status gpc_policy_cost(const gpc_context *context, gpc_policy_kind kind, const char *text, uint32_t sets,
                           uint32_t ways, uint32_t line_bytes, uint32_t sectors, uint64_t *out_bits, gpc_error *error) {
    return level_cost("gpc_policy_cost", context, kind, text, 1, sets, ways, line_bytes, sectors, out_bits, error);
}

static gpc_status part_cost(const gpc_context *context, gpc_policy_kind kind, const char *text, uint32_t warps,
                            gpc_error *error, uint64_t *out_bits) {
    gpci_resolved resolved;
    gpci_values values;
    gpc_status status = gpci_resolve(context, kind, text, &resolved, &values, error);
    if (status < 0)
        return status;
    gpc_scheduler_env env = {.struct_size = sizeof env,
                             .warps = warps,
                             .count = 1,
                             .sms = 1,
                             .parameters = values.numbers,
                             .arguments = resolved.spec.arguments,
                             .user_data = resolved.user_data,
                             .texts = values.texts,
                             .words = values.words,
                             .context = (gpc_context *)(uintptr_t)context};
    uint64_t (*cost)(const gpc_scheduler_env *);
    gpci_field_get(resolved.ops, gpci_kinds[kind].at.cost_bits, &cost, sizeof cost);
    *out_bits += cost ? cost(&env) : 0;
    return GPC_OK;
}

gpc_status gpc_scheduler_cost(const gpc_context *context, const char *text, uint32_t warps, uint64_t *out_bits,
                              gpc_error *error) {
    const gpc_status checked = check_question("gpc_scheduler_cost", context, text, out_bits, NULL, error);
    if (checked < 0)
        return checked;
    if (!warps || warps > GPCI_MAX_SCHEDULER_WARPS)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_scheduler_cost: warps is not 1 to %u",
                         GPCI_MAX_SCHEDULER_WARPS);
    char *copy = gpci_strdup((gpc_context *)(uintptr_t)context, text);
    if (!copy)
        return gpci_out_of_memory(error);
    char *parts[1 + GPCI_MAX_THROTTLES];
    size_t count = 0;
    uint64_t bits = 0;
    gpc_status status = gpci_scheduler_parts(copy, parts, &count, error);
    for (size_t i = 0; i < count && status == GPC_OK; i++)
        status = part_cost(context, gpci_kind_of_part(i), parts[i], warps, error, &bits);
    gpci_free((gpc_context *)(uintptr_t)context, copy);
    if (status == GPC_OK)
        *out_bits = bits;
    return status;
}

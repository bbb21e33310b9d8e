/* SPDX-License-Identifier: BSD-2-Clause */
#include "registry/kinds.h"

#include "registry/protocol_registry.h"

#include <string.h>

#define SAME_PLACE(head, field, table, name) \
    _Static_assert(offsetof(head, field) == offsetof(table, name), "tables of all kinds begin with the same fields")

#define BEGINS_AS_ALL(table)                                      \
    SAME_PLACE(gpci_table_head, struct_size, table, struct_size); \
    SAME_PLACE(gpci_table_head, name, table, name);               \
    SAME_PLACE(gpci_table_head, summary, table, summary);         \
    SAME_PLACE(gpci_table_head, source, table, source)

#define BEGINS_AS_OPS(table, first, second)                           \
    BEGINS_AS_ALL(table);                                             \
    SAME_PLACE(gpci_ops_head, instance_bytes, table, instance_bytes); \
    SAME_PLACE(gpci_ops_head, set_bytes, table, first);               \
    SAME_PLACE(gpci_ops_head, line_bytes, table, second)

BEGINS_AS_OPS(gpc_replacement_ops, set_bytes, line_bytes);
BEGINS_AS_OPS(gpc_predictor_ops, set_bytes, line_bytes);
BEGINS_AS_OPS(gpc_scheduler_ops, warp_bytes, reserved);
BEGINS_AS_OPS(gpc_throttle_ops, warp_bytes, reserved);
BEGINS_AS_OPS(gpc_prefetcher_ops, reserved, reserved_too);
BEGINS_AS_ALL(gpc_protocol);

#define PLACE(table, field) .field = offsetof(table, field)

/* Fields common to all tables of functions. */
#define OPS(table)                                                                                         \
    PLACE(table, init), PLACE(table, finish), PLACE(table, cost_bits), PLACE(table, parameters),           \
        PLACE(table, parameter_count), PLACE(table, texts), PLACE(table, text_count), PLACE(table, state), \
        PLACE(table, counter)

const gpci_kind gpci_kinds[GPC_POLICY_KIND_COUNT] = {
    [GPC_POLICY_REPLACEMENT] = {"replacement policy",
                                "gpc_replacement_ops",
                                sizeof(gpc_replacement_ops),
                                "choose_victim",
                                {OPS(gpc_replacement_ops), PLACE(gpc_replacement_ops, shared_bytes),
                                 .function = offsetof(gpc_replacement_ops, choose_victim),
                                 .shared_each_bytes = offsetof(gpc_replacement_ops, shared_cache_bytes),
                                 PLACE(gpc_replacement_ops, reads), PLACE(gpc_replacement_ops, reads_with),
                                 PLACE(gpc_replacement_ops, on_hit), PLACE(gpc_replacement_ops, on_sector_miss)}},
    [GPC_POLICY_PREDICTOR] = {"predictor",
                              "gpc_predictor_ops",
                              sizeof(gpc_predictor_ops),
                              "predict",
                              {OPS(gpc_predictor_ops), PLACE(gpc_predictor_ops, shared_bytes),
                               .function = offsetof(gpc_predictor_ops, predict),
                               .shared_each_bytes = offsetof(gpc_predictor_ops, shared_cache_bytes),
                               .string = offsetof(gpc_predictor_ops, below), PLACE(gpc_predictor_ops, reads),
                               PLACE(gpc_predictor_ops, reads_with), PLACE(gpc_predictor_ops, on_hit),
                               PLACE(gpc_predictor_ops, on_sector_miss)}},
    [GPC_POLICY_SCHEDULER] = {"scheduler",
                              "gpc_scheduler_ops",
                              sizeof(gpc_scheduler_ops),
                              "pick",
                              {OPS(gpc_scheduler_ops), PLACE(gpc_scheduler_ops, on_cache_event),
                               PLACE(gpc_scheduler_ops, reserved), PLACE(gpc_scheduler_ops, on_block),
                               .function = offsetof(gpc_scheduler_ops, pick)}},
    [GPC_POLICY_THROTTLE] = {"throttle",
                             "gpc_throttle_ops",
                             sizeof(gpc_throttle_ops),
                             "classify",
                             {OPS(gpc_throttle_ops), PLACE(gpc_throttle_ops, on_cache_event),
                              PLACE(gpc_throttle_ops, reserved), PLACE(gpc_throttle_ops, shared_bytes),
                              .function = offsetof(gpc_throttle_ops, classify),
                              .shared_each_bytes = offsetof(gpc_throttle_ops, shared_scheduler_bytes)}},
    [GPC_POLICY_PREFETCHER] = {"prefetcher",
                               "gpc_prefetcher_ops",
                               sizeof(gpc_prefetcher_ops),
                               "on_access",
                               {OPS(gpc_prefetcher_ops), PLACE(gpc_prefetcher_ops, shared_bytes),
                                PLACE(gpc_prefetcher_ops, reserved), PLACE(gpc_prefetcher_ops, reserved_too),
                                .function = offsetof(gpc_prefetcher_ops, on_access),
                                .shared_each_bytes = offsetof(gpc_prefetcher_ops, shared_cache_bytes)}},
    [GPC_POLICY_PROTOCOL] = {"protocol", "gpc_protocol", sizeof(gpc_protocol), NULL, {0}},
};

void gpci_field_get(const void *table, size_t place, void *out, size_t bytes) {
    if (place)
        memcpy(out, (const char *)table + place, bytes);
    else
        memset(out, 0, bytes);
}

size_t gpci_field_size(const void *table, size_t place) {
    size_t value;
    gpci_field_get(table, place, &value, sizeof value);
    return value;
}

bool gpci_field_is_null(const void *table, size_t place) {
    void (*function)(void);
    gpci_field_get(table, place, &function, sizeof function);
    return !function;
}

gpci_parameters gpci_parameters_of(gpc_policy_kind kind, const void *table) {
    const gpci_kind *k = &gpci_kinds[kind];
    gpci_parameters parameters;
    gpci_field_get(table, k->at.parameters, &parameters.numbers, sizeof parameters.numbers);
    gpci_field_get(table, k->at.texts, &parameters.texts, sizeof parameters.texts);
    parameters.number_count = gpci_field_size(table, k->at.parameter_count);
    parameters.text_count = gpci_field_size(table, k->at.text_count);
    return parameters;
}

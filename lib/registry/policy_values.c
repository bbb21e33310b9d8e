/* SPDX-License-Identifier: BSD-2-Clause */
#include "registry/policy_values.h"

#include "registry/commons.h"
#include "registry/kinds.h"

#include <stdio.h>
#include <string.h>

static bool good_name(const char *name) {
    return name && *name && strlen(name) < 64 && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

bool gpci_policy_counter(const gpci_policy *policy, size_t index, gpc_policy_counter *out) {
    bool (*counter)(void *, size_t, gpc_policy_counter *);
    *out = (gpc_policy_counter){.struct_size = sizeof *out};
    gpci_field_get(policy->ops, gpci_kinds[policy->spec->kind].at.counter, &counter, sizeof counter);
    if (!counter || !counter(policy->self, index, out) || !good_name(out->name))
        return false;
    out->unit = out->unit ? out->unit : "";
    out->meaning = out->meaning ? out->meaning : "";
    return true;
}

/*
 * Sum a counter over the instances of a group; for a level or a peak, take the largest value. False: the instances do
 * not have the counter.
 */
static bool gather(const gpci_policy_group *group, size_t index, gpc_policy_value *value) {
    for (uint32_t i = 0; i < group->count; i++) {
        const gpci_policy *policy = group->at(group->of, i);
        gpc_policy_counter counter;
        if (!policy || !gpci_policy_counter(policy, index, &counter))
            continue;
        if (!value->instances++) {
            const gpci_ops_head *head = policy->ops;
            snprintf(value->name, sizeof value->name, "%s.%s.%s", group->place, head->head.name, counter.name);
            value->unit = counter.unit;
            value->meaning = counter.meaning;
            value->is_level = counter.is_level;
        }
        if (!counter.is_level)
            value->value += counter.value;
        else if (counter.value > value->value)
            value->value = counter.value;
    }
    return value->instances > 0;
}

gpc_status gpci_policy_value(const gpci_policy_group *groups, size_t count, size_t index, gpc_policy_value *value,
                             gpc_error *error) {
    if (!value)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "value is NULL");
    const size_t asked = index;
    for (size_t g = 0; g < count; g++)
        for (size_t own = 0;; own++, index--) {
            gpc_policy_value found = GPC_POLICY_VALUE_INIT;
            if (!gather(&groups[g], own, &found))
                break;
            if (!index)
                return gpci_give(value, &found, sizeof found, "gpc_policy_value", error);
        }
    return gpci_fail(error, GPC_ERROR_RANGE, "index: %zu is not below the %zu values of the policies", asked,
                     asked - index);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "level/rules/driver.h"
#include "level/rules/events.h"

/* Event log of a hierarchy: set, replace, remove. */

static gpc_status check(const gpc_event_options *options, gpc_error *error) {
    const struct {
        const char *name;
        uint64_t first, last;
    } ranges[] = {{"sm", options->first_sm, options->last_sm},
                  {"address", options->first_address, options->last_address},
                  {"pc", options->first_pc, options->last_pc},
                  {"cycle", options->first_cycle, options->last_cycle}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (ranges[i].first > ranges[i].last)
            return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_event_options: first_%s is %llu, more than last_%s, %llu",
                             ranges[i].name, (unsigned long long)ranges[i].first, ranges[i].name,
                             (unsigned long long)ranges[i].last);
    const struct {
        const char *name;
        uint64_t bits;
        unsigned count;
    } sets[] = {{"whats", options->whats, GPC_WHAT_COUNT},
                {"components", options->components, GPC_COMPONENT_COUNT},
                {"kinds", options->kinds, GPC_KIND_COUNT}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (sets[i].bits >> sets[i].count)
            return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_event_options: %s is 0x%llx, but there are %u",
                             sets[i].name, (unsigned long long)sets[i].bits, sets[i].count);
    return GPC_OK;
}

static gpc_status put(gpc_hierarchy *hierarchy, gpci_event_log *log) {
    const gpc_status status = hierarchy->driver->watch(hierarchy, log);
    if (status < 0)
        return status;
    gpci_trace_destroy(hierarchy);
    hierarchy->log = log;
    return GPC_OK;
}

static gpc_status set(gpc_hierarchy *hierarchy, const gpc_event_options *options, gpc_error *error) {
    if (hierarchy->called_back)
        return gpci_fail(error, GPC_ERROR_STATE, "gpc_hierarchy_set_trace: called from within a callback");
    if (!options || !options->on_event)
        return put(hierarchy, NULL);
    gpc_status status = check(options, error);
    if (status < 0)
        return status;
    gpci_event_log *log = gpci_event_log_make(hierarchy);
    if (!log)
        return gpci_out_of_memory(error);
    log->options = *options;
    status = put(hierarchy, log);
    if (status == GPC_OK)
        return GPC_OK;
    gpci_event_log_free(hierarchy->context, log);
    return gpci_out_of_memory(error);
}

gpc_status gpc_hierarchy_set_trace(gpc_hierarchy *hierarchy, const gpc_event_options *options, gpc_error *error) {
    gpc_event_options ours = GPC_EVENT_OPTIONS_INIT;
    gpc_status status =
        gpci_take(&ours, sizeof ours, offsetof(gpc_event_options, whats), options, "gpc_event_options", error);
    if (status < 0) /* the options are of unknown size: `ours.destroy` cannot be read */
        return status;
    status = hierarchy ? set(hierarchy, &ours, error)
                       : gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_hierarchy_set_trace: hierarchy is NULL");
    bool kept = status == GPC_OK && ours.on_event;
    if (!kept && ours.destroy)
        ours.destroy(ours.user_data);
    return status;
}

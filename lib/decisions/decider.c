/* SPDX-License-Identifier: BSD-2-Clause */
#include "decisions/decider.h"

#include "registry/policy_values.h"

#include <stdio.h>

static gpc_status out_of_range(const gpci_decider_options *options, const char *field, uint64_t value, const char *rule,
                               gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_RANGE, "%s.%s: %llu is not %s", options->type, field, (unsigned long long)value,
                     rule);
}

static gpc_status check_shape(const gpci_decider_options *options, gpc_error *error) {
    if (!options->ways || options->ways > GPC_MAX_WAYS)
        return out_of_range(options, "ways", options->ways, "between 1 and 1024", error);
    if (!options->sets || options->sets > UINT32_MAX / options->ways)
        return out_of_range(options, "sets", options->sets, "1 or more, with less than 2^32 lines", error);
    if (!gpci_power_of_two(options->line_bytes) || options->line_bytes < 8 || options->line_bytes > 4096)
        return out_of_range(options, "line_bytes", options->line_bytes, "a power of two between 8 and 4096", error);
    if (!gpci_power_of_two(options->sectors) || options->sectors > 8)
        return out_of_range(options, "sectors", options->sectors, "0, 1, 2, 4 or 8", error);
    if (options->instance >= options->instances)
        return out_of_range(options, "instance", options->instance, "below instances", error);
    if (options->reserved)
        return out_of_range(options, "reserved", options->reserved, "0", error);
    if (options->tells & ~(uint64_t)GPC_READS_EVERYTHING)
        return out_of_range(options, "tells", options->tells, "made of GPC_READS_ bits", error);
    return GPC_OK;
}

gpc_status gpci_decider_begin(gpci_decider *decider, gpc_policy_kind kind, const gpci_decider_options *options,
                              gpc_error *error) {
    gpci_decider_options decider_options = *options;
    decider_options.sectors = decider_options.sectors ? decider_options.sectors : 1;
    decider_options.instances = decider_options.instances ? decider_options.instances : 1;
    gpc_status status = check_shape(&decider_options, error);
    if (status < 0)
        return status;
    decider->shape = (gpci_level_shape){.context = decider->context,
                                        .sets = decider_options.sets,
                                        .ways = decider_options.ways,
                                        .line_bytes = decider_options.line_bytes,
                                        .sectors = decider_options.sectors,
                                        .instances = decider_options.instances};
    status = gpci_commons_join(&decider->shape, decider_options.share_with ? &decider_options.share_with->shape : NULL,
                               decider_options.type, error);
    if (status < 0)
        return status;
    decider->sets = (uint32_t)decider_options.sets;
    decider->ways = decider_options.ways;
    decider->line_bytes = decider_options.line_bytes;
    decider->all_sectors = (uint8_t)((1u << decider_options.sectors) - 1);
    const gpc_policy_env geometry = {.sets = decider->sets,
                                     .ways = decider->ways,
                                     .line_bytes = decider->line_bytes,
                                     .sectors = decider_options.sectors,
                                     .index = decider_options.instance,
                                     .count = decider_options.instances,
                                     .seed = decider_options.seed};
    status = gpci_policy_create(decider->context, kind, decider_options.policy, &geometry, decider->shape.commons,
                                error, &decider->policy);
    if (status < 0)
        return status;
    return gpci_policy_check_tells(decider->policy,
                                   decider_options.tells ? decider_options.tells : GPC_READS_OF_REQUESTS, error);
}

void gpci_decider_end(gpci_decider *decider) {
    gpci_policy_destroy(decider->policy);
    gpci_commons_release(decider->shape.commons);
}

gpc_status gpci_decider_refuse_request(const gpci_decider *decider, const char *name, uint32_t set,
                                       const gpc_request *request, gpc_error *error) {
    if (set >= decider->sets)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: set %u of %u", name, set, decider->sets);
    const char *fault = request ? gpci_request_fault(request, decider->line_bytes, decider->all_sectors) : NULL;
    return request ? gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: gpc_request.%s cannot be what it is", name, fault)
                   : gpci_fail(error, GPC_ERROR_ARGUMENT, "%s: request is NULL", name);
}

gpc_status gpci_decider_refuse_listed(const gpci_decider *decider, const char *name, size_t index, uint32_t set,
                                      const gpc_request *request, gpc_error *error) {
    char place[48];
    snprintf(place, sizeof place, "%s[%zu]", name, index);
    return gpci_decider_refuse_request(decider, place, set, request, error);
}

static gpc_status refuse_event(const gpci_decider *decider, size_t index, const gpc_policy_event *event,
                               gpc_error *error) {
    if (event->kind >= GPC_POLICY_EVENT_COUNT)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "events[%zu]: %u is no gpc_policy_event_kind", index, event->kind);
    if (event->set < decider->sets && event->way >= decider->ways && event->kind != GPC_ON_MISS)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "events[%zu]: way %u of %u", index, event->way, decider->ways);
    if (event->set < decider->sets && event->kind == GPC_ON_EVICT) {
        const gpc_eviction *eviction = event->eviction;
        if (!eviction)
            return gpci_fail(error, GPC_ERROR_ARGUMENT, "events[%zu]: eviction is NULL", index);
        if (eviction->set != event->set || eviction->way != event->way)
            return gpci_fail(error, GPC_ERROR_ARGUMENT, "events[%zu]: of set %u, way %u, its eviction of %u, %u", index,
                             event->set, event->way, eviction->set, eviction->way);
    }
    return gpci_decider_refuse_listed(decider, "events", index, event->set, event->request, error);
}

static gpc_status tell_sample(size_t index, const gpc_policy_event *event, gpci_tell_fn tell, void *policy,
                              gpc_error *error) {
    gpc_sample sample = GPC_SAMPLE_INIT;
    gpc_policy_event ours = *event;
    if (!event->sample)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "events[%zu]: sample is NULL", index);
    gpc_status status = gpci_take(&sample, sizeof sample, sizeof sample, event->sample, "gpc_sample", error);
    if (status < 0)
        return status;
    ours.sample = &sample;
    tell(policy, &ours);
    return GPC_OK;
}

gpc_status gpci_decider_event_beside(const gpci_decider *decider, size_t index, const gpc_policy_event *event,
                                     gpci_tell_fn tell, void *policy, gpc_error *error) {
    if (event->kind == GPC_ON_SAMPLE)
        return tell_sample(index, event, tell, policy, error);
    if (event->kind != GPC_ON_WARP_EVENT)
        return refuse_event(decider, index, event, error);
    if (!event->warp_event)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "events[%zu]: warp_event is NULL", index);
    if (event->warp_event->kind > GPC_KERNEL_END)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "events[%zu]: %u is no gpc_warp_event_kind", index,
                         event->warp_event->kind);
    tell(policy, event);
    return GPC_OK;
}

static const gpci_policy *policy_of(const void *of, uint32_t index) {
    (void)index;
    return ((const gpci_decider *)of)->policy;
}

gpc_status gpci_decider_value(const gpci_decider *decider, const char *place, size_t index, gpc_policy_value *value,
                              gpc_error *error) {
    const gpci_policy_group group = {place, policy_of, decider, 1};
    return gpci_policy_value(&group, 1, index, value, error);
}

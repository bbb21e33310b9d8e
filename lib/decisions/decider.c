/* SPDX-License-Identifier: BSD-2-Clause */
#include "decisions/decider.h"

#include "registry/policy_values.h"

static gpc_status out_of_range(const gpci_decider_options *o, const char *field, uint64_t value, const char *rule,
                               gpc_error *error) {
    return gpci_fail(error, GPC_ERROR_RANGE, "%s.%s: %llu is not %s", o->type, field, (unsigned long long)value, rule);
}

static gpc_status check_shape(const gpci_decider_options *o, gpc_error *error) {
    if (!o->ways || o->ways > GPC_MAX_WAYS)
        return out_of_range(o, "ways", o->ways, "between 1 and 1024", error);
    if (!o->sets || o->sets > UINT32_MAX / o->ways)
        return out_of_range(o, "sets", o->sets, "1 or more, with less than 2^32 lines", error);
    if (!gpci_power_of_two(o->line_bytes) || o->line_bytes < 8 || o->line_bytes > 4096)
        return out_of_range(o, "line_bytes", o->line_bytes, "a power of two between 8 and 4096", error);
    if (!gpci_power_of_two(o->sectors) || o->sectors > 8)
        return out_of_range(o, "sectors", o->sectors, "0, 1, 2, 4 or 8", error);
    if (o->instance >= o->instances)
        return out_of_range(o, "instance", o->instance, "below instances", error);
    if (o->reserved)
        return out_of_range(o, "reserved", o->reserved, "0", error);
    if (o->tells & ~(uint64_t)GPC_READS_EVERYTHING)
        return out_of_range(o, "tells", o->tells, "made of GPC_READS_ bits", error);
    return GPC_OK;
}

gpc_status gpci_decider_begin(gpci_decider *d, gpc_policy_kind kind, const gpci_decider_options *options,
                              gpc_error *error) {
    gpci_decider_options o = *options;
    o.sectors = o.sectors ? o.sectors : 1;
    o.instances = o.instances ? o.instances : 1;
    gpc_status status = check_shape(&o, error);
    if (status < 0)
        return status;
    d->shape = (gpci_level_shape){.context = d->context,
                                  .sets = o.sets,
                                  .ways = o.ways,
                                  .line_bytes = o.line_bytes,
                                  .sectors = o.sectors,
                                  .instances = o.instances};
    status = gpci_commons_join(&d->shape, o.share_with ? &o.share_with->shape : NULL, o.type, error);
    if (status < 0)
        return status;
    d->sets = (uint32_t)o.sets;
    d->ways = o.ways;
    d->line_bytes = o.line_bytes;
    d->all_sectors = (uint8_t)((1u << o.sectors) - 1);
    const gpc_policy_env geometry = {.sets = d->sets,
                                     .ways = d->ways,
                                     .line_bytes = d->line_bytes,
                                     .sectors = o.sectors,
                                     .index = o.instance,
                                     .count = o.instances,
                                     .seed = o.seed};
    status = gpci_policy_create(d->context, kind, o.policy, &geometry, d->shape.commons, error, &d->policy);
    if (status < 0)
        return status;
    return gpci_policy_check_tells(d->policy, o.tells ? o.tells : GPC_READS_OF_REQUESTS, error);
}

void gpci_decider_end(gpci_decider *d) {
    gpci_policy_destroy(d->policy);
    gpci_commons_release(d->shape.commons);
}

gpc_status gpci_decider_refuse_request(const gpci_decider *d, const char *name, size_t index, uint32_t set,
                                       const gpc_request *request, gpc_error *error) {
    if (set >= d->sets)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s[%zu]: set %u of %u", name, index, set, d->sets);
    const char *fault = request ? gpci_request_fault(request, d->line_bytes, d->all_sectors) : NULL;
    return request ? gpci_fail(error, GPC_ERROR_ARGUMENT, "%s[%zu]: gpc_request.%s cannot be what it is", name, index,
                               fault)
                   : gpci_fail(error, GPC_ERROR_ARGUMENT, "%s[%zu]: request is NULL", name, index);
}

gpc_status gpci_decider_refuse_event(const gpci_decider *d, size_t index, const gpc_tag_event *event,
                                     gpc_error *error) {
    if (event->kind >= GPC_TAG_EVENT_COUNT)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "events[%zu]: %u is no gpc_tag_event_kind", index, event->kind);
    if (event->set < d->sets && event->way >= d->ways && event->kind != GPC_TAG_MISS)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "events[%zu]: way %u of %u", index, event->way, d->ways);
    if (event->set < d->sets && event->kind == GPC_TAG_EVICT) {
        const gpc_eviction *e = event->eviction;
        if (!e)
            return gpci_fail(error, GPC_ERROR_ARGUMENT, "events[%zu]: eviction is NULL", index);
        if (e->set != event->set || e->way != event->way)
            return gpci_fail(error, GPC_ERROR_ARGUMENT, "events[%zu]: of set %u, way %u, its eviction of %u, %u", index,
                             event->set, event->way, e->set, e->way);
    }
    return gpci_decider_refuse_request(d, "events", index, event->set, event->request, error);
}

gpc_status gpci_decider_take_sample(const gpc_sample *theirs, gpc_sample *ours) {
    *ours = (gpc_sample)GPC_SAMPLE_INIT;
    return gpci_take(ours, sizeof *ours, sizeof *ours, theirs, "gpc_sample", NULL);
}

static const gpci_policy *policy_of(const void *of, uint32_t index) {
    (void)index;
    return ((const gpci_decider *)of)->policy;
}

gpc_status gpci_decider_value(const gpci_decider *d, const char *place, size_t index, gpc_policy_value *value) {
    const gpci_policy_group group = {place, policy_of, d, 1};
    return gpci_policy_value(&group, 1, index, value);
}

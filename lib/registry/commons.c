/* SPDX-License-Identifier: BSD-2-Clause */
#include "registry/commons.h"

#include <string.h>

/* Shared parts of a level's policies: parsed specs, and shared state. A spec or state is freed with its last user. */

struct gpci_commons {
    gpc_context *context;
    gpci_policy_spec *specs;
    gpci_common *states;
    size_t references;
};

gpci_commons *gpci_commons_create(gpc_context *context) {
    gpci_commons *commons = gpci_zalloc(context, 1, sizeof *commons);
    if (commons)
        *commons = (gpci_commons){.context = context, .references = 1};
    return commons;
}

gpci_commons *gpci_commons_retain(gpci_commons *commons) {
    commons->references++;
    return commons;
}

static gpc_status check_same(const gpci_level_shape *shape, const gpci_level_shape *other, const char *type,
                             gpc_error *error) {
    if (other->context != shape->context)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.share_with is of another context", type);
    const struct {
        const char *name;
        uint64_t ours, theirs;
    } sizes[] = {{"sets", shape->sets, other->sets},
                 {"ways", shape->ways, other->ways},
                 {"line_bytes", shape->line_bytes, other->line_bytes},
                 {"sectors", shape->sectors, other->sectors},
                 {"instances", shape->instances, other->instances}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].ours != sizes[i].theirs)
            return gpci_fail(error, GPC_ERROR_ARGUMENT,
                             "%s.share_with: a cache of %s = %llu cannot share with one of %llu", type, sizes[i].name,
                             (unsigned long long)sizes[i].ours, (unsigned long long)sizes[i].theirs);
    return other->commons ? GPC_OK
                          : gpci_fail(error, GPC_ERROR_ARGUMENT,
                                      "%s.share_with is the only one of its level (instances = 1)", type);
}

gpc_status gpci_commons_join(gpci_level_shape *shape, const gpci_level_shape *other, const char *type,
                             gpc_error *error) {
    gpc_status status = other ? check_same(shape, other, type, error) : GPC_OK;
    if (status < 0 || shape->instances == 1)
        return status;
    shape->commons = other ? gpci_commons_retain(other->commons) : gpci_commons_create(shape->context);
    return shape->commons ? GPC_OK : gpci_out_of_memory(error);
}

bool gpci_commons_are_shared(const gpci_commons *commons) {
    return commons->references > 1;
}

void gpci_commons_release(gpci_commons *commons) {
    if (commons && !--commons->references)
        gpci_free(commons->context, commons);
}

void gpci_policy_spec_leave(gpc_context *context, gpci_policy_spec *spec) {
    if (!spec || --spec->users)
        return;
    for (gpci_policy_spec **policy_spec = spec->level ? &spec->level->specs : NULL; policy_spec;
         policy_spec = &(*policy_spec)->next)
        if (*policy_spec == spec) {
            *policy_spec = spec->next;
            break;
        }
    gpci_free(context, spec->arguments);
    gpci_free(context, spec->text);
    gpci_free(context, spec);
}

static gpc_status read_spec(gpc_context *context, gpci_policy_spec *spec, gpc_error *error) {
    gpci_resolved resolved;
    gpc_status status = gpci_resolve(context, spec->kind, spec->text, &resolved, &spec->values, error);
    if (status < 0)
        return status;
    spec->ops = resolved.ops;
    spec->user_data = resolved.user_data;
    spec->arguments = gpci_strdup(context, resolved.spec.arguments);
    return spec->arguments ? GPC_OK : gpci_out_of_memory(error);
}

gpc_status gpci_policy_spec_join(gpc_context *context, gpc_policy_kind kind, const char *text, gpci_commons *level,
                                 gpc_error *error, gpci_policy_spec **out) {
    gpci_policy_spec *spec = level ? level->specs : NULL;
    while (spec && (spec->kind != kind || strcmp(spec->text, text) != 0))
        spec = spec->next;
    if (!spec) {
        spec = gpci_zalloc(context, 1, sizeof *spec);
        if (!spec)
            return gpci_out_of_memory(error);
        spec->users = 1;
        spec->kind = kind;
        spec->text = gpci_strdup(context, text);
        gpc_status status = spec->text ? read_spec(context, spec, error) : gpci_out_of_memory(error);
        if (status < 0) {
            gpci_policy_spec_leave(context, spec);
            return status;
        }
        spec->level = level;
        if (level) {
            spec->next = level->specs;
            level->specs = spec;
        }
        spec->users = 0;
    }
    spec->users++;
    *out = spec;
    return GPC_OK;
}

void gpci_common_leave(gpc_context *context, gpci_common *common) {
    if (!common || --common->users)
        return;
    for (gpci_common **at = common->level ? &common->level->states : NULL; at; at = &(*at)->next)
        if (*at == common) {
            *at = common->next;
            break;
        }
    gpci_free_lines(context, common->state);
    gpci_free(context, common->arguments);
    gpci_free(context, common);
}

gpc_status gpci_common_join(gpc_context *context, const gpci_policy_spec *spec, gpci_commons *level, size_t count,
                            gpc_error *error, gpci_common **out) {
    size_t of_all = gpci_field_size(spec->ops, gpci_kinds[spec->kind].at.shared_bytes);
    size_t of_each = gpci_field_size(spec->ops, gpci_kinds[spec->kind].at.shared_each_bytes);
    if (!(of_all + of_each))
        return GPC_OK;
    gpci_common *common = level ? level->states : NULL;
    while (common && (common->ops != spec->ops || strcmp(common->arguments, spec->arguments) != 0))
        common = common->next;
    if (!common) {
        if (of_each && count > (SIZE_MAX / 4 - of_all) / of_each)
            return gpci_out_of_memory(error);
        common = gpci_zalloc(context, 1, sizeof *common);
        if (!common)
            return gpci_out_of_memory(error);
        common->users = 1;
        common->ops = spec->ops;
        common->arguments = gpci_strdup(context, spec->arguments);
        common->state = gpci_zalloc_lines(context, 1, of_all + count * of_each);
        if (!common->arguments || !common->state) {
            gpci_common_leave(context, common);
            return gpci_out_of_memory(error);
        }
        common->level = level;
        if (level) {
            common->next = level->states;
            level->states = common;
        }
        common->users = 0;
    }
    common->users++;
    *out = common;
    return GPC_OK;
}

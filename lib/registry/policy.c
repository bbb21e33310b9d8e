/* SPDX-License-Identifier: BSD-2-Clause */
#include "registry/ops.h"

#include <stdio.h>
#include <string.h>

/* From a spec to a policy at work: its table, its parameters, its memory. */

typedef struct name_list {
    const gpc_context *context;
    gpc_policy_kind kind;
} name_list;

static const char *name_at(const void *data, size_t index) {
    const name_list *list = data;
    return gpci_ops_at(list->context, list->kind, index)->name;
}

/* A spec taken apart: its table, whose parameters have been read. */
typedef struct resolved {
    gpci_spec spec;
    const gpci_ops_head *head;
    void *user_data;
} resolved;

static gpc_status resolve(const gpc_context *context, gpc_policy_kind kind, const char *text, resolved *r,
                          gpci_values *values, gpc_error *error) {
    gpci_spec *spec = &r->spec;
    bool hosts = false;
    gpc_status status = gpci_spec_parse(text, spec, error);
    if (status < 0)
        return status;
    r->head = gpci_ops_find(context, kind, spec->name, spec->name_length, &r->user_data, &hosts);
    if (!r->head) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)spec->name_length, spec->name);
        name_list list = {context, kind};
        const char *nearest = gpci_nearest(name, gpc_policy_count(context, kind), name_at, &list);
        return gpci_fail(error, GPC_ERROR_NOT_FOUND, "no %s is named '%s'%s%s%s", gpci_kind_names[kind], name,
                         nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    }
    gpci_ops_tail tail = gpci_ops_tail_of(kind, r->head);
    gpci_parameters parameters = {r->head->parameters, r->head->parameter_count, tail.texts, tail.text_count};
    if (!hosts && !parameters.number_count && !parameters.text_count && spec->arguments[0])
        return gpci_fail(error, GPC_ERROR_NOT_FOUND, "%s '%s' takes no parameters", gpci_kind_names[kind],
                         r->head->name);
    return gpci_spec_values(spec, &parameters, values, error);
}

gpc_status gpci_policy_check(const gpc_context *context, gpc_policy_kind kind, const char *text, gpc_error *error) {
    resolved r;
    gpci_values values;
    return resolve(context, kind, text, &r, &values, error);
}

const void *gpci_policy_table(const gpc_context *context, gpc_policy_kind kind, const char *text) {
    resolved r;
    gpci_values values;
    return resolve(context, kind, text, &r, &values, NULL) == GPC_OK ? r.head : NULL;
}

gpc_status gpci_policy_cost(const gpc_context *context, gpc_policy_kind kind, const char *text,
                            const gpc_policy_env *geometry, gpc_error *error, uint64_t *out_bits) {
    resolved r;
    gpci_values values;
    gpc_status status = resolve(context, kind, text, &r, &values, error);
    if (status < 0)
        return status;
    gpc_policy_env env = *geometry;
    env.struct_size = sizeof env;
    env.parameters = values.numbers;
    env.texts = values.texts;
    env.words = values.words;
    env.arguments = r.spec.arguments;
    env.user_data = r.user_data;
    env.context = (gpc_context *)(uintptr_t)context;
    const void *table = r.head;
    const gpc_replacement_ops *replacement = table;
    const gpc_predictor_ops *predictor = table;
    uint64_t (*cost)(const gpc_policy_env *) =
        kind == GPC_POLICY_REPLACEMENT ? replacement->cost_bits : predictor->cost_bits;
    *out_bits = cost ? cost(&env) : 0;
    return GPC_OK;
}

gpc_status gpc_policy_level_cost(const gpc_context *context, gpc_policy_kind kind, const char *text, uint32_t caches,
                                 uint32_t sets, uint32_t ways, uint32_t line_bytes, uint32_t sectors, gpc_error *error,
                                 uint64_t *out_bits) {
    if (!context || !text || !out_bits || (unsigned)kind >= GPC_POLICY_SCHEDULER || !caches || !sets || !ways ||
        ways > GPC_MAX_WAYS)
        return gpci_fail(error, GPC_ERROR_ARGUMENT,
                         "gpc_policy_cost: a NULL, a kind without caches or an impossible geometry");
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

gpc_status gpc_policy_cost(const gpc_context *context, gpc_policy_kind kind, const char *text, uint32_t sets,
                           uint32_t ways, uint32_t line_bytes, uint32_t sectors, gpc_error *error, uint64_t *out_bits) {
    return gpc_policy_level_cost(context, kind, text, 1, sets, ways, line_bytes, sectors, error, out_bits);
}

gpc_status gpci_scheduler_parts(char *text, char *parts[1 + GPCI_MAX_THROTTLES], size_t *out_count, gpc_error *error) {
    size_t count = 0;
    for (char *rest = text; rest;) {
        if (count > GPCI_MAX_THROTTLES)
            return gpci_fail(error, GPC_ERROR_RANGE, "a scheduler has more than %u throttles", GPCI_MAX_THROTTLES);
        parts[count++] = gpci_spec_cut(&rest, '+');
    }
    *out_count = count;
    return GPC_OK;
}

static gpc_policy_kind kind_of_part(size_t part) {
    return part ? GPC_POLICY_THROTTLE : GPC_POLICY_SCHEDULER;
}

gpc_status gpci_scheduler_check(const gpc_context *context, const char *text, gpc_error *error) {
    char *copy = gpci_strdup((gpc_context *)(uintptr_t)context, text);
    if (!copy)
        return gpci_out_of_memory(error);
    char *parts[1 + GPCI_MAX_THROTTLES];
    size_t count = 0;
    gpc_status status = gpci_scheduler_parts(copy, parts, &count, error);
    for (size_t i = 0; i < count && status == GPC_OK; i++)
        status = gpci_policy_check(context, kind_of_part(i), parts[i], error);
    gpci_free((gpc_context *)(uintptr_t)context, copy);
    return status;
}

gpc_status gpci_scheduler_text_wants_events(gpc_context *context, const char *text, gpc_error *error, bool *out) {
    char *copy = gpci_strdup(context, text), *parts[1 + GPCI_MAX_THROTTLES];
    if (!copy)
        return gpci_out_of_memory(error);
    size_t count = 0;
    gpc_status status = gpci_scheduler_parts(copy, parts, &count, error);
    *out = false;
    for (size_t i = 0; i < count; i++) {
        const void *table = gpci_policy_table(context, kind_of_part(i), parts[i]);
        const gpc_scheduler_ops *scheduler = table;
        const gpc_throttle_ops *throttle = table;
        *out |= table && (i ? throttle->on_cache_event != NULL : scheduler->on_cache_event != NULL);
    }
    gpci_free(context, copy);
    return status;
}

static gpc_status part_cost(const gpc_context *context, gpc_policy_kind kind, const char *text, uint32_t warps,
                            gpc_error *error, uint64_t *out_bits) {
    resolved r;
    gpci_values values;
    gpc_status status = resolve(context, kind, text, &r, &values, error);
    if (status < 0)
        return status;
    gpc_scheduler_env env = {.struct_size = sizeof env,
                             .warps = warps,
                             .count = 1,
                             .sms = 1,
                             .parameters = values.numbers,
                             .arguments = r.spec.arguments,
                             .user_data = r.user_data,
                             .texts = values.texts,
                             .words = values.words,
                             .context = (gpc_context *)(uintptr_t)context};
    const void *table = r.head;
    const gpc_scheduler_ops *scheduler = table;
    const gpc_throttle_ops *throttle = table;
    uint64_t (*cost)(const gpc_scheduler_env *) =
        kind == GPC_POLICY_SCHEDULER ? scheduler->cost_bits : throttle->cost_bits;
    *out_bits += cost ? cost(&env) : 0;
    return GPC_OK;
}

gpc_status gpc_scheduler_cost(const gpc_context *context, const char *text, uint32_t warps, gpc_error *error,
                              uint64_t *out_bits) {
    if (!context || !text || !out_bits || !warps || warps > GPCI_MAX_SCHEDULER_WARPS)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_scheduler_cost: a NULL, or warps is not 1 to %u",
                         GPCI_MAX_SCHEDULER_WARPS);
    char *copy = gpci_strdup((gpc_context *)(uintptr_t)context, text);
    if (!copy)
        return gpci_out_of_memory(error);
    char *parts[1 + GPCI_MAX_THROTTLES];
    size_t count = 0;
    uint64_t bits = 0;
    gpc_status status = gpci_scheduler_parts(copy, parts, &count, error);
    for (size_t i = 0; i < count && status == GPC_OK; i++)
        status = part_cost(context, kind_of_part(i), parts[i], warps, error, &bits);
    gpci_free((gpc_context *)(uintptr_t)context, copy);
    if (status == GPC_OK)
        *out_bits = bits;
    return status;
}

/* What policies of one name and arguments share. */
typedef struct gpci_common {
    struct gpci_common *next; /* of its level's */
    gpci_commons *level;      /* NULL for a policy that stands alone */
    const void *ops;
    char *arguments;
    void *state;
    size_t users;
} gpci_common;

struct gpci_commons {
    gpc_context *context;
    gpci_common *first;
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

void gpci_commons_release(gpci_commons *commons) {
    if (commons && !--commons->references)
        gpci_free(commons->context, commons);
}

static void leave_common(gpc_context *context, gpci_common *common) {
    if (!common || --common->users)
        return;
    for (gpci_common **at = common->level ? &common->level->first : NULL; at; at = &(*at)->next)
        if (*at == common) {
            *at = common->next;
            break;
        }
    gpci_free_lines(context, common->state);
    gpci_free(context, common->arguments);
    gpci_free(context, common);
}

/* `count`: caches or schedulers that may share. */
static gpc_status join_common(gpci_policy *policy, gpc_policy_kind kind, gpci_commons *level, size_t count,
                              gpc_error *error, void **out_state) {
    gpci_ops_tail tail = gpci_ops_tail_of(kind, policy->ops);
    if (!(tail.shared_bytes + tail.shared_each_bytes))
        return GPC_OK;
    gpci_common *common = level ? level->first : NULL;
    while (common && (common->ops != policy->ops || strcmp(common->arguments, policy->arguments)))
        common = common->next;
    if (!common) {
        if (tail.shared_each_bytes && count > (SIZE_MAX / 4 - tail.shared_bytes) / tail.shared_each_bytes)
            return gpci_out_of_memory(error);
        common = gpci_zalloc(policy->context, 1, sizeof *common);
        if (!common)
            return gpci_out_of_memory(error);
        common->users = 1;
        common->ops = policy->ops;
        common->arguments = gpci_strdup(policy->context, policy->arguments);
        common->state = gpci_zalloc_lines(policy->context, 1, tail.shared_bytes + count * tail.shared_each_bytes);
        if (!common->arguments || !common->state) {
            leave_common(policy->context, common);
            return gpci_out_of_memory(error);
        }
        common->level = level;
        if (level) {
            common->next = level->first;
            level->first = common;
        }
        common->users = 0;
    }
    common->users++;
    policy->common = common;
    *out_state = common->state;
    return GPC_OK;
}

static size_t round_up(size_t bytes) {
    return (bytes + 63) & ~(size_t)63;
}

/* One slab: instance, `first` states of the first size, `second` of the second, each on its own cache line. */
static gpc_status make_slab(gpci_policy *policy, size_t first, size_t second, gpc_error *error) {
    const gpci_ops_head *head = policy->ops;
    if ((head->set_bytes && first > SIZE_MAX / 4 / head->set_bytes) ||
        (head->line_bytes && second > SIZE_MAX / 4 / head->line_bytes))
        return gpci_out_of_memory(error);
    size_t instance = round_up(head->instance_bytes ? head->instance_bytes : 1);
    size_t firsts = round_up(head->set_bytes * first);
    char *slab = gpci_zalloc_lines(policy->context, 1, instance + firsts + head->line_bytes * second);
    if (!slab)
        return gpci_out_of_memory(error);
    policy->self = slab;
    policy->first_state = head->set_bytes ? slab + instance : NULL;
    policy->second_state = head->line_bytes ? slab + instance + firsts : NULL;
    return GPC_OK;
}

/* What init returned, and said in `message`. */
static gpc_status judge(gpci_policy *policy, gpc_policy_kind kind, gpc_status status, char *message, size_t size,
                        gpc_error *error) {
    message[size - 1] = '\0';
    if (status == GPC_OK)
        return GPC_OK;
    return gpci_fail(error, status < 0 ? status : GPC_ERROR_CALLBACK, "%s '%s': %s", gpci_kind_names[kind],
                     policy->spec, *message ? message : gpc_status_string(status));
}

/* A policy that knows its table and parameters, but has neither slab nor environment. */
static gpc_status prepare(gpc_context *context, gpc_policy_kind kind, const char *text, gpc_error *error,
                          gpci_policy **out) {
    gpci_policy *policy = gpci_zalloc(context, 1, sizeof *policy);
    if (!policy)
        return gpci_out_of_memory(error);
    policy->context = context;
    policy->spec = gpci_strdup(context, text);
    resolved r = {.head = NULL};
    gpc_status status =
        !policy->spec ? gpci_out_of_memory(error) : resolve(context, kind, policy->spec, &r, &policy->values, error);
    if (status == GPC_OK) {
        policy->arguments = gpci_strdup(context, r.spec.arguments);
        if (!policy->arguments)
            status = gpci_out_of_memory(error);
    }
    if (status < 0) {
        gpci_policy_destroy(policy);
        return status;
    }
    policy->ops = r.head;
    policy->user_data = r.user_data;
    *out = policy;
    return GPC_OK;
}

static uint64_t seed_of(const gpc_context *context, gpc_policy_kind kind, uint64_t index, uint64_t seed) {
    return gpci_mix(context->seed ^ ((uint64_t)kind << 56) ^ (index << 32) ^ seed);
}

static gpc_status start(gpci_policy *policy, gpc_policy_kind kind, gpc_error *error) {
    const gpc_replacement_ops *replacement = policy->ops;
    const gpc_predictor_ops *predictor = policy->ops;
    bool replaces = kind == GPC_POLICY_REPLACEMENT;
    gpc_policy_env *env = &policy->env;
    gpc_status (*init)(void *, const gpc_policy_env *, char *) = replaces ? replacement->init : predictor->init;
    gpc_status status = make_slab(policy, env->sets, (size_t)env->sets * env->ways, error);
    env->set_state = policy->first_state;
    env->line_state = policy->second_state;
    char message[256] = "";
    if (status == GPC_OK && init)
        status = judge(policy, kind, init(policy->self, env, message), message, sizeof message, error);
    if (status == GPC_OK)
        policy->finish = replaces ? replacement->finish : predictor->finish;
    return status;
}

gpc_status gpci_policy_create(gpc_context *context, gpc_policy_kind kind, const char *text,
                              const gpc_policy_env *geometry, gpci_commons *commons, gpc_error *error,
                              gpci_policy **out) {
    gpci_policy *policy = NULL;
    gpc_status status = prepare(context, kind, text, error, &policy);
    if (status < 0)
        return status;
    policy->env = *geometry;
    policy->env.struct_size = sizeof policy->env;
    policy->env.parameters = policy->values.numbers;
    policy->env.texts = policy->values.texts;
    policy->env.words = policy->values.words;
    policy->env.arguments = policy->arguments;
    policy->env.user_data = policy->user_data;
    policy->env.context = context;
    policy->env.seed = seed_of(context, kind, geometry->index, geometry->seed);
    status = join_common(policy, kind, commons, geometry->count, error, &policy->env.shared_state);
    if (status == GPC_OK)
        status = start(policy, kind, error);
    if (status < 0) {
        gpci_policy_destroy(policy);
        return status;
    }
    *out = policy;
    return GPC_OK;
}

gpc_status gpci_scheduler_policy_create(gpc_context *context, gpc_policy_kind kind, const char *text,
                                        const gpc_scheduler_env *geometry, gpci_commons *commons, gpc_error *error,
                                        gpci_policy **out) {
    gpci_policy *policy = NULL;
    gpc_status status = prepare(context, kind, text, error, &policy);
    if (status < 0)
        return status;
    const gpc_scheduler_ops *scheduler = policy->ops;
    const gpc_throttle_ops *throttle = policy->ops;
    bool schedules = kind == GPC_POLICY_SCHEDULER;
    gpc_scheduler_env *env = &policy->scheduler_env;
    *env = *geometry;
    env->shared_state = NULL;
    status = join_common(policy, kind, commons, (size_t)geometry->count * geometry->sms, error, &env->shared_state);
    if (status == GPC_OK)
        status = make_slab(policy, geometry->warps, 0, error);
    env->struct_size = sizeof *env;
    env->warp_state = policy->first_state;
    env->parameters = policy->values.numbers;
    env->texts = policy->values.texts;
    env->words = policy->values.words;
    env->arguments = policy->arguments;
    env->user_data = policy->user_data;
    env->context = context;
    env->seed = seed_of(context, kind, (uint64_t)geometry->sm * geometry->count + geometry->index, geometry->seed);
    char message[256] = "";
    gpc_status (*init)(void *, const gpc_scheduler_env *, char *) = schedules ? scheduler->init : throttle->init;
    if (status == GPC_OK && init)
        status = judge(policy, kind, init(policy->self, env, message), message, sizeof message, error);
    if (status < 0) {
        gpci_policy_destroy(policy);
        return status;
    }
    policy->finish = schedules ? scheduler->finish : throttle->finish;
    *out = policy;
    return GPC_OK;
}

void gpci_policy_destroy(gpci_policy *policy) {
    if (!policy)
        return;
    if (policy->finish)
        policy->finish(policy->self);
    leave_common(policy->context, policy->common);
    gpci_free_lines(policy->context, policy->self);
    gpci_free(policy->context, policy->arguments);
    gpci_free(policy->context, policy->spec);
    gpci_free(policy->context, policy);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "registry/commons.h"
#include "stats/stats.h"

#include <string.h>

/* Make a running policy from a spec: its memory, its environment, and the call of its init. */

static size_t round_up(size_t bytes) {
    return (bytes + 63) & ~(size_t)63;
}

/*
 * Make the slab: the instance, `first` states of set_bytes, and `second` states of line_bytes. The three parts begin on
 * cache lines.
 */
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

/* Convert the status of init, and its `message`, into an error. */
static gpc_status judge(const gpci_policy_spec *spec, gpc_status status, char *message, size_t size, gpc_error *error) {
    message[size - 1] = '\0';
    if (status == GPC_OK)
        return GPC_OK;
    return gpci_fail(error, status < 0 ? status : GPC_ERROR_CALLBACK, "%s '%s': %s", gpci_kinds[spec->kind].name,
                     spec->text, *message ? message : gpc_status_string(status));
}

/* Make a policy with its table, parameters and shared state; `count` caches or schedulers may share. */
static gpc_status prepare(gpc_context *context, gpc_policy_kind kind, const char *text, gpci_commons *commons,
                          size_t count, gpc_error *error, gpci_policy **out) {
    gpci_policy *policy = gpci_zalloc(context, 1, sizeof *policy);
    if (!policy)
        return gpci_out_of_memory(error);
    policy->context = context;
    gpc_status status = gpci_policy_spec_join(context, kind, text, commons, error, &policy->spec);
    if (status == GPC_OK)
        status = gpci_common_join(context, policy->spec, commons, count, error, &policy->common);
    if (status < 0) {
        gpci_policy_destroy(policy);
        return status;
    }
    policy->ops = policy->spec->ops;
    *out = policy;
    return GPC_OK;
}

static void ready(gpci_policy *policy) {
    gpci_field_get(policy->ops, gpci_kinds[policy->spec->kind].at.finish, &policy->finish, sizeof policy->finish);
}

static uint64_t seed_of(const gpc_context *context, gpc_policy_kind kind, uint64_t index, uint64_t seed) {
    return gpci_mix(context->seed ^ ((uint64_t)kind << 56) ^ (index << 32) ^ seed);
}

static gpc_status start(gpci_policy *policy, gpc_error *error) {
    gpci_policy_spec *spec = policy->spec;
    gpc_policy_env *env = &policy->env;
    gpc_status status = make_slab(policy, env->sets, (size_t)env->sets * env->ways, error);
    env->struct_size = sizeof *env;
    env->set_state = policy->first_state;
    env->line_state = policy->second_state;
    env->shared_state = policy->common ? policy->common->state : env->shared_state;
    env->parameters = spec->values.numbers;
    env->texts = spec->values.texts;
    env->words = spec->values.words;
    env->arguments = spec->arguments;
    env->user_data = spec->user_data;
    env->context = policy->context;
    env->seed = seed_of(policy->context, spec->kind, env->index, env->seed);
    char message[GPCI_POLICY_MESSAGE] = "";
    gpc_status (*init)(void *, const gpc_policy_env *, char *);
    gpci_field_get(policy->ops, gpci_kinds[spec->kind].at.init, &init, sizeof init);
    if (status == GPC_OK && init)
        status = judge(spec, init(policy->self, env, message), message, sizeof message, error);
    return status;
}

bool gpci_policy_is_hosts(const gpci_policy *policy) {
    return gpci_table_is_hosts(policy->context, policy->spec->kind, policy->ops);
}

bool gpci_policy_same(const gpci_policy *left, const gpci_policy *right) {
    return left->ops == right->ops && strcmp(left->spec->arguments, right->spec->arguments) == 0;
}

gpc_status gpci_policy_create(gpc_context *context, gpc_policy_kind kind, const char *text,
                              const gpc_policy_env *geometry, gpci_commons *commons, gpc_error *error,
                              gpci_policy **out) {
    gpci_policy *policy = NULL;
    gpc_status status = prepare(context, kind, text, commons, geometry->count, error, &policy);
    if (status < 0)
        return status;
    policy->env = *geometry;
    status = start(policy, error);
    if (status < 0) {
        gpci_policy_destroy(policy);
        return status;
    }
    ready(policy);
    *out = policy;
    return GPC_OK;
}

static gpc_status start_scheduler(gpci_policy *policy, gpc_error *error) {
    gpci_policy_spec *spec = policy->spec;
    gpc_scheduler_env *env = &policy->scheduler_env;
    gpc_status status = make_slab(policy, env->warps, 0, error);
    env->struct_size = sizeof *env;
    env->warp_state = policy->first_state;
    env->shared_state = policy->common ? policy->common->state : NULL;
    env->parameters = spec->values.numbers;
    env->texts = spec->values.texts;
    env->words = spec->values.words;
    env->arguments = spec->arguments;
    env->user_data = spec->user_data;
    env->context = policy->context;
    env->seed = seed_of(policy->context, spec->kind, (uint64_t)env->sm * env->count + env->index, env->seed);
    char message[GPCI_POLICY_MESSAGE] = "";
    gpc_status (*init)(void *, const gpc_scheduler_env *, char *);
    gpci_field_get(policy->ops, gpci_kinds[spec->kind].at.init, &init, sizeof init);
    if (status == GPC_OK && init)
        status = judge(spec, init(policy->self, env, message), message, sizeof message, error);
    return status;
}

gpc_status gpci_scheduler_policy_create(gpc_context *context, gpc_policy_kind kind, const char *text,
                                        const gpc_scheduler_env *geometry, gpci_commons *commons, gpc_error *error,
                                        gpci_policy **out) {
    gpci_policy *policy = NULL;
    size_t count = (size_t)geometry->count * geometry->sms;
    gpc_status status = prepare(context, kind, text, commons, count, error, &policy);
    if (status < 0)
        return status;
    policy->scheduler_env = *geometry;
    status = start_scheduler(policy, error);
    if (status < 0) {
        gpci_policy_destroy(policy);
        return status;
    }
    ready(policy);
    *out = policy;
    return GPC_OK;
}

bool gpci_policy_has_state(const gpci_policy *policy) {
    return !gpci_field_is_null(policy->ops, gpci_kinds[policy->spec->kind].at.state);
}

const char *gpci_policy_text(const gpci_policy *policy) {
    return policy->spec->text;
}

void gpci_policy_state(gpci_policy *policy, gpci_state_fn visit, void *user_data) {
    const gpci_policy_spec *spec = policy->spec;
    const bool warps = spec->kind == GPC_POLICY_SCHEDULER || spec->kind == GPC_POLICY_THROTTLE;
    const gpc_policy_env *env = &policy->env;
    const size_t firsts = warps ? policy->scheduler_env.warps : env->sets,
                 seconds = warps ? 0 : (size_t)env->sets * env->ways;
    void (*state)(void *, gpc_state_fn, void *);
    gpci_field_get(policy->ops, gpci_kinds[spec->kind].at.state, &state, sizeof state);
    if (!state) {
        visit(user_data, NULL, 1);
        return;
    }
    if (policy->first_state)
        visit(user_data, policy->first_state, firsts * policy->spec->ops->set_bytes);
    if (policy->second_state)
        visit(user_data, policy->second_state, seconds * policy->spec->ops->line_bytes);
    state(policy->self, visit, user_data);
}

void gpci_policy_destroy(gpci_policy *policy) {
    if (!policy)
        return;
    if (policy->finish)
        policy->finish(policy->self);
    gpci_common_leave(policy->context, policy->common);
    gpci_policy_spec_leave(policy->context, policy->spec);
    gpci_free_lines(policy->context, policy->self);
    gpci_free(policy->context, policy);
}

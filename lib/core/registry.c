/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/registry.h"

#include "core/spec.h"

#include <stdio.h>
#include <string.h>

/* The fields with which all tables begin, so that registration need not know which it has. */
typedef struct ops_head {
    size_t struct_size;
    const char *name, *summary, *source;
    size_t instance_bytes;
    size_t set_bytes, line_bytes; /* a scheduler's: warp_bytes and none */
    const gpc_parameter *parameters;
    size_t parameter_count;
} ops_head;

#define SAME_PLACE_AS(field, schedulers)                                                     \
    _Static_assert(offsetof(ops_head, field) == offsetof(gpc_replacement_ops, field) &&      \
                       offsetof(ops_head, field) == offsetof(gpc_predictor_ops, field) &&    \
                       offsetof(ops_head, field) == offsetof(gpc_scheduler_ops, schedulers), \
                   "all policy tables begin with the same fields")
#define SAME_PLACE(field) SAME_PLACE_AS(field, field)
SAME_PLACE(struct_size);
SAME_PLACE(name);
SAME_PLACE(summary);
SAME_PLACE(source);
SAME_PLACE(instance_bytes);
SAME_PLACE_AS(set_bytes, warp_bytes);
SAME_PLACE_AS(line_bytes, reserved);
SAME_PLACE(parameters);
SAME_PLACE(parameter_count);

typedef struct entry {
    union {
        ops_head head;
        gpc_replacement_ops replacement;
        gpc_predictor_ops predictor;
        gpc_scheduler_ops scheduler;
    } ops;
    char *strings;             /* storage of a caller's names and texts */
    gpc_parameter *parameters; /* likewise */
    void *user_data;
    void (*destroy)(void *user_data);
} entry;

struct gpci_registry {
    entry **entries[GPC_POLICY_KIND_COUNT]; /* pointers: a policy at work holds its table's address */
    size_t counts[GPC_POLICY_KIND_COUNT];
};

static const char *const kind_names[GPC_POLICY_KIND_COUNT] = {"replacement policy", "predictor", "scheduler"};

/* The built-in table at `index`, NULL at the list's end. */
static const ops_head *builtin_at(gpc_policy_kind kind, size_t index) {
    switch (kind) {
    case GPC_POLICY_REPLACEMENT:
        return (const ops_head *)(const void *)gpci_builtin_replacements[index];
    case GPC_POLICY_PREDICTOR:
        return (const ops_head *)(const void *)gpci_builtin_predictors[index];
    default:
        return (const ops_head *)(const void *)gpci_builtin_schedulers[index];
    }
}

static size_t builtin_count(gpc_policy_kind kind) {
    size_t n = 0;
    while (builtin_at(kind, n))
        n++;
    return n;
}

static const ops_head *head_at(const gpc_context *context, gpc_policy_kind kind, size_t index) {
    size_t builtin = builtin_count(kind);
    return index < builtin ? builtin_at(kind, index) : &context->registry->entries[kind][index - builtin]->ops.head;
}

size_t gpc_policy_count(const gpc_context *context, gpc_policy_kind kind) {
    if (!context || (unsigned)kind >= GPC_POLICY_KIND_COUNT)
        return 0;
    return builtin_count(kind) + context->registry->counts[kind];
}

gpc_status gpc_policy_at(const gpc_context *context, gpc_policy_kind kind, size_t index, gpc_policy_info *info) {
    if (!context || !info || (unsigned)kind >= GPC_POLICY_KIND_COUNT)
        return GPC_ERROR_ARGUMENT;
    if (index >= gpc_policy_count(context, kind))
        return GPC_ERROR_RANGE;
    const ops_head *head = head_at(context, kind, index);
    gpc_policy_info ours = {sizeof ours,      head->name,
                            head->summary,    head->source,
                            head->parameters, head->parameter_count,
                            index < builtin_count(kind)};
    return gpci_give(info, &ours, sizeof ours);
}

gpci_registry *gpci_registry_create(gpc_context *context) {
    return gpci_zalloc(context, 1, sizeof(gpci_registry));
}

static void entry_free(gpc_context *context, entry *e) {
    gpci_free(context, e->strings);
    gpci_free(context, e->parameters);
    gpci_free(context, e);
}

void gpci_registry_destroy(gpc_context *context, gpci_registry *registry) {
    for (int kind = 0; kind < GPC_POLICY_KIND_COUNT; kind++) {
        for (size_t i = 0; i < registry->counts[kind]; i++) {
            entry *e = registry->entries[kind][i];
            if (e->destroy)
                e->destroy(e->user_data);
            entry_free(context, e);
        }
        gpci_free(context, registry->entries[kind]);
    }
    gpci_free(context, registry);
}

static bool good_name(const char *name) {
    if (!name || !*name || strlen(name) > 63)
        return false;
    return name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}

static gpc_status check_head(const ops_head *head, const char *type, gpc_error *error) {
    if (!good_name(head->name))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.name must be 1 to 63 characters of a-z, 0-9 and '-'", type);
    if (head->parameter_count > GPC_MAX_PARAMETERS || (head->parameter_count && !head->parameters))
        return gpci_fail(error, GPC_ERROR_ARGUMENT,
                         "%s.parameter_count of '%s' is %zu; a table of at most %u is needed", type, head->name,
                         head->parameter_count, GPC_MAX_PARAMETERS);
    for (size_t i = 0; i < head->parameter_count; i++) {
        const gpc_parameter *p = &head->parameters[i];
        if (!p->name || !*p->name || !(p->minimum <= p->initial && p->initial <= p->maximum))
            return gpci_fail(error, GPC_ERROR_ARGUMENT,
                             "%s.parameters[%zu] of '%s' has no name or an initial value out of its range", type, i,
                             head->name);
    }
    return GPC_OK;
}

/* Strings of a caller may be gone tomorrow (a binding's certainly are): keep copies of all. */
static bool copy_strings(gpc_context *context, entry *e) {
    ops_head *head = &e->ops.head;
    size_t bytes = 0;
    const char **texts[3 + 2 * GPC_MAX_PARAMETERS] = {&head->name, &head->summary, &head->source};
    size_t count = 3;
    if (head->parameter_count) {
        e->parameters = gpci_zalloc(context, head->parameter_count, sizeof *e->parameters);
        if (!e->parameters)
            return false;
        memcpy(e->parameters, head->parameters, head->parameter_count * sizeof *e->parameters);
        head->parameters = e->parameters;
        for (size_t i = 0; i < head->parameter_count; i++) {
            texts[count++] = &e->parameters[i].name;
            texts[count++] = &e->parameters[i].meaning;
        }
    }
    for (size_t i = 0; i < count; i++)
        bytes += (*texts[i] ? strlen(*texts[i]) : 0) + 1;
    char *to = e->strings = gpci_alloc(context, bytes);
    if (!to)
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *from = *texts[i] ? *texts[i] : "";
        *texts[i] = strcpy(to, from);
        to += strlen(from) + 1;
    }
    return true;
}

/* What a table cannot do without. */
static gpc_status check_table(gpc_policy_kind kind, const entry *e, const char *type, gpc_error *error) {
    const char *missing = NULL;
    if (kind == GPC_POLICY_REPLACEMENT && !e->ops.replacement.choose_victim)
        missing = "choose_victim";
    if (kind == GPC_POLICY_PREDICTOR && !e->ops.predictor.predict)
        missing = "predict";
    if (kind == GPC_POLICY_SCHEDULER && !e->ops.scheduler.pick)
        missing = "pick";
    if (missing)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.%s of '%s' is NULL", type, missing, e->ops.head.name);
    if (kind == GPC_POLICY_SCHEDULER && e->ops.scheduler.reserved)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.reserved of '%s' is not 0", type, e->ops.head.name);
    return GPC_OK;
}

static gpc_status add_entry(gpc_context *context, gpc_policy_kind kind, entry *e, gpc_error *error) {
    gpci_registry *registry = context->registry;
    size_t count = registry->counts[kind];
    entry **grown = gpci_resize(context, registry->entries[kind], count + 1, sizeof *grown);
    if (!grown)
        return gpci_out_of_memory(error);
    registry->entries[kind] = grown;
    if (!copy_strings(context, e))
        return gpci_out_of_memory(error);
    grown[count] = e;
    registry->counts[kind]++;
    return GPC_OK;
}

static const ops_head *find(const gpc_context *context, gpc_policy_kind kind, const char *name, size_t length,
                            const entry **out_entry) {
    size_t builtin = builtin_count(kind);
    for (size_t i = 0; i < gpc_policy_count(context, kind); i++) {
        const ops_head *head = head_at(context, kind, i);
        if (strlen(head->name) == length && !memcmp(head->name, name, length)) {
            *out_entry = i < builtin ? NULL : context->registry->entries[kind][i - builtin];
            return head;
        }
    }
    return NULL;
}

static gpc_status register_ops(gpc_context *context, gpc_policy_kind kind, const void *ops, size_t size,
                               const char *type, void *user_data, void (*destroy)(void *), gpc_error *error) {
    gpc_status status;
    entry *e = NULL;
    if (!context || !ops) {
        status = gpci_fail(error, GPC_ERROR_ARGUMENT, "registering a %s: %s is NULL", kind_names[kind],
                           context ? "ops" : "context");
        goto failed;
    }
    e = gpci_zalloc(context, 1, sizeof *e);
    if (!e) {
        status = gpci_out_of_memory(error);
        goto failed;
    }
    status = gpci_take(&e->ops, size, size, ops, type, error);
    if (status == GPC_OK)
        status = check_head(&e->ops.head, type, error);
    if (status == GPC_OK)
        status = check_table(kind, e, type, error);
    if (status < 0)
        goto failed;
    const entry *other;
    if (find(context, kind, e->ops.head.name, strlen(e->ops.head.name), &other)) {
        status = gpci_fail(error, GPC_ERROR_EXISTS, "a %s named '%s' is registered already", kind_names[kind],
                           e->ops.head.name);
        goto failed;
    }
    status = add_entry(context, kind, e, error);
    if (status < 0)
        goto failed;
    e->user_data = user_data;
    e->destroy = destroy;
    return GPC_OK;
failed:
    if (e)
        entry_free(context, e);
    if (destroy)
        destroy(user_data);
    return status;
}

gpc_status gpc_context_register_replacement(gpc_context *context, const gpc_replacement_ops *ops, void *user_data,
                                            void (*destroy)(void *user_data), gpc_error *error) {
    return register_ops(context, GPC_POLICY_REPLACEMENT, ops, sizeof *ops, "gpc_replacement_ops", user_data, destroy,
                        error);
}

gpc_status gpc_context_register_predictor(gpc_context *context, const gpc_predictor_ops *ops, void *user_data,
                                          void (*destroy)(void *user_data), gpc_error *error) {
    return register_ops(context, GPC_POLICY_PREDICTOR, ops, sizeof *ops, "gpc_predictor_ops", user_data, destroy,
                        error);
}

gpc_status gpc_context_register_scheduler(gpc_context *context, const gpc_scheduler_ops *ops, void *user_data,
                                          void (*destroy)(void *user_data), gpc_error *error) {
    return register_ops(context, GPC_POLICY_SCHEDULER, ops, sizeof *ops, "gpc_scheduler_ops", user_data, destroy,
                        error);
}

typedef struct name_list {
    const gpc_context *context;
    gpc_policy_kind kind;
} name_list;

static const char *name_at(const void *data, size_t index) {
    const name_list *list = data;
    return head_at(list->context, list->kind, index)->name;
}

/* Find the table that a spec names and read its parameters. */
static gpc_status resolve(const gpc_context *context, gpc_policy_kind kind, const char *text, gpci_spec *spec,
                          double *parameters, const ops_head **out_head, const entry **out_entry, gpc_error *error) {
    gpc_status status = gpci_spec_parse(text, spec, error);
    if (status < 0)
        return status;
    const ops_head *head = find(context, kind, spec->name, spec->name_length, out_entry);
    if (!head) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)spec->name_length, spec->name);
        name_list list = {context, kind};
        const char *nearest = gpci_nearest(name, gpc_policy_count(context, kind), name_at, &list);
        return gpci_fail(error, GPC_ERROR_NOT_FOUND, "no %s is named '%s'%s%s%s", kind_names[kind], name,
                         nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    }
    *out_head = head;
    if (!*out_entry && !head->parameter_count && spec->arguments[0])
        return gpci_fail(error, GPC_ERROR_NOT_FOUND, "%s '%s' takes no parameters", kind_names[kind], head->name);
    return gpci_spec_parameters(spec, head->parameters, head->parameter_count, parameters, error);
}

gpc_status gpci_policy_check(const gpc_context *context, gpc_policy_kind kind, const char *text, gpc_error *error) {
    gpci_spec spec;
    double parameters[GPC_MAX_PARAMETERS];
    const ops_head *head = NULL;
    const entry *user = NULL;
    return resolve(context, kind, text, &spec, parameters, &head, &user, error);
}

gpc_status gpc_policy_cost(const gpc_context *context, gpc_policy_kind kind, const char *text, uint32_t sets,
                           uint32_t ways, uint32_t line_bytes, uint32_t sectors, gpc_error *error, uint64_t *out_bits) {
    if (!context || !text || !out_bits || (unsigned)kind >= GPC_POLICY_SCHEDULER || !sets || !ways ||
        ways > GPC_MAX_WAYS)
        return gpci_fail(error, GPC_ERROR_ARGUMENT,
                         "gpc_policy_cost: a NULL, a kind without caches or an impossible geometry");
    gpci_spec spec;
    double parameters[GPC_MAX_PARAMETERS];
    const ops_head *head = NULL;
    const entry *user = NULL;
    gpc_status status = resolve(context, kind, text, &spec, parameters, &head, &user, error);
    if (status < 0)
        return status;
    gpc_policy_env env = {.struct_size = sizeof env,
                          .sets = sets,
                          .ways = ways,
                          .line_bytes = line_bytes,
                          .sectors = sectors ? sectors : 1,
                          .count = 1,
                          .parameters = parameters,
                          .arguments = spec.arguments,
                          .user_data = user ? user->user_data : NULL};
    uint64_t (*cost)(const gpc_policy_env *) = kind == GPC_POLICY_REPLACEMENT
                                                   ? ((const gpc_replacement_ops *)(const void *)head)->cost_bits
                                                   : ((const gpc_predictor_ops *)(const void *)head)->cost_bits;
    *out_bits = cost ? cost(&env) : 0;
    return GPC_OK;
}

gpc_status gpc_scheduler_cost(const gpc_context *context, const char *text, uint32_t warps, gpc_error *error,
                              uint64_t *out_bits) {
    if (!context || !text || !out_bits || !warps || warps > GPCI_MAX_SCHEDULER_WARPS)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_scheduler_cost: a NULL, or warps is not 1 to %u",
                         GPCI_MAX_SCHEDULER_WARPS);
    gpci_spec spec;
    double parameters[GPC_MAX_PARAMETERS];
    const ops_head *head = NULL;
    const entry *user = NULL;
    gpc_status status = resolve(context, GPC_POLICY_SCHEDULER, text, &spec, parameters, &head, &user, error);
    if (status < 0)
        return status;
    gpc_scheduler_env env = {.struct_size = sizeof env,
                             .warps = warps,
                             .count = 1,
                             .sms = 1,
                             .parameters = parameters,
                             .arguments = spec.arguments,
                             .user_data = user ? user->user_data : NULL};
    const gpc_scheduler_ops *ops = (const gpc_scheduler_ops *)(const void *)head;
    *out_bits = ops->cost_bits ? ops->cost_bits(&env) : 0;
    return GPC_OK;
}

static size_t round_up(size_t bytes) {
    return (bytes + 63) & ~(size_t)63;
}

/* One slab: instance, `first` states of the first size, `second` of the second, each on its own cache line. */
static gpc_status make_slab(gpci_policy *policy, size_t first, size_t second, gpc_error *error) {
    const ops_head *head = policy->ops;
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
    return gpci_fail(error, status < 0 ? status : GPC_ERROR_CALLBACK, "%s '%s': %s", kind_names[kind], policy->spec,
                     *message ? message : gpc_status_string(status));
}

/* A policy that knows its table and parameters, but has neither slab nor environment. */
static gpc_status prepare(gpc_context *context, gpc_policy_kind kind, const char *text, gpc_error *error,
                          gpci_policy **out) {
    gpci_policy *policy = gpci_zalloc(context, 1, sizeof *policy);
    if (!policy)
        return gpci_out_of_memory(error);
    policy->context = context;
    policy->spec = gpci_strdup(context, text);
    gpci_spec spec;
    const ops_head *head = NULL;
    const entry *user = NULL;
    gpc_status status = !policy->spec ? gpci_out_of_memory(error)
                                      : resolve(context, kind, policy->spec, &spec, policy->parameters, &head, &user,
                                                error);
    if (status == GPC_OK) {
        policy->arguments = gpci_strdup(context, spec.arguments);
        if (!policy->arguments)
            status = gpci_out_of_memory(error);
    }
    if (status < 0) {
        gpci_policy_destroy(policy);
        return status;
    }
    policy->ops = head;
    policy->user_data = user ? user->user_data : NULL;
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
                              const gpc_policy_env *geometry, gpc_error *error, gpci_policy **out) {
    gpci_policy *policy = NULL;
    gpc_status status = prepare(context, kind, text, error, &policy);
    if (status < 0)
        return status;
    policy->env = *geometry;
    policy->env.struct_size = sizeof policy->env;
    policy->env.parameters = policy->parameters;
    policy->env.arguments = policy->arguments;
    policy->env.user_data = policy->user_data;
    policy->env.seed = seed_of(context, kind, geometry->index, geometry->seed);
    status = start(policy, kind, error);
    if (status < 0) {
        gpci_policy_destroy(policy);
        return status;
    }
    *out = policy;
    return GPC_OK;
}

gpc_status gpci_scheduler_policy_create(gpc_context *context, const char *text, const gpc_scheduler_env *geometry,
                                        gpc_error *error, gpci_policy **out) {
    gpci_policy *policy = NULL;
    gpc_status status = prepare(context, GPC_POLICY_SCHEDULER, text, error, &policy);
    if (status < 0)
        return status;
    const gpc_scheduler_ops *ops = policy->ops;
    gpc_scheduler_env *env = &policy->scheduler_env;
    status = make_slab(policy, geometry->warps, 0, error);
    *env = *geometry;
    env->struct_size = sizeof *env;
    env->warp_state = policy->first_state;
    env->parameters = policy->parameters;
    env->arguments = policy->arguments;
    env->user_data = policy->user_data;
    env->seed = seed_of(context, GPC_POLICY_SCHEDULER, (uint64_t)geometry->sm * geometry->count + geometry->index,
                        geometry->seed);
    char message[256] = "";
    if (status == GPC_OK && ops->init)
        status = judge(policy, GPC_POLICY_SCHEDULER, ops->init(policy->self, env, message), message, sizeof message,
                       error);
    if (status < 0) {
        gpci_policy_destroy(policy);
        return status;
    }
    policy->finish = ops->finish;
    *out = policy;
    return GPC_OK;
}

void gpci_policy_destroy(gpci_policy *policy) {
    if (!policy)
        return;
    if (policy->finish)
        policy->finish(policy->self);
    gpci_free_lines(policy->context, policy->self);
    gpci_free(policy->context, policy->arguments);
    gpci_free(policy->context, policy->spec);
    gpci_free(policy->context, policy);
}

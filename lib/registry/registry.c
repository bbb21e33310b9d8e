/* SPDX-License-Identifier: BSD-2-Clause */
#include "registry/ops.h"
#include "registry/protocol_registry.h"

#include <string.h>

#define SAME_PLACE_AS(field, schedulers)                                                            \
    _Static_assert(offsetof(gpci_ops_head, field) == offsetof(gpc_replacement_ops, field) &&        \
                       offsetof(gpci_ops_head, field) == offsetof(gpc_predictor_ops, field) &&      \
                       offsetof(gpci_ops_head, field) == offsetof(gpc_scheduler_ops, schedulers) && \
                       offsetof(gpci_ops_head, field) == offsetof(gpc_throttle_ops, schedulers),    \
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
        gpci_ops_head head;
        gpc_replacement_ops replacement;
        gpc_predictor_ops predictor;
        gpc_scheduler_ops scheduler;
        gpc_throttle_ops throttle;
    } ops;
    char *strings;             /* storage of a caller's names and texts */
    gpc_parameter *parameters; /* likewise */
    gpc_text_parameter *texts;
    void *user_data;
    void (*destroy)(void *user_data);
} entry;

struct gpci_registry {
    entry **entries[GPCI_OPS_KINDS]; /* pointers: a policy at work holds its table's address */
    size_t counts[GPCI_OPS_KINDS];
};

const char *const gpci_kind_names[GPC_POLICY_KIND_COUNT] = {"replacement policy", "predictor", "scheduler", "throttle",
                                                            "protocol"};

/* The built-in table at `index`, NULL at the list's end. */
static const gpci_ops_head *builtin_at(gpc_policy_kind kind, size_t index) {
    switch (kind) {
    case GPC_POLICY_REPLACEMENT:
        return (const gpci_ops_head *)(const void *)gpci_builtin_replacements[index];
    case GPC_POLICY_PREDICTOR:
        return (const gpci_ops_head *)(const void *)gpci_builtin_predictors[index];
    case GPC_POLICY_SCHEDULER:
        return (const gpci_ops_head *)(const void *)gpci_builtin_schedulers[index];
    default:
        return (const gpci_ops_head *)(const void *)gpci_builtin_throttles[index];
    }
}

static size_t builtin_count(gpc_policy_kind kind) {
    size_t n = 0;
    while (builtin_at(kind, n))
        n++;
    return n;
}

const gpci_ops_head *gpci_ops_at(const gpc_context *context, gpc_policy_kind kind, size_t index) {
    size_t builtin = builtin_count(kind);
    return index < builtin ? builtin_at(kind, index) : &context->registry->entries[kind][index - builtin]->ops.head;
}

size_t gpc_policy_count(const gpc_context *context, gpc_policy_kind kind) {
    if (!context || (unsigned)kind >= GPC_POLICY_KIND_COUNT)
        return 0;
    if (kind == GPC_POLICY_PROTOCOL)
        return gpci_protocol_count(context);
    return builtin_count(kind) + context->registry->counts[kind];
}

static gpc_status protocol_at(const gpc_context *context, size_t index, gpc_policy_info *info) {
    gpc_policy_info ours = GPC_POLICY_INFO_INIT;
    const gpc_protocol *protocol = gpci_protocol_at(context, index, &ours.builtin);
    ours.name = protocol->name;
    ours.summary = protocol->summary;
    ours.source = protocol->source;
    return gpci_give(info, &ours, sizeof ours);
}

gpc_status gpc_policy_at(const gpc_context *context, gpc_policy_kind kind, size_t index, gpc_policy_info *info) {
    if (!context || !info || (unsigned)kind >= GPC_POLICY_KIND_COUNT)
        return GPC_ERROR_ARGUMENT;
    if (index >= gpc_policy_count(context, kind))
        return GPC_ERROR_RANGE;
    if (kind == GPC_POLICY_PROTOCOL)
        return protocol_at(context, index, info);
    const gpci_ops_head *head = gpci_ops_at(context, kind, index);
    gpci_ops_tail tail = gpci_ops_tail_of(kind, head);
    gpc_policy_info ours = {sizeof ours,
                            head->name,
                            head->summary,
                            head->source,
                            head->parameters,
                            head->parameter_count,
                            index < builtin_count(kind),
                            tail.texts,
                            tail.text_count};
    return gpci_give(info, &ours, sizeof ours);
}

gpci_ops_tail gpci_ops_tail_of(gpc_policy_kind kind, const gpci_ops_head *head) {
    const void *table = head;
    const gpc_replacement_ops *replacement = table;
    const gpc_predictor_ops *predictor = table;
    const gpc_scheduler_ops *scheduler = table;
    const gpc_throttle_ops *throttle = table;
    switch (kind) {
    case GPC_POLICY_REPLACEMENT:
        return (gpci_ops_tail){replacement->texts, replacement->text_count, replacement->shared_bytes,
                               replacement->shared_cache_bytes};
    case GPC_POLICY_PREDICTOR:
        return (gpci_ops_tail){predictor->texts, predictor->text_count, predictor->shared_bytes,
                               predictor->shared_cache_bytes};
    case GPC_POLICY_SCHEDULER:
        return (gpci_ops_tail){scheduler->texts, scheduler->text_count, 0, 0};
    default:
        return (gpci_ops_tail){throttle->texts, throttle->text_count, throttle->shared_bytes,
                               throttle->shared_scheduler_bytes};
    }
}

gpci_registry *gpci_registry_create(gpc_context *context) {
    return gpci_zalloc(context, 1, sizeof(gpci_registry));
}

static void entry_free(gpc_context *context, entry *e) {
    gpci_free(context, e->strings);
    gpci_free(context, e->parameters);
    gpci_free(context, e->texts);
    gpci_free(context, e);
}

void gpci_registry_destroy(gpc_context *context, gpci_registry *registry) {
    gpci_protocols_free(context);
    for (int kind = 0; kind < GPCI_OPS_KINDS; kind++) {
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

static gpc_status check_head(const gpci_ops_head *head, const char *type, gpc_error *error) {
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

/* Is `word` one of "this|that"? */
static bool is_choice(const char *choices, const char *word) {
    size_t length = strlen(word);
    for (const char *at = choices; at; at = strchr(at, '|')) {
        at += *at == '|';
        if (strcspn(at, "|") == length && !memcmp(at, word, length))
            return true;
    }
    return false;
}

static gpc_status check_texts(const gpci_ops_head *head, gpci_ops_tail tail, const char *type, gpc_error *error) {
    if (tail.text_count > GPC_MAX_PARAMETERS || (tail.text_count && !tail.texts))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.text_count of '%s' is %zu; a table of at most %u is needed",
                         type, head->name, tail.text_count, GPC_MAX_PARAMETERS);
    unsigned lists = 0;
    for (size_t i = 0; i < tail.text_count; i++) {
        const gpc_text_parameter *p = &tail.texts[i];
        lists += p->name && !*p->name;
        if (!p->name || !p->initial || lists > 1 || (p->choices && !is_choice(p->choices, p->initial)))
            return gpci_fail(
                error, GPC_ERROR_ARGUMENT,
                "%s.texts[%zu] of '%s' has no name, is a second list, or its initial value is not among its "
                "choices",
                type, i, head->name);
    }
    return GPC_OK;
}

/* The strings of a table, all of them: where each pointer stands, and what stands for NULL. */
typedef struct string_list {
    const char **at[4 + 6 * GPC_MAX_PARAMETERS];
    size_t count;
} string_list;

static void add_string(string_list *list, const char **string) {
    if (*string)
        list->at[list->count++] = string;
}

static void add_text(string_list *list, const char **string) {
    if (!*string)
        *string = "";
    add_string(list, string);
}

/* Tables of parameters of our own in place of the caller's, which may be gone tomorrow. */
static bool copy_parameters(gpc_context *context, gpc_policy_kind kind, entry *e) {
    gpci_ops_head *head = &e->ops.head;
    gpci_ops_tail tail = gpci_ops_tail_of(kind, head);
    if (head->parameter_count) {
        e->parameters = gpci_zalloc(context, head->parameter_count, sizeof *e->parameters);
        if (!e->parameters)
            return false;
        memcpy(e->parameters, head->parameters, head->parameter_count * sizeof *e->parameters);
        head->parameters = e->parameters;
    }
    if (tail.text_count) {
        e->texts = gpci_zalloc(context, tail.text_count, sizeof *e->texts);
        if (!e->texts)
            return false;
        memcpy(e->texts, tail.texts, tail.text_count * sizeof *e->texts);
        if (kind == GPC_POLICY_REPLACEMENT)
            e->ops.replacement.texts = e->texts;
        else if (kind == GPC_POLICY_PREDICTOR)
            e->ops.predictor.texts = e->texts;
        else if (kind == GPC_POLICY_SCHEDULER)
            e->ops.scheduler.texts = e->texts;
        else
            e->ops.throttle.texts = e->texts;
    }
    return true;
}

/* Strings of a caller may be gone tomorrow (a binding's certainly are): keep copies of all. */
static bool copy_strings(gpc_context *context, gpc_policy_kind kind, entry *e) {
    if (!copy_parameters(context, kind, e))
        return false;
    gpci_ops_head *head = &e->ops.head;
    string_list list = {.count = 0};
    add_text(&list, &head->name);
    add_text(&list, &head->summary);
    add_text(&list, &head->source);
    if (kind == GPC_POLICY_PREDICTOR)
        add_string(&list, &e->ops.predictor.below);
    for (size_t i = 0; i < head->parameter_count; i++) {
        add_text(&list, &e->parameters[i].name);
        add_text(&list, &e->parameters[i].meaning);
    }
    for (size_t i = 0; e->texts && i < gpci_ops_tail_of(kind, head).text_count; i++) {
        add_text(&list, &e->texts[i].name);
        add_text(&list, &e->texts[i].initial);
        add_string(&list, &e->texts[i].choices);
        add_text(&list, &e->texts[i].meaning);
    }
    size_t bytes = 0;
    for (size_t i = 0; i < list.count; i++)
        bytes += strlen(*list.at[i]) + 1;
    char *to = e->strings = gpci_alloc(context, bytes);
    if (!to)
        return false;
    for (size_t i = 0; i < list.count; i++) {
        const char *from = *list.at[i];
        *list.at[i] = strcpy(to, from);
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
    if (kind == GPC_POLICY_THROTTLE && !e->ops.throttle.classify)
        missing = "classify";
    if (missing)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.%s of '%s' is NULL", type, missing, e->ops.head.name);
    if (kind >= GPC_POLICY_SCHEDULER && e->ops.head.line_bytes) /* what they have in its place */
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
    if (!copy_strings(context, kind, e))
        return gpci_out_of_memory(error);
    grown[count] = e;
    registry->counts[kind]++;
    return GPC_OK;
}

const gpci_ops_head *gpci_ops_find(const gpc_context *context, gpc_policy_kind kind, const char *name, size_t length,
                                   void **user_data, bool *hosts) {
    size_t builtin = builtin_count(kind);
    for (size_t i = 0; i < gpc_policy_count(context, kind); i++) {
        const gpci_ops_head *head = gpci_ops_at(context, kind, i);
        if (strlen(head->name) == length && !memcmp(head->name, name, length)) {
            *hosts = i >= builtin;
            *user_data = *hosts ? context->registry->entries[kind][i - builtin]->user_data : NULL;
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
        status = gpci_fail(error, GPC_ERROR_ARGUMENT, "registering a %s: %s is NULL", gpci_kind_names[kind],
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
        status = check_texts(&e->ops.head, gpci_ops_tail_of(kind, &e->ops.head), type, error);
    if (status == GPC_OK)
        status = check_table(kind, e, type, error);
    if (status < 0)
        goto failed;
    void *others;
    bool hosts;
    if (gpci_ops_find(context, kind, e->ops.head.name, strlen(e->ops.head.name), &others, &hosts)) {
        status = gpci_fail(error, GPC_ERROR_EXISTS, "a %s named '%s' is registered already", gpci_kind_names[kind],
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

gpc_status gpc_context_register_throttle(gpc_context *context, const gpc_throttle_ops *ops, void *user_data,
                                         void (*destroy)(void *user_data), gpc_error *error) {
    return register_ops(context, GPC_POLICY_THROTTLE, ops, sizeof *ops, "gpc_throttle_ops", user_data, destroy, error);
}

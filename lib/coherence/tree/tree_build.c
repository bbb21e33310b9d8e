/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/tree_build.h"
#include "coherence/engine/engine.h"

#include <stdio.h>
#include <string.h>

/* gpc_coherence_create: copies the options, then runs the steps of tree_build.h; and gpc_coherence_destroy. */

gpci_tree_title gpci_tree_title_of(const gpci_module *m) {
    gpci_tree_title title;
    snprintf(title.text, sizeof title.text, "gpc_coherence_options.modules[%u] '%.64s'", m->index,
             m->given.name ? m->given.name : "");
    return title;
}

/* Copy element `index` of a caller's array. All elements must have the size stated by the first (struct_size). */
static gpc_status take_element(void *ours, size_t size, size_t least, const void *array, uint32_t index,
                               const char *type, gpc_error *error) {
    size_t stride, given;
    memcpy(&stride, array, sizeof stride);
    const char *at = (const char *)array + index * stride;
    gpc_status status = index ? GPC_OK : gpci_take(ours, size, least, array, type, error);
    if (!index || status < 0)
        return status;
    memcpy(&given, at, sizeof given);
    if (given != stride)
        return gpci_fail(error, GPC_ERROR_ABI, "%s.struct_size of element %u is %zu, of the first %zu", type, index,
                         given, stride);
    return gpci_take(ours, size, least, at, type, error);
}

static gpc_status copy_text(gpc_coherence *c, const char **text, gpc_error *error) {
    if (*text && !(*text = gpci_strdup(c->context, *text)))
        return gpci_out_of_memory(error);
    return GPC_OK;
}

/* Copy everything the caller points to. Pointers in `given` are always the library's or NULL, so destroying is safe. */
static gpc_status copy_module(gpc_coherence *c, gpci_module *m, const void *array, gpc_error *error) {
    gpc_coherence_module theirs = GPC_COHERENCE_MODULE_INIT;
    gpc_status status = take_element(&theirs, sizeof theirs, offsetof(gpc_coherence_module, directory_pointers), array,
                                     m->index, "gpc_coherence_module", error);
    if (status < 0)
        return status;
    theirs.sectors = theirs.sectors ? theirs.sectors : 1;
    theirs.fetch_blocks = theirs.fetch_blocks ? theirs.fetch_blocks : 1;
    m->given = theirs;
    m->given.name = m->given.replacement = NULL;
    m->given.low = NULL;
    if ((status = copy_text(c, &theirs.name, error)) < 0)
        return status;
    m->given.name = theirs.name;
    if (!theirs.replacement)
        theirs.replacement = "lru";
    if ((status = copy_text(c, &theirs.replacement, error)) < 0)
        return status;
    m->given.replacement = theirs.replacement;
    if (theirs.low_count > GPC_MAX_MODULES || (theirs.low_count && !theirs.low))
        GPCI_TREE_REFUSE(ARGUMENT, m, "low_count", "is %u, low is %s", theirs.low_count, theirs.low ? "given" : "NULL");
    if (theirs.low_count) {
        uint32_t *low = gpci_alloc(c->context, theirs.low_count * sizeof *low);
        if (!low)
            return gpci_out_of_memory(error);
        m->given.low = memcpy(low, theirs.low, theirs.low_count * sizeof *low);
    }
    return GPC_OK;
}

static gpc_status copy_modules(gpc_coherence *c, const gpc_coherence_options *o, gpc_error *error) {
    c->modules = gpci_zalloc_lines(c->context, o->module_count, sizeof *c->modules);
    if (!c->modules)
        return gpci_out_of_memory(error);
    c->module_count = o->module_count;
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; i < c->module_count && status == GPC_OK; i++) {
        c->modules[i].index = i;
        c->modules[i].tree = c;
        c->modules[i].leaving = GPCI_TREE_NO_BLOCK;
        status = copy_module(c, &c->modules[i], o->modules, error);
    }
    return status;
}

static gpc_status copy_networks(gpc_coherence *c, const gpc_coherence_options *o, gpc_error *error) {
    if (!o->network_count)
        return GPC_OK;
    c->stars = gpci_zalloc(c->context, o->network_count, sizeof *c->stars);
    if (!c->stars)
        return gpci_out_of_memory(error);
    c->star_count = o->network_count;
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; i < c->star_count && status == GPC_OK; i++) {
        gpc_coherence_network theirs = GPC_COHERENCE_NETWORK_INIT;
        status = take_element(&theirs, sizeof theirs, sizeof theirs, o->networks, i, "gpc_coherence_network", error);
        if (status == GPC_OK)
            status = copy_text(c, &theirs.name, error);
        if (status == GPC_OK)
            c->stars[i].given = theirs;
    }
    return status;
}

static gpc_status check_options(const gpc_coherence_options *o, gpc_error *error) {
    const char *type = "gpc_coherence_options";
    if (!o->module_count || o->module_count > GPC_MAX_MODULES || !o->modules)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.module_count is %u, modules is %s; 1 to %u are needed", type,
                         o->module_count, o->modules ? "given" : "NULL", GPC_MAX_MODULES);
    if (o->network_count > GPC_MAX_MODULES || (o->network_count && !o->networks))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.network_count is %u, networks is %s; at most %u may be", type,
                         o->network_count, o->networks ? "given" : "NULL", GPC_MAX_MODULES);
    if (!o->control_bytes || o->control_bytes > 4096)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.control_bytes is %u, not 1 to 4096", type, o->control_bytes);
    return GPC_OK;
}

static gpc_status find_protocol(gpc_coherence *c, const char *name, gpc_error *error) {
    name = name ? name : "nmoesi";
    c->protocol = gpc_protocol_find(c->context, name);
    if (!c->protocol)
        return gpci_fail(error, GPC_ERROR_NOT_FOUND, "gpc_coherence_options.protocol: there is no protocol '%s'", name);
    static const uint8_t six[GPC_LINE_COUNT] = {GPC_MEANS_N, GPC_MEANS_M, GPC_MEANS_O,
                                                GPC_MEANS_E, GPC_MEANS_S, GPCI_MEANS_I};
    memcpy(c->means, six, sizeof six);
    c->states = gpci_states_of(c->protocol);
    for (uint32_t i = GPC_LINE_COUNT; i < c->states; i++)
        c->means[i] = (uint8_t)c->protocol->states[i - GPC_LINE_COUNT].means;
    return GPC_OK;
}

static gpc_status build(gpc_coherence *c, const gpc_coherence_options *o, gpc_error *error) {
    gpc_status status = find_protocol(c, o->protocol, error);
    if (status == GPC_OK)
        status = copy_networks(c, o, error);
    if (status == GPC_OK)
        status = copy_modules(c, o, error);
    if (status == GPC_OK)
        status = gpci_tree_check_networks(c, error);
    if (status == GPC_OK)
        status = gpci_tree_check_modules(c, error);
    if (status == GPC_OK)
        status = gpci_tree_check_hashes(c, error);
    if (status == GPC_OK)
        status = gpci_tree_check_pages(c, o, error);
    if (status == GPC_OK)
        status = gpci_tree_find_halves(c, error);
    if (status == GPC_OK)
        status = gpci_tree_shape(c, error);
    if (status == GPC_OK)
        status = gpci_tree_join_halves(c, error);
    if (status == GPC_OK)
        status = gpci_tree_cover(c, error);
    if (status == GPC_OK)
        status = gpci_tree_places(c, error);
    if (status == GPC_OK)
        status = gpci_tree_layout(c, error);
    if (status == GPC_OK && gpci_tree_engine_prepare(c) != GPC_OK)
        status = gpci_out_of_memory(error);
    return status;
}

gpc_status gpci_coherence_create(gpc_context *context, const gpc_coherence_options *options,
                                 const gpci_tree_telling *telling, gpc_error *error, gpc_coherence **out) {
    if (!context || !options || !out)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_coherence_create: %s is NULL",
                         !context   ? "context"
                         : !options ? "options"
                                    : "out");
    gpc_coherence_options o = GPC_COHERENCE_OPTIONS_INIT;
    const size_t least = offsetof(gpc_coherence_options, page_bytes);
    gpc_status status = gpci_take(&o, sizeof o, least, options, "gpc_coherence_options", error);
    if (status == GPC_OK)
        status = check_options(&o, error);
    if (status < 0)
        return status;
    gpc_coherence *c = gpci_zalloc_lines(context, 1, sizeof *c);
    if (!c)
        return gpci_out_of_memory(error);
    c->context = gpci_retain(context);
    c->control_bytes = o.control_bytes;
    c->telling = *telling;
    c->with_data = o.data;
    c->timing = o.timing;
    status = build(c, &o, error);
    if (status < 0) {
        gpc_coherence_destroy(c);
        return status;
    }
    *out = c;
    return GPC_OK;
}

gpc_status gpc_coherence_create(gpc_context *context, const gpc_coherence_options *options, gpc_error *error,
                                gpc_coherence **out) {
    const gpci_tree_telling telling = {.reads = GPCI_TREE_HOST_READS};
    return gpci_coherence_create(context, options, &telling, error, out);
}

static void free_const(gpc_context *context, const void *memory) {
    gpci_free(context, (void *)(uintptr_t)memory);
}

static void destroy_module(gpc_context *context, gpci_module *m) {
    if (!m->near) { /* a near half's policies belong to the home half */
        gpci_policy_destroy(m->policy);
        gpci_policy_destroy(m->predictor);
    }
    gpci_free(context, m->warps);
    gpci_free(context, m->reuse);
    gpci_module_release_tokens(context, m);
    gpci_free(context, m->transitions);
    gpci_free(context, m->origins);
    free_const(context, m->given.name);
    free_const(context, m->given.replacement);
    free_const(context, m->given.low);
    free_const(context, m->above);
    free_const(context, m->slots);
    gpci_free(context, m->banks);
    if (m->full_map) {
        gpci_map_free(context, &m->map);
        gpci_free(context, m->tags);
        gpci_free(context, m->states);
        gpci_free(context, m->owners);
        gpci_free(context, m->sharers);
    }
}

void gpc_coherence_destroy(gpc_coherence *c) {
    if (!c)
        return;
    gpc_context *context = c->context;
    gpci_engine_destroy(c->engine);
    gpci_engine_destroy(c->lone);
    for (uint32_t i = 0; i < c->module_count; i++)
        destroy_module(context, &c->modules[i]);
    for (uint32_t i = 0; i < c->star_count; i++) {
        free_const(context, c->stars[i].given.name);
        gpci_free(context, c->stars[i].last);
    }
    gpci_free_lines(context, c->modules);
    gpci_free(context, c->stars);
    gpci_tree_selectors_release(c);
    gpci_free_lines(context, c->slab);
    gpci_map_free(context, &c->memory_map);
    gpci_map_free(context, &c->pages);
    gpci_free(context, c->memory_bytes);
    gpci_tree_engine_release(c);
    gpci_free(context, c->messages);
    gpci_free(context, c->transitions);
    gpci_free_lines(context, c);
    gpci_release(context);
}

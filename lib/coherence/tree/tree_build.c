/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/tree/tree_build.h"
#include "coherence/engine/engine.h"

#include <stdio.h>
#include <string.h>

/* gpc_coherence_create: copies the options, then runs the steps of tree_build.h; and gpc_coherence_destroy. */

gpci_tree_title gpci_tree_title_of(const gpci_module *module) {
    gpci_tree_title title;
    snprintf(title.text, sizeof title.text, "gpc_coherence_options.modules[%u] '%.64s'", module->index,
             module->given.name ? module->given.name : "");
    return title;
}

/* Copy element `index` of the calling program's array. All elements must have the struct_size of the first element. */
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

static gpc_status copy_text(gpc_coherence *coherence, const char **text, gpc_error *error) {
    if (*text && !(*text = gpci_strdup(coherence->context, *text)))
        return gpci_out_of_memory(error);
    return GPC_OK;
}

/*
 * Copy a module's options, and all that their pointers point to. At any time, a pointer in `given` is NULL or belongs
 * to the library, so gpc_coherence_destroy is safe after an error.
 */
static gpc_status copy_module(gpc_coherence *coherence, gpci_module *module, const void *array, gpc_error *error) {
    gpc_coherence_module theirs = GPC_COHERENCE_MODULE_INIT;
    gpc_status status = take_element(&theirs, sizeof theirs, offsetof(gpc_coherence_module, directory_pointers), array,
                                     module->index, "gpc_coherence_module", error);
    if (status < 0)
        return status;
    theirs.sectors = theirs.sectors ? theirs.sectors : 1;
    theirs.fetch_blocks = theirs.fetch_blocks ? theirs.fetch_blocks : 1;
    module->given = theirs;
    module->given.name = module->given.replacement = NULL;
    module->given.low = NULL;
    if ((status = copy_text(coherence, &theirs.name, error)) < 0)
        return status;
    module->given.name = theirs.name;
    if (!theirs.replacement)
        theirs.replacement = "lru";
    if ((status = copy_text(coherence, &theirs.replacement, error)) < 0)
        return status;
    module->given.replacement = theirs.replacement;
    if (theirs.low_count > GPC_MAX_MODULES || (theirs.low_count && !theirs.low))
        GPCI_TREE_REFUSE(ARGUMENT, module, "low_count", "is %u, low is %s", theirs.low_count,
                         theirs.low ? "given" : "NULL");
    if (theirs.low_count) {
        uint32_t *low = gpci_alloc(coherence->context, theirs.low_count * sizeof *low);
        if (!low)
            return gpci_out_of_memory(error);
        module->given.low = memcpy(low, theirs.low, theirs.low_count * sizeof *low);
    }
    return GPC_OK;
}

static gpc_status copy_modules(gpc_coherence *coherence, const gpc_coherence_options *options, gpc_error *error) {
    coherence->modules = gpci_zalloc_lines(coherence->context, options->module_count, sizeof *coherence->modules);
    if (!coherence->modules)
        return gpci_out_of_memory(error);
    coherence->module_count = options->module_count;
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; i < coherence->module_count && status == GPC_OK; i++) {
        coherence->modules[i].index = i;
        coherence->modules[i].tree = coherence;
        coherence->modules[i].leaving = GPCI_TREE_NO_BLOCK;
        status = copy_module(coherence, &coherence->modules[i], options->modules, error);
    }
    return status;
}

static gpc_status copy_networks(gpc_coherence *coherence, const gpc_coherence_options *options, gpc_error *error) {
    if (!options->network_count)
        return GPC_OK;
    coherence->stars = gpci_zalloc(coherence->context, options->network_count, sizeof *coherence->stars);
    if (!coherence->stars)
        return gpci_out_of_memory(error);
    coherence->star_count = options->network_count;
    gpc_status status = GPC_OK;
    for (uint32_t i = 0; i < coherence->star_count && status == GPC_OK; i++) {
        gpc_coherence_network theirs = GPC_COHERENCE_NETWORK_INIT;
        status =
            take_element(&theirs, sizeof theirs, sizeof theirs, options->networks, i, "gpc_coherence_network", error);
        if (status == GPC_OK)
            status = copy_text(coherence, &theirs.name, error);
        if (status == GPC_OK)
            coherence->stars[i].given = theirs;
    }
    return status;
}

static gpc_status check_options(const gpc_coherence_options *options, gpc_error *error) {
    const char *type = "gpc_coherence_options";
    if (!options->module_count || options->module_count > GPC_MAX_MODULES || !options->modules)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.module_count is %u, modules is %s; 1 to %u are needed", type,
                         options->module_count, options->modules ? "given" : "NULL", GPC_MAX_MODULES);
    if (options->network_count > GPC_MAX_MODULES || (options->network_count && !options->networks))
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.network_count is %u, networks is %s; at most %u may be", type,
                         options->network_count, options->networks ? "given" : "NULL", GPC_MAX_MODULES);
    if (!options->control_bytes || options->control_bytes > 4096)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "%s.control_bytes is %u, not 1 to 4096", type,
                         options->control_bytes);
    return GPC_OK;
}

static gpc_status find_protocol(gpc_coherence *coherence, const char *name, gpc_error *error) {
    name = name ? name : "nmoesi";
    coherence->protocol = gpc_protocol_find(coherence->context, name);
    if (!coherence->protocol)
        return gpci_fail(error, GPC_ERROR_NOT_FOUND, "gpc_coherence_options.protocol: there is no protocol '%s'", name);
    static const uint8_t six[GPC_LINE_COUNT] = {GPC_MEANS_N, GPC_MEANS_M, GPC_MEANS_O,
                                                GPC_MEANS_E, GPC_MEANS_S, GPCI_MEANS_I};
    memcpy(coherence->means, six, sizeof six);
    coherence->states = gpci_states_of(coherence->protocol);
    for (uint32_t i = GPC_LINE_COUNT; i < coherence->states; i++)
        coherence->means[i] = (uint8_t)coherence->protocol->states[i - GPC_LINE_COUNT].means;
    return GPC_OK;
}

static gpc_status build(gpc_coherence *coherence, const gpc_coherence_options *options, gpc_error *error) {
    gpc_status status = find_protocol(coherence, options->protocol, error);
    if (status == GPC_OK)
        status = copy_networks(coherence, options, error);
    if (status == GPC_OK)
        status = copy_modules(coherence, options, error);
    if (status == GPC_OK)
        status = gpci_tree_check_networks(coherence, error);
    if (status == GPC_OK)
        status = gpci_tree_check_modules(coherence, error);
    if (status == GPC_OK)
        status = gpci_tree_check_hashes(coherence, error);
    if (status == GPC_OK)
        status = gpci_tree_check_pages(coherence, options, error);
    if (status == GPC_OK)
        status = gpci_tree_find_halves(coherence, error);
    if (status == GPC_OK)
        status = gpci_tree_shape(coherence, error);
    if (status == GPC_OK)
        status = gpci_tree_join_halves(coherence, error);
    if (status == GPC_OK)
        status = gpci_tree_cover(coherence, error);
    if (status == GPC_OK)
        status = gpci_tree_places(coherence, error);
    if (status == GPC_OK)
        status = gpci_tree_layout(coherence, error);
    if (status == GPC_OK && gpci_tree_engine_prepare(coherence) != GPC_OK)
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
    gpc_coherence_options coherence_options = GPC_COHERENCE_OPTIONS_INIT;
    const size_t least = offsetof(gpc_coherence_options, page_bytes);
    gpc_status status =
        gpci_take(&coherence_options, sizeof coherence_options, least, options, "gpc_coherence_options", error);
    if (status == GPC_OK)
        status = check_options(&coherence_options, error);
    if (status < 0)
        return status;
    gpc_coherence *coherence = gpci_zalloc_lines(context, 1, sizeof *coherence);
    if (!coherence)
        return gpci_out_of_memory(error);
    coherence->context = gpci_retain(context);
    coherence->control_bytes = coherence_options.control_bytes;
    coherence->telling = *telling;
    coherence->with_data = coherence_options.data;
    coherence->timing = coherence_options.timing;
    gpci_tree_begin_line(coherence);
    status = build(coherence, &coherence_options, error);
    if (status < 0) {
        gpc_coherence_destroy(coherence);
        return status;
    }
    *out = coherence;
    return GPC_OK;
}

gpc_status gpc_coherence_create(gpc_context *context, const gpc_coherence_options *options, gpc_coherence **out,
                                gpc_error *error) {
    const gpci_tree_telling telling = {.reads = GPCI_TREE_HOST_READS};
    return gpci_coherence_create(context, options, &telling, error, out);
}

static void free_const(gpc_context *context, const void *memory) {
    gpci_free(context, (void *)(uintptr_t)memory);
}

static void destroy_module(gpc_context *context, gpci_module *module) {
    if (!module->near) { /* a near half's policies belong to the home half */
        gpci_policy_destroy(module->policy);
        gpci_policy_destroy(module->predictor);
    }
    gpci_free(context, module->warps);
    gpci_free(context, module->reuse);
    gpci_module_release_tokens(context, module);
    gpci_free(context, module->transitions);
    gpci_free(context, module->origins);
    free_const(context, module->given.name);
    free_const(context, module->given.replacement);
    free_const(context, module->given.low);
    free_const(context, module->above);
    free_const(context, module->slots);
    gpci_free(context, module->banks);
    if (module->full_map) {
        gpci_map_free(context, &module->map);
        gpci_free(context, module->states);
        gpci_free(context, module->owners);
        gpci_free(context, module->sharers);
    }
}

void gpc_coherence_destroy(gpc_coherence *coherence) {
    if (!coherence)
        return;
    gpc_context *context = coherence->context;
    gpci_engine_destroy(coherence->engine);
    gpci_engine_destroy(coherence->lone);
    for (uint32_t i = 0; i < coherence->module_count; i++)
        destroy_module(context, &coherence->modules[i]);
    for (uint32_t i = 0; i < coherence->star_count; i++) {
        free_const(context, coherence->stars[i].given.name);
        gpci_free(context, coherence->stars[i].last);
    }
    gpci_free_lines(context, coherence->modules);
    gpci_free(context, coherence->stars);
    gpci_tree_selectors_release(coherence);
    gpci_free_lines(context, coherence->slab);
    gpci_map_free(context, &coherence->memory_map);
    gpci_map_free(context, &coherence->pages);
    gpci_free(context, coherence->memory_bytes);
    gpci_tree_engine_release(coherence);
    gpci_free(context, coherence->messages);
    gpci_free(context, coherence->transitions);
    gpci_free_lines(context, coherence);
    gpci_release(context);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/synthetic/synthetic.h"

#include "base/text.h"
#include "registry/registry.h"
#include "registry/spec.h"
#include "trace/blocks/notes.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_SIZE (2u << 20) /* data larger than the L2 cache, as in the published runs of these kernels */
#define COMMON_PARAMETERS 2u
#define OWN_PARAMETERS 9u
#define SHARED_UNIT 128u
#define LOCAL_WINDOW 0x7e0000000000u

static const gpci_synthetic *const kernels[] = {
    &gpci_synthetic_vectoradd,
    &gpci_synthetic_transpose_naive,
    &gpci_synthetic_transpose_tiled,
    &gpci_synthetic_scalarprod,
    &gpci_synthetic_fastwalsh,
    &gpci_synthetic_cppoverload,
    &gpci_synthetic_histogram,
    &gpci_synthetic_kmeans,
    &gpci_synthetic_maxpool,
    &gpci_synthetic_meanpool,
    &gpci_synthetic_kronecker,
    &gpci_synthetic_elemmul,
    &gpci_synthetic_relu,
    &gpci_synthetic_sigmoid,
    &gpci_synthetic_vecmul,
    &gpci_synthetic_vecscale,
    &gpci_synthetic_vecsub,
    &gpci_synthetic_zeropad,
    &gpci_synthetic_spatial,
    &gpci_synthetic_stream,
    &gpci_synthetic_gather,
    &gpci_synthetic_warp_reuse,
    &gpci_synthetic_private_reuse,
    &gpci_synthetic_chase,
    &gpci_synthetic_classes,
    &gpci_synthetic_accesses,
    &gpci_synthetic_copies,
    &gpci_synthetic_dsmem,
    &gpci_synthetic_multicast,
    &gpci_synthetic_matmul_tiled,
    &gpci_synthetic_atax,
    &gpci_synthetic_bicg,
    &gpci_synthetic_gesummv,
    &gpci_synthetic_mvt,
    &gpci_synthetic_sssp,
    &gpci_synthetic_surveys,
    &gpci_synthetic_string_match,
    &gpci_synthetic_inverted_index,
    &gpci_synthetic_similarity_score,
    &gpci_synthetic_comd,
    &gpci_synthetic_comd_eam,
    &gpci_synthetic_polybench_atax,
    &gpci_synthetic_polybench_bicg,
    &gpci_synthetic_polybench_gesummv,
    &gpci_synthetic_polybench_mvt,
    &gpci_synthetic_polybench_gemm,
    &gpci_synthetic_polybench_3mm,
    &gpci_synthetic_rodinia_kmeans,
    &gpci_synthetic_rodinia_streamcluster,
    &gpci_synthetic_rodinia_cfd,
    &gpci_synthetic_rodinia_gaussian,
    &gpci_synthetic_rodinia_backprop,
    &gpci_synthetic_rodinia_bfs,
    &gpci_synthetic_rodinia_btree,
    &gpci_synthetic_rodinia_dwt2d,
    &gpci_synthetic_rodinia_heartwall,
    &gpci_synthetic_rodinia_hotspot,
    &gpci_synthetic_rodinia_lud,
    &gpci_synthetic_rodinia_mummergpu,
    &gpci_synthetic_rodinia_nn,
    &gpci_synthetic_rodinia_nw,
    &gpci_synthetic_rodinia_srad,
    &gpci_synthetic_bfs,
    &gpci_synthetic_word_count,
    &gpci_synthetic_sdk_histogram,
    &gpci_synthetic_sdk_scalarprod,
    &gpci_synthetic_sdk_transpose,
    &gpci_synthetic_polybench_2dconv,
    &gpci_synthetic_polybench_3dconv,
    &gpci_synthetic_polybench_fdtd2d,
    &gpci_synthetic_polybench_syrk,
    &gpci_synthetic_polybench_corr,
    &gpci_synthetic_polybench_covar,
    &gpci_synthetic_polybench_gramschm,
    &gpci_synthetic_rodinia_srad_v1,
    &gpci_synthetic_ispass_lps,
    &gpci_synthetic_parboil_sgemm,
    &gpci_synthetic_gpu_l2,
    &gpci_synthetic_gpu_stream,
    &gpci_synthetic_gpu_strides,
    &gpci_synthetic_gemm,
    &gpci_synthetic_flash_attention,
};

#define KERNELS (sizeof kernels / sizeof kernels[0])

typedef struct synthetic {
    gpci_source base;
    char *file; /* name given by the user */
    gpci_problem problem;
    double values[COMMON_PARAMETERS + OWN_PARAMETERS]; /* common parameters, then the kernel's own */
    gpci_listing listing;                              /* listing of the present launch */
    gpci_walk walk;
    size_t next_launch;
    uint64_t next_block, blocks_done, blocks;
} synthetic;

static const char *kernel_name(const void *data, size_t index) {
    return ((const gpci_synthetic *const *)data)[index]->name;
}

size_t gpc_synthetic_count(void) {
    return KERNELS;
}

gpc_status gpc_synthetic_at(size_t index, const char **name, const char **summary, uint64_t *size, gpc_error *error) {
    if (index >= KERNELS)
        return gpci_fail(error, GPC_ERROR_RANGE, "gpc_synthetic_at: index is %zu, and there are %zu kernels", index,
                         (size_t)KERNELS);
    if (name)
        *name = kernels[index]->name;
    if (summary)
        *summary = kernels[index]->summary;
    if (size)
        *size = DEFAULT_SIZE;
    return GPC_OK;
}

static uint64_t launch_blocks(const gpci_launch *launch) {
    return launch->grid[0] * launch->grid[1] * launch->grid[2];
}

/* Begin the present launch at its first block. */
static gpc_status begin_launch(gpci_source *source, gpc_kernel *kernel, gpc_error *error) {
    (void)error;
    synthetic *trace = (synthetic *)source;
    const gpci_launch *launch = &trace->problem.launches[trace->next_launch - 1];
    trace->next_block = 0;
    trace->walk = (gpci_walk){.opcodes = source->opcodes,
                              .steps = trace->listing.steps,
                              .step_count = trace->listing.count,
                              .lanes = trace->problem.lanes};
    *kernel = (gpc_kernel){
        .struct_size = sizeof *kernel,
        .name = launch->name,
        .file = trace->file,
        .id = (uint32_t)trace->next_launch,
        .index = (uint32_t)trace->next_launch - 1,
        .grid = {(uint32_t)launch->grid[0], (uint32_t)launch->grid[1], (uint32_t)launch->grid[2]},
        .block = {(uint32_t)launch->block[0], (uint32_t)launch->block[1], (uint32_t)launch->block[2]},
        .cluster = {(uint32_t)launch->cluster, launch->cluster != 0, launch->cluster != 0},
        .shared_bytes = (uint32_t)(GPCI_SHARED_BASE + gpci_ceiling(launch->shared, SHARED_UNIT) * SHARED_UNIT),
        .registers = trace->listing.registers,
        .binary_version = 90,
        .tracer_version = 4,
        .warp_lanes = trace->problem.lanes,
        .shared_base = GPCI_SHARED_WINDOW,
        .local_base = LOCAL_WINDOW,
        .block_count = launch_blocks(launch),
    };
    return GPC_OK;
}

static gpc_status next_kernel(gpci_source *source, gpc_kernel *kernel, gpc_error *error) {
    synthetic *trace = (synthetic *)source;
    gpci_problem *problem = &trace->problem;
    if (trace->next_launch == problem->launch_count)
        return GPC_END;
    const gpci_launch *launch = &problem->launches[trace->next_launch];
    gpci_listing listing;
    gpc_status status = gpci_listing_assemble(source->context, source->opcodes, launch->code, &listing, error);
    if (status < 0)
        return status;
    gpci_free(source->context, trace->listing.steps);
    trace->listing = listing;
    if (trace->next_launch)
        trace->blocks_done += launch_blocks(launch - 1);
    trace->next_launch++;
    return begin_launch(source, kernel, error);
}

static gpc_status next_block(gpci_source *source, gpci_block *block, gpc_error *error) {
    synthetic *trace = (synthetic *)source;
    if (!trace->next_launch)
        return gpci_fail(error, GPC_ERROR_STATE, "%s: a block was asked for before its kernel", trace->file);
    const gpci_launch *launch = &trace->problem.launches[trace->next_launch - 1];
    if (trace->next_block == launch_blocks(launch))
        return GPC_END;
    gpc_status status = gpci_walk_block(&trace->walk, launch, block, (uint32_t)trace->next_block);
    if (status == GPC_ERROR_MEMORY)
        return gpci_out_of_memory(error);
    if (status < 0)
        return gpci_fail(error, status, "%s: block %llu of %s does not fit its listing at PC %#x", trace->file,
                         (unsigned long long)trace->next_block, launch->name, trace->walk.at * 16);
    trace->next_block++;
    return GPC_OK;
}

static uint64_t kernel_count(const gpci_source *source) {
    return ((const synthetic *)source)->problem.launch_count;
}

static double progress(const gpci_source *source) {
    const synthetic *trace = (const synthetic *)source;
    return (double)(trace->blocks_done + trace->next_block) / (double)trace->blocks;
}

static void close_source(gpci_source *source) {
    synthetic *trace = (synthetic *)source;
    gpc_context *context = source->context;
    gpci_free(context, trace->listing.steps);
    gpci_free(context, trace->problem.data);
    gpci_free(context, trace->problem.launches);
    gpci_free(context, trace->file);
    gpci_free(context, trace);
}

static const gpci_source_ops ops = {.next_kernel = next_kernel,
                                    .next_block = next_block,
                                    .rewind = begin_launch,
                                    .kernel_count = kernel_count,
                                    .progress = progress,
                                    .close = close_source};

const gpci_synthetic_array *gpci_synthetic_arrays(const gpci_source *source, size_t *count) {
    const synthetic *trace = (const synthetic *)source;
    *count = trace->problem.array_count;
    return trace->problem.arrays;
}

const void *gpci_synthetic_data(const gpci_source *source) {
    return ((const synthetic *)source)->problem.data;
}

/* Read "64KiB", "2M", "4096". False: not a size, or too large. */
static bool read_size(const char *text, size_t length, uint64_t *out) {
    static const char units[] = "KMG";
    uint64_t value = 0;
    size_t i = 0;
    for (; i < length && text[i] >= '0' && text[i] <= '9'; i++) {
        if (value > UINT64_MAX / 16)
            return false;
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    if (!i)
        return false;
    const char *unit = i < length ? strchr(units, text[i]) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (value > UINT64_MAX >> shift)
        return false;
    *out = value << shift;
    const char *tail = text + i + (unit != NULL);
    size_t left = length - i - (unit != NULL);
    return !left || (unit && left == 2 && !memcmp(tail, "iB", 2)) || (!unit && left == 1 && *tail == 'B');
}

/* The start of a part of the source's name, for a message. */
static gpci_quoted quote(const char *text, size_t length) {
    char part[128];
    snprintf(part, sizeof part, "%.*s", (int)(length < sizeof part ? length : sizeof part - 1), text);
    return gpci_quote(part);
}

static gpc_status unknown_name(const char *text, size_t length, gpc_error *error) {
    gpci_quoted name = quote(text, length);
    const char *nearest = gpci_nearest(name.text, KERNELS, kernel_name, kernels);
    return gpci_fail(error, GPC_ERROR_NOT_FOUND, "no synthetic kernel is named '%s'%s%s%s", name.text,
                     nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* Read the keys behind the size: common parameters, and the kernel's own. */
static gpc_status read_parameters(synthetic *trace, const gpci_synthetic *kernel, const char *text, gpc_error *error) {
    gpc_parameter parameters[COMMON_PARAMETERS + OWN_PARAMETERS] = {
        {"lanes", 32, 32, 64, true, "threads of a warp, 32 or 64"},
        {"header", 0, 0, 4096, true, "bytes before each array, which follow one another; 0: arrays as cudaMalloc's"}};
    if (kernel->parameter_count)
        memcpy(parameters + COMMON_PARAMETERS, kernel->parameters, kernel->parameter_count * sizeof *parameters);
    gpci_spec spec = {.name = kernel->name, .name_length = strlen(kernel->name)};
    if (strlen(text) >= sizeof spec.arguments)
        return gpci_problem_fail(&trace->problem, "the parameters are longer than %zu characters",
                                 sizeof spec.arguments - 1);
    strcpy(spec.arguments, text);
    gpc_error detail = GPC_ERROR_INIT;
    gpc_status status =
        gpci_spec_parameters(&spec, parameters, COMMON_PARAMETERS + kernel->parameter_count, trace->values, &detail);
    if (status < 0)
        return gpci_fail(error, status, "synthetic:%s: %s", kernel->name, detail.message);
    trace->problem.lanes = (unsigned)trace->values[0];
    trace->problem.header = (uint64_t)trace->values[1];
    if (trace->problem.lanes != 32 && trace->problem.lanes != 64)
        return gpci_problem_fail(&trace->problem, "parameter 'lanes': %u is neither 32 nor 64", trace->problem.lanes);
    return GPC_OK;
}

/* Read the name, NAME[:SIZE][:KEY=VALUE,...], and plan the launches. */
static gpc_status plan(synthetic *trace, gpc_error *error) {
    const char *text = trace->file + strlen("synthetic:");
    size_t length = strcspn(text, ":");
    const gpci_synthetic *kernel = NULL;
    for (size_t i = 0; i < KERNELS; i++)
        if (strlen(kernels[i]->name) == length && !memcmp(kernels[i]->name, text, length))
            kernel = kernels[i];
    if (!kernel)
        return unknown_name(text, length, error);
    gpci_problem *problem = &trace->problem;
    *problem = (gpci_problem){.name = kernel->name,
                              .size = DEFAULT_SIZE,
                              .context = trace->base.context,
                              .error = error,
                              .values = trace->values + COMMON_PARAMETERS};
    text += length;
    text += *text == ':';
    length = strcspn(text, ":");
    if (length && !memchr(text, '=', length)) {
        if (!read_size(text, length, &problem->size))
            return gpci_fail(error, GPC_ERROR_FORMAT, "synthetic:%s: '%s' is not a size such as 2MiB", kernel->name,
                             quote(text, length).text);
        text += length;
    }
    text += *text == ':';
    if (problem->size < kernel->least || problem->size > GPCI_SYNTHETIC_MAXIMUM)
        return gpci_problem_fail(problem, "the size %llu is not from %llu bytes to 1 GiB",
                                 (unsigned long long)problem->size, (unsigned long long)kernel->least);
    gpc_status status = read_parameters(trace, kernel, text, error);
    if (status == GPC_OK)
        status = kernel->plan(problem);
    for (size_t i = 0; i < problem->launch_count; i++)
        trace->blocks += launch_blocks(&problem->launches[i]);
    problem->error = NULL;
    return status;
}

gpc_status gpci_synthetic_open(gpc_context *context, gpci_opcodes *opcodes, const char *name, gpc_error *error,
                               gpci_source **out) {
    static const char prefix[] = "synthetic:";
    synthetic *trace = gpci_zalloc(context, 1, sizeof *trace);
    if (!trace)
        return gpci_out_of_memory(error);
    trace->base = (gpci_source){.ops = &ops, .context = context, .opcodes = opcodes};
    gpci_notes_none(opcodes);
    trace->file = gpci_alloc(context, sizeof prefix + strlen(name));
    gpc_status status = GPC_OK;
    if (trace->file) {
        memcpy(trace->file, prefix, sizeof prefix);
        strcat(trace->file, name);
        status = plan(trace, error);
    } else {
        status = gpci_out_of_memory(error);
    }
    if (status < 0)
        close_source(&trace->base);
    else
        *out = &trace->base;
    return status;
}

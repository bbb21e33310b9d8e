/* SPDX-License-Identifier: BSD-2-Clause */
/* Parameters of kernels. */
#include "trace/synthetic/rig.h"

#include "golden.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char *const parameters[] = {
    "apart",    "atoms",   "blocks",    "bytes",     "centres",   "cg",         "cluster", "clusters", "columns",
    "convolve", "count",   "decimated", "degree",    "dependent", "dimensions", "double",  "errors",   "far",
    "features", "first",   "fp",        "frames",    "gap",       "inner",      "int",     "kind",     "launch",
    "launches", "least",   "length",    "levels",    "line",      "lines",      "loads",   "most",     "move",
    "moved",    "near",    "pad",       "pairs",     "passes",    "patches",    "pixels",  "points",   "queries",
    "ranges",   "ratio",   "record",    "reference", "reloads",   "repeats",    "rmat",    "rounds",   "rowmajor",
    "rows",     "scanned", "search",    "seed",      "serial",    "sfu",        "shared",  "skip",     "spread",
    "stages",   "step",    "steps",     "store",     "stride",    "template",   "tensor",  "texture",  "threads",
    "tile",     "tiles",   "turns",     "uniform",   "vectors",   "walks",      "width",   "window",   "words"};
static const char *const of_all[] = {"header", "lanes"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Reason to refuse a value of a parameter; false if the kernel lacks the parameter. */
static bool refuses(const rig *r, const char *kernel, const char *parameter, const char *value, gpc_error *error) {
    char source[128];
    gpci_source *opened = NULL;
    snprintf(source, sizeof source, "%s:64KiB:%s=%s", kernel, parameter, value);
    cr_assert_lt(gpci_synthetic_open(r->context, r->opcodes, source, error, &opened), 0, "%s", source);
    return !strstr(error->message, "unknown");
}

/* Numbers of a kernel's parameters in the list of all; returns how many. */
static size_t parameters_of(const rig *r, const char *kernel, size_t *known) {
    size_t count = 0;
    for (size_t p = 0; p < COUNT(parameters); p++) {
        gpc_error error = GPC_ERROR_INIT;
        if (refuses(r, kernel, parameters[p], "-1", &error))
            known[count++] = p;
    }
    return count;
}

/* Parameters are counts and switches: fractions are refused. */
static size_t refuse_fractions(const rig *r, const char *kernel, const char *parameter) {
    static const char *const fractions[] = {"0.5", "1.5", "8.5", "100.5"};
    size_t known = 0;
    for (size_t f = 0; f < COUNT(fractions); f++) {
        gpc_error error = GPC_ERROR_INIT;
        if (refuses(r, kernel, parameter, fractions[f], &error)) {
            cr_expect(strstr(error.message, "whole"), "%s: %s", kernel, error.message);
            known++;
        }
    }
    return known;
}

Test(synthetic_parameters, are_whole) {
    rig r;
    size_t known = 0;
    rig_open(&r, "vectoradd");
    for (size_t i = 0; i < gpc_synthetic_count(); i++) {
        const char *kernel = NULL;
        gpc_synthetic_at(i, &kernel, NULL, NULL, NULL);
        for (size_t p = 0; p < COUNT(parameters); p++)
            known += refuse_fractions(&r, kernel, parameters[p]);
        for (size_t p = 0; p < COUNT(of_all); p++)
            cr_expect_eq(refuse_fractions(&r, kernel, of_all[p]), 4, "%s: %s", kernel, of_all[p]);
    }
    cr_expect_gt(known, 100);
    rig_close(&r);
}

/* Smallest and largest value per parameter, as in parameters.golden: changes alter the traces users may ask for. */
Test(synthetic_parameters, least_and_most) {
    enum { ROOM = 1 << 15 };
    static char text[ROOM];
    rig r;
    rig_open(&r, "vectoradd");
    for (size_t i = 0; i < gpc_synthetic_count(); i++) {
        const char *kernel = NULL;
        gpc_synthetic_at(i, &kernel, NULL, NULL, NULL);
        for (size_t p = 0; p < COUNT(parameters); p++) {
            gpc_error error = GPC_ERROR_INIT;
            if (!refuses(&r, kernel, parameters[p], "-1", &error))
                continue;
            const char *bounds = strstr(error.message, "between ");
            cr_assert(bounds, "%s: %s", kernel, error.message);
            snprintf(text + strlen(text), ROOM - strlen(text), "%s %s %s\n", kernel, parameters[p],
                     bounds + strlen("between "));
        }
    }
    expect_golden("tests/trace/synthetic/parameters.golden", text);
    rig_close(&r);
}

static uint64_t mix(uint64_t sum, uint64_t number) {
    sum = (sum ^ number) * 0x9e3779b97f4a7c15u;
    return sum ^ sum >> 29;
}

static uint64_t mix_instruction(uint64_t sum, const gpc_instruction *in) {
    const uint64_t fields[] = {in->pc,           in->mask,    in->width, in->op_class, in->kind, in->space,
                               in->destinations, in->sources, in->hint,  in->priority, in->line};
    for (size_t i = 0; i < COUNT(fields); i++)
        sum = mix(sum, fields[i]);
    for (unsigned i = 0; i < in->destinations + in->sources; i++)
        sum = mix(sum, in->registers[i]);
    for (uint64_t lanes = in->addresses ? in->mask : 0, n = 0; lanes; lanes &= lanes - 1, n++)
        sum = mix(sum, in->addresses[n]);
    return sum;
}

static uint64_t mix_block(uint64_t sum, const gpc_block *block) {
    sum = mix(mix(sum, block->index), block->instruction_count);
    for (uint32_t w = 0; w < block->warp_count; w++)
        for (uint64_t i = 0; i < block->warps[w].count; i++)
            sum = mix_instruction(sum, &block->warps[w].instructions[i]);
    return sum;
}

/* Digest of the first launches and blocks of a source, and of the last block; 0: refused. */
static uint64_t digest_of(gpc_context *context, const char *source) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_trace *trace = NULL;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    uint64_t sum = 0xcbf29ce484222325u;
    if (gpc_trace_open(context, source, &trace, &error) != GPC_OK)
        return 0;
    for (unsigned k = 0; k < 3 && gpc_trace_next_kernel(trace, &kernel, &error) == GPC_OK; k++) {
        const gpc_block *block;
        uint64_t last = 0;
        sum = mix(mix(mix(sum, kernel.block_count), kernel.block[0]), kernel.shared_bytes);
        for (unsigned b = 0; b < 5 && gpc_trace_next_block(trace, &block, &error) == GPC_OK; b++) {
            last = mix_block(b < 2 ? sum : 1, block);
            sum = b < 2 ? last : sum;
            gpc_trace_release_block(trace, block);
        }
        sum = mix(mix(sum, k), last);
    }
    gpc_trace_close(trace);
    return sum;
}

/* Sizes, of which a kernel's golden sources have the first that the kernel accepts. */
static const char *const sizes[] = {"4KiB", "32KiB", "128KiB", "512KiB"};

static const char *size_of(gpc_context *context, const char *kernel) {
    char source[128];
    for (size_t i = 0; i < COUNT(sizes); i++) {
        snprintf(source, sizeof source, "synthetic:%s:%s", kernel, sizes[i]);
        if (digest_of(context, source))
            return sizes[i];
    }
    cr_expect_fail("%s: refused in every size", kernel);
    return sizes[0];
}

/* Add a source's digest: `settings` is what follows the size. A refused source leaves no mark. */
static void put_source(gpc_context *context, const char *kernel, const char *size, const char *settings, char *text,
                       size_t room) {
    char source[512];
    snprintf(source, sizeof source, "synthetic:%s:%s%s%s", kernel, size, *settings ? ":" : "", settings);
    const uint64_t digest = digest_of(context, source);
    if (digest)
        snprintf(text + strlen(text), room - strlen(text), " %s %08x", *settings ? settings : size,
                 (unsigned)(digest >> 32));
}

/* Instructions and addresses of each kernel's first blocks, with each parameter moved, as kernels.golden has them. */
Test(synthetic_parameters, kernels) {
    enum { ROOM = 1 << 16 };
    static const char *const values[] = {"1", "6", "150"};
    static char text[ROOM];
    rig r;
    rig_open(&r, "vectoradd");
    for (size_t i = 0; i < gpc_synthetic_count(); i++) {
        const char *kernel = NULL;
        gpc_synthetic_at(i, &kernel, NULL, NULL, NULL);
        const char *size = size_of(r.context, kernel);
        size_t known[COUNT(parameters)];
        const size_t count = parameters_of(&r, kernel, known);
        snprintf(text + strlen(text), ROOM - strlen(text), "%s", kernel);
        put_source(r.context, kernel, size, "", text, ROOM);
        for (size_t n = 0; n < count * COUNT(values); n++) {
            char setting[64];
            snprintf(setting, sizeof setting, "%s=%s", parameters[known[n / COUNT(values)]], values[n % COUNT(values)]);
            put_source(r.context, kernel, size, setting, text, ROOM);
        }
        put_source(r.context, kernel, size, "header=1", text, ROOM);
        put_source(r.context, kernel, size, "lanes=64", text, ROOM);
        strcat(text, "\n");
    }
    expect_golden("tests/trace/synthetic/kernels.golden", text);
    rig_close(&r);
}

/* Draw settings of about half of the parameters; an empty text: none was drawn. */
static void draw_settings(const size_t *known, size_t count, uint64_t *random, char *settings, size_t room) {
    static const char *const values[] = {"0", "1", "2", "3", "5", "8", "12", "20"};
    *settings = '\0';
    for (size_t n = 0; n < count; n++) {
        const uint64_t draw = gpci_random(random) >> 20;
        if (draw % 2)
            snprintf(settings + strlen(settings), room - strlen(settings), "%s%s=%s", *settings ? "," : "",
                     parameters[known[n]], values[draw / 2 % COUNT(values)]);
    }
}

/* The same with several parameters moved together, in two sizes, as together.golden has them. */
Test(synthetic_parameters, together) {
    enum { ROOM = 1 << 16, DRAWS = 16 };
    static char text[ROOM];
    rig r;
    rig_open(&r, "vectoradd");
    for (size_t i = 0; i < gpc_synthetic_count(); i++) {
        const char *kernel = NULL;
        char settings[256];
        gpc_synthetic_at(i, &kernel, NULL, NULL, NULL);
        const char *size = size_of(r.context, kernel), *larger = strcmp(size, "4KiB") ? "300KiB" : "36KiB";
        uint64_t random = 1 + i;
        size_t known[COUNT(parameters)];
        const size_t count = parameters_of(&r, kernel, known);
        snprintf(text + strlen(text), ROOM - strlen(text), "%s", kernel);
        put_source(r.context, kernel, larger, "", text, ROOM);
        for (unsigned n = 0; count && n < DRAWS; n++) {
            draw_settings(known, count, &random, settings, sizeof settings);
            if (*settings)
                put_source(r.context, kernel, n % 2 ? size : larger, settings, text, ROOM);
        }
        strcat(text, "\n");
    }
    expect_golden("tests/trace/synthetic/together.golden", text);
    rig_close(&r);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/config_gpgpusim.h"

#include "core/config_object.h"
#include "core/file.h"
#include "core/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * GPGPU-Sim's option files: `-option value` separated by any blanks, `#` to the
 * end of a line is a comment, a value in double quotes may hold blanks
 * (src/option_parser.cc). The last occurrence of an option holds.
 */

typedef enum kind { NUMBER, FLAG, TEXT } kind;

/* Options that say something about a key. */
#define OPTIONS(X)                                                      \
    X(CLUSTERS, "-gpgpu_n_clusters", NUMBER)                            \
    X(CORES, "-gpgpu_n_cores_per_cluster", NUMBER)                      \
    X(PIPELINE, "-gpgpu_shader_core_pipeline", TEXT)                    \
    X(BLOCKS, "-gpgpu_shader_cta", NUMBER)                              \
    X(REGISTERS, "-gpgpu_shader_registers", NUMBER)                     \
    X(SHARED, "-gpgpu_shmem_size", NUMBER)                              \
    X(L1, "-gpgpu_cache:dl1", TEXT)                                     \
    X(SKIP_L1, "-gpgpu_gmem_skip_L1D", FLAG)                            \
    X(ADAPTIVE, "-gpgpu_adaptive_cache_config", FLAG)                   \
    X(UNIFIED, "-gpgpu_unified_l1d_size", NUMBER)                       \
    X(CARVEOUTS, "-gpgpu_shmem_option", TEXT)                           \
    X(L2, "-gpgpu_cache:dl2", TEXT)                                     \
    X(L2_TEXTURE, "-gpgpu_cache:dl2_texture_only", FLAG)                \
    X(CHANNELS, "-gpgpu_n_mem", NUMBER)                                 \
    X(SUBPARTITIONS, "-gpgpu_n_sub_partition_per_mchannel", NUMBER)     \
    X(PARTITIONS, "-gpgpu_n_chiplet_partition", NUMBER)                 \
    X(INDEXING, "-gpgpu_memory_partition_indexing", NUMBER)             \
    X(MAPPING, "-gpgpu_mem_addr_mapping", TEXT)                         \
    X(FLUSH_L1, "-gpgpu_flush_l1_cache", FLAG)                          \
    X(FLUSH_L2, "-gpgpu_flush_l2_cache", FLAG)

typedef enum option_id {
#define X(id, name, kind) ID_##id,
    OPTIONS(X)
#undef X
        ID_COUNT
} option_id;

static const struct {
    const char *name;
    kind kind;
} known[] = {
#define X(id, name, kind) {name, kind},
    OPTIONS(X)
#undef X
};

typedef struct option {
    bool given;
    size_t line;
    const char *text;
    uint64_t number; /* of NUMBER and FLAG */
} option;

typedef struct import {
    const char *path;
    char *at; /* rest of the text */
    size_t line;
    size_t known, unknown; /* occurrences */
    option options[ID_COUNT];
    gpc_config *stage;
    gpc_error *error;
} import;

/* A token, cut out of the text. */
typedef struct token {
    char *text;
    size_t line;
    bool quoted;
} token;

static gpc_status fail(const import *im, size_t line, const char *name, gpc_status status, const char *what) {
    return gpci_fail(im->error, status, "%s:%zu: %s: %s", im->path, line, name, what);
}

static void skip_blanks(import *im) {
    for (;; im->at++) {
        if (*im->at == '#')
            im->at += strcspn(im->at, "\n");
        if (*im->at == '\n')
            im->line++;
        if (!*im->at || !strchr(GPCI_BLANK "\v\f", *im->at))
            return;
    }
}

/* A quoted value: the words up to the closing quote, one blank between two. */
static gpc_status read_quoted(import *im, token *out) {
    char *to = out->text = ++im->at;
    for (;;) {
        skip_blanks(im);
        if (!*im->at)
            return fail(im, out->line, "\"", GPC_ERROR_FORMAT, "the quote is not closed");
        if (*im->at == '"')
            break;
        if (to > out->text)
            *to++ = ' ';
        while (*im->at && !strchr(GPCI_BLANK "\v\f\"#", *im->at))
            *to++ = *im->at++;
    }
    im->at++;
    *to = '\0';
    return GPC_OK;
}

/* The next token; its text is NULL at the end. */
static gpc_status next_token(import *im, token *out) {
    skip_blanks(im);
    *out = (token){.line = im->line, .quoted = *im->at == '"'};
    if (out->quoted)
        return read_quoted(im, out);
    if (!*im->at)
        return GPC_OK;
    out->text = im->at;
    im->at += strcspn(im->at, GPCI_BLANK "\v\f#");
    if (*im->at == '#') {
        *im->at++ = '\0';
        im->at += strcspn(im->at, "\n");
    } else if (*im->at) {
        im->line += *im->at == '\n';
        *im->at++ = '\0';
    }
    return GPC_OK;
}

/* An option's name, as opposed to a value: `-1` is a value. */
static bool is_option(const token *t) {
    return !t->quoted && t->text[0] == '-' && t->text[1] && !strchr("0123456789.", t->text[1]);
}

static option_id find(const char *name) {
    if (!strcmp(name, "-gmem_skip_L1D")) /* before 4.0 */
        return ID_SKIP_L1;
    int id = 0;
    while (id < ID_COUNT && strcmp(known[id].name, name))
        id++;
    return (option_id)id;
}

/* Decimal, 0x or, with a leading 0, octal, as GPGPU-Sim reads them. */
static bool read_number(const char *text, uint64_t *value) {
    if (*text < '0' || *text > '9' || strlen(text) > 20)
        return false;
    char *end;
    *value = strtoull(text, &end, 0);
    return !*end && *value <= UINT32_MAX;
}

static gpc_status take_value(import *im, option_id id, const char *name, size_t line, const token *value) {
    option o = {.given = true, .line = line, .text = value->text ? value->text : ""};
    gpc_error reason = GPC_ERROR_INIT;
    if (!value->text || is_option(value))
        gpci_fail(&reason, GPC_ERROR_FORMAT, "has no value");
    else if (known[id].kind == TEXT)
        ;
    else if (!read_number(value->text, &o.number))
        gpci_fail(&reason, GPC_ERROR_FORMAT, "'%s' is not a whole number", gpci_quote(value->text).text);
    else if (known[id].kind == FLAG && o.number > 1)
        gpci_fail(&reason, GPC_ERROR_FORMAT, "'%s' is neither 0 nor 1", gpci_quote(value->text).text);
    if (reason.status < 0)
        return fail(im, line, name, reason.status, reason.message);
    im->options[id] = o;
    return GPC_OK;
}

/* Read all options. A flag without a value is set; values of unknown options are passed over. */
static gpc_status read_options(import *im) {
    token t;
    gpc_status status = next_token(im, &t);
    bool after_known = false;
    while (status == GPC_OK && t.text) {
        if (!is_option(&t)) {
            if (after_known)
                return fail(im, t.line, gpci_quote(t.text).text, GPC_ERROR_FORMAT, "neither an option nor a value");
            status = next_token(im, &t);
            continue;
        }
        const char *name = t.text;
        size_t line = t.line;
        if (!strcmp(name, "-config"))
            return fail(im, line, name, GPC_ERROR_UNSUPPORTED, "files that name others are not read");
        option_id id = find(name);
        after_known = id < ID_COUNT;
        im->known += after_known;
        im->unknown += !after_known;
        status = next_token(im, &t);
        if (status < 0 || !after_known)
            continue;
        bool bare = known[id].kind == FLAG && (!t.text || is_option(&t));
        if (bare) {
            im->options[id] = (option){true, line, "", 1};
            continue;
        }
        status = take_value(im, id, name, line, &t);
        if (status == GPC_OK)
            status = next_token(im, &t);
    }
    return status;
}

/* Set a key on behalf of an option. */
static gpc_status set(const import *im, option_id id, gpci_key key, const char *text) {
    gpc_error reason = GPC_ERROR_INIT;
    gpc_status status = gpci_config_assign(im->stage, key, text, &reason);
    if (status == GPC_OK)
        return GPC_OK;
    gpc_error whole = GPC_ERROR_INIT;
    gpci_fail(&whole, status, "%s: %s", gpci_key_name(key), reason.message);
    return fail(im, im->options[id].line, known[id].name, status, whole.message);
}

static gpc_status set_number(const import *im, option_id id, gpci_key key, uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return set(im, id, key, text);
}

/* Set several keys from one option: the first failure holds. */
typedef struct setting {
    gpci_key key;
    const char *text;
} setting;

static gpc_status set_all(const import *im, option_id id, const setting *settings, size_t count) {
    gpc_status status = GPC_OK;
    for (size_t i = 0; i < count && status == GPC_OK; i++)
        status = set(im, id, settings[i].key, settings[i].text);
    return status;
}

#define SET_ALL(im, id, ...) \
    set_all(im, id, (const setting[]){__VA_ARGS__}, sizeof((const setting[]){__VA_ARGS__}) / sizeof(setting))

static uint64_t now(const import *im, gpci_key key) {
    return gpci_config_number(im->stage, key);
}

static uint64_t given_or(const import *im, option_id id, uint64_t otherwise) {
    return im->options[id].given ? im->options[id].number : otherwise;
}

/* `threads:warp size` */
static gpc_status apply_pipeline(const import *im) {
    const option *o = &im->options[ID_PIPELINE];
    if (!o->given)
        return GPC_OK;
    char threads[24];
    size_t length = strcspn(o->text, ":");
    uint64_t n, lanes;
    snprintf(threads, sizeof threads, "%.*s", (int)(length < 23 ? length : 23), o->text);
    if (!o->text[length] || !read_number(threads, &n) || !read_number(o->text + length + 1, &lanes) || !lanes ||
        n % lanes) {
        gpc_error reason = GPC_ERROR_INIT;
        gpci_fail(&reason, GPC_ERROR_FORMAT, "'%s' is not threads:warp size, the first a multiple of the second",
                  gpci_quote(o->text).text);
        return fail(im, o->line, known[ID_PIPELINE].name, GPC_ERROR_FORMAT, reason.message);
    }
    gpc_status status = set_number(im, ID_PIPELINE, GPCI_KEY_SM_LANES, lanes);
    return status < 0 ? status : set_number(im, ID_PIPELINE, GPCI_KEY_SM_WARPS, n / lanes);
}

static gpc_status apply_sm(const import *im) {
    gpc_status status = apply_pipeline(im);
    /* 10 clusters of 3 cores are the simulator's defaults */
    if (status == GPC_OK && (im->options[ID_CLUSTERS].given || im->options[ID_CORES].given))
        status = set_number(im, im->options[ID_CLUSTERS].given ? ID_CLUSTERS : ID_CORES, GPCI_KEY_SM_COUNT,
                            given_or(im, ID_CLUSTERS, 10) * given_or(im, ID_CORES, 3));
    if (status == GPC_OK && im->options[ID_BLOCKS].given)
        status = set_number(im, ID_BLOCKS, GPCI_KEY_SM_BLOCKS, im->options[ID_BLOCKS].number);
    if (status == GPC_OK && im->options[ID_REGISTERS].given) {
        status = set_number(im, ID_REGISTERS, GPCI_KEY_SM_REGISTERS, im->options[ID_REGISTERS].number);
        /* shader_core_config::max_cta rounds registers per thread up to 4, and warps not at all */
        if (status == GPC_OK)
            status = set_number(im, ID_REGISTERS, GPCI_KEY_SM_REGISTER_UNIT, 4 * now(im, GPCI_KEY_SM_LANES));
        if (status == GPC_OK)
            status = set_number(im, ID_REGISTERS, GPCI_KEY_SM_WARP_UNIT, 1);
    }
    if (status == GPC_OK && im->options[ID_SHARED].given) {
        status = set_number(im, ID_SHARED, GPCI_KEY_SM_SHARED, im->options[ID_SHARED].number);
        if (status == GPC_OK)
            status = SET_ALL(im, ID_SHARED, {GPCI_KEY_SM_SHARED_UNIT, "1"}, {GPCI_KEY_SM_SHARED_RESERVED, "0"});
    }
    return status;
}

static gpc_status read_cache(const import *im, option_id id, gpci_gpgpusim_cache *cache) {
    gpc_error reason = GPC_ERROR_INIT;
    gpc_status status = gpci_gpgpusim_cache_read(im->options[id].text, cache, &reason);
    return status < 0 ? fail(im, im->options[id].line, known[id].name, status, reason.message) : status;
}

static const char *index_name(char letter) {
    return letter == 'H' ? "fermi" : letter == 'P' ? "ipoly" : letter == 'X' ? "xor" : "modulo";
}

static const char *write_name(char letter) {
    return letter == 'B' ? "back" : letter == 'T' ? "through" : "evict";
}

/* W and F both read the line in; W also passes the write on. */
static const char *write_allocate_name(char letter) {
    return letter == 'N' ? "none" : letter == 'L' ? "lazy" : "fetch";
}

static const char *allocate_name(char letter) {
    return letter == 'm' ? "on-miss" : letter == 'f' ? "on-fill" : "streaming";
}

static const char *replacement_name(char letter) {
    return letter == 'F' ? "fifo" : "lru";
}

static gpc_status apply_l1_policies(const import *im, const gpci_gpgpusim_cache *c) {
    const char *write_allocate = write_allocate_name(c->write_allocate);
    return SET_ALL(im, ID_L1, {GPCI_KEY_L1_SECTORS, c->sectors ? "4" : "1"}, {GPCI_KEY_L1_FETCH, "1"},
                   {GPCI_KEY_L1_INDEX, index_name(c->index)},
                   {GPCI_KEY_L1_REPLACEMENT, replacement_name(c->replacement)},
                   {GPCI_KEY_L1_WRITE, write_name(c->write)},
                   {GPCI_KEY_L1_WRITE_LOCAL, c->write == 'L' ? "back" : write_name(c->write)},
                   {GPCI_KEY_L1_WRITE_ALLOCATE, write_allocate}, {GPCI_KEY_L1_WRITE_ALLOCATE_LOCAL, write_allocate},
                   {GPCI_KEY_L1_ALLOCATE, allocate_name(c->allocate)});
}

/*
 * With an adaptive cache the option gives the sets and the least ways; the ways
 * follow the capacity up to the whole unified memory.
 */
static gpc_status apply_l1_size(const import *im, option_id id, uint64_t sets, uint64_t line, uint64_t ways) {
    bool adaptive = given_or(im, ID_ADAPTIVE, now(im, GPCI_KEY_L1_UNIFIED));
    uint64_t bytes = sets * line * ways;
    if (adaptive) {
        uint64_t unified = now(im, GPCI_KEY_L1_UNIFIED) ? now(im, GPCI_KEY_L1_SIZE) : 0;
        unified = im->options[ID_UNIFIED].given ? im->options[ID_UNIFIED].number * 1024 : unified;
        if (!unified || unified % bytes) {
            id = im->options[ID_UNIFIED].given ? ID_UNIFIED : im->options[ID_ADAPTIVE].given ? ID_ADAPTIVE : id;
            return fail(im, im->options[id].line, known[id].name, GPC_ERROR_FORMAT,
                        "an adaptive L1 needs -gpgpu_unified_l1d_size, a multiple of -gpgpu_cache:dl1");
        }
        ways *= unified / bytes;
        bytes = unified;
    }
    gpc_status status = set_number(im, id, GPCI_KEY_L1_SIZE, bytes);
    if (status == GPC_OK)
        status = set_number(im, id, GPCI_KEY_L1_LINE, line);
    if (status == GPC_OK)
        status = set_number(im, id, GPCI_KEY_L1_WAYS, ways);
    return status < 0 ? status
                      : SET_ALL(im, id, {GPCI_KEY_L1_UNIFIED, adaptive ? "true" : "false"},
                                {GPCI_KEY_L1_RESIZE, adaptive ? "ways" : "sets"}, {GPCI_KEY_L1_CARVEOUT, "auto"});
}

static int compare_numbers(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* `0,8,16,32,64,96`: KiB, in any order */
static gpc_status apply_carveouts(const import *im) {
    enum { MOST = 64 };
    const option *o = &im->options[ID_CARVEOUTS];
    if (!o->given)
        return GPC_OK;
    uint64_t sizes[MOST];
    size_t count = 0;
    for (const char *at = o->text;; at++) {
        char number[24];
        size_t length = strcspn(at, ",");
        snprintf(number, sizeof number, "%.*s", (int)(length < 23 ? length : 23), at);
        if (count == MOST || !read_number(number, &sizes[count++])) {
            gpc_error reason = GPC_ERROR_INIT;
            gpci_fail(&reason, GPC_ERROR_FORMAT, "'%s' is not a list of at most %d sizes in KiB",
                      gpci_quote(o->text).text, MOST);
            return fail(im, o->line, known[ID_CARVEOUTS].name, GPC_ERROR_FORMAT, reason.message);
        }
        at += length;
        if (!*at)
            break;
    }
    qsort(sizes, count, sizeof *sizes, compare_numbers);
    char list[MOST * GPCI_SIZE_TEXT] = "";
    for (size_t i = 0, n = 0; i < count; i++) {
        char size[GPCI_SIZE_TEXT];
        gpci_size_text(sizes[i] * 1024, size);
        if (!i || sizes[i] != sizes[i - 1])
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i ? " " : "", size);
    }
    return set(im, ID_CARVEOUTS, GPCI_KEY_L1_CARVEOUTS, list);
}

/* Adaptive or unified size without a geometry: keep the sets that are set. */
static gpc_status apply_l1_resized(const import *im) {
    option_id id = im->options[ID_ADAPTIVE].given ? ID_ADAPTIVE : ID_UNIFIED;
    bool was = now(im, GPCI_KEY_L1_UNIFIED), adaptive = given_or(im, ID_ADAPTIVE, was);
    if (!adaptive)
        return !was ? GPC_OK
                    : fail(im, im->options[id].line, known[id].name, GPC_ERROR_FORMAT,
                           "an L1 of its own size needs -gpgpu_cache:dl1");
    uint64_t line = now(im, GPCI_KEY_L1_LINE), ways = now(im, GPCI_KEY_L1_WAYS);
    uint64_t sets = now(im, GPCI_KEY_L1_SIZE) / (line * ways);
    /* ways of a unified memory are those of its whole size: they may also shrink */
    return apply_l1_size(im, id, sets ? sets : 1, line, was ? 1 : ways);
}

static gpc_status apply_l1(const import *im) {
    gpc_status status = GPC_OK;
    gpci_gpgpusim_cache c = {0};
    if (im->options[ID_L1].given) {
        status = read_cache(im, ID_L1, &c);
        if (status == GPC_OK)
            status = set(im, ID_L1, GPCI_KEY_L1_ENABLED, c.none ? "false" : "true");
        if (status == GPC_OK && !c.none)
            status = apply_l1_policies(im, &c);
        if (status == GPC_OK && !c.none)
            status = apply_l1_size(im, ID_L1, c.sets, c.line, c.ways);
    } else if (im->options[ID_ADAPTIVE].given || im->options[ID_UNIFIED].given) {
        status = apply_l1_resized(im);
    }
    if (status == GPC_OK && im->options[ID_SKIP_L1].given)
        status = set(im, ID_SKIP_L1, GPCI_KEY_L1_SPACES, im->options[ID_SKIP_L1].number ? "local" : "all");
    return status < 0 ? status : apply_carveouts(im);
}

static gpc_status apply_l2_policies(const import *im, const gpci_gpgpusim_cache *c) {
    if (c->write == 'L' || c->allocate != 'm')
        return fail(im, im->options[ID_L2].line, known[ID_L2].name, GPC_ERROR_UNSUPPORTED,
                    "an L2 writes by one policy (B, T or E) and allocates on a miss (m)");
    return SET_ALL(im, ID_L2, {GPCI_KEY_L2_SECTORS, c->sectors ? "4" : "1"}, {GPCI_KEY_L2_FETCH, "1"},
                   {GPCI_KEY_L2_INDEX, index_name(c->index)},
                   {GPCI_KEY_L2_REPLACEMENT, replacement_name(c->replacement)},
                   {GPCI_KEY_L2_WRITE, write_name(c->write)},
                   {GPCI_KEY_L2_WRITE_ALLOCATE, write_allocate_name(c->write_allocate)});
}

/* The option describes one slice; the number of slices may come from the file or be set already. */
static gpc_status apply_l2(const import *im) {
    uint64_t slices_before = now(im, GPCI_KEY_L2_SLICES), channels_before = now(im, GPCI_KEY_DRAM_CHANNELS);
    uint64_t slice_bytes = now(im, GPCI_KEY_L2_SIZE) / slices_before, slices = slices_before;
    bool recount = im->options[ID_CHANNELS].given || im->options[ID_SUBPARTITIONS].given;
    gpci_gpgpusim_cache c = {.none = true};
    gpc_status status = im->options[ID_L2].given ? read_cache(im, ID_L2, &c) : GPC_OK;
    if (status == GPC_OK && recount) {
        option_id id = im->options[ID_CHANNELS].given ? ID_CHANNELS : ID_SUBPARTITIONS;
        uint64_t per_channel = slices_before % channels_before ? 1 : slices_before / channels_before;
        uint64_t channels = given_or(im, ID_CHANNELS, channels_before);
        slices = channels * given_or(im, ID_SUBPARTITIONS, per_channel);
        status = set_number(im, id, GPCI_KEY_DRAM_CHANNELS, channels);
        if (status == GPC_OK)
            status = set_number(im, id, GPCI_KEY_L2_SLICES, slices);
        if (status == GPC_OK)
            status = set_number(im, id, GPCI_KEY_L2_SIZE, slice_bytes * slices);
    }
    if (status == GPC_OK && im->options[ID_L2].given)
        status = set(im, ID_L2, GPCI_KEY_L2_ENABLED, c.none ? "false" : "true");
    if (status < 0 || c.none)
        return status;
    status = apply_l2_policies(im, &c);
    if (status == GPC_OK)
        status = set_number(im, ID_L2, GPCI_KEY_L2_LINE, c.line);
    if (status == GPC_OK)
        status = set_number(im, ID_L2, GPCI_KEY_L2_WAYS, c.ways);
    return status < 0 ? status
                      : set_number(im, ID_L2, GPCI_KEY_L2_SIZE, (uint64_t)c.sets * c.line * c.ways * slices);
}

/* `dramid@8;...`: bits from 8 up choose the channel. A mapping without dramid@ spreads them; then nothing is set. */
static gpc_status apply_mapping(const import *im) {
    const option *o = &im->options[ID_MAPPING];
    if (!o->given || strncmp(o->text, "dramid@", 7))
        return GPC_OK;
    char digits[4] = "";
    size_t length = strcspn(o->text + 7, ";");
    uint64_t bit = 64;
    if (length && length < sizeof digits && o->text[7 + length])
        memcpy(digits, o->text + 7, length);
    if (!read_number(digits, &bit) || bit > 40)
        return fail(im, o->line, known[ID_MAPPING].name, GPC_ERROR_FORMAT, "is not dramid@bit;mapping");
    return set_number(im, ID_MAPPING, GPCI_KEY_L2_INTERLEAVE_BYTES, (uint64_t)1 << bit);
}

static gpc_status apply_memory(const import *im) {
    gpc_status status = apply_l2(im);
    if (status == GPC_OK && im->options[ID_L2_TEXTURE].number)
        status = set(im, ID_L2_TEXTURE, GPCI_KEY_L2_ENABLED, "false");
    if (status == GPC_OK && im->options[ID_PARTITIONS].given)
        status = set_number(im, ID_PARTITIONS, GPCI_KEY_L2_PARTITIONS,
                            im->options[ID_PARTITIONS].number ? im->options[ID_PARTITIONS].number : 1);
    if (status == GPC_OK && im->options[ID_INDEXING].given)
        status = set(im, ID_INDEXING, GPCI_KEY_L2_INTERLEAVE, im->options[ID_INDEXING].number ? "hash" : "modulo");
    if (status == GPC_OK)
        status = apply_mapping(im);
    if (status < 0 || (!im->options[ID_FLUSH_L1].given && !im->options[ID_FLUSH_L2].given))
        return status;
    const char *flushed = gpci_config_text(im->stage, GPCI_KEY_KERNELS_FLUSH);
    bool l1 = given_or(im, ID_FLUSH_L1, strcmp(flushed, "none") != 0);
    bool l2 = given_or(im, ID_FLUSH_L2, strcmp(flushed, "all") == 0);
    return set(im, im->options[ID_FLUSH_L2].given ? ID_FLUSH_L2 : ID_FLUSH_L1, GPCI_KEY_KERNELS_FLUSH,
               l2 ? "all" : l1 ? "l1" : "none");
}

gpc_status gpc_config_import_gpgpusim(gpc_config *config, const char *path, size_t *out_applied, gpc_error *error) {
    if (!config || !path)
        return gpci_fail(error, GPC_ERROR_ARGUMENT, "gpc_config_import_gpgpusim: %s is NULL",
                         config ? "path" : "config");
    gpci_file file;
    gpc_status status = gpci_file_read(config->context, path, &file, error);
    if (status < 0)
        return status;
    gpc_config stage;
    gpci_config_stage(config, &stage);
    import im = {.path = path, .at = file.text, .line = 1, .stage = &stage, .error = error};
    status = read_options(&im);
    if (status == GPC_OK)
        status = apply_sm(&im);
    if (status == GPC_OK)
        status = apply_l1(&im);
    if (status == GPC_OK)
        status = apply_memory(&im);
    gpci_free(config->context, file.text);
    if (status < 0) {
        gpci_config_discard(&stage);
        return status;
    }
    gpci_config_commit(config, &stage);
    if (out_applied)
        *out_applied = im.known;
    gpci_log(config->context, GPC_LOG_INFO, "%s: %zu options applied, %zu that have no key here passed over", path,
             im.known, im.unknown);
    return GPC_OK;
}

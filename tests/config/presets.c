/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/presets.h"
#include "base/rig.h"
#include "config/config.h"
#include "dram/timing.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Presets: figures are from the documents, and every preset describes a complete machine. */

static const char li[] = "004_f914167101cf345f.txt";      /* D. Li, 2014, Table 3.4, section 4.1.4 */
static const char kotas[] = "002_8012417a493108d0.txt";   /* G. Kotas, 2019, Tables 3.1 and 3.2, section 3.1.1 */
static const char chithra[] = "000_3bf347d137e45bc4.txt"; /* A. Chithra and R. Kumar, 2021, Table 3 */

/* A figure, and the row of the document (NULL: another source, named in the preset's text). */
static const struct figure {
    const char *preset, *key, *value, *document, *row;
} figures[] = {
    {"gtx480", "sm.count", "15", li, "Number of SMs\t15"},
    {"gtx480", "sm.warps", "48", li, "Threads per SM\t1536"}, /* 1536 / 32 */
    {"gtx480", "sm.lanes", "32", li, "Threads per warp\t32"},
    {"gtx480", "sm.registers", "32768", li, "Registers per SM\t32768"},
    {"gtx480", "sm.shared", "48KiB", li, "Shared memory per SM\t48KB"},
    {"gtx480", "l1.size", "16KiB", li, "L1 cache (size/assoc/block size)\t16KB/4-way/128B"},
    {"gtx480", "l1.ways", "4", li, "L1 cache (size/assoc/block size)\t16KB/4-way/128B"},
    {"gtx480", "l1.line", "128B", li, "L1 cache (size/assoc/block size)\t16KB/4-way/128B"},
    {"gtx480", "l2.size", "768KiB", li, "L2 cache (size/assoc/block size)\t768KB/16-way/128B"},
    {"gtx480", "l2.ways", "16", li, "L2 cache (size/assoc/block size)\t768KB/16-way/128B"},
    {"gtx480", "l2.line", "128B", li, "L2 cache (size/assoc/block size)\t768KB/16-way/128B"},
    {"gtx480", "dram.channels", "6", li, "Number of memory channels\t6"},
    {"gtx480", "dram.scheduler", "fr-fcfs", li, "Memory controller\tOut-of-order (FR-FCFS)"},
    {"gtx480", "scheduler", "gto", li, "Warp scheduling policy\tGreedy-Then-oldest"},
    {"gtx480", "sm.schedulers", "2", li, "Schedulers per SM\t2"},
    {"gtx480", "l1.mshr_entries", "32", li, "enables 128 L1 cache blocks and 32 MSHR entries"},
    {"gtx480", "l1.mshr_merges", "8", li, "Each MSHR entry allows up to 8 requests pending on the same entry"},
    {"gtx480", "clock.core", "700", NULL, NULL},
    {"gtx480", "l2.rop_latency", "120", NULL, NULL},
    {"gtx480-l1-48k", "sm.count", "15", li, "Number of SMs\t15"},
    {"gtx480-l1-48k", "l1.size", "48KiB", kotas, "L1 Cache Size (KB)\t16 / 48"},
    {"gtx480-l1-48k", "sm.shared", "16KiB", kotas, "Shared Memory Size (KB)\t48 / 16"},
    {"gtx480-l1-48k", "l2.size", "768KiB", kotas, "L2 Cache Size\t768 KB"},
    {"kepler", "sm.count", "14", kotas, "# of SMs\t16\t14\t24\t56\t80"},
    {"kepler", "l1.size", "16KiB", kotas, "Module Size (KB)\t16\t64"},
    {"kepler", "l1.ways", "4", kotas, "Associativity\t4 way\t16 way"},
    {"kepler", "l1.line", "128B", kotas, "Block Size (B)\t128\t128\t128"},
    {"kepler", "l1.replacement", "lru", kotas, "Replacement Policy\tLRU\tLRU"},
    {"kepler", "l2.slices", "6", kotas, "each of the 6 L2 caches"},
    {"kepler", "l2.size", "384KiB", kotas, "Module Size (KB)\t16\t64"}, /* 6 modules */
    {"kepler", "l2.ways", "16", kotas, "Associativity\t4 way\t16 way"},
    {"kepler", "l2.line", "128B", kotas, "Block Size (B)\t128\t128\t128"},
    {"kepler", "l2.replacement", "lru", kotas, "Replacement Policy\tLRU\tLRU"},
    {"kepler", "dram.model", "fixed", kotas, "Latency (Cycles)\t6\t20\t300"},
    {"kepler", "dram.fixed_latency", "300", kotas, "Latency (Cycles)\t6\t20\t300"},
    {"kepler", "l1.latency", "6", kotas, "Latency (Cycles)\t6\t20\t300"},
    {"kepler", "l2.latency", "20", kotas, "Latency (Cycles)\t6\t20\t300"},
    {"kepler", "l2.rop_latency", "0", kotas, "Latency (Cycles)\t6\t20\t300"},
    {"kepler", "network.width", "264B", kotas, "264 bytes per cycle for all networks"},
    {"kepler", "network.reply_width", "264B", kotas, "264 bytes per cycle for all networks"},
    {"kepler", "network.input_buffer", "528", kotas, "in number of packets and set to 528 each"},
    {"kepler", "network.output_buffer", "528", kotas, "in number of packets and set to 528 each"},
    {"kepler", "memory.link_width", "264B", kotas, "264 bytes per cycle for all networks"},
    {"kepler", "memory.link_buffer", "528", kotas, "six between each L2 module and a main memory module"},
    {"qv100", "sm.count", "80", kotas, "# of SMs\t16\t14\t24\t56\t80"}, /* Volta */
    {"qv100", "l1.line", "128B", chithra, "L1 cache\tSector cache, 128B blocks, 64-way"},
    {"qv100", "l1.sectors", "4", chithra, "L1 cache\tSector cache"},
    {"qv100", "l2.size", "6MiB", chithra, "L2 cache\tSector cache, 128B blocks, 24-way, 32 sets, 6MB capacity"},
    {"qv100", "l2.ways", "24", chithra, "L2 cache\tSector cache, 128B blocks, 24-way, 32 sets, 6MB capacity"},
    {"qv100", "dram.channels", "32", NULL, NULL},
    {"qv100", "l1.mshr_entries", "512", NULL, NULL},
    {"qv100", "network.width", "40B", NULL, NULL},
    {"qv100", "launch.cycles", "5000", NULL, NULL},
    {"rtx2060", "sm.count", "30", NULL, NULL},
    {"rtx2060", "l2.size", "3MiB", NULL, NULL},
    {"a100", "sm.count", "108", NULL, NULL},
    {"a100", "l1.size", "192KiB", NULL, NULL},
    {"a100", "l2.size", "40MiB", NULL, NULL},
    {"a100", "l2.partitions", "2", NULL, NULL},
    {"h100", "sm.count", "132", NULL, NULL},
    {"h100", "sm.blocks", "32", NULL, NULL},
    {"h100", "sm.warps", "64", NULL, NULL},
    {"h100", "l1.size", "256KiB", NULL, NULL},
    {"h100", "l1.carveouts", "0B 8KiB 16KiB 32KiB 64KiB 100KiB 132KiB 164KiB 196KiB 228KiB", NULL, NULL},
    {"h100", "l1.sectors", "4", NULL, NULL},
    {"h100", "l1.write_allocate", "none", NULL, NULL},
    {"h100", "l2.size", "50MiB", NULL, NULL},
    {"h100", "l2.partitions", "2", NULL, NULL},
    {"h100", "l2.fetch_sectors", "2", NULL, NULL},
    {"h100", "scheduler", "gto", NULL, NULL},
    {"h100", "sm.schedulers", "4", NULL, NULL},
    {"gcn-7970", "sm.count", "32", NULL, NULL},
    {"gcn-7970", "sm.lanes", "64", NULL, NULL},
    {"gcn-7970", "l1.size", "16KiB", NULL, NULL},
    {"gcn-7970", "l1.line", "64B", NULL, NULL},
    {"gcn-7970", "l1.write_policy", "through", NULL, NULL},
    {"gcn-7970", "l2.size", "768KiB", NULL, NULL},
    {"gcn-7970", "dram.channels", "12", NULL, NULL},
};

#define FIGURES (sizeof figures / sizeof *figures)

static void open_preset(rig *r, const char *name) {
    rig_open(r);
    cr_assert_eq(gpc_config_load_preset(r->config, name, &r->error), GPC_OK, "%s", r->error.message);
}

static uint64_t number(const gpc_config *config, const char *key) {
    uint64_t n = 0;
    cr_assert_eq(gpc_config_get_u64(config, key, &n, NULL), GPC_OK, "%s", key);
    return n;
}

/*
 * The preset of a configuration is remembered after later settings; a file may change the preset, a failed load does
 * not.
 */
Test(presets, are_remembered) {
    rig r;
    rig_open(&r);
    gpc_config *config, *copy;
    cr_assert_eq(gpc_config_create(r.context, &config, &r.error), GPC_OK);
    cr_expect_null(gpc_config_preset(config));
    cr_assert_eq(gpc_config_load_preset(config, "gtx480-l1-48k", &r.error), GPC_OK);
    cr_expect_str_eq(gpc_config_preset(config), "gtx480-l1-48k", "not what it stands on");
    cr_assert_eq(gpc_config_set(config, "l1.ways", "2", &r.error), GPC_OK);
    cr_assert_eq(gpc_config_copy(config, &copy, &r.error), GPC_OK);
    cr_expect_str_eq(gpc_config_preset(copy), "gtx480-l1-48k");
    cr_assert_eq(gpc_config_load_text(copy, "preset = a100\nl1.ways = 4\n", NULL, &r.error), GPC_OK);
    cr_expect_str_eq(gpc_config_preset(copy), "a100");
    cr_expect_lt(gpc_config_load_text(copy, "preset = h100\nl1.sise = 4\n", NULL, &r.error), 0);
    cr_expect_str_eq(gpc_config_preset(copy), "a100");
    cr_assert_eq(gpc_config_load_preset(copy, "defaults", &r.error), GPC_OK);
    cr_expect_null(gpc_config_preset(copy));
    gpc_config_destroy(copy);
    gpc_config_destroy(config);
    rig_close(&r);
}

Test(presets, figures) {
    for (size_t i = 0; i < FIGURES; i++) {
        rig r;
        open_preset(&r, figures[i].preset);
        const char *got = value(r.config, figures[i].key);
        cr_expect_str_eq(got, figures[i].value, "%s: %s is %s", figures[i].preset, figures[i].key, got);
        rig_close(&r);
    }
}

static char *document(const char *name) {
    char path[128];
    snprintf(path, sizeof path, "../shared/seeds/%s", name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *text = calloc(1, 1 << 20);
    cr_assert(text && fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

/* The quoted rows are in the documents. */
Test(presets, documents) {
    const char *name = NULL;
    char *text = NULL;
    for (size_t i = 0; i < FIGURES; i++) {
        if (!figures[i].document)
            continue;
        if (figures[i].document != name) {
            free(text);
            text = document(name = figures[i].document);
            if (!text)
                cr_skip_test("../shared/seeds is not here: the rows cannot be compared with the documents");
        }
        cr_expect(strstr(text, figures[i].row), "%s: no row '%s'", name, figures[i].row);
    }
    free(text);
}

/* Volta's L1 with the largest carve-out matches Table 3: 64 ways, 32KB; L2 has 32 sets. */
Test(presets, qv100_geometry) {
    rig r;
    open_preset(&r, "qv100");
    uint64_t line = number(r.config, "l1.line"), ways = number(r.config, "l1.ways"), size = number(r.config, "l1.size");
    uint64_t sets = size / (line * ways), left = size - 96 * 1024;
    cr_expect_str_eq(value(r.config, "l1.resize"), "ways");
    cr_expect_eq(left, 32 * 1024);
    cr_expect_eq(left / (line * sets), 64);
    cr_expect_eq(number(r.config, "l2.size") / number(r.config, "l2.slices") / 24 / 128, 32);
    rig_close(&r);
}

Test(presets, enumeration) {
    const char *name, *summary, *other;
    cr_expect_geq(gpc_preset_count(), 8);
    for (size_t i = 0; i < gpc_preset_count(); i++) {
        cr_assert_eq(gpc_preset_at(i, &name, &summary, NULL), GPC_OK);
        cr_expect(*name && *summary && !strchr(summary, '\n'));
        cr_expect_eq(gpc_preset_text(name), gpc_preset_text(name));
        for (size_t k = 0; k < i; k++) {
            gpc_preset_at(k, &other, NULL, NULL);
            cr_expect_str_neq(name, other);
        }
    }
    cr_expect_eq(gpc_preset_at(gpc_preset_count(), &name, &summary, NULL), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_preset_at(0, NULL, NULL, NULL), GPC_OK);
    cr_expect_eq(gpc_preset_text("h10"), NULL);
    cr_expect_eq(gpc_preset_text(NULL), NULL);
    rig r;
    rig_open(&r);
    expect_failure(&r, gpc_config_load_preset(r.config, "h10", &r.error), GPC_ERROR_NOT_FOUND,
                   "preset: none is named 'h10'; did you mean 'h100'?");
    expect_failure(&r, gpc_config_load_preset(r.config, "H100", &r.error), GPC_ERROR_NOT_FOUND,
                   "preset: none is named 'H100'; did you mean 'h100'?");
    cr_expect_str_eq(value(r.config, "sm.count"), "15");
    rig_close(&r);
}

/* The text is a configuration, with the same effect as the name. */
Test(presets, texts) {
    for (size_t i = 0; i < gpc_preset_count(); i++) {
        const char *name;
        gpc_preset_at(i, &name, NULL, NULL);
        rig a, b;
        open_preset(&a, name);
        rig_open(&b);
        cr_assert_eq(gpc_config_load_text(b.config, gpc_preset_text(name), name, &b.error), GPC_OK, "%s",
                     b.error.message);
        for (size_t k = 0; k < gpc_key_count(); k++) {
            gpc_key_info info = GPC_KEY_INFO_INIT;
            gpc_key_at(k, &info, NULL);
            cr_expect_str_eq(value(a.config, info.name), value(b.config, info.name), "%s: %s", name, info.name);
        }
        rig_close(&a);
        rig_close(&b);
    }
}

/* True for choices of a run, as opposed to a machine. */
static bool is_choice_of_the_run(const char *key) {
    static const char *const choices[] = {"l1.track_reuse",     "l1.track_warps",  "blocks.placement",
                                          "warps.order",        "kernels.flush",   "mode",
                                          "sm.warp_limit",      "sm.block_limit",  "limit.cycles",
                                          "limit.instructions", "deadlock.cycles", "sample.period",
                                          "l1.future"};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (!strcmp(choices[i], key))
            return true;
    return false;
}

/* Set a different value of the key. */
static void disturb(rig *r, const gpc_key_info *key) {
    static const char *const values[] = {
        "1",
        "2",
        "3",
        "1KiB",
        "2KiB",
        "true",
        "false",
        "fifo",
        "lrr",
        "vi",
        "always-bypass",
        "row column",
        "gto",
        "lru",
        "hint",
        "none",
        "msi",
        "stride",
        "4KiB",
        "64B",
        "128B",
        "dramid@8;RRRRRRRR.RRRRRRRR.RRRRRRRR.RRRRRRRR.RRRRRRRR.RRRRRRRR.RRRBBBCC.CCCCSSSS"};
    char before[256], word[64];
    snprintf(before, sizeof before, "%s", value(r->config, key->name));
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (gpc_config_set(r->config, key->name, values[i], NULL) == GPC_OK &&
            strcmp(value(r->config, key->name), before) != 0)
            return;
    for (const char *at = key->choices; *at; at += strcspn(at, "|"), at += *at == '|') {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, "|"), at);
        if (gpc_config_set(r->config, key->name, word, NULL) == GPC_OK &&
            strcmp(value(r->config, key->name), before) != 0)
            return;
    }
    cr_assert(false, "%s: no value but %s", key->name, before);
}

/* After any settings: every key of the machine is the preset's, and every other key is unchanged. */
Test(presets, set_every_key) {
    for (size_t i = 0; i < gpc_preset_count(); i++) {
        const char *name;
        gpc_preset_at(i, &name, NULL, NULL);
        rig fresh, used, before;
        open_preset(&fresh, name);
        open_preset(&used, name);
        rig_open(&before);
        for (size_t k = 0; k < gpc_key_count(); k++) {
            gpc_key_info info = GPC_KEY_INFO_INIT;
            gpc_key_at(k, &info, NULL);
            disturb(&used, &info);
            gpc_config_set(before.config, info.name, value(used.config, info.name), NULL);
        }
        cr_assert_eq(gpc_config_load_preset(used.config, name, NULL), GPC_OK);
        for (size_t k = 0; k < gpc_key_count(); k++) {
            const char *key = gpci_key_name((gpci_key)k);
            const rig *expected = gpci_key_resets((gpci_key)k) ? &fresh : &before;
            cr_expect_str_eq(value(used.config, key), value(expected->config, key), "%s: %s", name, key);
        }
        rig_close(&before);
        rig_close(&used);
        rig_close(&fresh);
    }
}

/* All keys belong to the machine, except choices of the run and keys implied by the name of a DRAM's timing. */
Test(presets, keys_of_the_machine) {
    for (size_t k = 0; k < gpc_key_count(); k++) {
        const char *key = gpci_key_name((gpci_key)k);
        if (is_choice_of_the_run(key))
            cr_expect(!gpci_key_resets((gpci_key)k), "%s", key);
    }
}

/* `preset = defaults` is also allowed in a user's text. */
Test(presets, defaults) {
    rig r;
    open_preset(&r, "h100");
    cr_assert_eq(gpc_config_load_text(r.config, "mode = timed\npreset = defaults\nl1.ways = 8\n", NULL, &r.error),
                 GPC_OK, "%s", r.error.message);
    for (size_t k = 0; k < gpc_key_count(); k++) {
        gpc_key_info info = GPC_KEY_INFO_INIT;
        gpc_key_at(k, &info, NULL);
        if (gpci_key_resets((gpci_key)k) && strcmp(info.name, "l1.ways") != 0)
            cr_expect_str_eq(value(r.config, info.name), info.initial);
    }
    cr_expect_str_eq(value(r.config, "mode"), "timed");
    cr_expect_str_eq(value(r.config, "l1.ways"), "8");
    rig_close(&r);
}

/* Common parts of several presets are found by name, but not listed. */
Test(presets, parts) {
    const char *listed;
    cr_expect_gt(gpci_preset_text_count, gpci_preset_count);
    for (size_t i = gpci_preset_count; i < gpci_preset_text_count; i++) {
        cr_expect_str_empty(gpci_presets[i].summary);
        cr_expect_eq(gpc_preset_text(gpci_presets[i].name), gpci_presets[i].text);
        for (size_t k = 0; k < gpc_preset_count(); k++) {
            gpc_preset_at(k, &listed, NULL, NULL);
            cr_expect_str_neq(listed, gpci_presets[i].name);
        }
    }
}

/* A preset replaces another completely: it sets every key of the machine. */
Test(presets, are_whole) {
    for (size_t i = 0; i < gpc_preset_count(); i++)
        for (size_t before = 0; before < gpc_preset_count(); before++) {
            const char *name, *other;
            gpc_preset_at(i, &name, NULL, NULL);
            gpc_preset_at(before, &other, NULL, NULL);
            rig fresh, used;
            open_preset(&fresh, name);
            open_preset(&used, other);
            cr_assert_eq(gpc_config_load_preset(used.config, name, NULL), GPC_OK);
            for (size_t k = 0; k < gpc_key_count(); k++) {
                gpc_key_info info = GPC_KEY_INFO_INIT;
                gpc_key_at(k, &info, NULL);
                if (!is_choice_of_the_run(info.name))
                    cr_expect_str_eq(value(used.config, info.name), value(fresh.config, info.name), "%s after %s: %s",
                                     name, other, info.name);
            }
            rig_close(&fresh);
            rig_close(&used);
        }
}

/* A letter in brackets, `[A]`, is a source explained in the head of the text; every explained source is used. */
Test(presets, sources) {
    for (size_t i = 0; i < gpci_preset_text_count; i++) {
        const char *name = gpci_presets[i].name, *text = gpc_preset_text(name), *body = strstr(text, " = ");
        for (char letter = 'A'; letter <= 'Z'; letter++) {
            char mark[4] = {'[', letter, ']', '\0'}, head[8];
            snprintf(head, sizeof head, "# %s ", mark);
            const char *explained = strstr(text, head);
            bool is_explained = explained && explained < body;
            cr_expect_eq(is_explained, strstr(body, mark) != NULL, "%s: %s", name, mark);
        }
    }
}

/* Peak bandwidth of all channels, MB/s. */
static uint64_t peak_bandwidth(const gpc_config *config) {
    gpci_dram_timing t;
    uint64_t width = number(config, "dram.fixed_bandwidth");
    if (!strcmp(value(config, "dram.model"), "timing")) {
        cr_assert_eq(gpci_dram_timing_read(config, NULL, &t), GPC_OK);
        cr_expect_eq(t.burst_bytes * t.pseudo / t.burst, width, "the fixed model is as wide");
        cr_expect_geq(number(config, "dram.fixed_latency"), number(config, "dram.latency"));
    }
    return number(config, "dram.channels") * width * number(config, "clock.dram");
}

/* Within a hundredth of published values: gtx480 by Table 3.4, others by data sheets. */
Test(presets, memory_bandwidth) {
    static const struct {
        const char *preset;
        uint64_t mb_per_s;
    } published[] = {
        {"gtx480", 179200}, {"gtx480-l1-48k", 179200}, {"rtx2060", 336000}, {"a100", 1555000},
        {"h100", 3352000},  {"gcn-7970", 264000},      {"qv100", 870400}}; /* 4096 bits twice at [A]'s 850 MHz */
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        rig r;
        open_preset(&r, published[i].preset);
        uint64_t expected = published[i].mb_per_s, peak = peak_bandwidth(r.config);
        uint64_t off = peak > expected ? peak - expected : expected - peak;
        cr_expect_leq(off * 100, expected, "%s: %llu MB/s", published[i].preset, (unsigned long long)peak);
        rig_close(&r);
    }
}

/* Table 3.4: 48 warps of two schedulers are 24 each. */
Test(presets, warps_of_a_scheduler) {
    rig r;
    open_preset(&r, "gtx480");
    cr_expect_eq(number(r.config, "sm.warps") / number(r.config, "sm.schedulers"), 24);
    rig_close(&r);
}

/* Ascending carve-outs; each leaves whole sets (or whole ways). */
static void check_carveouts(const gpc_config *config, const char *name) {
    uint64_t line = number(config, "l1.line"), ways = number(config, "l1.ways"), size = number(config, "l1.size");
    uint64_t sets = size / (line * ways), step = strcmp(value(config, "l1.resize"), "ways") ? line * ways : line * sets;
    char list[256];
    snprintf(list, sizeof list, "%s", value(config, "l1.carveouts"));
    uint64_t last = 0, count = 0;
    for (char *word = strtok(list, " "); word; word = strtok(NULL, " "), count++) {
        rig r;
        rig_open(&r);
        cr_assert_eq(gpc_config_set(r.config, "sm.shared", word, &r.error), GPC_OK, "%s", r.error.message);
        uint64_t carveout = number(r.config, "sm.shared");
        cr_expect(!count || carveout > last, "%s: %s", name, word);
        cr_expect_lt(carveout, size);
        cr_expect_eq((size - carveout) % step, 0, "%s: %s", name, word);
        last = carveout;
        rig_close(&r);
    }
    cr_expect_eq(last, number(config, "sm.shared"), "%s: blocks may fill the largest carve-out", name);
}

Test(presets, can_be_built) {
    for (size_t i = 0; i < gpc_preset_count(); i++) {
        const char *name;
        gpc_preset_at(i, &name, NULL, NULL);
        rig r;
        open_preset(&r, name);
        cr_expect_eq(number(r.config, "l1.size") % (number(r.config, "l1.line") * number(r.config, "l1.ways")), 0,
                     "%s: whole L1 sets", name);
        uint64_t slice = number(r.config, "l2.line") * number(r.config, "l2.ways") * number(r.config, "l2.slices");
        cr_expect_eq(number(r.config, "l2.size") % slice, 0, "%s: whole L2 sets", name);
        cr_expect_eq(number(r.config, "l2.slices") % number(r.config, "l2.partitions"), 0, "%s", name);
        cr_expect_geq(number(r.config, "l2.line"), number(r.config, "l1.line"), "%s", name);
        cr_expect_leq(number(r.config, "l2.fetch_sectors"), number(r.config, "l2.sectors"), "%s", name);
        cr_expect_eq(number(r.config, "l2.interleave_bytes") % number(r.config, "l2.line"), 0, "%s", name);
        cr_expect_eq(number(r.config, "sm.warps") % number(r.config, "sm.warp_unit"), 0, "%s", name);
        gpc_hierarchy *hierarchy = NULL;
        cr_expect_eq(gpc_hierarchy_create(r.context, r.config, &hierarchy, &r.error), GPC_OK, "%s: %s", name,
                     r.error.message);
        gpc_hierarchy_destroy(hierarchy);
        if (number(r.config, "l1.unified"))
            check_carveouts(r.config, name);
        else
            cr_expect_str_eq(value(r.config, "l1.carveouts"), "");
        rig_close(&r);
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "torture.h"

#include <stdlib.h>
#include <string.h>

/* Keys outside the features: how a hierarchy runs, and where a run gives up. */
static const char *const apart[] = {"mode", "threads", "deadlock.cycles"};

/* Times that a refusal's advice is followed before companions are only dropped. */
enum { MOST_ADVICE = 12 };

/*
 * Draws of a pair until creation accepts one: with companions, then with none. From PINNED on the settings that the
 * pair needs stay, and from FIRM on with their values: a refusal then names what the pair itself contradicts.
 */
enum { TRIES = 24, PINNED = 12, FIRM = 16 };

#define ADDRESS_MAPPING "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS"

/* Settings without which a key, or keys of a prefix, would be refused or would have no effect. */
typedef struct need {
    const char *key, *with; /* `key = value; key = value` */
} need;

static const need needs[] = {
    {"cpu.count", "gpu.count=2; gpu.home=l2; kernels.flush=none; coherence=nmoesi"},
    {"gpu.home", "gpu.count=2; coherence=nmoesi"},
    {"gpu.link", "gpu.count=2; coherence=nmoesi"},
    {"page.", "gpu.count=2; coherence=nmoesi"},
    {"cluster.", "cluster.sms=2; sm.count=4; coherence=nmoesi"},
    {"coherence.directory_overflow", "coherence=msi; coherence.directory_pointers=1"},
    {"coherence.directory_region",
     "coherence=msi; coherence.directory_pointers=2; coherence.directory_overflow=coarse"},
    {"coherence.any_victim", "coherence=mesi"},
    {"coherence.conflict", "coherence=mesi"},
    {"coherence.directory_", "coherence=mesi"},
    {"coherence.memory_", "coherence=mesi"},
    {"l1.atomics", "coherence=slc-glc"},
    {"l1.unified", "sm.shared=1KiB; l1.carveouts=0B 1KiB"},
    {"l1.size", "l1.ways="},
    {"l1.carveout", "l1.unified=true; l1.size=4KiB; sm.shared=2KiB; l1.carveouts=0B 1KiB 2KiB"},
    {"l1.reserved", "l1.unified=true; l1.size=4KiB; sm.shared=2KiB; l1.carveouts=0B 1KiB 2KiB"},
    {"l1.resize", "l1.unified=true; l1.size=4KiB; sm.shared=2KiB; l1.carveouts=0B 1KiB 2KiB; l1.carveout=1KiB"},
    {"l1.sectors", "l1.mshr_free=filled; l1.release_width=0B; l1.release_latency=0"},
    {"l1.release_", "l1.data_banks=0"},
    {"l1.mshr_free", "l1.data_banks=0"},
    {"l1.line", "l1.sectors=2; l1.index=modulo"},
    {"l2.line", "l1.sectors=2; l2.sectors=2; l1.index=modulo"},
    {"l1.fetch_sectors", "l1.sectors=2; l1.line=64B; l2.line=64B; l1.mshr_free=filled; l1.release_width=0B; "
                         "l1.release_latency=0"},
    {"l2.fetch_sectors", "l2.sectors=4; l2.line=128B"},
    {"l1.release_latency", "l1.release_width=32B"},
    {"l1.mshr_free", "l1.release_width=4B"},
    {"l1.future", "l1.replacement=opt"},
    {"l1.invalidate_rate", "coherence=vi"},
    {"sm.lsu", "l1.coalescer=multi2sim; coherence=nmoesi; l1.line_order=; l1.data_banks=0; l1.collectors=0"},
    {"l1.reorder_", "l1.reorder=warp"},
    {"l1.bank_index", "l1.banks=4; l1.tag_ports=4"},
    {"l1.banks", "l1.tag_ports=4; l1.bank_index=hopper"}, /* no other banks in trees */
    {"l2.banks", "l2.tag_ports=4"},
    {"l1.data_bank_width", "l1.data_banks=16; l1.data_width=128B; l1.release_width=0B; l1.mshr_free=filled; "
                           "l1.release_latency=0"},
    {"l1.data_width", "l1.data_banks=16"},
    {"l1.data_banks", "l1.release_width=0B; l1.mshr_free=filled; l1.release_latency=0"},
    {"l1.prefetch_queue", "l1.prefetcher=next-line"},
    {"l2.prefetch_queue", "l2.prefetcher=next-line"},
    {"l1.combine_", "l1.combine_lines=8"},
    {"l1.bypass_queue", "l1.bypass=mrpb; l1.miss_queue=1"},
    {"l2.line", "l1.line=64B; l15.line=64B"},
    {"tlb.", "tlb.page=4KiB; l1.collectors=0"},
    {"lrc.", "lrc.sms=2; sm.count=4"},
    {"memory.link_", "memory.link_width=32B"},
    {"l2.window_miss", "l2.window_ratio=50"},
    {"l2.window_", "l2.window_begin=65536; l2.window_bytes=4KiB"},
    {"address.",
     "l2.interleave=; l2.interleave_bytes=; l2.slices=4; dram.channels=4; dram.mapping=; dram.pseudo_channels=1"},
    {"address.indexing", "address.mapping=" ADDRESS_MAPPING},
    {"dram.group_banks", "dram.mapping="},
    {"dram.group_bits", "l2.interleave=; l2.interleave_bytes=; l2.slices=4; dram.channels=4; dram.mapping=; "
                        "dram.pseudo_channels=1; address.mapping=" ADDRESS_MAPPING},
    {"l2.homes", "l2.partitions=2; sm.count=4; l2.slices=4"},
    {"l2.sm_partition", "l2.partitions=2; sm.count=4; l2.slices=4"},
    {"l2.link_", "l2.partitions=2; sm.count=4; l2.slices=4"},
    {"l2.partitions", "sm.count=4; l2.slices=4"},
    {"l2.atomic_", "l2.atomic_cycles=8"},
    {"port.", "ports=2"},
    {"const.", "const.size=1KiB"},
    {"l15.", "l15.size=2KiB"},
    {"gl1.", "gl1.size=2KiB"},
    {"memory_cache.", "memory_cache.size=12KiB; memory_cache.ways=2; l2.enabled=true; address.mapping=none"},
    {"kernels.code", "l15.size=2KiB"},
    {"dram.fixed_", "dram.model=fixed"},
    {"dram.write_low", "dram.write_high=16; dram.write_queue=32"},
    {"dram.write_high", "dram.write_low=0"},
    {"dram.trrefd", "dram.refresh=per-bank; dram.timing=hbm2"},
    {"dram.trfc_bank", "dram.refresh=per-bank; dram.timing=hbm2"},
    {"dram.command_bus", "dram.timing=hbm2"},
    {"dram.latency_at", "dram.latency=50"},
    {"coherence.data", "l1.mshr_free=filled; l1.release_width=0B; l1.release_latency=0; l1.write_policy=through; "
                       "l1.write_policy_local=through; l1.write_allocate_local=none"},
};

/* Bounds of drawn numbers, for small machines. */
typedef struct bound {
    const char *key;
    uint32_t least, most;
} bound;

static const bound bounds[] = {
    {"sm.count", 1, 6},
    {"sm.lanes", 1, 64},
    {"sm.warps", 1, 64},
    {"l2.slices", 1, 8},
    {"l2.partitions", 1, 3},
    {"dram.channels", 1, 6},
    {"gpu.count", 1, 3},
    {"cpu.count", 0, 1},
    {"ports", 0, 3},
    {"streams", 1, 4},
    {"cluster.sms", 0, 3},
    {"lrc.sms", 0, 4},
    {"l15.sms", 1, 4},
    {"gl1.sms", 1, 4},
    {"tlb.walk_latency", 1, 400},
    {"clock.core", 200, 2000},
    {"clock.network", 100, 2000},
    {"clock.l2", 100, 2000},
    {"clock.dram", 200, 4000},
    {"l2.window_begin", 0, 131072},
    {"coherence.memory_sets", 1, 64},
    {"launch.cycles", 0, 300},
    {"dram.trfc", 0, 300},
};

static const struct {
    const char *key, *values[4];
} words[] = {
    {"dram.mapping", {"row column bank group pseudo", "bank row column group pseudo", "row bank group pseudo column"}},
    {"address.mapping", {ADDRESS_MAPPING}},
    {"l1.line", {"32B", "64B"}},
    {"l2.line", {"32B", "64B"}},
    {"l1.data_width", {"32B", "64B", "256B"}},
    {"l1.fetch_sectors", {"2", "2", "2", "4"}},                /* at most the sectors of a line */
    {"l2.interleave_bytes", {"128B", "512B", "1KiB", "4KiB"}}, /* not below l2.line */
    {"l1.data_bank_width", {"8B", "16B"}},
    {"l1.data_banks", {"32", "16"}},
    {"dram.row_bytes", {"1KiB", "2KiB", "4KiB"}},
    {"dram.trefi", {"400", "1000", "4000", "20000"}},
    {"dram.group_banks", {"2", "4", "8", "16"}},
    {"l1.carveouts", {"0B 1KiB", "0B 1KiB 2KiB", "0B 3KiB", "1KiB"}},
};

static bool is_apart(const char *key) {
    for (unsigned i = 0; i < sizeof apart / sizeof *apart; i++)
        if (!strcmp(apart[i], key))
            return true;
    return false;
}

static void add_feature(features *f, const char *key, const char *value) {
    snprintf(f->list[f->count].key, KEY_ROOM, "%s", key);
    snprintf(f->list[f->count].value, VALUE_ROOM, "%s", value);
    f->count++;
}

/* Adds a key with its default. */
static void add_key(features *f, const gpc_config *initial, const char *key) {
    const char *was = "";
    if (gpc_config_get(initial, key, &was, NULL) == GPC_OK)
        snprintf(f->list[f->count].initial, VALUE_ROOM, "%s", was);
    add_feature(f, key, "");
}

bool features_make(gpc_context *context, features *f) {
    const size_t protocols = gpc_policy_count(context, GPC_POLICY_PROTOCOL);
    gpc_config *initial = NULL;
    f->count = 0;
    f->list = calloc(gpc_key_count() + gpc_preset_count() + protocols, sizeof *f->list);
    if (!f->list || !(initial = default_config(context, NULL)))
        return false;
    for (size_t i = 0; i < gpc_key_count(); i++) {
        gpc_key_info key = GPC_KEY_INFO_INIT;
        if (gpc_key_at(i, &key, NULL) == GPC_OK && !is_apart(key.name) && strcmp(key.name, "coherence") != 0)
            add_key(f, initial, key.name);
    }
    gpc_config_destroy(initial);
    for (size_t i = 0; i < protocols; i++) {
        gpc_policy_info info = GPC_POLICY_INFO_INIT;
        if (gpc_policy_at(context, GPC_POLICY_PROTOCOL, i, &info, NULL) == GPC_OK && strcmp(info.name, "none") != 0)
            add_feature(f, "coherence", info.name);
    }
    add_feature(f, "coherence", "viper");
    for (size_t i = 0; i < gpc_preset_count(); i++) {
        const char *name, *summary;
        if (gpc_preset_at(i, &name, &summary, NULL) == GPC_OK)
            add_feature(f, "preset", name);
    }
    return true;
}

unsigned features_pairs(const features *f) {
    return f->count * (f->count - 1) / 2;
}

void features_pair(const features *f, uint64_t number, unsigned *a, unsigned *b) {
    uint64_t pairs = features_pairs(f), step = 1000003; /* a prime: neighbours are far apart */
    uint64_t at = number % pairs * step % pairs;
    for (*a = 0; at >= f->count - 1 - *a; ++*a)
        at -= f->count - 1 - *a;
    *b = *a + 1 + (unsigned)at;
}

/* A key set to its default is no feature: needs set a preset's keys back. */
static bool has_feature(const feature *f, const torture_case *c, const gpc_config *config) {
    const char *value = case_value(c, f->key), *is = NULL;
    if (!value || *f->value)
        return value && !strcmp(f->value, value);
    return gpc_config_get(config, f->key, &is, NULL) == GPC_OK && strcmp(is, f->initial) != 0;
}

void features_of(gpc_context *context, const features *f, const torture_case *c, bool *has) {
    gpc_config *config = case_config(context, c, NULL, NULL);
    for (unsigned i = 0; i < f->count && config; i++)
        has[i] = has_feature(&f->list[i], c, config);
    gpc_config_destroy(config);
}

static int find_setting(const torture_case *c, const char *key) {
    for (unsigned i = 0; i < c->setting_count; i++)
        if (!strcmp(c->settings[i].key, key))
            return (int)i;
    return -1;
}

static bool find_key(const char *name, gpc_key_info *key) {
    for (size_t i = 0; i < gpc_key_count(); i++)
        if (gpc_key_at(i, key, NULL) == GPC_OK && !strcmp(key->name, name))
            return true;
    return false;
}

/* A word of `a|b|c`. */
static bool draw_word(dice *d, const char *choices, char *value) {
    unsigned count = *choices != 0;
    for (const char *at = choices; *at; at++)
        count += *at == '|';
    if (!count)
        return false;
    for (unsigned n = dice_below(d, count); n; n--)
        choices = strchr(choices, '|') + 1;
    snprintf(value, VALUE_ROOM, "%.*s", (int)strcspn(choices, "|"), choices);
    return true;
}

static double initial_of(const gpc_key_info *key) {
    char *end;
    double value = strtod(key->initial, &end);
    return *end == 'K' ? value * 1024 : *end == 'M' ? value * 1048576 : value;
}

static void draw_number(dice *d, const gpc_key_info *key, char *value) {
    const double initial = initial_of(key);
    const uint64_t few[] = {0, 1, 1, 2, 2, 3, 4, 5, 7, 8, 12, 16, 24, 32, 64, 100, 128, 256, 300, 1000, 1500};
    double least = key->minimum, most = key->maximum, n;
    for (unsigned i = 0; i < sizeof bounds / sizeof *bounds; i++)
        if (!strcmp(bounds[i].key, key->name)) {
            least = bounds[i].least > least ? bounds[i].least : least;
            most = bounds[i].most < most ? bounds[i].most : most;
        }
    switch (dice_below(d, 8)) {
    case 0:
        n = least + dice_below(d, 3);
        break;
    case 1:
        n = initial / 2;
        break;
    case 2:
        n = initial * 2;
        break;
    case 3:
        n = initial + 1 - 2.0 * dice_below(d, 2);
        break;
    default:
        n = (double)few[dice_below(d, sizeof few / sizeof *few)];
        if (strstr(key->name, "clock."))
            n = least + dice_below(d, (uint32_t)(most - least));
    }
    n = n < least ? least : n > most ? most : n;
    snprintf(value, VALUE_ROOM, "%.0f", n);
}

static void draw_size(dice *d, const gpc_key_info *key, char *value) {
    const bool cache = strstr(key->name, ".size") || strstr(key->name, "shared") || strstr(key->name, "persisting") ||
                       strstr(key->name, "reserved") || strstr(key->name, "window_bytes");
    double n;
    if (!strcmp(key->name, "l2.size"))
        n = 2048u << dice_below(d, 6);
    else if (cache)
        n = (double)(256u << dice_below(d, 6)) * (dice_one_in(d, 4) ? 3 : 1);
    else if (strstr(key->name, "page"))
        n = 128u << dice_below(d, 8);
    else if (dice_one_in(d, 6))
        n = 1 + dice_below(d, 200);
    else
        n = 1u << dice_below(d, 10);
    if (!strcmp(key->name, "tlb.page"))
        n = 4096u << dice_below(d, 3);
    n = n < key->minimum ? key->minimum : n > key->maximum ? key->maximum : n;
    snprintf(value, VALUE_ROOM, "%.0f", n);
}

static bool draw_policy(dice *d, gpc_context *context, const gpc_key_info *key, char *value) {
    static const char *const kinds[] = {"replacement", "predictor", "scheduler", "throttle", "protocol", "prefetcher"};
    for (unsigned kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        gpc_policy_info info = GPC_POLICY_INFO_INIT;
        const uint32_t count = (uint32_t)gpc_policy_count(context, (gpc_policy_kind)kind);
        if (strcmp(kinds[kind], key->choices) != 0)
            continue;
        if (gpc_policy_at(context, (gpc_policy_kind)kind, dice_below(d, count), &info, NULL) != GPC_OK)
            return false;
        snprintf(value, VALUE_ROOM, "%s", info.name);
        return true;
    }
    return false;
}

static bool draw_value(dice *d, gpc_context *context, const gpc_key_info *key, char *value) {
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].key, key->name)) {
            unsigned count = 0;
            while (count < 4 && words[i].values[count])
                count++;
            snprintf(value, VALUE_ROOM, "%s", words[i].values[dice_below(d, count)]);
            return true;
        }
    if (key->type == GPC_VALUE_CHOICE)
        return draw_word(d, key->choices, value);
    if (key->type == GPC_VALUE_POLICY)
        return draw_policy(d, context, key, value);
    if (key->type == GPC_VALUE_BOOL)
        return snprintf(value, VALUE_ROOM, "%s", strcmp(key->initial, "true") ? "true" : "false") > 0;
    if (key->type == GPC_VALUE_TEXT || key->type == GPC_VALUE_SIZES)
        return false;
    if (*key->choices && dice_one_in(d, 4))
        return draw_word(d, key->choices, value);
    if (key->type == GPC_VALUE_SIZE)
        draw_size(d, key, value);
    else
        draw_number(d, key, value);
    return true;
}

/* Sets a key to a value off its default, in the library's own spelling. Returns false if no value was found. */
static bool draw_feature(dice *d, gpc_context *context, const feature *f, torture_case *c, bool wanted) {
    gpc_key_info key = GPC_KEY_INFO_INIT;
    gpc_config *config = NULL;
    bool found = *f->value;
    if (found) {
        case_set(c, f->key, f->value, wanted);
        return true;
    }
    if (!find_key(f->key, &key) || !(config = default_config(context, NULL)))
        return false;
    for (unsigned tries = 0; tries < 20 && !found; tries++) {
        char value[VALUE_ROOM];
        const char *canonical = NULL;
        if (!draw_value(d, context, &key, value) || gpc_config_set(config, f->key, value, NULL) != GPC_OK)
            continue;
        found = gpc_config_get(config, f->key, &canonical, NULL) == GPC_OK && strcmp(canonical, f->initial) != 0;
        torture_setting *set = found ? case_set(c, f->key, canonical, wanted) : NULL;
        if (set)
            set->drawn = wanted;
    }
    gpc_config_destroy(config);
    return found;
}

/* Adds `key=value; key=value` beside what is set. `key=`: the default, in place of a preset's value. */
static void set_list(torture_case *c, const char *list) {
    while (*list) {
        char key[KEY_ROOM], value[VALUE_ROOM];
        const char *end = strstr(list, "; ");
        gpc_key_info info = GPC_KEY_INFO_INIT;
        const size_t length = strcspn(list, "="), rest = end ? (size_t)(end - list) : strlen(list);
        snprintf(key, sizeof key, "%.*s", (int)length, list);
        snprintf(value, sizeof value, "%.*s", (int)(rest - length - 1), list + length + 1);
        if (!*value && find_key(key, &info))
            snprintf(value, sizeof value, "%s", info.initial);
        if (!case_value(c, key))
            case_set(c, key, value, false);
        list += rest;
        list += strspn(list, "; ");
    }
}

/* Sets the needs of a feature. `pinned`: all settings so far stay, and a refusal names a contradiction among them. */
static void set_needs(torture_case *c, const char *key, bool pinned) {
    for (unsigned i = 0; i < sizeof needs / sizeof *needs; i++)
        if (!strncmp(needs[i].key, key, strlen(needs[i].key)))
            set_list(c, needs[i].with);
    for (unsigned i = 0; i < c->setting_count && pinned; i++)
        c->settings[i].pinned = true;
}

/* Sets the sizes of a small machine, after any preset. */
static void set_base(dice *d, torture_case *c) {
    static const char *const sizes[] = {"l2.size=8KiB", "l2.size=16KiB", "l2.size=64KiB"};
    set_list(c, dice_one_in(d, 2) ? "sm.count=4" : dice_one_in(d, 2) ? "sm.count=2" : "sm.count=3");
    set_list(c, dice_one_in(d, 2) ? "l2.slices=2" : "l2.slices=4");
    set_list(c, sizes[dice_below(d, 3)]);
    set_list(c, dice_one_in(d, 2) ? "dram.channels=2" : "dram.channels=4");
    if (!case_value(c, "preset"))
        set_list(c, dice_one_in(d, 2) ? "l1.size=1KiB" : "l1.size=4KiB");
    set_list(c, "deadlock.cycles=200000");
}

static gpc_status try_settings(gpc_context *context, const torture_case *c, gpc_error *error) {
    gpc_hierarchy *h = NULL;
    gpc_replay *replay = NULL;
    *error = (gpc_error)GPC_ERROR_INIT;
    gpc_config *config = case_config(context, c, NULL, error);
    gpc_status status = !config         ? error->status
                        : c->functional ? gpc_replay_create(context, config, &replay, error)
                                        : gpc_hierarchy_create(context, config, &h, error);
    gpc_hierarchy_destroy(h);
    gpc_replay_destroy(replay);
    gpc_config_destroy(config);
    return status;
}

/* Tells whether a key's name stands in a text as a whole word. */
static bool names(const char *text, const char *key) {
    const size_t length = strlen(key);
    for (const char *at = strstr(text, key); at; at = strstr(at + 1, key))
        if (at[length] != '_' && at[length] != '.' && (at[length] < 'a' || at[length] > 'z'))
            return true;
    return false;
}

/* Takes away a setting that a refusal names, or else any setting. Returns false if only the pair is left. */
static bool drop_one(dice *d, torture_case *c, const char *message) {
    unsigned named[MAX_SETTINGS], others[MAX_SETTINGS], name_count = 0, other_count = 0;
    for (unsigned i = 0; i < c->setting_count; i++)
        if (!c->settings[i].wanted && !c->settings[i].pinned) {
            if (names(message, c->settings[i].key))
                named[name_count++] = i;
            else
                others[other_count++] = i;
        }
    if (!name_count && !other_count)
        return false;
    case_drop(c, name_count ? named[dice_below(d, name_count)] : others[dice_below(d, other_count)]);
    return true;
}

/* Copies a value of a message: a word that is no number of a list, or "nmoesi" for any protocol. */
static size_t advised_value(const char *text, char *value) {
    const size_t length = strcspn(text, " ,;:()");
    snprintf(value, VALUE_ROOM, "%.*s", (int)(length < VALUE_ROOM ? length : VALUE_ROOM - 1), text);
    if (!strcmp(value, "PROTOCOL"))
        snprintf(value, VALUE_ROOM, "nmoesi");
    return length;
}

/* True if a refusal may change a setting to `value`. `firm`: pinned settings stay. */
static bool may_become(const torture_setting *set, const char *value, const char *initial, bool firm) {
    if (!strcmp(set->value, value))
        return false;
    return set->drawn ? strcmp(value, initial) != 0 : !set->wanted && !(firm && set->pinned);
}

/* Sets all `key = value` that a refusal asks for and that the case may take. */
static bool take_advice(torture_case *c, const char *message, bool firm) {
    static const char *const links[] = {" = ", " must be "};
    const char *at = strstr(message, " need");
    const char *link = links[!at];
    bool took = false;
    for (at = at ? at : message; (at = strstr(at, link));) {
        char key[KEY_ROOM], value[VALUE_ROOM];
        const char *begin = at;
        gpc_key_info info = GPC_KEY_INFO_INIT;
        while (begin > message && !strchr(" ,;(", begin[-1]))
            begin--;
        snprintf(key, sizeof key, "%.*s", (int)(at - begin), begin);
        at += strlen(link), at += advised_value(at, value);
        const int set = find_setting(c, key);
        if (!find_key(key, &info) || (set >= 0 && !may_become(&c->settings[set], value, info.initial, firm)))
            continue;
        torture_setting *advised = case_set(c, key, value, false);
        if (advised)
            advised->pinned |= firm;
        took = true;
    }
    return took;
}

bool is_refusal(gpc_status status) {
    return status == GPC_ERROR_ARGUMENT || status == GPC_ERROR_RANGE || status == GPC_ERROR_NOT_FOUND ||
           status == GPC_ERROR_UNSUPPORTED || status == GPC_ERROR_FORMAT;
}

/* Follows what refusals ask for, and drops companions, until the rest is accepted. */
static drawn settle(dice *d, gpc_context *context, torture_case *c, bool firm, char *why, size_t size) {
    for (unsigned advice = 0;;) {
        gpc_error error = GPC_ERROR_INIT;
        gpc_status status = try_settings(context, c, &error);
        if (status == GPC_OK)
            return DRAWN_ACCEPTED;
        snprintf(why, size, "%s", error.message);
        if (!is_refusal(status) || !*error.message) {
            snprintf(why, size, "gpc_hierarchy_create returns %s: %.300s", gpc_status_string(status), error.message);
            return DRAWN_WRONG;
        }
        if (dice_one_in(d, 2) && advice++ < MOST_ADVICE && take_advice(c, error.message, firm))
            continue;
        if (!drop_one(d, c, error.message) && (advice++ >= MOST_ADVICE || !take_advice(c, error.message, firm)))
            return DRAWN_REFUSED;
    }
}

static void set_fixed(const torture_options *o, torture_case *c) {
    for (unsigned i = 0; i < o->fixed_count; i++) {
        char key[KEY_ROOM];
        snprintf(key, sizeof key, "%.*s", (int)strcspn(o->fixed[i], "="), o->fixed[i]);
        case_set(c, key, o->fixed[i] + strlen(key) + (o->fixed[i][strlen(key)] == '='), true);
    }
}

/* Draws a feature of the pair. In a case with values the feature is only a companion. */
static bool take_feature(dice *d, gpc_context *context, const feature *f, torture_case *c) {
    if (c->values && (case_value(c, f->key) || !strcmp(f->key, "address.mapping")))
        return true;
    return draw_feature(d, context, f, c, !c->values);
}

/* Draws the settings of a pair once. Returns false if a feature has no value. */
static bool draw_once(dice *d, gpc_context *context, const features *f, const torture_options *o, const unsigned *pair,
                      unsigned tries, torture_case *c) {
    const unsigned companions = tries < 4 ? dice_below(d, 24) : 0;
    bool drew = true;
    c->setting_count = 0;
    c->functional = !strcmp(f->list[pair[0]].key, "l1.future") || !strcmp(f->list[pair[1]].key, "l1.future");
    set_fixed(o, c);
    if (c->values)
        draw_values_settings(c);
    for (unsigned i = 0; i < 2; i++)
        drew &= take_feature(d, context, &f->list[pair[i]], c);
    for (unsigned i = 0; i < 2; i++)
        set_needs(c, f->list[pair[i]].key, tries >= PINNED);
    if (tries < 4 && !c->values)
        set_list(c, theme_settings(c->seed));
    set_base(d, c);
    for (unsigned i = 0; i < companions; i++) {
        const feature *more = &f->list[dice_below(d, f->count)];
        if (!case_value(c, more->key) && (strcmp(more->key, "preset") != 0 || dice_one_in(d, 4))) {
            draw_feature(d, context, more, c, false);
            set_needs(c, more->key, false);
        }
    }
    return drew;
}

drawn draw_settings(gpc_context *context, const features *f, const torture_options *o, torture_case *c, char *why,
                    size_t size) {
    dice d = {c->seed * 2 + 1};
    drawn end = DRAWN_REFUSED;
    unsigned pair[2];
    features_pair(f, c->seed, &pair[0], &pair[1]);
    snprintf(why, size, "two values of %s", f->list[pair[0]].key);
    if (!strcmp(f->list[pair[0]].key, f->list[pair[1]].key))
        return DRAWN_REFUSED;
    for (unsigned tries = 0; tries < TRIES && end == DRAWN_REFUSED; tries++) {
        if (draw_once(&d, context, f, o, pair, tries, c))
            end = settle(&d, context, c, tries >= FIRM, why, size);
        else
            snprintf(why, size, "no other value was found");
        if (end == DRAWN_REFUSED && tries >= FIRM && impossible(&f->list[pair[0]], &f->list[pair[1]], why))
            break;
    }
    return end;
}

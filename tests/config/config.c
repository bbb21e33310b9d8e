/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/rig.h"
#include "config/config_object.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* Keys and values: every type, every refusal. */

static void accepts(const char *key, const char *text, const char *canonical) {
    rig r;
    rig_open(&r);
    cr_expect_eq(gpc_config_set(r.config, key, text, &r.error), GPC_OK, "%s", r.error.message);
    cr_expect_str_eq(value(r.config, key), canonical, "%s = '%s' became '%s'", key, text, value(r.config, key));
    /* canonical text has the text's meaning */
    cr_expect_eq(gpc_config_set(r.config, key, canonical, &r.error), GPC_OK, "%s", r.error.message);
    cr_expect_str_eq(value(r.config, key), canonical);
    rig_close(&r);
}

static void refuses(const char *key, const char *text, gpc_status expected, const char *part) {
    rig r;
    rig_open(&r);
    const char *before = value(r.config, key);
    gpc_status status = gpc_config_set(r.config, key, text, &r.error);
    expect_failure(&r, status, expected, part);
    cr_expect_eq(strncmp(r.error.message, key, strlen(key)), 0, "%s", r.error.message);
    cr_expect_eq(strchr(r.error.message, '\n'), NULL);
    cr_expect_eq(value(r.config, key), before, "a refused value leaves even the pointer alone");
    rig_close(&r);
}

Test(config, counts) {
    accepts("sm.count", "1", "1");
    accepts("sm.count", " 0012\t", "12");
    accepts("sm.count", "0x1F", "31");
    accepts("sm.count", "4096", "4096");
    refuses("sm.count", "4097", GPC_ERROR_RANGE, "'4097' is not between 1 and 4096");
    refuses("sm.count", "0", GPC_ERROR_RANGE, "not between 1 and 4096");
    refuses("sm.count", "99999999999999999999999999", GPC_ERROR_RANGE, "not between");
    refuses("sm.count", "-1", GPC_ERROR_FORMAT, "'-1' is not a whole number");
    refuses("sm.count", "1.5", GPC_ERROR_FORMAT, "is not a whole number");
    refuses("sm.count", "12a", GPC_ERROR_FORMAT, "is not a whole number");
    refuses("sm.count", "0x", GPC_ERROR_FORMAT, "is not a whole number");
    refuses("sm.count", "", GPC_ERROR_FORMAT, "'' is not a whole number");
}

Test(config, sizes) {
    accepts("l1.size", "16384", "16KiB");
    accepts("l1.size", "16384B", "16KiB");
    accepts("l1.size", "16 KiB", "16KiB");
    accepts("l1.size", "16K", "16KiB");
    accepts("l1.size", "1M", "1MiB");
    accepts("l1.size", "1G", "1GiB");
    accepts("l1.size", "1.5MiB", "1536KiB");
    accepts("l1.size", "0.125KiB", "128B");
    accepts("l1.size", "0.12500000000000000000000KiB", "128B");
    accepts("l1.size", "129", "129B");
    accepts("l1.size", "1025", "1025B");
    accepts("l2.size", "1024GiB", "1024GiB");
    /* 2^-18 GiB = 2^12 bytes: the finest fraction in 18 digits */
    accepts("l1.size", "0.000003814697265625GiB", "4KiB");
    accepts("l1.size", "0.0000038146972656250GiB", "4KiB");
    refuses("l1.size", "1.01KiB", GPC_ERROR_FORMAT, "not a whole number of bytes");
    refuses("l1.size", "0.3KiB", GPC_ERROR_FORMAT, "'0.3KiB' is not a whole number of bytes");
    refuses("l1.size", "1.5B", GPC_ERROR_FORMAT, "not a whole number of bytes");
    refuses("l1.size", "127", GPC_ERROR_RANGE, "'127' is not between 128B and 1GiB");
    refuses("l1.size", "1025M", GPC_ERROR_RANGE, "not between 128B and 1GiB");
    refuses("l1.size", "18446744073709551616", GPC_ERROR_RANGE, "not between");
    refuses("l1.size", "17179869184GiB", GPC_ERROR_RANGE, "not between");
    refuses("l1.size", "16KB", GPC_ERROR_FORMAT, "the unit 'KB': B, KiB, MiB and GiB are known");
    refuses("l1.size", "16kib", GPC_ERROR_FORMAT, "the unit 'kib'");
    refuses("l1.size", "KiB", GPC_ERROR_FORMAT, "'KiB' is not a size such as 256B");
    refuses("l1.size", "1.KiB", GPC_ERROR_FORMAT, "the unit '.KiB'");
    refuses("l1.size", "-1K", GPC_ERROR_FORMAT, "is not a size");
}

Test(config, words_instead_of_numbers) {
    accepts("l1.carveout", "auto", "auto");
    accepts("l1.carveout", "0", "0B");
    accepts("l1.carveout", "8KiB", "8KiB");
    refuses("l1.carveout", "aut", GPC_ERROR_FORMAT, "or one of auto");
    refuses("l1.size", "auto", GPC_ERROR_FORMAT, "is not a size");
    rig r;
    rig_open(&r);
    uint64_t bytes = 7;
    cr_expect_eq(gpc_config_get_u64(r.config, "l1.carveout", &bytes, NULL), GPC_ERROR_STATE);
    cr_expect_eq(bytes, 7);
    cr_expect_eq(gpci_config_number(r.config, GPCI_KEY_L1_CARVEOUT), GPCI_WORD);
    cr_expect_eq(gpc_config_set(r.config, "l1.carveout", "8K", NULL), GPC_OK);
    cr_expect_eq(gpc_config_get_u64(r.config, "l1.carveout", &bytes, NULL), GPC_OK);
    cr_expect_eq(bytes, 8192);
    rig_close(&r);
}

Test(config, numbers) {
    accepts("energy.static", "1.5", "1.5");
    accepts("energy.static", "69.712", "69.712");
    accepts("energy.static", "1.500", "1.5");
    accepts("energy.static", "1e2", "100");
    accepts("energy.static", "0", "0");
    accepts("energy.static", "100000", "100000");
    accepts("energy.static", "none", "none");
    refuses("energy.static", "0.0005", GPC_ERROR_FORMAT, "'0.0005' has more than three decimals");
    refuses("energy.static", "70.0001", GPC_ERROR_FORMAT, "more than three decimals");
    refuses("energy.static", "-1", GPC_ERROR_RANGE, "'-1' is not between 0 and 100000");
    refuses("energy.static", "100000.001", GPC_ERROR_RANGE, "not between");
    refuses("energy.static", "5 W", GPC_ERROR_FORMAT, "'5 W' is not a number or one of none");
    refuses("energy.static", "", GPC_ERROR_FORMAT, "'' is not a number");
    rig r;
    rig_open(&r);
    cr_expect_eq(gpci_config_number(r.config, GPCI_KEY_ENERGY_STATIC), GPCI_WORD);
    cr_expect_eq(gpc_config_set(r.config, "energy.static", "890.88", NULL), GPC_OK);
    cr_expect_eq(gpci_config_number(r.config, GPCI_KEY_ENERGY_STATIC), 890880);
    uint64_t value = 7;
    cr_expect_eq(gpc_config_get_u64(r.config, "energy.static", &value, NULL), GPC_ERROR_STATE, "is no whole number");
    cr_expect_eq(value, 7);
    rig_close(&r);
}

Test(config, truths) {
    const char *const yes[] = {"true", "yes", "on", "1"}, *const no[] = {"false", "no", "off", "0"};
    for (int i = 0; i < 4; i++) {
        accepts("l1.enabled", yes[i], "true");
        accepts("l1.enabled", no[i], "false");
    }
    refuses("l1.enabled", "maybe", GPC_ERROR_FORMAT, "'maybe' is neither true nor false");
    refuses("l1.enabled", "True", GPC_ERROR_FORMAT, "neither");
    refuses("l1.enabled", "true|no", GPC_ERROR_FORMAT, "neither");
}

Test(config, choices) {
    accepts("l1.index", "ipoly", "ipoly");
    refuses("l1.index", "fermy", GPC_ERROR_FORMAT, "did you mean 'fermi'?");
    refuses("l1.index", "modulo|xor", GPC_ERROR_FORMAT, "is none of modulo|xor|fermi|ipoly");
    refuses("l1.index", "", GPC_ERROR_FORMAT, "is none of");
    refuses("l1.index", "quadratic-probing", GPC_ERROR_FORMAT, "is none of modulo|xor|fermi|ipoly");
    rig r;
    rig_open(&r);
    cr_expect_eq(gpc_config_set(r.config, "l1.index", "fermi", NULL), GPC_OK);
    cr_expect_eq(gpci_config_number(r.config, GPCI_KEY_L1_INDEX), GPC_INDEX_FERMI, "position in the list");
    rig_close(&r);
}

Test(config, lists_of_sizes) {
    accepts("l1.carveouts", " 0 8K\t0.5MiB ", "0B 8KiB 512KiB");
    accepts("l1.carveouts", "1024", "1KiB");
    accepts("l1.carveouts", "", "");
    accepts("l1.carveouts", "1 2 3 4 5 6 7 8 9", "1B 2B 3B 4B 5B 6B 7B 8B 9B");
    refuses("l1.carveouts", "8KiB 8KiB", GPC_ERROR_FORMAT, "'8KiB' is not larger than the size before it");
    refuses("l1.carveouts", "0 16K 8K", GPC_ERROR_FORMAT, "'8K' is not larger than the size before it");
    refuses("l1.carveouts", "0, 8K", GPC_ERROR_FORMAT, "'0,' has the unit ','");
    refuses("l1.carveouts", "8 KiB", GPC_ERROR_FORMAT, "'KiB' is not a size");
    refuses("l1.carveouts", "8K 2GiB", GPC_ERROR_RANGE, "'2GiB' is not between 0B and 1GiB");
    rig r;
    rig_open(&r);
    uint64_t bytes;
    cr_expect_eq(gpc_config_get_u64(r.config, "l1.carveouts", &bytes, NULL), GPC_ERROR_STATE);
    rig_close(&r);
}

static uint32_t first_way(void *self, uint32_t set, const uint64_t *candidates, const gpc_request *request) {
    (void)self, (void)set, (void)candidates, (void)request;
    return 0;
}

static const gpc_parameter depth = {"depth", 2, 1, 8, true, "a number"};

static const gpc_replacement_ops deep = {
    .struct_size = sizeof deep, .name = "deep", .parameters = &depth, .parameter_count = 1, .choose_victim = first_way};

Test(config, policies) {
    accepts("l1.replacement", "lru", "lru");
    accepts("l1.replacement", " lru ( ) ", "lru");
    accepts("l1.bypass", "always-bypass", "always-bypass");
    refuses("l1.replacement", "lry", GPC_ERROR_NOT_FOUND, "no replacement policy is named 'lry'; did you mean 'lru'?");
    refuses("l1.replacement", "hint", GPC_ERROR_NOT_FOUND,
            "no replacement policy is named 'hint'; 'hint' is a predictor");
    refuses("l1.bypass", "SDBP2", GPC_ERROR_NOT_FOUND, "no predictor is named 'SDBP2'; did you mean 'sdbp'?");
    refuses("l1.bypass", "hunt", GPC_ERROR_NOT_FOUND, "no predictor is named 'hunt'; did you mean 'hint'?");
    refuses("l1.replacement", "lru(", GPC_ERROR_FORMAT, "name(parameter=value, ...)");
    refuses("l1.replacement", "", GPC_ERROR_FORMAT, "names no policy");
    rig r;
    rig_open(&r);
    expect_failure(&r, gpc_config_set(r.config, "l1.replacement", "deep", &r.error), GPC_ERROR_NOT_FOUND, "'deep'");
    cr_assert_eq(gpc_context_register_replacement(r.context, &deep, NULL, NULL, &r.error), GPC_OK);
    cr_expect_eq(gpc_config_set(r.config, "l1.replacement", "deep (  depth=3 )", &r.error), GPC_OK, "a policy of ours");
    cr_expect_str_eq(value(r.config, "l1.replacement"), "deep(depth=3)");
    expect_failure(&r, gpc_config_set(r.config, "l1.replacement", "deep(depth=9)", &r.error), GPC_ERROR_RANGE,
                   "l1.replacement: parameter 'depth': 9 is not between 1 and 8");
    expect_failure(&r, gpc_config_set(r.config, "l1.replacement", "deep(depht=3)", &r.error), GPC_ERROR_NOT_FOUND,
                   "did you mean 'depth'?");
    cr_expect_str_eq(value(r.config, "l1.replacement"), "deep(depth=3)");
    rig_close(&r);
}

/* A scheduler of 1,023 characters is read, blanks and all; 1,024 are too many. */
Test(config, long_schedulers) {
    char text[1025];
    memset(text, ' ', sizeof text);
    memcpy(text, "gto(", 4);
    strcpy(text + 1023, ")");
    refuses("scheduler", text, GPC_ERROR_RANGE, "is longer than 1024 characters");
    strcpy(text + 1022, ")");
    accepts("scheduler", text, "gto");
}

/* No key is a fraction or a free text yet; reading is checked with artificial keys. */
Test(config, texts) {
    rig r;
    rig_open(&r);
    const gpc_key_info key = {sizeof key, "title", GPC_VALUE_TEXT, "", "", 0, 0, "", ""};
    gpci_value v;
    cr_assert_eq(gpci_value_read(r.context, &key, "  any = text, (trimmed)\t", &v, &r.error), GPC_OK);
    cr_expect_str_eq(v.text, "any = text, (trimmed)");
    gpci_free(r.context, (char *)v.text);
    rig_close(&r);
}

Test(config, fractions) {
    rig r;
    rig_open(&r);
    const gpc_key_info key = {sizeof key, "clock", GPC_VALUE_NUMBER, "MHz", "1", 0.5, 2000, "auto", ""};
    gpci_value v;
    cr_assert_eq(gpci_value_read(r.context, &key, " 1132.5 ", &v, &r.error), GPC_OK, "%s", r.error.message);
    cr_expect_str_eq(v.text, "1132.5");
    gpci_free(r.context, (char *)v.text);
    cr_assert_eq(gpci_value_read(r.context, &key, "auto", &v, &r.error), GPC_OK);
    cr_expect_eq(v.number, GPCI_WORD);
    gpci_free(r.context, (char *)v.text);
    expect_failure(&r, gpci_value_read(r.context, &key, "1,5", &v, &r.error), GPC_ERROR_FORMAT, "is not a number");
    expect_failure(&r, gpci_value_read(r.context, &key, "0.4", &v, &r.error), GPC_ERROR_RANGE, "between 0.5 and 2000");
    expect_failure(&r, gpci_value_read(r.context, &key, "1e999", &v, &r.error), GPC_ERROR_RANGE, "between");
    rig_close(&r);
}

Test(config, keys) {
    gpc_key_info info = GPC_KEY_INFO_INIT;
    cr_assert_gt(gpc_key_count(), 40);
    for (size_t i = 0; i < gpc_key_count(); i++) {
        cr_assert_eq(gpc_key_at(i, &info, NULL), GPC_OK);
        cr_expect_eq(info.struct_size, sizeof info);
        cr_expect_str_eq(info.name, gpci_key_name((gpci_key)i));
        cr_expect(*info.meaning && info.unit && info.initial && info.choices, "%s", info.name);
        cr_expect_leq(info.minimum, info.maximum, "%s", info.name);
        bool word = info.type == GPC_VALUE_CHOICE || info.type == GPC_VALUE_POLICY;
        cr_expect(!word || *info.choices, "%s has no choices", info.name);
    }
    cr_expect_eq(gpc_key_at(gpc_key_count(), &info, NULL), GPC_ERROR_RANGE);
    cr_expect_eq(gpc_key_at(0, NULL, NULL), GPC_ERROR_ARGUMENT);
    info.struct_size = sizeof info.struct_size;
    cr_expect_eq(gpc_key_at(0, &info, NULL), GPC_ERROR_ABI);
}

/* The reference table prints `initial`: must equal a new configuration's value, as written by the library. */
Test(config, defaults) {
    rig r;
    rig_open(&r);
    for (size_t i = 0; i < gpc_key_count(); i++) {
        gpc_key_info info = GPC_KEY_INFO_INIT;
        gpc_key_at(i, &info, NULL);
        cr_expect_str_eq(value(r.config, info.name), info.initial, "%s", info.name);
    }
    rig_close(&r);
}

Test(config, names) {
    rig r;
    rig_open(&r);
    expect_failure(&r, gpc_config_set(r.config, "l1.sise", "1K", &r.error), GPC_ERROR_NOT_FOUND,
                   "l1.sise: unknown key; did you mean 'l1.size'?");
    expect_failure(&r, gpc_config_set(r.config, "colour", "red", &r.error), GPC_ERROR_NOT_FOUND, "colour: unknown key");
    cr_expect_eq(strstr(r.error.message, "did you mean"), NULL, "%s", r.error.message);
    expect_failure(&r, gpc_config_set(r.config, "", "red", &r.error), GPC_ERROR_NOT_FOUND, "unknown key");
    const char *text;
    uint64_t number;
    cr_expect_eq(gpc_config_get(r.config, "l1.sise", &text, NULL), GPC_ERROR_NOT_FOUND);
    cr_expect_eq(gpc_config_get_u64(r.config, "l1.sise", &number, NULL), GPC_ERROR_NOT_FOUND);
    cr_expect_eq(gpc_config_get_u64(r.config, "l1.index", &number, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_config_get_u64(r.config, "l1.replacement", &number, NULL), GPC_ERROR_STATE);
    cr_expect_eq(gpc_config_get_u64(r.config, "l1.enabled", &number, NULL), GPC_OK);
    cr_expect_eq(number, 1);
    rig_close(&r);
}

Test(config, pairs) {
    rig r;
    rig_open(&r);
    cr_expect_eq(gpc_config_set_pair(r.config, "l1.size=32KiB", &r.error), GPC_OK);
    cr_expect_str_eq(value(r.config, "l1.size"), "32KiB");
    cr_expect_eq(gpc_config_set_pair(r.config, "  l1.size =  48KiB ", &r.error), GPC_OK);
    cr_expect_str_eq(value(r.config, "l1.size"), "48KiB");
    cr_assert_eq(gpc_context_register_replacement(r.context, &deep, NULL, NULL, NULL), GPC_OK);
    cr_expect_eq(gpc_config_set_pair(r.config, "l1.replacement=deep(depth=3)", &r.error), GPC_OK, "two '='");
    expect_failure(&r, gpc_config_set_pair(r.config, "l1.size", &r.error), GPC_ERROR_FORMAT,
                   "'l1.size' is not of the form");
    expect_failure(&r, gpc_config_set_pair(r.config, " = 3", &r.error), GPC_ERROR_FORMAT, "is not of the form");
    char name[400];
    memset(name, 'k', sizeof name);
    strcpy(name + sizeof name - 3, "=1");
    expect_failure(&r, gpc_config_set_pair(r.config, name, &r.error), GPC_ERROR_NOT_FOUND, "kkk...: unknown key");
    rig_close(&r);
}

Test(config, nulls) {
    rig r;
    rig_open(&r);
    const char *text;
    uint64_t number;
    gpc_config *made = NULL;
    expect_failure(&r, gpc_config_create(NULL, &made, &r.error), GPC_ERROR_ARGUMENT, "context is NULL");
    expect_failure(&r, gpc_config_create(r.context, NULL, &r.error), GPC_ERROR_ARGUMENT, "out is NULL");
    expect_failure(&r, gpc_config_copy(NULL, &made, &r.error), GPC_ERROR_ARGUMENT, "config is NULL");
    expect_failure(&r, gpc_config_set(NULL, "l1.size", "1", &r.error), GPC_ERROR_ARGUMENT, "config is NULL");
    expect_failure(&r, gpc_config_set(r.config, NULL, "1", &r.error), GPC_ERROR_ARGUMENT, "key is NULL");
    expect_failure(&r, gpc_config_set(r.config, "l1.size", NULL, &r.error), GPC_ERROR_ARGUMENT, "value is NULL");
    expect_failure(&r, gpc_config_set_pair(r.config, NULL, &r.error), GPC_ERROR_ARGUMENT, "pair is NULL");
    expect_failure(&r, gpc_config_load_preset(r.config, NULL, &r.error), GPC_ERROR_ARGUMENT, "name is NULL");
    expect_failure(&r, gpc_config_load_file(r.config, NULL, &r.error), GPC_ERROR_ARGUMENT, "path is NULL");
    expect_failure(&r, gpc_config_load_text(r.config, NULL, NULL, &r.error), GPC_ERROR_ARGUMENT, "text is NULL");
    expect_failure(&r, gpc_config_import_gpgpusim(r.config, NULL, NULL, NULL, &r.error), GPC_ERROR_ARGUMENT,
                   "path is NULL");
    cr_expect_eq(gpc_config_get(r.config, NULL, &text, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_config_get_u64(r.config, "l1.size", NULL, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_config_get_u64(NULL, "l1.size", &number, NULL), GPC_ERROR_ARGUMENT);
    cr_expect_eq(made, NULL);
    gpc_config_destroy(NULL);
    rig_close(&r);
}

Test(config, copies_are_their_own) {
    rig r;
    rig_open(&r);
    gpc_config *copy;
    cr_assert_eq(gpc_config_set(r.config, "sm.count", "7", NULL), GPC_OK);
    cr_assert_eq(gpc_config_copy(r.config, &copy, &r.error), GPC_OK);
    for (size_t i = 0; i < gpc_key_count(); i++)
        cr_expect_str_eq(value(copy, gpci_key_name((gpci_key)i)), value(r.config, gpci_key_name((gpci_key)i)));
    cr_assert_eq(gpc_config_set(copy, "sm.count", "8", NULL), GPC_OK);
    cr_expect_str_eq(value(r.config, "sm.count"), "7");
    gpc_config_destroy(r.config);
    r.config = copy;
    cr_expect_str_eq(value(copy, "sm.count"), "8");
    rig_close(&r);
}

Test(config, outlives_the_callers_context) {
    rig r;
    rig_open(&r);
    gpc_context_destroy(r.context);
    r.context = NULL;
    cr_expect_eq(gpc_config_set(r.config, "l1.bypass", "always-cache", &r.error), GPC_OK);
    cr_expect_str_eq(value(r.config, "l1.bypass"), "always-cache");
    rig_close(&r);
}

/* A quoted value is cut and stays on one line, with the error still stated. */
Test(config, long_values) {
    rig r;
    rig_open(&r);
    static char text[100001];
    memset(text, 'x', sizeof text - 1);
    text[3] = '\n';
    expect_failure(&r, gpc_config_set(r.config, "l1.size", text, &r.error), GPC_ERROR_FORMAT,
                   "x...' is not a size such");
    cr_expect_eq(strchr(r.error.message, '\n'), NULL);
    expect_failure(&r, gpc_config_set(r.config, text, "1", &r.error), GPC_ERROR_NOT_FOUND, "x...: unknown key");
    expect_failure(&r, gpc_config_set(r.config, "l1.carveouts", text, &r.error), GPC_ERROR_FORMAT, "is not a size");
    rig_close(&r);
}

/* Every allocation fails in turn: a status, no change, no leak. */
Test(config, without_memory) {
    for (long n = 1;; n++) {
        heap h = {0};
        gpc_context *context;
        gpc_config *config = NULL, *copy = NULL;
        gpc_context_options options = heap_options(&h);
        cr_assert_eq(gpc_context_create(&options, &context, NULL), GPC_OK);
        h.fail_at = h.calls + n;
        gpc_status made = gpc_config_create(context, &config, NULL);
        gpc_status copied = made ? made : gpc_config_copy(config, &copy, NULL);
        gpc_status set = made ? made : gpc_config_set(config, "sm.count", "3", NULL);
        gpc_status loaded = made ? made : gpc_config_load_text(config, "preset = h100\nsm.blocks = 4\n", "t", NULL);
        cr_expect(made == GPC_OK || made == GPC_ERROR_MEMORY);
        cr_expect(copied == GPC_OK || copied == GPC_ERROR_MEMORY);
        if (made == GPC_OK) {
            cr_expect_str_eq(value(config, "l1.size"), loaded ? "16KiB" : "256KiB");
            cr_expect_str_eq(value(config, "sm.blocks"), loaded ? "8" : "4");
            cr_expect_str_eq(value(config, "sm.count"), !loaded ? "132" : set ? "15" : "3");
        }
        gpc_config_destroy(copy);
        gpc_config_destroy(config);
        gpc_context_destroy(context);
        cr_assert_eq(h.live, 0, "allocation %ld: %ld blocks are left", n, h.live);
        if (loaded == GPC_OK)
            return;
        cr_assert_lt(n, 5000);
    }
}

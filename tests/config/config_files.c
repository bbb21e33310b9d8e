/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/file.h"
#include "base/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Texts and files: syntax, includes, presets, and no change after a failed load. */

typedef struct place {
    rig rig;
    folder folder;
    char path[192];
} place;

static void open_place(place *p) {
    rig_open(&p->rig);
    folder_make(&p->folder);
}

static void close_place(place *p) {
    folder_remove(&p->folder);
    rig_close(&p->rig);
}

static void put(place *p, const char *name, const char *text) {
    folder_write(&p->folder, name, text, strlen(text));
}

static gpc_status load(place *p, const char *name) {
    folder_path(&p->folder, name, p->path);
    return gpc_config_load_file(p->rig.config, p->path, &p->rig.error);
}

static void expect_text(const char *text, const char *key, const char *expected) {
    rig r;
    rig_open(&r);
    cr_expect_eq(gpc_config_load_text(r.config, text, "t", &r.error), GPC_OK, "%s", r.error.message);
    cr_expect_str_eq(value(r.config, key), expected);
    cr_expect_str_eq(r.error.message, "", "nothing went wrong");
    rig_close(&r);
}

static void refuse_text(const char *text, gpc_status expected, const char *message) {
    rig r;
    rig_open(&r);
    gpc_status status = gpc_config_load_text(r.config, text, "name.cfg", &r.error);
    expect_failure(&r, status, expected, message);
    cr_expect_eq(strstr(r.error.message, message), r.error.message, "%s", r.error.message);
    cr_expect_str_eq(value(r.config, "sm.count"), "15", "nothing may have been set");
    rig_close(&r);
}

Test(config_text, syntax) {
    expect_text("sm.count = 3", "sm.count", "3");
    expect_text("sm.count=3\n", "sm.count", "3");
    expect_text("\t sm.count \t=\t 3 \t\n", "sm.count", "3");
    expect_text("# first\n\n   # second\nsm.count = 3 # third = 4\n", "sm.count", "3");
    expect_text("sm.count = 3\r\nsm.blocks = 5\r\n", "sm.count", "3");
    expect_text("sm.count = 3\r\nsm.blocks = 5", "sm.blocks", "5");
    expect_text("\xef\xbb\xbfsm.count = 3\n", "sm.count", "3");
    expect_text("sm.count = 3\nsm.count = 4\n", "sm.count", "4");
    expect_text("l1.carveouts =\n", "l1.carveouts", "");
    expect_text("", "sm.count", "15");
}

Test(config_text, refusals_name_line_and_key) {
    refuse_text("sm.count = 3\n\n# x\nl1.sise = 4\n", GPC_ERROR_NOT_FOUND,
                "name.cfg:4: l1.sise: unknown key; did you mean 'l1.size'?");
    refuse_text("sm.count = 3\nl1.size = many", GPC_ERROR_FORMAT, "name.cfg:2: l1.size: 'many' is not a size");
    refuse_text("sm.count = 3\nl1.size = 1", GPC_ERROR_RANGE, "name.cfg:2: l1.size: '1' is not between 128B and 1GiB");
    refuse_text("sm.count = 3\nsm.count", GPC_ERROR_FORMAT, "name.cfg:2: 'sm.count' is not of the form key = value");
    refuse_text("sm.count = 3\n= 4", GPC_ERROR_FORMAT, "name.cfg:2: '= 4' is not of the form key = value");
    refuse_text("-gpgpu_n_clusters 3", GPC_ERROR_FORMAT,
                "name.cfg:1: '-gpgpu_n_clusters 3' is not of the form key = value: options of GPGPU-Sim are imported "
                "(gpc_config_import_gpgpusim, --gpgpusim)");
    refuse_text("sm.count = 3\nl1.replacement = lrv", GPC_ERROR_NOT_FOUND,
                "name.cfg:2: l1.replacement: no replacement policy is named 'lrv'; did you mean 'lru'?");
    refuse_text("sm.count = 3\npreset = h10", GPC_ERROR_NOT_FOUND,
                "name.cfg:2: preset: none is named 'h10'; did you mean 'h100'?");
    refuse_text("sm.count = 3\ninclude =", GPC_ERROR_FORMAT, "name.cfg:2: include: names no file");
    refuse_text("sm.count = 3\ninclude = /nowhere/at.all", GPC_ERROR_IO,
                "name.cfg:2: include: /nowhere/at.all: No such file or directory");
}

Test(config_text, order_of_sources) {
    expect_text("preset = kepler\nsm.count = 3\n", "sm.count", "3");
    expect_text("sm.count = 3\npreset = kepler\n", "sm.count", "14");
    rig r;
    rig_open(&r);
    cr_assert_eq(gpc_config_load_preset(r.config, "kepler", &r.error), GPC_OK);
    cr_assert_eq(gpc_config_load_text(r.config, "l1.size = 32KiB\n", "t", &r.error), GPC_OK);
    cr_assert_eq(gpc_config_set(r.config, "l1.ways", "8", &r.error), GPC_OK);
    cr_expect_str_eq(value(r.config, "sm.count"), "14");
    cr_expect_str_eq(value(r.config, "l1.size"), "32KiB");
    cr_expect_str_eq(value(r.config, "l1.ways"), "8");
    rig_close(&r);
}

/* gpc_config_get promises a pointer valid until the key is next set, whatever is loaded. */
Test(config_text, pointers_stay) {
    rig r;
    rig_open(&r);
    cr_assert_eq(gpc_config_set(r.config, "l1.size", "32KiB", NULL), GPC_OK);
    const char *size = value(r.config, "l1.size"), *count = value(r.config, "sm.count");
    cr_assert_eq(gpc_config_load_text(r.config, "sm.blocks = 3\n", "t", NULL), GPC_OK);
    cr_expect_eq(value(r.config, "l1.size"), size);
    cr_expect_eq(value(r.config, "sm.count"), count);
    cr_assert_eq(gpc_config_load_text(r.config, "sm.count = 3\nnonsense\n", "t", NULL), GPC_ERROR_FORMAT);
    cr_expect_eq(value(r.config, "sm.count"), count);
    cr_expect_str_eq(size, "32KiB");
    rig_close(&r);
}

Test(config_text, long_lines) {
    enum { LENGTH = 1 << 20 };
    char *text = malloc(LENGTH + 64);
    cr_assert(text);
    strcpy(text, "sm.blocks = 3 #");
    size_t head = strlen(text);
    memset(text + head, '8', LENGTH);
    strcpy(text + head + LENGTH, "\nsm.count = 3\n");
    rig r;
    rig_open(&r);
    cr_expect_eq(gpc_config_load_text(r.config, text, "t", &r.error), GPC_OK, "%s", r.error.message);
    cr_expect_str_eq(value(r.config, "sm.blocks"), "3");
    cr_expect_str_eq(value(r.config, "sm.count"), "3");
    text[head - 1] = '8'; /* and as a value */
    expect_failure(&r, gpc_config_load_text(r.config, text, "t", &r.error), GPC_ERROR_FORMAT,
                   "t:1: sm.blocks: '3 888888");
    rig_close(&r);
    free(text);
}

Test(config_file, includes) {
    place p;
    open_place(&p);
    char sub[192];
    folder_path(&p.folder, "sub", sub);
    cr_assert_eq(mkdir(sub, 0700), 0);
    put(&p, "main.cfg", "preset = kepler\ninclude = sub/a.cfg\nsm.blocks = 9\n");
    put(&p, "sub/a.cfg", "sm.count = 3\ninclude = b.cfg # beside a.cfg\ninclude = ../c.cfg\n");
    put(&p, "sub/b.cfg", "sm.warps = 5");
    put(&p, "c.cfg", "sm.count = 4\nsm.blocks = 8");
    cr_assert_eq(load(&p, "main.cfg"), GPC_OK, "%s", p.rig.error.message);
    cr_expect_str_eq(value(p.rig.config, "sm.count"), "4");
    cr_expect_str_eq(value(p.rig.config, "sm.warps"), "5");
    cr_expect_str_eq(value(p.rig.config, "sm.blocks"), "9");
    put(&p, "sub/b.cfg", "\nsm.warps = x");
    gpc_status status = load(&p, "main.cfg");
    expect_failure(&p.rig, status, GPC_ERROR_FORMAT, "/sub/b.cfg:2: sm.warps: 'x' is not a whole number");
    expect_failure(&p.rig, status, GPC_ERROR_FORMAT, "/sub/a.cfg:2");
    expect_failure(&p.rig, status, GPC_ERROR_FORMAT, "; included from ");
    expect_failure(&p.rig, status, GPC_ERROR_FORMAT, "/main.cfg:2");
    cr_expect_str_eq(value(p.rig.config, "sm.blocks"), "9");
    close_place(&p);
}

Test(config_file, include_of_an_absolute_path) {
    place p;
    open_place(&p);
    char text[256], inner[192];
    folder_path(&p.folder, "inner.cfg", inner);
    snprintf(text, sizeof text, "include = %s\n", inner);
    put(&p, "main.cfg", text);
    put(&p, "inner.cfg", "sm.count = 3");
    cr_expect_eq(load(&p, "main.cfg"), GPC_OK, "%s", p.rig.error.message);
    cr_expect_str_eq(value(p.rig.config, "sm.count"), "3");
    cr_expect_eq(gpc_config_load_text(p.rig.config, text, "t", &p.rig.error), GPC_OK, "%s", p.rig.error.message);
    close_place(&p);
}

Test(config_file, cycles) {
    place p;
    open_place(&p);
    put(&p, "a.cfg", "sm.count = 3\ninclude = b.cfg\n");
    put(&p, "b.cfg", "\ninclude = ./c.cfg\n");
    put(&p, "c.cfg", "\n\ninclude = .//a.cfg\n");
    put(&p, "self.cfg", "include = self.cfg");
    char expected[800], a[192], b[192];
    gpc_status status = load(&p, "a.cfg");
    folder_path(&p.folder, "a.cfg", a);
    folder_path(&p.folder, "b.cfg", b);
    snprintf(expected, sizeof expected, "c.cfg:3: include: files include each other: %s -> %s -> ", a, b);
    expect_failure(&p.rig, status, GPC_ERROR_FORMAT, expected);
    expect_failure(&p.rig, status, GPC_ERROR_FORMAT, "a.cfg; included from");
    cr_expect_str_eq(value(p.rig.config, "sm.count"), "15");
    status = load(&p, "self.cfg");
    expect_failure(&p.rig, status, GPC_ERROR_FORMAT, "self.cfg:1: include: files include each other: ");
    /* a file twice, but not within the same file, is no cycle */
    put(&p, "twice.cfg", "include = leaf.cfg\ninclude = leaf.cfg\n");
    put(&p, "leaf.cfg", "sm.count = 6\n");
    cr_expect_eq(load(&p, "twice.cfg"), GPC_OK, "%s", p.rig.error.message);
    close_place(&p);
}

/* Files 0 to `last`, each including the next. */
static void put_chain(place *p, int last) {
    for (int i = 0; i <= last; i++) {
        char name[16], text[64];
        snprintf(name, sizeof name, "%d.cfg", i);
        snprintf(text, sizeof text, i < last ? "include = %d.cfg\n" : "sm.count = 3\n", i + 1);
        put(p, name, text);
    }
}

Test(config_file, depth) {
    place p;
    open_place(&p);
    put_chain(&p, 16);
    cr_expect_eq(load(&p, "0.cfg"), GPC_OK, "sixteen includes: %s", p.rig.error.message);
    cr_expect_str_eq(value(p.rig.config, "sm.count"), "3");
    put_chain(&p, 17);
    expect_failure(&p.rig, load(&p, "0.cfg"), GPC_ERROR_RANGE, "/16.cfg:1: include: more than 16 deep");
    close_place(&p);
}

Test(config_file, what_cannot_be_read) {
    place p;
    open_place(&p);
    expect_failure(&p.rig, load(&p, "none.cfg"), GPC_ERROR_IO, "/none.cfg: No such file or directory");
    expect_failure(&p.rig, load(&p, "."), GPC_ERROR_IO, "/.: Is a directory");
    folder_write(&p.folder, "nul.cfg", "sm.count = 3\nsm.blocks = 4\0\n", 27);
    expect_failure(&p.rig, load(&p, "nul.cfg"), GPC_ERROR_FORMAT, "/nul.cfg:2: a NUL byte");
    cr_expect_str_eq(value(p.rig.config, "sm.count"), "15");
    cr_expect_eq(gpc_config_load_file(p.rig.config, "/dev/zero", &p.rig.error), GPC_ERROR_RANGE, "endless");
    if (geteuid()) {
        put(&p, "shut.cfg", "sm.count = 3\n");
        folder_path(&p.folder, "shut.cfg", p.path);
        chmod(p.path, 0);
        expect_failure(&p.rig, load(&p, "shut.cfg"), GPC_ERROR_IO, "Permission denied");
    }
    close_place(&p);
}

/* Exactly the allowed length, and a byte more. */
Test(config_file, length) {
    place p;
    open_place(&p);
    char *text = malloc(GPCI_FILE_LIMIT + 1);
    cr_assert(text);
    memset(text, '\n', GPCI_FILE_LIMIT + 1);
    memcpy(text + GPCI_FILE_LIMIT - 12, "sm.count = 3", 12);
    folder_write(&p.folder, "long.cfg", text, GPCI_FILE_LIMIT);
    cr_expect_eq(load(&p, "long.cfg"), GPC_OK, "%s", p.rig.error.message);
    cr_expect_str_eq(value(p.rig.config, "sm.count"), "3");
    folder_write(&p.folder, "long.cfg", text, GPCI_FILE_LIMIT + 1);
    expect_failure(&p.rig, load(&p, "long.cfg"), GPC_ERROR_RANGE, "longer than 16777216 bytes");
    free(text);
    close_place(&p);
}

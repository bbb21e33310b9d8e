/* SPDX-License-Identifier: BSD-2-Clause */
#include <gpucache/ext/policies.h>
#include <gpucache/gpucache.h>

#include <criterion/criterion.h>
#include <string.h>

/* Structs by name. tests/api compares every struct with the macro. */

/* A caller's struct between foreign bytes. */
typedef struct guarded {
    unsigned char before[8];
    union {
        gpc_launch launch;
        gpc_request request;
        gpc_replacement_ops table;
        unsigned char bytes[2048];
        size_t struct_size;
    } is;
} guarded;

static gpc_status fill(guarded *g, const char *name, size_t size, gpc_error *error) {
    memset(g, 0x5a, sizeof *g);
    gpc_status status = gpc_struct_init(name, size, &g->is, error);
    size_t written = status ? 0 : size;
    for (size_t i = 0; i < sizeof g->is.bytes; i++)
        if (i >= written)
            cr_assert_eq(g->is.bytes[i], 0x5a, "%s of %zu: byte %zu", name, size, i);
    cr_assert_eq(g->before[7], 0x5a);
    return status;
}

Test(struct_init, older_and_newer) {
    gpc_launch ours = GPC_LAUNCH_INIT;
    guarded g;
    /* For an older caller, nothing is written behind the struct. */
    for (size_t size = sizeof size + 1; size <= sizeof ours + GPC_STRUCT_GROWTH; size++) {
        cr_assert_eq(fill(&g, "gpc_launch", size, NULL), GPC_OK);
        cr_assert_eq(g.is.struct_size, size);
        for (size_t i = sizeof size; i < size; i++)
            cr_assert_eq(g.is.bytes[i], i < sizeof ours ? ((unsigned char *)&ours)[i] : 0, "byte %zu of %zu", i, size);
    }
}

Test(struct_init, tables_and_records) {
    guarded g;
    cr_assert_eq(fill(&g, "gpc_replacement_ops", sizeof g.is.table, NULL), GPC_OK);
    cr_expect_eq(g.is.table.struct_size, sizeof g.is.table);
    cr_expect_null(g.is.table.name);
    cr_assert_eq(fill(&g, "gpc_request", sizeof g.is.request, NULL), GPC_OK);
    static const gpc_request none;
    cr_expect_eq(memcmp(&g.is.request, &none, sizeof none), 0);
}

static void refused(const char *name, size_t size, gpc_status expected, const char *message) {
    gpc_error error = GPC_ERROR_INIT;
    guarded g;
    cr_expect_eq(fill(&g, name, size, &error), expected);
    cr_expect(strstr(error.message, message), "%s", error.message);
}

Test(struct_init, refuses) {
    refused("gpc_lunch", sizeof(gpc_launch), GPC_ERROR_NOT_FOUND, "no struct 'gpc_lunch'");
    refused("gpc_launch", 0, GPC_ERROR_ABI, "gpc_launch has more than 0 bytes");
    refused("gpc_launch", sizeof(size_t), GPC_ERROR_ABI, "gpc_launch has more than 8 bytes");
    refused("gpc_launch", sizeof(gpc_launch) + GPC_STRUCT_GROWTH + 1, GPC_ERROR_ABI, "no version has more than");
    refused("gpc_request", sizeof(gpc_request) - 1, GPC_ERROR_ABI, "gpc_request has 128 bytes, not 127");
    refused(NULL, 100, GPC_ERROR_ARGUMENT, "name is NULL");
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpc_struct_init("gpc_launch", sizeof(gpc_launch), NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(error.message, "out is NULL"), "%s", error.message);
}

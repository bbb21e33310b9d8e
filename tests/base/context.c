/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/base.h"
#include "base/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Context, errors, memory: the rules of every object. */

/* An option struct of a caller newer than the library. */
typedef struct newer_options {
    gpc_context_options known;
    unsigned char tail[24];
} newer_options;

Test(context, struct_size) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context = NULL;
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    options.struct_size--;
    cr_expect_eq(gpc_context_create(&options, &context, &error), GPC_ERROR_ABI);
    cr_expect(strstr(error.message, "gpc_context_options.struct_size is"), "%s", error.message);
    options.struct_size = 0;
    cr_expect_eq(gpc_context_create(&options, &context, &error), GPC_ERROR_ABI);
    newer_options newer = {.known = GPC_CONTEXT_OPTIONS_INIT};
    newer.known.struct_size = sizeof newer;
    cr_expect_eq(gpc_context_create(&newer.known, &context, &error), GPC_OK, "a tail of zeros");
    gpc_context_destroy(context);
    context = NULL;
    for (size_t i = 0; i < sizeof newer.tail; i++) {
        newer.tail[i] = 1;
        cr_expect_eq(gpc_context_create(&newer.known, &context, &error), GPC_ERROR_ABI, "tail byte %zu", i);
        char byte[32];
        snprintf(byte, sizeof byte, "byte %zu is set", sizeof newer.known + i);
        cr_expect(strstr(error.message, byte), "%s", error.message);
        newer.tail[i] = 0;
    }
    cr_expect_eq(context, NULL, "out is untouched on failure");
}

Test(context, hooks_all_or_none) {
    for (int given = 0; given < 8; given++) {
        heap h = {0};
        gpc_context_options options = heap_options(&h);
        if (!(given & 1))
            options.allocate = NULL;
        if (!(given & 2))
            options.resize = NULL;
        if (!(given & 4))
            options.release = NULL;
        gpc_context *context = NULL;
        gpc_error error = GPC_ERROR_INIT;
        gpc_status status = gpc_context_create(&options, &context, &error);
        cr_expect_eq(status, given == 0 || given == 7 ? GPC_OK : GPC_ERROR_ARGUMENT, "%d: %s", given, error.message);
        cr_expect(given == 7 ? h.live > 0 : h.calls == 0, "%d", given);
        gpc_context_destroy(context);
        cr_expect_eq(h.live, 0);
    }
}

Test(context, arguments) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context = NULL;
    cr_expect_eq(gpc_context_create(NULL, NULL, &error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_context_create(NULL, &context, NULL), GPC_OK, "defaults, no error wanted");
    gpc_context_destroy(context);
    gpc_context_destroy(NULL);
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    options.simd = GPC_SIMD_AVX512 + 1;
    cr_expect_eq(gpc_context_create(&options, &context, &error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(error.message, "gpc_context_options.simd"), "%s", error.message);
    options.simd = GPC_SIMD_NONE;
    options.reserved = 3;
    cr_expect_eq(gpc_context_create(&options, &context, &error), GPC_ERROR_ARGUMENT);
    cr_expect(strstr(error.message, "gpc_context_options.reserved: unknown value 3"), "%s", error.message);
}

Test(context, without_memory) {
    for (long n = 1;; n++) {
        heap h = {.fail_at = n};
        gpc_context_options options = heap_options(&h);
        gpc_error error = GPC_ERROR_INIT;
        gpc_context *context = NULL;
        gpc_status status = gpc_context_create(&options, &context, &error);
        if (status == GPC_OK) {
            cr_expect_gt(n, 1);
            gpc_context_destroy(context);
            cr_expect_eq(h.live, 0);
            return;
        }
        cr_expect_eq(status, GPC_ERROR_MEMORY);
        cr_expect_str_eq(error.message, "out of memory");
        cr_expect_eq(context, NULL);
        cr_assert_eq(h.live, 0);
    }
}

/* Objects hold the context: the caller may release it first, in any order. */
Test(context, goes_with_its_last_object) {
    heap h = {0};
    gpc_context_options options = heap_options(&h);
    for (int order = 0; order < 6; order++) {
        gpc_context *context;
        gpc_config *a, *b;
        cr_assert_eq(gpc_context_create(&options, &context, NULL), GPC_OK);
        cr_assert_eq(gpc_config_create(context, &a, NULL), GPC_OK);
        cr_assert_eq(gpc_config_create(context, &b, NULL), GPC_OK);
        static const char orders[6][4] = {"cab", "cba", "acb", "bca", "abc", "bac"};
        for (const char *what = orders[order]; *what; what++) {
            cr_expect_gt(h.live, 0);
            if (*what == 'c')
                gpc_context_destroy(context);
            else
                gpc_config_destroy(*what == 'a' ? a : b);
        }
        cr_assert_eq(h.live, 0, "%s", orders[order]);
    }
}

static int messages;
static char last_message[64];

static void remember(void *data, gpc_log_level level, const char *message) {
    cr_expect_eq(data, &messages);
    cr_expect_eq(level, GPC_LOG_WARNING);
    messages++;
    snprintf(last_message, sizeof last_message, "%s", message);
}

Test(context, log) {
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    gpc_context *context;
    cr_assert_eq(gpc_context_create(&options, &context, NULL), GPC_OK);
    gpci_log(context, GPC_LOG_WARNING, "nobody hears %s", "this");
    gpc_context_destroy(context);
    options.log = remember;
    options.log_data = &messages;
    cr_assert_eq(gpc_context_create(&options, &context, NULL), GPC_OK);
    gpci_log(context, GPC_LOG_WARNING, "%d blocks", 3);
    gpc_context_destroy(context);
    cr_expect_eq(messages, 1);
    cr_expect_str_eq(last_message, "3 blocks");
}

Test(error, status_strings) {
    static const struct {
        gpc_status status;
        const char *text;
    } all[] = {
#define X(id, value, text) {id, text},
        GPC_STATUS_LIST(X)
#undef X
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        cr_expect_str_eq(gpc_status_string(all[i].status), all[i].text);
    cr_expect_str_eq(gpc_status_string((gpc_status)-99), "unknown status");
    cr_expect_str_eq(gpc_status_string((gpc_status)99), "unknown status");
    cr_expect_eq(gpc_version(), GPC_VERSION_NUMBER);
}

/* An error of any stated size is filled exactly to that size. */
Test(error, size_of_the_caller) {
    const char *text = "a sentence that is longer than some errors have room for";
    for (size_t size = 0; size <= sizeof(gpc_error); size++) {
        gpc_error error;
        memset(&error, 'x', sizeof error);
        error.struct_size = size;
        cr_expect_eq(gpci_fail(&error, GPC_ERROR_IO, "%s", text), GPC_ERROR_IO);
        size_t head = offsetof(gpc_error, message), room = size > head ? size - head : 0;
        for (size_t i = room; i < sizeof error.message; i++)
            cr_assert_eq(error.message[i], 'x', "size %zu, byte %zu", size, i);
        if (!room)
            continue;
        size_t shown = strlen(text) < room - 1 ? strlen(text) : room - 1;
        cr_assert_eq(error.status, GPC_ERROR_IO);
        cr_assert_eq(strlen(error.message), shown, "size %zu", size);
        cr_assert_eq(memcmp(error.message, text, shown), 0);
    }
    cr_expect_eq(gpci_fail(NULL, GPC_ERROR_IO, "nobody"), GPC_ERROR_IO);
}

Test(error, message_may_quote_itself) {
    gpc_error error = GPC_ERROR_INIT;
    gpci_fail(&error, GPC_ERROR_IO, "inner");
    gpci_fail(&error, GPC_ERROR_FORMAT, "outer: %s", error.message);
    cr_expect_str_eq(error.message, "outer: inner");
    cr_expect_eq(error.status, GPC_ERROR_FORMAT);
}

typedef struct sample {
    size_t struct_size;
    uint32_t first, second;
    uint64_t third;
} sample;

/*
 * Older structs are taken up to their size, and the rest keeps the default. A larger struct is refused if an unknown
 * byte is set.
 */
Test(abi, take) {
    sample ours = {sizeof ours, 1, 2, 3}, theirs = {sizeof theirs, 11, 12, 13};
    gpc_error error = GPC_ERROR_INIT;
    cr_expect_eq(gpci_take(&ours, sizeof ours, 16, &theirs, "sample", &error), GPC_OK);
    cr_expect(ours.struct_size == sizeof ours && ours.first == 11 && ours.second == 12 && ours.third == 13);
    ours = (sample){sizeof ours, 1, 2, 3};
    theirs.struct_size = 16;
    cr_expect_eq(gpci_take(&ours, sizeof ours, 16, &theirs, "sample", &error), GPC_OK);
    cr_expect(ours.struct_size == sizeof ours && ours.first == 11 && ours.second == 12 && ours.third == 3);
    theirs.struct_size = 15;
    cr_expect_eq(gpci_take(&ours, sizeof ours, 16, &theirs, "sample", &error), GPC_ERROR_ABI);
    cr_expect_str_eq(error.message, "sample.struct_size is 15, at least 16 is needed");
    theirs.struct_size = sizeof theirs + GPC_STRUCT_GROWTH + 1; /* sanitizers see a read beyond the struct */
    cr_expect_eq(gpci_take(&ours, sizeof ours, 16, &theirs, "sample", &error), GPC_ERROR_ABI);
    cr_expect_str_eq(error.message, "sample.struct_size is 1049, no version has more than 1048");
    ours = (sample){sizeof ours, 1, 2, 3};
    cr_expect_eq(gpci_take(&ours, sizeof ours, 16, NULL, "sample", &error), GPC_OK, "NULL is the defaults");
    cr_expect(ours.first == 1 && ours.third == 3);
}

Test(abi, give) {
    sample ours = {sizeof ours, 1, 2, 3}, theirs = {sizeof theirs, 0, 0, 0};
    cr_expect_eq(gpci_give(&theirs, &ours, sizeof ours, "t", NULL), GPC_OK);
    cr_expect_eq(memcmp(&ours, &theirs, sizeof ours), 0);
    theirs = (sample){16, 0, 0, 9};
    cr_expect_eq(gpci_give(&theirs, &ours, sizeof ours, "t", NULL), GPC_OK);
    cr_expect(theirs.struct_size == 16 && theirs.first == 1 && theirs.second == 2 && theirs.third == 9);
    struct {
        sample known;
        uint64_t newer;
    } larger = {{sizeof larger, 0, 0, 0}, 7};
    cr_expect_eq(gpci_give(&larger, &ours, sizeof ours, "t", NULL), GPC_OK);
    cr_expect(larger.known.struct_size == sizeof larger && larger.known.third == 3 && larger.newer == 7);
    theirs.struct_size = sizeof theirs.struct_size;
    cr_expect_eq(gpci_give(&theirs, &ours, sizeof ours, "t", NULL), GPC_ERROR_ABI);
}

Test(memory, products_that_overflow) {
    rig r;
    rig_open(&r);
    cr_expect_eq(gpci_zalloc(r.context, SIZE_MAX / 2, 3), NULL);
    cr_expect_eq(gpci_zalloc_lines(r.context, SIZE_MAX / 2, 3), NULL);
    cr_expect_eq(gpci_zalloc_lines(r.context, SIZE_MAX, 1), NULL, "no room for the alignment");
    int *numbers = gpci_resize(r.context, NULL, 4, sizeof *numbers);
    cr_assert(numbers);
    numbers[3] = 5;
    cr_expect_eq(gpci_resize(r.context, numbers, SIZE_MAX / 2, sizeof *numbers), NULL);
    cr_expect_eq(numbers[3], 5, "the old block stays");
    gpci_free(r.context, numbers);
    rig_close(&r);
}

Test(memory, lines) {
    rig r;
    rig_open(&r);
    for (size_t bytes = 0; bytes < 300; bytes += 7) {
        unsigned char *memory = gpci_zalloc_lines(r.context, 1, bytes);
        cr_assert(memory);
        cr_expect_eq((uintptr_t)memory % 64, 0);
        for (size_t i = 0; i < bytes; i++)
            cr_assert_eq(memory[i], 0);
        memset(memory, 0xff, bytes);
        gpci_free_lines(r.context, memory);
    }
    gpci_free_lines(r.context, NULL);
    rig_close(&r);
}

Test(memory, nothing_is_something) {
    rig r;
    rig_open(&r);
    void *none = gpci_alloc(r.context, 0), *zeros = gpci_zalloc(r.context, 0, 8);
    cr_expect(none && zeros, "malloc(0) may return NULL; ours means failure by it");
    gpci_free(r.context, none);
    gpci_free(r.context, zeros);
    gpci_free(r.context, NULL);
    char *copy = gpci_strdup(r.context, "text");
    cr_expect_str_eq(copy, "text");
    gpci_free(r.context, copy);
    rig_close(&r);
}

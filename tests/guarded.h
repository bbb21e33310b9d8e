/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_GUARDED_H
#define TESTS_GUARDED_H

#include <gpucache/gpucache.h>

#include <stdlib.h>
#include <string.h>

/* Memory followed by guard bytes, which must stay unwritten. */
enum { GUARDED_HEAD = 16, GUARDED_TAIL = 64 };

static inline void *guarded_take(void *user_data, size_t bytes) {
    (void)user_data;
    unsigned char *start = malloc(GUARDED_HEAD + bytes + GUARDED_TAIL);
    if (!start)
        return NULL;
    memcpy(start, &bytes, sizeof bytes);
    memset(start + GUARDED_HEAD + bytes, 0xa5, GUARDED_TAIL);
    return start + GUARDED_HEAD;
}

static inline void guarded_give(void *user_data, void *old) {
    unsigned *broken = user_data;
    if (!old)
        return;
    unsigned char *start = (unsigned char *)old - GUARDED_HEAD;
    size_t bytes;
    memcpy(&bytes, start, sizeof bytes);
    for (size_t i = 0; i < GUARDED_TAIL; i++)
        *broken += start[GUARDED_HEAD + bytes + i] != 0xa5;
    free(start);
}

static inline void *guarded_resize(void *user_data, void *old, size_t bytes) {
    void *fresh = guarded_take(user_data, bytes);
    size_t before = 0;
    if (old)
        memcpy(&before, (unsigned char *)old - GUARDED_HEAD, sizeof before);
    if (fresh && old)
        memcpy(fresh, old, before < bytes ? before : bytes);
    if (fresh)
        guarded_give(user_data, old);
    return fresh;
}

/* Options of a context with guarded memory. `broken` counts the guard bytes found written when memory is freed. */
static inline gpc_context_options guarded_options(unsigned *broken) {
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    options.allocate = guarded_take;
    options.resize = guarded_resize;
    options.release = guarded_give;
    options.allocator_data = broken;
    return options;
}

#endif

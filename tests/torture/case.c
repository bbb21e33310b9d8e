/* SPDX-License-Identifier: BSD-2-Clause */
#include "torture.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

uint64_t dice_next(dice *d) {
    d->state += 0x9e3779b97f4a7c15u;
    uint64_t z = d->state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint32_t dice_below(dice *d, uint32_t bound) {
    return (uint32_t)((dice_next(d) >> 32) * bound >> 32);
}

bool dice_one_in(dice *d, uint32_t n) {
    return dice_below(d, n) == 0;
}

void fail(failure *f, const char *kind, const char *format, ...) {
    va_list list;
    if (f->failed)
        return;
    f->failed = true;
    snprintf(f->kind, sizeof f->kind, "%s", kind);
    va_start(list, format);
    vsnprintf(f->text, sizeof f->text, format, list);
    va_end(list);
}

void case_free(torture_case *c) {
    free(c->ops);
    c->ops = NULL;
    c->op_count = 0;
}

bool case_copy(const torture_case *from, torture_case *to) {
    *to = *from;
    to->ops = malloc(from->op_count * sizeof *to->ops + 1);
    if (to->ops && from->op_count)
        memcpy(to->ops, from->ops, from->op_count * sizeof *to->ops);
    return to->ops;
}

const char *case_value(const torture_case *c, const char *key) {
    for (unsigned i = c->setting_count; i-- > 0;)
        if (!strcmp(c->settings[i].key, key))
            return c->settings[i].value;
    return NULL;
}

void case_drop(torture_case *c, unsigned setting) {
    memmove(&c->settings[setting], &c->settings[setting + 1], (c->setting_count - setting - 1) * sizeof *c->settings);
    c->setting_count--;
}

/* Sets a key in place of its former value. A preset stands before all other settings. NULL: no place is left. */
torture_setting *case_set(torture_case *c, const char *key, const char *value, bool wanted) {
    unsigned at = c->setting_count;
    for (unsigned i = 0; i < c->setting_count; i++)
        if (!strcmp(c->settings[i].key, key)) {
            wanted |= c->settings[i].wanted;
            at = i;
        }
    if (at == c->setting_count) {
        if (c->setting_count == MAX_SETTINGS)
            return NULL;
        c->setting_count++;
        if (!strcmp(key, "preset")) {
            memmove(&c->settings[1], &c->settings[0], (c->setting_count - 1) * sizeof *c->settings);
            at = 0;
        }
        c->settings[at] = (torture_setting){0};
    }
    snprintf(c->settings[at].key, KEY_ROOM, "%s", key);
    snprintf(c->settings[at].value, VALUE_ROOM, "%s", value);
    c->settings[at].wanted = wanted;
    return &c->settings[at];
}

/*
 * Returns a new configuration of defaults. A copy costs a quarter of a configuration made from texts: defaults of the
 * last two contexts are kept, for the draws of a process and the runs of a case.
 */
gpc_config *default_config(gpc_context *context, gpc_error *error) {
    static struct {
        gpc_context *context;
        gpc_config *config;
    } kept[2];
    static unsigned oldest;
    gpc_config *copy = NULL;
    unsigned at = kept[0].context == context ? 0 : kept[1].context == context ? 1 : 2;
    if (at == 2) {
        gpc_config *made = NULL;
        if (gpc_config_create(context, &made, error) != GPC_OK)
            return NULL;
        at = oldest;
        oldest = !oldest;
        gpc_config_destroy(kept[at].config);
        kept[at].context = context, kept[at].config = made;
    }
    return gpc_config_copy(kept[at].config, &copy, error) == GPC_OK ? copy : NULL;
}

gpc_config *case_config(gpc_context *context, const torture_case *c, const char *threads, gpc_error *error) {
    gpc_config *config = default_config(context, error);
    gpc_status status = config ? GPC_OK : GPC_ERROR_MEMORY;
    for (unsigned i = 0; i < c->setting_count && status == GPC_OK; i++)
        status = !strcmp(c->settings[i].key, "preset")
                     ? gpc_config_load_preset(config, c->settings[i].value, error)
                     : gpc_config_set(config, c->settings[i].key, c->settings[i].value, error);
    if (status == GPC_OK)
        status = gpc_config_set(config, "mode", c->functional ? "functional" : "timed", error);
    if (status == GPC_OK && threads)
        status = gpc_config_set(config, "threads", threads, error);
    if (status != GPC_OK) {
        gpc_config_destroy(config);
        return NULL;
    }
    return config;
}

/* Memory that nobody has written has a pattern. Sizes stand before the memory. */

enum { SIZE_ROOM = 16 };

static struct {
    uint64_t left; /* allocations until failures begin; UINT64_MAX: never */
    bool all;      /* after the first failure all allocations fail */
} hunger = {UINT64_MAX, false};

void starve(uint64_t left, bool all) {
    hunger.left = left, hunger.all = all;
}

/* Worker threads find no hunger: only runs with one thread starve. */
static bool starves(void) {
    if (hunger.left == UINT64_MAX)
        return false;
    if (hunger.left-- > 0)
        return false;
    hunger.left = hunger.all ? 0 : UINT64_MAX;
    return true;
}

static void *allocate(void *data, size_t size) {
    (void)data;
    char *memory = starves() ? NULL : malloc(size + SIZE_ROOM);
    if (!memory)
        return NULL;
    memcpy(memory, &size, sizeof size);
    memset(memory + SIZE_ROOM, TORTURE_FILL, size);
    return memory + SIZE_ROOM;
}

static void release(void *data, void *memory) {
    (void)data;
    free(memory ? (char *)memory - SIZE_ROOM : NULL);
}

static void *resize(void *data, void *memory, size_t size) {
    size_t before = 0;
    void *larger = allocate(data, size);
    if (!memory || !larger)
        return larger;
    memcpy(&before, (char *)memory - SIZE_ROOM, sizeof before);
    memcpy(larger, memory, before < size ? before : size);
    release(data, memory);
    return larger;
}

/* Makes a context with the policies of a shared library's gpucache_register(). */
gpc_context *torture_context(const torture_options *o) {
    typedef gpc_status (*registers)(gpc_context *, gpc_error *);
    gpc_context *context = NULL;
    gpc_error error = GPC_ERROR_INIT;
    gpc_context_options options = GPC_CONTEXT_OPTIONS_INIT;
    options.allocate = allocate, options.resize = resize, options.release = release;
    if (gpc_context_create(&options, &context, &error) != GPC_OK)
        return NULL;
    if (!o->load)
        return context;
    registers call = NULL;
    void *library = dlopen(o->load, RTLD_NOW);
    void *symbol = library ? dlsym(library, "gpucache_register") : NULL;
    memcpy(&call, &symbol, sizeof call);
    if (call && call(context, &error) == GPC_OK)
        return context;
    fprintf(stderr, "gpucache-torture: %s: %s\n", o->load, call ? error.message : "no gpucache_register in it");
    gpc_context_destroy(context);
    return NULL;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "coherence/random.h"

#include <inttypes.h>

/* A program as C calls, ready for a test. */

static void print_module(uint32_t module, FILE *file) {
    if (module == GPC_NO_MODULE)
        fprintf(file, "GPC_NO_MODULE");
    else
        fprintf(file, "%u", module);
}

static void print_access(const random_step *s, FILE *file) {
    static const char *const kinds[] = {"GPC_COHERENCE_LOAD", "GPC_COHERENCE_STORE", "GPC_COHERENCE_N_STORE"};
    fprintf(file, "    q = (gpc_coherence_request)GPC_COHERENCE_REQUEST_INIT;\n    q.module = %u;\n    q.kind = %s;\n",
            s->module, kinds[s->kind]);
    fprintf(file, "    q.address = 0x%" PRIx64 "u;\n    q.size = %u;\n    q.cycle = %u;\n", s->address, s->size,
            RANDOM_CYCLE);
    if (s->flags)
        fprintf(file, "    q.flags = %u;\n", s->flags);
    if (s->kind != RANDOM_LOAD) {
        fprintf(file, "    q.bytes = (const uint8_t[]){");
        for (uint32_t i = 0; i < s->size; i++)
            fprintf(file, "%s%u", i ? ", " : "", s->bytes[i]);
        fprintf(file, "};\n");
    }
    if (s->kind != RANDOM_LOAD && s->mask != 0xffff)
        fprintf(file, "    q.mask = (const uint8_t[]){%u, %u};\n", s->mask & 255u, s->mask >> 8);
    fprintf(file, "    q.out = out;\n    gpc_coherence_access(c, &q, NULL, NULL);\n");
}

static void print_step(const random_step *s, FILE *file) {
    if (s->kind <= RANDOM_N_STORE) {
        print_access(s, file);
        return;
    }
    fprintf(file, "    gpc_coherence_%s(c, ", s->kind == RANDOM_FLUSH ? "flush" : "acquire");
    print_module(s->module, file);
    fprintf(file, ", %u, NULL, NULL);\n", RANDOM_CYCLE);
}

void random_print(const random_program *p, const random_failure *failure, FILE *file) {
    fprintf(file, "/*\n * seed %" PRIu64 ", %s, step %zu of %zu: status %d, %s\n", p->seed, p->protocol, failure->step,
            p->count, failure->status, failure->text);
    if (p->faults || p->protocol_flags)
        fprintf(file, " * faults 0x%x, protocol flags 0x%x put in\n", p->faults, p->protocol_flags);
    fprintf(file, " */\nstatic void fails(gpc_context *context) {\n");
    tree_print(&p->tree, file);
    fprintf(file,
            "    gpc_coherence_options o = GPC_COHERENCE_OPTIONS_INIT;\n    o.protocol = \"%s\";\n"
            "    o.modules = modules;\n    o.module_count = %u;\n    o.networks = networks;\n"
            "    o.network_count = %u;\n    gpc_coherence *c;\n    gpc_coherence_create(context, &o, NULL, &c);\n",
            p->protocol, p->tree.module_count, p->tree.network_count);
    fprintf(file, "    gpc_coherence_request q;\n    uint8_t out[%u];\n", RANDOM_BYTES);
    for (size_t i = 0; i < p->count; i++)
        print_step(&p->steps[i], file);
    fprintf(file, "    gpc_coherence_flush(c, GPC_NO_MODULE, %u, NULL, NULL);\n    gpc_coherence_destroy(c);\n}\n",
            RANDOM_CYCLE);
}

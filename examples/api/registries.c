/* SPDX-License-Identifier: BSD-2-Clause */
/* The registered policies: names, hardware costs, and the inputs that they read. */
#include "example.h"

#include <gpucache/ext/policies.h>

#include <inttypes.h>

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    check(gpc_context_create(NULL, &context, &error), &error);
    for (unsigned kind = 0; kind < GPC_POLICY_KIND_COUNT; kind++) {
        printf("kind %u:", kind);
        for (size_t i = 0; i < gpc_policy_count(context, kind); i++) {
            gpc_policy_info info = GPC_POLICY_INFO_INIT;
            check(gpc_policy_at(context, kind, i, &info, &error), &error);
            printf(" %s", info.name);
        }
        putchar('\n');
    }
    uint64_t one, level, reads;
    check(gpc_policy_cost(context, GPC_POLICY_REPLACEMENT, "lru", 64, 4, 128, 4, &one, &error), &error);
    check(gpc_policy_level_cost(context, GPC_POLICY_REPLACEMENT, "lru", 16, 64, 4, 128, 4, &level, &error), &error);
    printf("lru: %" PRIu64 " bits in a cache, %" PRIu64 " in sixteen\n", one, level);
    expect(one == 64 * 4 * 2 && level == 16 * one, "lru has two bits a line");
    check(gpc_policy_reads(context, GPC_POLICY_REPLACEMENT, "ship", &reads, &error), &error);
    expect(reads & GPC_READS_PC, "ship reads the PC");
    gpc_context_destroy(context);
    return 0;
}

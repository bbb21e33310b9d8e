/* SPDX-License-Identifier: BSD-2-Clause */
/* DRAM channels alone: reads of a row, and a read of another row of the bank. */
#include "example.h"

#include <gpucache/ext/parts.h>

#include <inttypes.h>

static void on_done(void *data, uint64_t token, bool write, uint64_t cycle) {
    printf("%s %" PRIu64 " at cycle %" PRIu64 "\n", write ? "write" : "read", token, cycle);
    ++*(unsigned *)data;
}

int main(void) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    gpc_dram *dram;
    unsigned done = 0;
    check(gpc_context_create(NULL, &context, &error), &error);
    gpc_config *config = configured(context, "gtx480", "");
    check(gpc_dram_create(context, config, &dram, &error), &error);
    gpc_dram_on_done(dram, on_done, &done);
    const uint64_t addresses[] = {0, gpc_dram_burst_bytes(dram), 1 << 20};
    for (uint64_t i = 0; i < 3; i++)
        check(gpc_dram_try_request(dram, 0, addresses[i], false, i, NULL), &error);
    while (done < 3)
        check(gpc_dram_advance(dram, gpc_dram_next_event(dram) - gpc_dram_now(dram) + 1, NULL), &error);

    const uint32_t ids[] = {GPC_ID_dram_activates, GPC_ID_dram_reads};
    uint64_t values[2];
    check(gpc_dram_read(dram, ids, 2, values, sizeof values / sizeof *values, &error), &error);
    printf("%" PRIu64 " rows opened for %" PRIu64 " bursts\n", values[0], values[1]);
    expect(values[1] == 3, "three bursts were read");
    gpc_dram_destroy(dram);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return 0;
}

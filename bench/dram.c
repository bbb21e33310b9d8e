/* SPDX-License-Identifier: BSD-2-Clause */
#include "../tests/measured.h"
#include "bench.h"

#include <string.h>

/*
 * One saturated channel through gpc_dram: million requests per CPU second, and the reached share of the peak bandwidth.
 * Sequential bursts, random bursts over 16 M, and both with a write to two reads. Beside the channel an O(1) bank model
 * runs the requests, the simplest model of rows and banks: no queue, order of arrival, no refresh, no limits between
 * banks. Ramulator 2.1 and DRAMsim3, built with optimisation on a similar machine, do 0.10 to 0.50 and 0.06 to 0.64
 * million.
 */

#define REQUESTS 2000000u

/* The bank model: 16 banks with rows of 2 KiB. Its rate does not depend on the figures. */
enum { BANKS = 16, ROW_SHIFT = 11, BANK_BITS = 4, TO_OPEN = 28, TO_DATA = 14, DATA = 2, TURN = 8 };

typedef struct bank_model {
    struct {
        uint64_t row, ready;
    } banks[BANKS];
    uint64_t bus; /* cycle at which the bank is free */
    bool wrote;
} bank_model;

/* Cycle of the end of a request's data. */
static uint64_t bank_access(bank_model *m, uint64_t address, bool write) {
    const uint64_t row = address >> (ROW_SHIFT + BANK_BITS), at = (address >> ROW_SHIFT ^ row) % BANKS;
    uint64_t ready = m->banks[at].ready;
    if (m->banks[at].row != row)
        ready += TO_OPEN;
    const uint64_t bus = m->bus + (write != m->wrote ? TURN : 0);
    const uint64_t data = ready + TO_DATA > bus ? ready + TO_DATA : bus;
    m->banks[at].row = row;
    m->banks[at].ready = data - TO_DATA + DATA;
    m->wrote = write;
    return m->bus = data + DATA;
}

static uint64_t address_of(uint32_t i, bool random, uint64_t *state, uint64_t burst) {
    return (random ? next_random(state) & 0xffffff : i) * burst;
}

static double bank_seconds(bool random, bool writes, uint64_t burst) {
    static bank_model model;
    uint64_t state = 7, last = 0;
    double start = cpu_seconds();
    for (uint32_t i = 0; i < REQUESTS; i++)
        last = bank_access(&model, address_of(i, random, &state, burst), writes && i % 3 == 2);
    double seconds = cpu_seconds() - start;
    if (!last)
        exit(1);
    return seconds;
}

static void count_done(void *user_data, uint64_t token, bool write, uint64_t cycle) {
    (void)token, (void)write, (void)cycle;
    ++*(uint64_t *)user_data;
}

static void step(gpc_dram *dram) {
    uint64_t next = gpc_dram_next_event(dram), now = gpc_dram_now(dram);
    need(gpc_dram_advance(dram, next > now ? next - now : 1, NULL), "advance", NULL);
}

/* Seconds for all requests, at the rate of the channel. */
static double saturate(gpc_dram *dram, bool random, bool writes) {
    uint64_t state = 7, burst = gpc_dram_burst_bytes(dram);
    double start = cpu_seconds();
    for (uint32_t i = 0; i < REQUESTS; i++) {
        uint64_t address = address_of(i, random, &state, burst);
        while (gpc_dram_try_request(dram, 0, address, writes && i % 3 == 2, i, NULL) == GPC_BUSY)
            step(dram);
    }
    while (gpc_dram_next_event(dram) != UINT64_MAX)
        step(dram);
    return cpu_seconds() - start;
}

static void measure(const char *timing, const char *clock, bool random, bool writes) {
    gpc_error error = GPC_ERROR_INIT;
    gpc_context *context;
    gpc_config *config;
    gpc_dram *dram;
    measured_stats stats;
    uint64_t done = 0;
    need(gpc_context_create(NULL, &context, &error), "context", &error);
    need(gpc_config_create(context, &config, &error), "config", &error);
    need(gpc_config_set(config, "dram.timing", timing, &error), timing, &error);
    need(gpc_config_set(config, "clock.dram", clock, &error), clock, &error);
    need(gpc_config_set(config, "dram.channels", "1", &error), "channels", &error);
    need(gpc_dram_create(context, config, &dram, &error), "dram", &error);
    gpc_dram_on_done(dram, count_done, &done);
    double seconds = saturate(dram, random, writes);
    measured_clear(&stats);
    need(measure_dram(dram, &stats), "stats", NULL);
    if (done != REQUESTS)
        exit(1);
    char name[96];
    const char *stream = random ? "random" : "sequential", *mix = writes ? ".mixed" : "";
    snprintf(name, sizeof name, "dram.%s.%s%s", timing, stream, mix);
    figure(name, REQUESTS / seconds * 1e-6, "Mrequest/s");
    double banks = bank_seconds(random, writes, gpc_dram_burst_bytes(dram));
    snprintf(name, sizeof name, "dram.%s.%s%s.bank-model", timing, stream, mix);
    figure(name, REQUESTS / banks * 1e-6, "Mrequest/s");
    snprintf(name, sizeof name, "dram.%s.%s%s.bandwidth", timing, stream, mix);
    figure(name, (double)stats.dram_busy_cycles / (double)stats.dram_cycles, "of-peak");
    gpc_dram_destroy(dram);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
}

int main(void) {
    static const char *const sets[][2] = {{"ddr4", "1200"}, {"gddr5", "924"}, {"hbm2", "850"}, {"hbm3", "1309"}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        for (int stream = 0; stream < 4; stream++)
            measure(sets[i][0], sets[i][1], stream & 1, stream >> 1);
    return 0;
}

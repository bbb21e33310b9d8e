/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"
#include "config/gpgpusim/gpgpusim_import.h"

#include <stdio.h>
#include <string.h>

/*
 * Options of DRAM. GPGPU-Sim's model has no refresh, no tFAW and no age limit of requests. One tRRD and one tWTR hold
 * for all banks, in equal and in other bank groups. tRCD for writes and the bus turnaround follow formulas
 * (memory_config::init).
 */

/* Times, in the order of an option that lists numbers without names. */
enum { NBK, CCD, RRD, RCD, RAS, RP, RC, CL, WL, CDLR, WR, NBKGRP, CCDL, RTPL, TIME_COUNT };
static const char *const time_names[TIME_COUNT] = {"nbk", "CCD", "RRD",  "RCD", "RAS",    "RP",   "RC",
                                                   "CL",  "WL",  "CDLR", "WR",  "nbkgrp", "CCDL", "RTPL"};

/* Read times with names, `nbk=16:CCD=1:...`, with blanks where lines were broken. */
static bool read_names(const char *text, uint64_t times[TIME_COUNT]) {
    for (int i = 0; i < TIME_COUNT; i++)
        times[i] = UINT64_MAX;
    times[NBKGRP] = 1;
    times[CCDL] = times[RTPL] = 0;
    while (*text) {
        char word[32];
        text += strspn(text, " :;");
        size_t length = strcspn(text, " :;"), name = strcspn(text, "=");
        if (!length)
            break;
        int i = 0;
        while (i < TIME_COUNT && (strlen(time_names[i]) != name || memcmp(time_names[i], text, name) != 0))
            i++;
        if (i == TIME_COUNT || name >= length || length >= sizeof word)
            return false;
        snprintf(word, sizeof word, "%.*s", (int)(length - name - 1), text + name + 1);
        if (!gpci_import_number(word, &times[i]))
            return false;
        text += length;
    }
    for (int i = 0; i < TIME_COUNT; i++)
        if (times[i] == UINT64_MAX)
            return false;
    return true;
}

static gpc_status read_times(const gpci_import *import, uint64_t times[TIME_COUNT]) {
    const char *text = GPCI_OPTION(DRAM_TIMING)->text;
    bool read =
        strchr(text, '=') ? read_names(text, times) : gpci_import_list(text, ':', times, TIME_COUNT, TIME_COUNT) != 0;
    if (!read)
        return gpci_import_refuse(import, GPCI_OPTION_DRAM_TIMING, GPC_ERROR_FORMAT,
                                  "has not nbk:CCD:RRD:RCD:RAS:RP:RC:CL:WL:CDLR:WR:nbkgrp:CCDL:RTPL, with or without "
                                  "these names");
    if (!times[NBKGRP] || times[NBK] % times[NBKGRP])
        return gpci_import_refuse(import, GPCI_OPTION_DRAM_TIMING, GPC_ERROR_FORMAT,
                                  "has banks (nbk) that its groups (nbkgrp) do not divide");
    return GPC_OK;
}

static gpc_status apply_times(const gpci_import *import, const uint64_t *t) {
    const gpci_option_id option = GPCI_OPTION_DRAM_TIMING;
    /* without groups CCDL and RTPL are 0; then the bank's own tRAS is the limit */
    gpc_status status = GPCI_SET_NUMBERS(
        import, option, {GPCI_KEY_DRAM_TRCD, t[RCD]}, {GPCI_KEY_DRAM_TRCD_W, t[RCD] > t[WL] ? t[RCD] - t[WL] - 1 : 0},
        {GPCI_KEY_DRAM_TRP, t[RP]}, {GPCI_KEY_DRAM_TCL, t[CL]}, {GPCI_KEY_DRAM_TCWL, t[WL]},
        {GPCI_KEY_DRAM_TRAS, t[RAS]}, {GPCI_KEY_DRAM_TRC, t[RC]}, {GPCI_KEY_DRAM_TRRD_S, t[RRD]},
        {GPCI_KEY_DRAM_TRRD_L, t[RRD]}, {GPCI_KEY_DRAM_TFAW, 0}, {GPCI_KEY_DRAM_TWR, t[WR]},
        {GPCI_KEY_DRAM_TWTR_S, t[CDLR]}, {GPCI_KEY_DRAM_TWTR_L, t[CDLR]}, {GPCI_KEY_DRAM_TRTW, 2},
        {GPCI_KEY_DRAM_TRTP, t[RTPL]}, {GPCI_KEY_DRAM_TCCD_S, t[CCD]},
        {GPCI_KEY_DRAM_TCCD_L, t[CCDL] > t[CCD] ? t[CCDL] : t[CCD]}, {GPCI_KEY_DRAM_PSEUDO, 1},
        {GPCI_KEY_DRAM_GROUPS, t[NBKGRP]}, {GPCI_KEY_DRAM_BANKS, t[NBK] / t[NBKGRP]});
    return status < 0
               ? status
               : GPCI_SET_ALL(import, option, {GPCI_KEY_DRAM_REFRESH, "none"}, {GPCI_KEY_DRAM_AGE_CAP, "unlimited"},
                              {GPCI_KEY_DRAM_BUS, GPCI_OPTION(DRAM_DUAL)->number ? "dual" : "single"});
}

/* Bytes that L2 asks for at once: a sector, or a line without sectors. */
static uint64_t asked_bytes(const gpci_import *import) {
    return gpci_import_now(import, GPCI_KEY_L2_LINE) / gpci_import_now(import, GPCI_KEY_L2_SECTORS);
}

/*
 * Set the bytes and the cycles of a burst. Defaults of the simulator: a bus of 4 bytes, bursts of 4 transfers, one
 * chip, two transfers per cycle. A sector of L2 is a request of DRAM, and takes a burst alone; further bytes of the
 * burst are dropped (dram_req_t, breakdown_request_to_sector_requests).
 */
static gpc_status apply_burst(const gpci_import *import) {
    uint64_t width = gpci_import_or(import, GPCI_OPTION_DRAM_WIDTH, 4);
    uint64_t burst = gpci_import_or(import, GPCI_OPTION_DRAM_BURST, 4);
    uint64_t ratio = gpci_import_or(import, GPCI_OPTION_DRAM_RATIO, 2);
    uint64_t chips = gpci_import_or(import, GPCI_OPTION_DRAM_CHIPS, 1);
    gpci_option_id option = GPCI_OPTION(DRAM_WIDTH)->given ? GPCI_OPTION_DRAM_WIDTH : GPCI_OPTION_DRAM_BURST;
    if (!GPCI_OPTION(DRAM_WIDTH)->given && !GPCI_OPTION(DRAM_BURST)->given)
        return GPC_OK;
    if (!ratio || burst % ratio || width > 65536 || burst > 65536 || chips > 65536)
        return gpci_import_refuse(import, option, GPC_ERROR_FORMAT,
                                  "and -dram_data_command_freq_ratio make no whole number of cycles of a burst");
    const uint64_t atom = width * burst * chips, asked = asked_bytes(import);
    return GPCI_SET_NUMBERS(import, option, {GPCI_KEY_DRAM_BURST, atom < asked ? atom : asked},
                            {GPCI_KEY_DRAM_BURST_CYCLES, burst / ratio});
}

static gpc_status apply_timing(const gpci_import *import) {
    uint64_t times[TIME_COUNT];
    gpc_status status = apply_burst(import);
    if (status < 0 || !GPCI_OPTION(DRAM_TIMING)->given)
        return status;
    status = read_times(import, times);
    if (status == GPC_OK)
        status = apply_times(import, times);
    if (status < 0)
        return status;
    if (GPCI_OPTION(DRAM_BANKS)->number > 1)
        return gpci_import_refuse(import, GPCI_OPTION_DRAM_BANKS, GPC_ERROR_UNSUPPORTED,
                                  "is neither 0 (linear) nor 1 (XOR)");
    return gpci_import_set(import, GPCI_OPTION(DRAM_BANKS)->given ? GPCI_OPTION_DRAM_BANKS : GPCI_OPTION_DRAM_TIMING,
                           GPCI_KEY_DRAM_HASH, GPCI_OPTION(DRAM_BANKS)->number ? "xor" : "none");
}

/*
 * True if dram.scheduler becomes by-bank: the simulator's FR-FCFS without a queue for writes. Each bank then has one
 * request, and banks take turns.
 */
static bool by_bank(const gpci_import *import) {
    return GPCI_OPTION(DRAM_SCHEDULER)->number == 1 && !GPCI_OPTION(DRAM_WRITES)->number;
}

uint64_t gpci_import_banks(const gpci_import *import) {
    const uint64_t groups = gpci_import_now(import, GPCI_KEY_DRAM_GROUPS),
                   each = gpci_import_now(import, GPCI_KEY_DRAM_BANKS);
    return groups == GPCI_WORD || each == GPCI_WORD ? 0 : groups * each;
}

#define QUEUE_MOST 4096u

static uint64_t queue_of(uint64_t requests, uint64_t bursts, uint64_t at_banks) {
    const uint64_t length = requests * bursts + at_banks;
    return !requests || length > QUEUE_MOST ? QUEUE_MOST : length; /* `requests` 0: unlimited */
}

/*
 * Set the lengths of DRAM's queues. The simulator counts requests of L2's size, and the keys count bursts. With the
 * scheduler by-bank, the first burst of a request leaves the queue for its bank; the remaining bursts wait in the queue
 * here, but are at the bank in the simulator. If the simulator has no queue for writes, writes wait among the reads:
 * the write queue here gets the length of the read queue, and writes go before the write queue is full.
 */
static gpc_status apply_queues(const gpci_import *import) {
    const gpci_option *own = GPCI_OPTION(DRAM_WRITE_QUEUE);
    const uint64_t asked = asked_bytes(import);
    /* if the key has a word instead of a number, `burst` is GPCI_WORD, larger than any number */
    const uint64_t burst = gpci_import_now(import, GPCI_KEY_DRAM_BURST);
    const uint64_t bursts = burst < asked ? (asked + burst - 1) / burst : 1;
    const uint64_t reads = queue_of(GPCI_OPTION(DRAM_QUEUE)->number, bursts,
                                    by_bank(import) ? gpci_import_banks(import) * (bursts - 1) : 0);
    uint64_t n[3];
    gpc_status status = GPC_OK;
    if (GPCI_OPTION(DRAM_QUEUE)->given)
        status = GPCI_SET_NUMBERS(import, GPCI_OPTION_DRAM_QUEUE, {GPCI_KEY_DRAM_READ_QUEUE, reads},
                                  {GPCI_KEY_DRAM_WRITE_QUEUE, reads}, {GPCI_KEY_DRAM_WRITE_HIGH, reads - reads / 8},
                                  {GPCI_KEY_DRAM_WRITE_LOW, reads / 2});
    if (status < 0 || !own->given || !GPCI_OPTION(DRAM_WRITES)->number)
        return status;
    if (!gpci_import_list(own->text, ':', n, 3, 3))
        return gpci_import_refuse(import, GPCI_OPTION_DRAM_WRITE_QUEUE, GPC_ERROR_FORMAT, "is not length:high:low");
    return GPCI_SET_NUMBERS(import, GPCI_OPTION_DRAM_WRITE_QUEUE, {GPCI_KEY_DRAM_WRITE_QUEUE, n[0] * bursts},
                            {GPCI_KEY_DRAM_WRITE_HIGH, n[1] * bursts}, {GPCI_KEY_DRAM_WRITE_LOW, n[2] * bursts});
}

/*
 * Set the latency before DRAM; the option has core cycles. The simulator's simple model has no other latency, and sends
 * a sector per cycle.
 */
static gpc_status apply_latency(const gpci_import *import) {
    uint64_t cycles = gpci_import_cycles(import, GPCI_OPTION(DRAM_LATENCY)->number, GPCI_KEY_CLOCK_DRAM);
    uint64_t sector = gpci_import_now(import, GPCI_KEY_L2_LINE) / gpci_import_now(import, GPCI_KEY_L2_SECTORS);
    gpc_status status = GPC_OK;
    if (GPCI_OPTION(DRAM_LATENCY)->given)
        status = GPCI_SET_NUMBERS(import, GPCI_OPTION_DRAM_LATENCY, {GPCI_KEY_DRAM_LATENCY, cycles},
                                  {GPCI_KEY_DRAM_FIXED_LATENCY, cycles});
    if (status == GPC_OK && GPCI_OPTION(DRAM_SIMPLE)->given)
        status = gpci_import_set(import, GPCI_OPTION_DRAM_SIMPLE, GPCI_KEY_DRAM_MODEL,
                                 GPCI_OPTION(DRAM_SIMPLE)->number ? "fixed" : "timing");
    if (status == GPC_OK && GPCI_OPTION(DRAM_SIMPLE)->number)
        status = gpci_import_set_number(import, GPCI_OPTION_DRAM_SIMPLE, GPCI_KEY_DRAM_FIXED_BANDWIDTH, sector);
    return status;
}

/*
 * Set the place of the latency. If each slice has its own channel without a link, a request waits before the channel's
 * queue; otherwise the data wait.
 */
static gpc_status apply_place(const gpci_import *import) {
    const bool alone = gpci_import_now(import, GPCI_KEY_L2_SLICES) == gpci_import_now(import, GPCI_KEY_DRAM_CHANNELS) &&
                       !gpci_import_now(import, GPCI_KEY_MEMORY_LINK_WIDTH);
    return gpci_import_set(import, GPCI_OPTION_WIDTHS, GPCI_KEY_DRAM_LATENCY_AT, alone ? "request" : "data");
}

gpc_status gpci_import_dram(const gpci_import *import) {
    gpc_status status = apply_timing(import);
    if (status == GPC_OK && GPCI_OPTION(DRAM_SCHEDULER)->number > 1)
        return gpci_import_refuse(import, GPCI_OPTION_DRAM_SCHEDULER, GPC_ERROR_UNSUPPORTED,
                                  "is neither 0 (FIFO) nor 1 (FR-FCFS)");
    if (status == GPC_OK && GPCI_OPTION(DRAM_SCHEDULER)->given)
        status = gpci_import_set(import, GPCI_OPTION_DRAM_SCHEDULER, GPCI_KEY_DRAM_SCHEDULER,
                                 by_bank(import)                       ? "by-bank"
                                 : GPCI_OPTION(DRAM_SCHEDULER)->number ? "fr-fcfs"
                                                                       : "fcfs");
    if (status == GPC_OK)
        status = apply_queues(import);
    if (status == GPC_OK)
        status = apply_latency(import);
    return status < 0 || !gpci_import_is_3(import) ? status : apply_place(import);
}

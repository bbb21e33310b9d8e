/* SPDX-License-Identifier: BSD-2-Clause */
#include "dram/timing.h"

/*
 * Named timing sets (dram.timing), in cycles of the set's clock. A comment at a value names the value's source, if the
 * source differs from the source of the set. A comment with two values is about the line and the line before. Sources:
 * [G] GPGPU-Sim 4 and Accel-Sim, configs/tested-cfgs of gpgpu-sim_distribution, -gpgpu_dram_timing_opt. The option has
 * a single RRD for tRRD_S and tRRD_L, and a single CDLR for tWTR_S and tWTR_L. The option has no tFAW and no refresh.
 * [D] DRAMsim3, configs/ of umd-memsys/DRAMsim3
 * [R] Ramulator 2, src/dram/impl of CMU-SAFARI/ramulator2
 * [-] not published: see the comment
 */
enum { SET_DDR4, SET_GDDR5, SET_GDDR6, SET_HBM2, SET_HBM2E, SET_HBM3, SET_DDR5, SET_COUNT };

static const gpci_dram_timing sets[SET_COUNT] = {
    /* DDR4-2400, 64 bits of eight Micron MT40A1G8: [D] DDR4_8Gb_x8_2400.ini, except marked figures. */
    [SET_DDR4] = {.mhz = 1200,
                  .trcd = 16,
                  .trcd_write = 16,
                  .trp = 16,
                  .tcl = 16,
                  .tcwl = 16,
                  .tras = 39,
                  .trc = 55, /* tRC = tRAS + tRP */
                  .trrd_s = 4,
                  .trrd_l = 6,
                  .tfaw = 26,
                  .twr = 19,
                  .twtr_s = 3,
                  .twtr_l = 9,
                  .trtw = 2, /* [R] DDR4.cpp: tCL + tBL + 2 - tCWL */
                  .trtp = 9, /* JESD79-4: 7.5 ns */
                  .tccd_s = 4,
                  .tccd_l = 6,
                  .trefi = 9364,
                  .trfc = 420,
                  .pseudo = 1,
                  .groups = 4,
                  .group_banks = 4,
                  .row_bytes = 8192, /* 1024 columns of 8 bytes */
                  .burst_bytes = 64,
                  .burst = 4, /* 8 transfers of 8 bytes, two a cycle */
                  .dual = 0},
    /* GDDR5 at 3.7 Gb/s a pin, two 32-bit chips in step, Hynix H5GQ1H24AFR: [G] SM2_GTX480, except marked figures. */
    [SET_GDDR5] = {.mhz = 924,
                   .trcd = 12,
                   .trcd_write = 10, /* tRCDWR: [D] GDDR5_1Gb_x32.ini, 15 cycles of 0.667 ns */
                   .trp = 12,
                   .tcl = 12,
                   .tcwl = 4,
                   .tras = 28,
                   .trc = 40,
                   .trrd_s = 6,
                   .trrd_l = 6,
                   .tfaw = 22, /* [D] 35 cycles of 0.667 ns */
                   .twr = 12,
                   .twtr_s = 5,
                   .twtr_l = 5,
                   .trtw = 2, /* [R] as DDR4 */
                   .trtp = 2, /* [G] RTPL=2 of the set with bank groups */
                   .tccd_s = 2,
                   .tccd_l = 3, /* [G] CCDL=3 with four bank groups */
                   .trefi = 7210,
                   .trfc = 61, /* trefi, trfc: [D] 11699 and 98 cycles of 0.667 ns */
                   .pseudo = 1,
                   .groups = 4,
                   .group_banks = 4,  /* [G] nbk=16:nbkgrp=4 */
                   .row_bytes = 4096, /* [G] 6 column bits of 64 bytes: 2 KB pages of two chips */
                   .burst_bytes = 64,
                   .burst = 2, /* [G] 2 chips x 4 bytes x 8 transfers, four a cycle */
                   .dual = 0},
    /* GDDR6 at 14 Gb/s a pin, a 16-bit channel: [G] SM75_RTX2060. Times are in cycles of CK, 1750 MHz, except tCCD. */
    [SET_GDDR6] = {.mhz = 1750,
                   .trcd = 24,
                   .trcd_write = 24,
                   .trp = 24,
                   .tcl = 24,
                   .tcwl = 8,
                   .tras = 55,
                   .trc = 78,
                   .trrd_s = 12,
                   .trrd_l = 12,
                   .tfaw = 48, /* [-] four times tRRD: tFAW adds no limit */
                   .twr = 24,
                   .twtr_s = 10,
                   .twtr_l = 10,
                   .trtw = 2, /* [R] as DDR4 */
                   .trtp = 4,
                   .tccd_s = 2,
                   .tccd_l = 3, /* [G] CCD=4:CCDL=6, of half cycles */
                   .trefi = 3325,
                   .trfc = 210, /* trefi, trfc: JESD250, 1.9 us, and 120 ns for 8 Gb */
                   .pseudo = 1,
                   .groups = 4,
                   .group_banks = 4,
                   .row_bytes = 2048, /* [G] 6 column bits of 32 bytes */
                   .burst_bytes = 32,
                   .burst = 2, /* 16 transfers of 2 bytes, eight a cycle */
                   .dual = 0},
    /* HBM2 at 1.7 Gb/s a pin, a 128-bit channel: [G] SM7_QV100, "Timing for 850 MHZ", except marked figures. */
    [SET_HBM2] = {.mhz = 850,
                  .trcd = 12,
                  .trcd_write = 12,
                  .trp = 12,
                  .tcl = 12,
                  .tcwl = 2,
                  .tras = 28,
                  .trc = 40,
                  .trrd_s = 3,
                  .trrd_l = 3,
                  .tfaw = 26, /* [D] HBM2_8Gb_x128.ini: 30 ns */
                  .twr = 10,
                  .twtr_s = 3,
                  .twtr_l = 3,
                  .trtw = 2, /* [R] HBM2.cpp: tCL + tBL + 2 - tCWL */
                  .trtp = 3,
                  .tccd_s = 1,
                  .tccd_l = 2,
                  .trefi = 3315,
                  .trfc = 221, /* trefi, trfc: [D] 3900 and 260 ns */
                  .trfc_bank = 136,
                  .trrefd = 7, /* trfc_bank, trrefd: [R] HBM2.cpp, 160 and 8 ns */
                  .pseudo = 1,
                  .groups = 4,
                  .group_banks = 4,
                  .row_bytes = 2048, /* [G] 6 column bits of 32 bytes; [D] 64 columns x 128 bits x 2 */
                  .burst_bytes = 32,
                  .burst = 1, /* [G] 16 bytes x 2 transfers */
                  .dual = 1}, /* [G] -dram_dual_bus_interface 1 */
    /*
     * HBM2E: [G] SM80_A100, stated at the L2 clock of 1512 MHz, except marked figures. A channel has 128 bits, two
     * pseudo channels of JESD235B with rows of 1 KB and bursts of 4 transfers; [G] has the legacy mode without pseudo
     * channels, with which an A100's streams reach half of the measured rates (tests/hardware/README.md).
     */
    [SET_HBM2E] = {.mhz = 1512,
                   .trcd = 22,
                   .trcd_write = 22,
                   .trp = 22,
                   .tcl = 22,
                   .tcwl = 4,
                   .tras = 50,
                   .trc = 72,
                   .trrd_s = 6, /* assumed: 4 ns */
                   .trrd_l = 9, /* [D] 6 ns */
                   .tfaw = 24,  /* assumed: 16 ns */
                   .twr = 19,
                   .twtr_s = 5,
                   .twtr_l = 5,
                   .trtw = 2, /* [R] HBM2.cpp */
                   .trtp = 7,
                   .tccd_s = 2,
                   .tccd_l = 4,
                   .trefi = 5897,
                   .trfc = 394, /* trefi, trfc: [D] 3900 and 260 ns */
                   .trfc_bank = 242,
                   .trrefd = 13, /* trfc_bank, trrefd: [R] HBM2.cpp, 160 and 8 ns */
                   .pseudo = 2,
                   .groups = 4,
                   .group_banks = 4,
                   .row_bytes = 1024,
                   .burst_bytes = 32,
                   .burst = 2,
                   .dual = 1},
    /*
     * HBM3 at 5.2 Gb/s a pin. A channel of the model is 128 bits wide, and has four 32-bit pseudo channels of JESD238.
     * [G] SM90_H100, "New HBM3 timing parameters", equal to [D] HBM2_8Gb_x128.ini at half of 2619 MHz.
     */
    [SET_HBM3] = {.mhz = 1309,
                  .trcd = 19,
                  .trcd_write = 19,
                  .trp = 19,
                  .tcl = 19,
                  .tcwl = 6,
                  .tras = 45,
                  .trc = 64, /* tRAS + tRP: [G] RC=50 is less than the sum */
                  .trrd_s = 6,
                  .trrd_l = 8, /* [G] RRD=6; tRRD_L [D] 6 ns */
                  .tfaw = 20,  /* [R] HBM3.cpp: 15 ns */
                  .twr = 21,
                  .twtr_s = 8,
                  .twtr_l = 11, /* [G] CDLR=8; tWTR_L [D] 8 ns */
                  .trtw = 2,    /* [R] HBM3.cpp: tCL + tBL + 2 - tCWL */
                  .trtp = 8,
                  .tccd_s = 2,
                  .tccd_l = 3,   /* a burst; [G] CCDL=6, of half cycles */
                  .trefi = 5105, /* [R] 3.9 us */
                  .trfc = 458,   /* [R] 350 ns for the 8 Gb of a channel */
                  .trfc_bank = 210,
                  .trrefd = 11, /* trfc_bank, trrefd: [R] HBM3.cpp, 160 and 8 ns */
                  .pseudo = 4,
                  .groups = 4,
                  .group_banks = 4,  /* [R] [G] 16 banks of a pseudo channel */
                  .row_bytes = 1024, /* JESD238: 1 KB page */
                  .burst_bytes = 32,
                  .burst = 2, /* JESD238: 8 transfers of 4 bytes, four a cycle */
                  .dual = 1}, /* JESD238: row and column command buses */
    /* DDR5-3200AN, a 32-bit channel of four 16 Gb x8: [R] DDR5.cpp, except marked figures. */
    [SET_DDR5] = {.mhz = 1600,
                  .trcd = 24,
                  .trcd_write = 24,
                  .trp = 24,
                  .tcl = 24,
                  .tcwl = 22,
                  .tras = 52,
                  .trc = 76, /* tRAS + tRP: [R] 75 is less than the sum */
                  .trrd_s = 8,
                  .trrd_l = 8, /* JESD79-5: 5 ns, but at least 8 cycles */
                  .tfaw = 32,
                  .twr = 48,
                  .twtr_s = 4,
                  .twtr_l = 16,
                  .trtw = 4, /* [R] tCL + tBL + 4 - tCWL */
                  .trtp = 12,
                  .tccd_s = 8,
                  .tccd_l = 8,
                  .trefi = 6240,
                  .trfc = 472,      /* trefi, trfc: 3900 and 295 ns */
                  .trfc_bank = 208, /* 130 ns */
                  .trrefd = 48,     /* JESD79-5: tREFSBRD, 30 ns */
                  .pseudo = 1,
                  .groups = 8,
                  .group_banks = 4,
                  .row_bytes = 4096, /* four chips with 1024 columns of a byte each */
                  .burst_bytes = 64,
                  .burst = 8, /* 16 transfers of 4 bytes, two a cycle */
                  .dual = 0},
};

const gpci_dram_timing *gpci_dram_timing_set(uint64_t choice) {
    return choice < SET_COUNT ? &sets[choice] : NULL;
}

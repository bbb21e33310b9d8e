/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CONFIG_KEYS_DRAM_H
#define GPC_CONFIG_KEYS_DRAM_H

/* DRAM keys. keys.h describes the columns. */
#define GPCI_KEYS_DRAM(X)                                                                                            \
    X(DRAM_CHANNELS, "dram.channels", COUNT, RESET | CLOCK, "channels", "6", 1, 1024, "", "memory channels")         \
    X(DRAM_MODEL, "dram.model", CHOICE, RESET | CLOCK, "", "timing", 0, 0, "timing|fixed",                           \
      "timing: banks, rows and commands; fixed: a latency and a bandwidth")                                          \
    X(DRAM_TIMING, "dram.timing", CHOICE, RESET | CLOCK, "", "gddr5", 0, 0, "ddr4|gddr5|gddr6|hbm2|hbm2e|hbm3|ddr5", \
      "named set that the keys below take where they say auto; its times hold at any clock.dram")                    \
    X(DRAM_TRCD, "dram.trcd", COUNT, KEEP | CLOCK, "cycles", "auto", 0, 1000000, "auto",                             \
      "from a row's activation to a read")                                                                           \
    X(DRAM_TRCD_W, "dram.trcd_write", COUNT, KEEP | CLOCK, "cycles", "auto", 0, 1000000, "auto",                     \
      "from a row's activation to a write")                                                                          \
    X(DRAM_TRP, "dram.trp", COUNT, KEEP | CLOCK, "cycles", "auto", 0, 1000000, "auto",                               \
      "from a precharge to the bank's next activation")                                                              \
    X(DRAM_TCL, "dram.tcl", COUNT, KEEP | CLOCK, "cycles", "auto", 0, 1000000, "auto", "from a read to its data")    \
    X(DRAM_TCWL, "dram.tcwl", COUNT, KEEP | CLOCK, "cycles", "auto", 0, 1000000, "auto", "from a write to its data") \
    X(DRAM_TRAS, "dram.tras", COUNT, KEEP | CLOCK, "cycles", "auto", 0, 1000000, "auto",                             \
      "from an activation to the precharge")                                                                         \
    X(DRAM_TRC, "dram.trc", COUNT, KEEP | CLOCK, "cycles", "auto", 0, 1000000, "auto",                               \
      "from an activation to the bank's next")                                                                       \
    X(DRAM_TRRD_S, "dram.trrd_s", COUNT, KEEP | CLOCK, "cycles", "auto", 0, 1000000, "auto",                         \
      "between activations, other bank group")                                                                       \
    X(DRAM_TRRD_L, "dram.trrd_l", COUNT, KEEP | CLOCK, "cycles", "auto", 0, 1000000, "auto",                         \
      "between activations, same bank group")                                                                        \
    X(DRAM_TFAW, "dram.tfaw", COUNT, KEEP | CLOCK, "cycles", "auto", 0, 1000000, "auto",                             \
      "holds at most four activations")                                                                              \
    X(DRAM_TWR, "dram.twr", COUNT, KEEP | CLOCK, "cycles", "auto", 0, 1000000, "auto",                               \
      "from a write's data to the precharge")                                                                        \
    X(DRAM_TWTR_S, "dram.twtr_s", COUNT, KEEP | CLOCK, "cycles", "auto", 0, 1000000, "auto",                         \
      "from a write's data to a read, other bank group")                                                             \
    X(DRAM_TWTR_L, "dram.twtr_l", COUNT, KEEP | CLOCK, "cycles", "auto", 0, 1000000, "auto",                         \
      "from a write's data to a read, same bank group")                                                              \
    X(DRAM_TRTW, "dram.trtw", COUNT, KEEP | CLOCK, "cycles", "auto", 0, 1000000, "auto",                             \
      "that the bus rests between read data and write data")                                                         \
    X(DRAM_TRTP, "dram.trtp", COUNT, KEEP | CLOCK, "cycles", "auto", 0, 1000000, "auto",                             \
      "from a read to the precharge")                                                                                \
    X(DRAM_TCCD_S, "dram.tccd_s", COUNT, KEEP | CLOCK, "cycles", "auto", 0, 1000000, "auto",                         \
      "between reads, or writes, other bank group")                                                                  \
    X(DRAM_TCCD_L, "dram.tccd_l", COUNT, KEEP | CLOCK, "cycles", "auto", 0, 1000000, "auto",                         \
      "between reads, or writes, same bank group")                                                                   \
    X(DRAM_TREFI, "dram.trefi", COUNT, KEEP | CLOCK, "cycles", "auto", 1, 1000000, "auto", "between refreshes")      \
    X(DRAM_TRFC, "dram.trfc", COUNT, KEEP | CLOCK, "cycles", "auto", 0, 1000000, "auto", "that a refresh takes")     \
    X(DRAM_TRFC_BANK, "dram.trfc_bank", COUNT, KEEP | CLOCK, "cycles", "auto", 0, 1000000, "auto",                   \
      "that a refresh of single banks takes; 0: there is none")                                                      \
    X(DRAM_TRREFD, "dram.trrefd", COUNT, KEEP | CLOCK, "cycles", "auto", 0, 1000000, "auto",                         \
      "from such a refresh to an activation or refresh of another bank")                                             \
    X(DRAM_PSEUDO, "dram.pseudo_channels", COUNT, KEEP | CLOCK, "channels", "auto", 1, 16, "auto",                   \
      "parts of a channel that work each for itself, with banks and data bus of their own, on the "                  \
      "channel's queues; the keys here describe one")                                                                \
    X(DRAM_GROUPS, "dram.bank_groups", COUNT, KEEP | CLOCK, "groups", "auto", 1, 16, "auto",                         \
      "bank groups, a power of two")                                                                                 \
    X(DRAM_BANKS, "dram.group_banks", COUNT, KEEP | CLOCK, "banks", "auto", 1, 64, "auto",                           \
      "banks of a group, a power of two")                                                                            \
    X(DRAM_ROW, "dram.row_bytes", SIZE, KEEP | CLOCK, "bytes", "auto", 8, 1 << 20, "auto",                           \
      "row of a bank, a power of two")                                                                               \
    X(DRAM_BURST, "dram.burst_bytes", SIZE, KEEP | CLOCK, "bytes", "auto", 8, 4096, "auto",                          \
      "that one read or write moves, a power of two")                                                                \
    X(DRAM_BURST_CYCLES, "dram.burst_cycles", COUNT, KEEP | CLOCK, "cycles", "auto", 1, 1024, "auto",                \
      "that its data take on the bus")                                                                               \
    X(DRAM_BUS, "dram.command_bus", CHOICE, KEEP | CLOCK, "", "auto", 0, 0, "auto|single|dual",                      \
      "one command per cycle, or one to a row and one to a column")                                                  \
    X(DRAM_SCHEDULER, "dram.scheduler", CHOICE, RESET | CLOCK, "", "fr-fcfs", 0, 0, "fr-fcfs|fcfs|by-bank",          \
      "fr-fcfs: reads or writes of open rows first, then the oldest; fcfs: the oldest alone; by-bank: as GPGPU-Sim " \
      "3, reads and writes in one queue, dram.read_queue long; a bank takes one at a time, and banks take turns; "   \
      "without refresh, dram.tfaw and dram.age_cap")                                                                 \
    X(DRAM_AGE_CAP, "dram.age_cap", COUNT, KEEP | CLOCK, "cycles", "2000", 0, 1 << 30, "unlimited",                  \
      "fr-fcfs: a request that has waited this long is no longer passed by younger ones to another row "             \
      "of its bank")                                                                                                 \
    X(DRAM_PAGE, "dram.page", CHOICE, KEEP | CLOCK, "", "open", 0, 0, "open|closed",                                 \
      "closed: a row is closed with the last request queued for it")                                                 \
    X(DRAM_REFRESH, "dram.refresh", CHOICE, RESET | CLOCK, "", "all-bank", 0, 0, "all-bank|none|per-bank|same-bank", \
      "of all banks together, each dram.trefi; per-bank: of one after the other, as HBM can (REFSB, REFpb), the "    \
      "others go on; same-bank: of the bank of one number in each group, as DDR5 can (REFsb), each twice in "        \
      "dram.trefi, for half the rows")                                                                               \
    X(DRAM_READ_QUEUE, "dram.read_queue", COUNT, RESET | CLOCK, "bursts", "64", 1, 4096, "",                         \
      "reads of a channel that wait")                                                                                \
    X(DRAM_WRITE_QUEUE, "dram.write_queue", COUNT, RESET | CLOCK, "bursts", "64", 1, 4096, "",                       \
      "writes of a channel that wait")                                                                               \
    X(DRAM_WRITE_HIGH, "dram.write_high", COUNT, RESET | CLOCK, "bursts", "56", 1, 4096, "",                         \
      "writes waiting at which they go before reads; shared out among pseudo channels")                              \
    X(DRAM_WRITE_LOW, "dram.write_low", COUNT, RESET | CLOCK, "bursts", "32", 0, 4096, "",                           \
      "writes waiting at which reads go before them again; below dram.write_high")                                   \
    X(DRAM_MAPPING, "dram.mapping", TEXT, RESET | CLOCK, "", "row bank column group pseudo column:1", 0, 0, "",      \
      "where a channel's address bits above the burst go, from the highest: row, bank, group, pseudo, "              \
      "column, each with its number of bits after a colon, or all that are left")                                    \
    X(DRAM_HASH, "dram.bank_hash", CHOICE, RESET | CLOCK, "", "xor", 0, 0, "none|xor",                               \
      "xor: bank and group are XORed with the low bits of the row")                                                  \
    X(DRAM_GROUP_BITS, "dram.group_bits", CHOICE, RESET | CLOCK, "", "high", 0, 0, "high|low",                       \
      "address.mapping: the bits of a bank's number that say its group")                                             \
    X(DRAM_LATENCY, "dram.latency", COUNT, RESET | CLOCK, "cycles", "0", 0, 100000, "",                              \
      "of controller and interface, added to every read")                                                            \
    X(DRAM_LATENCY_AT, "dram.latency_at", CHOICE, RESET | CLOCK, "", "data", 0, 0, "data|request",                   \
      "where dram.latency is, with dram.model = timing: data come so much later, or a request of L2 enters its "     \
      "channel's queue so much later, one a DRAM cycle")                                                             \
    X(DRAM_FIXED_LATENCY, "dram.fixed_latency", COUNT, RESET | CLOCK, "cycles", "100", 0, 1000000, "",               \
      "dram.model = fixed: from the start of a request to its data")                                                 \
    X(DRAM_FIXED_BANDWIDTH, "dram.fixed_bandwidth", COUNT, RESET | CLOCK, "bytes per cycle", "0", 0, 65536, "",      \
      "dram.model = fixed: of a channel, bytes per DRAM cycle; 0 = unlimited")

#endif

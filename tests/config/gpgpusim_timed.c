/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* GPGPU-Sim's options of time: clocks, issue, latencies, queues and DRAM. */

static void import_all(rig *r, const char *text) {
    cr_assert_eq(import_gpgpusim(r, text, NULL), GPC_OK, "%s: %s", text, r->error.message);
}

/* One file on the defaults, one key. */
static void expect(const char *text, const char *key, const char *expected) {
    rig r;
    rig_open(&r);
    import_all(&r, text);
    cr_expect_str_eq(value(r.config, key), expected, "%s: %s is %s", text, key, value(r.config, key));
    rig_close(&r);
}

static void refuse(const char *text, gpc_status expected, const char *message) {
    rig r;
    rig_open(&r);
    expect_failure(&r, import_gpgpusim(&r, text, NULL), expected, message);
    cr_expect_str_eq(value(r.config, "clock.core"), "700", "nothing may have been set");
    rig_close(&r);
}

Test(gpgpusim_timed, clocks) {
    rig r;
    rig_open(&r);
    import_all(&r, "-gpgpu_clock_domains 1365:1500.4:1512.49:3500.5"); /* RTX2060's DRAM */
    EXPECT(&r, {"clock.core", "1365"}, {"clock.network", "1500"}, {"clock.l2", "1512"}, {"clock.dram", "3501"});
    rig_close(&r);
    static const char *const wrong[] = {"700",
                                        "700:700:700",
                                        "700:700:700:",
                                        ":700:700:924",
                                        "a:b:c:d",
                                        "700:700:700:924:",
                                        "700:-1:700:924",
                                        "700 700",
                                        "700:700:700:924:1:x",
                                        "700:700:700:924/1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[96];
        snprintf(text, sizeof text, "-gpgpu_clock_domains \"%s\"", wrong[i]);
        refuse(text, GPC_ERROR_FORMAT, "is not core:network:L2:DRAM, each in MHz");
    }
    refuse("-gpgpu_clock_domains 0:700:700:924", GPC_ERROR_RANGE, "clock.core: '0' is not between");
    refuse("-gpgpu_clock_domains 99999999999999999999:700:700:924", GPC_ERROR_FORMAT, "is not core:network:L2:DRAM");
}

Test(gpgpusim_timed, scheduler) {
    expect("-gpgpu_scheduler lrr", "scheduler", "lrr");
    expect("-gpgpu_scheduler gto", "scheduler", "gto");
    expect("-gpgpu_scheduler old", "scheduler", "oldest");
    expect("-gpgpu_scheduler two_level_active:6:0:1", "scheduler", "two-level(group=6)");
    expect("-gpgpu_scheduler warp_limiting:2:5", "scheduler", "gto");
    expect("-gpgpu_scheduler warp_limiting:2:5", "sm.warp_limit", "5");
    expect("-gpgpu_num_sched_per_core 4", "sm.schedulers", "4");
    expect("-gpgpu_max_insn_issue_per_warp 2", "sm.issue_width", "2");
    refuse("-gpgpu_scheduler rrr", GPC_ERROR_UNSUPPORTED, "1: -gpgpu_scheduler: 'rrr' is none of lrr, gto, old");
    refuse("-gpgpu_scheduler two_level_active:6", GPC_ERROR_UNSUPPORTED, "'two_level_active:6' is none of");
    refuse("-gpgpu_scheduler warp_limiting:2", GPC_ERROR_UNSUPPORTED, "'warp_limiting:2' is none of");
    refuse("-gpgpu_scheduler two_level_active:0:0:1", GPC_ERROR_RANGE, "scheduler: ");
}

/* SM2_GTX480's lists: seven widths until 3.x, later with separate DP and INT; FP division is the SFU's. */
Test(gpgpusim_timed, instructions) {
    expect("-gpgpu_pipeline_widths 2,1,1,2,1,1,2", "l1.queue", "5"); /* 1, two collectors, 1, and 1 */
    expect("-gpgpu_operand_collector_num_units_mem 3\n-gpgpu_pipeline_widths 2,1,3,2,1,4,2", "l1.queue", "11");
    expect("-gpgpu_pipeline_widths 2,0,0,1,5,2,0,0,1,1,2", "l1.queue", "5");
    expect("-gpgpu_pipeline_widths 2,0,0,1,5,2,0,0,1,1,2", "sm.memory_order", "turns");
    expect("-gpgpu_pipeline_widths 2,1,1,2,1,1,2", "sm.memory_order", "fixed");
    rig r;
    rig_open(&r);
    import_all(&r, "-ptx_opcode_latency_int 4,13,4,5,145,32 -ptx_opcode_initiation_int 1,2,2,1,8,4\n"
                   "-ptx_opcode_latency_fp 6,13,4,5,39 -ptx_opcode_initiation_fp 3,2,1,1,4\n"
                   "-ptx_opcode_latency_dp 8,19,8,8,330 -ptx_opcode_initiation_dp 7,16,8,8,130\n"
                   "-gpgpu_smem_latency 26 -gpgpu_kernel_launch_latency 5000 -gpgpu_TB_launch_latency 0\n");
    EXPECT(&r, {"sm.latency_int", "4"}, {"sm.interval_int", "1"}, {"sm.latency_fp", "6"}, {"sm.interval_fp", "3"},
           {"sm.latency_stages", "6"}, {"sm.latency_alu", "18"}, {"sm.latency_double", "8"},
           {"sm.interval_double", "7"}, {"sm.latency_sfu", "39"}, {"sm.interval_sfu", "4"}, {"sm.latency_shared", "26"},
           {"launch.cycles", "5000"});
    import_all(&r, "-ptx_opcode_latency_sfu 21 -ptx_opcode_initiation_sfu 8\n"
                   "-ptx_opcode_latency_tesnor 64 -ptx_opcode_initiation_tensor 32");
    EXPECT(&r, {"sm.latency_sfu", "21"}, {"sm.interval_sfu", "8"}, {"sm.latency_tensor", "64"},
           {"sm.interval_tensor", "32"}, {"sm.latency_fp", "6"});
    rig_close(&r);
    refuse("-gpgpu_pipeline_widths 2,1,3", GPC_ERROR_FORMAT, "'2,1,3' is not a list of 7 to 16 widths");
    refuse("-ptx_opcode_latency_int 4,,4", GPC_ERROR_FORMAT, "1: -ptx_opcode_latency_int: '4,,4' is not a list");
    refuse("-gpgpu_TB_launch_latency 7", GPC_ERROR_UNSUPPORTED,
           "-gpgpu_TB_launch_latency: '7' makes a launch longer by its blocks");
}

#define GTX480_TIMES                                                           \
    "-gpgpu_dram_timing_opt \"nbk=16:CCD=2:RRD=6:RCD=12:RAS=28:RP=12:RC=40:\n" \
    "   CL=12:WL=4:CDLR=5:WR=12:nbkgrp=4:CCDL=3:RTPL=2\"\n"

/* Properties of 3.x without options, recognised by the version's list of widths. */
Test(gpgpusim_timed, pipeline_of_3) {
    rig r;
    rig_open(&r);
    import_all(&r, "-gpgpu_pipeline_widths 2,1,1,2,1,1,2");
    EXPECT(&r, {"sm.fetch", "2"}, {"sm.fetch_latency", "2"}, {"sm.latency_control", "1"}, {"l1.issue_latency", "0"},
           {"l1.collectors", "2"}, {"l1.queue", "5"}, {"l1.latency", "0"}, {"l1.line_order", "descending"},
           {"l2.intake", "queue"}, {"l2.latency", "0"}, {"dram.latency_at", "request"});
    import_all(&r, "-gpgpu_pipeline_widths 2,1,1,2,1,1,2 -ptx_opcode_latency_fp 4,13,4,5,39 -rop_latency 120");
    EXPECT(&r, {"sm.latency_fp", "4"}, {"sm.latency_fma", "5"}, {"sm.latency_move", "1"}, {"sm.latency_stages", "5"},
           {"sm.latency_operand", "1"}, {"l2.rop_latency", "120"});
    import_all(&r, "-gpgpu_pipeline_widths 2,1,2,2,1,1,2");
    EXPECT(&r, {"l1.issue_latency", "4"}, {"l1.collectors", "0"}, {"l1.queue", "6"});
    rig_close(&r);
    rig_open(&r);
    import_all(&r, "-gpgpu_pipeline_widths 2,0,0,1,5,2,0,0,1,1,2");
    EXPECT(&r, {"sm.fetch", "0"}, {"sm.latency_control", "8"}, {"l1.issue_latency", "0"}, {"l1.latency", "35"},
           {"l1.line_order", "lanes"}, {"l1.collectors", "0"}, {"l2.intake", "pipeline"}, {"dram.latency_at", "data"});
    rig_close(&r);
}

/*
 * Every key of preset gtx480-gpgpusim given by an option of the reference, shared/reference/gpgpusim-3.2.1; the preset
 * writes address mapping differently (tests/hierarchy/mapping.c).
 */
Test(gpgpusim_timed, reference_is_the_preset) {
    static const char options[] =
        GTX480_TIMES "-gpgpu_clock_domains 700:1400:700:924\n-icnt_flit_size 32\n"
                     "-gpgpu_pipeline_widths 2,1,1,2,1,1,2 -gpgpu_operand_collector_num_units_mem 2\n"
                     "-gpgpu_cache:dl1 32:128:4,L:L:m:N,A:32:8,8\n"
                     "-gpgpu_cache:dl2 64:128:16,L:B:m:W,A:32:4,4\n"
                     "-gpgpu_n_mem 6 -gpgpu_n_sub_partition_per_mchannel 1\n"
                     "-gpgpu_dram_partition_queues 8:8:8:8\n"
                     "-gpgpu_n_mem_per_ctrlr 2 -gpgpu_dram_buswidth 4 -gpgpu_dram_burst_length 8\n"
                     "-dram_data_command_freq_ratio 4\n"
                     "-gpgpu_dram_scheduler 1 -gpgpu_frfcfs_dram_sched_queue_size 16\n"
                     "-gpgpu_mem_addr_mapping dramid@8;00000000.00000000.00000000.00000000."
                     "0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS\n-ptx_opcode_latency_int 4,13,4,5,145\n"
                     "-rop_latency 120 -dram_latency 100\n";
    static const char *const keys[] = {
        "clock.network", "sm.fetch",          "sm.fetch_latency", "sm.latency_control", "l1.index",
        "l1.latency",    "l1.collectors",     "l1.queue",         "network.width",      "network.reply_width",
        "l2.index",      "l2.write_allocate", "l2.tag_ports",     "l2.banks",           "l2.mshr_entries",
        "l2.miss_queue", "dram.scheduler",    "dram.read_queue",  "l1.line_order",      "l1.release_width",
        "l1.mshr_free",  "l2.data_width",     "l2.fill_width",    "l1.release_latency", "l1.issue_latency",
        "l2.intake",     "l2.latency",        "l2.rop_latency",   "sm.latency_operand", "dram.latency_at",
        "dram.latency",  "dram.bank_hash"};
    rig imported, preset;
    rig_open(&imported);
    rig_open(&preset);
    cr_assert_eq(gpc_config_load_preset(imported.config, "gtx480", &imported.error), GPC_OK);
    cr_assert_eq(gpc_config_load_preset(preset.config, "gtx480-gpgpusim", &preset.error), GPC_OK);
    import_all(&imported, options);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        cr_expect_str_eq(value(imported.config, keys[i]), value(preset.config, keys[i]), "%s", keys[i]);
    rig_close(&imported);
    rig_close(&preset);
}

/* Every latency includes the stages around, left out by the simulator's latencies; an interval does not. */
Test(gpgpusim_timed, stages_of_every_latency) {
    static const char *const latencies[] = {"-ptx_opcode_latency_int 4,13",
                                            "-ptx_opcode_latency_fp 4,13",
                                            "-ptx_opcode_latency_dp 8,19",
                                            "-ptx_opcode_latency_sfu 100",
                                            "-ptx_opcode_latency_tesnor 64",
                                            "-trace_opcode_latency_initiation_int 4,2",
                                            "-trace_opcode_latency_initiation_sp 4,2",
                                            "-trace_opcode_latency_initiation_dp 8,4",
                                            "-trace_opcode_latency_initiation_sfu 20,8",
                                            "-trace_opcode_latency_initiation_tensor 2,2"};
    static const char *const intervals[] = {"-ptx_opcode_initiation_int 4,13", "-ptx_opcode_initiation_fp 4,13",
                                            "-ptx_opcode_initiation_dp 8,19", "-ptx_opcode_initiation_sfu 100",
                                            "-ptx_opcode_initiation_tensor 64"};
    for (size_t i = 0; i < sizeof latencies / sizeof *latencies; i++)
        expect(latencies[i], "sm.latency_stages", "6");
    for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++)
        expect(intervals[i], "sm.latency_stages", "0");
}

/* SM90_H100's trace.config: units by name; an initiation of 0 means no unit. */
Test(gpgpusim_timed, units) {
    rig r;
    rig_open(&r);
    import_all(&r, "-gpgpu_reg_file_port_throughput 2\n");
    import_all(&r, "-trace_opcode_latency_initiation_int 4,2\n-trace_opcode_latency_initiation_dp 8,2\n"
                   "-trace_opcode_latency_initiation_sp 3,1\n"
                   "-trace_opcode_latency_initiation_sfu 23,8\n-trace_opcode_latency_initiation_tensor 1,0\n"
                   "-specialized_unit_1 1,4,4,4,4,BRA\n-trace_opcode_latency_initiation_spec_op_1 5,4\n"
                   "-specialized_unit_2 1,4,200,4,4,TEX\n-trace_opcode_latency_initiation_spec_op_2 200,4\n"
                   "-specialized_unit_4 1,4,4,4,4,UDP\n-trace_opcode_latency_initiation_spec_op_4 7,3\n");
    EXPECT(&r, {"sm.latency_stages", "5"}, {"sm.latency_int", "4"}, {"sm.interval_int", "2"}, {"sm.latency_fp", "3"},
           {"sm.interval_fp", "1"}, {"sm.latency_alu", "18"}, {"sm.latency_double", "8"}, {"sm.interval_double", "2"},
           {"sm.latency_sfu", "23"}, {"sm.interval_sfu", "8"}, {"sm.latency_tensor", "1"}, {"sm.interval_tensor", "1"},
           {"sm.latency_control", "1"}, {"sm.interval_control", "4"}, {"sm.units_control", "4"},
           {"sm.latency_uniform", "7"}, {"sm.interval_uniform", "3"}, {"sm.units_uniform", "4"},
           {"sm.latency_constant", "4"}, {"sm.units_tensor", "auto"});
    import_all(&r, "-specialized_unit_3 1,4,8,4,4,TENSOR\n-trace_opcode_latency_initiation_spec_op_3 12,8\n"
                   "-specialized_unit_8 0,4,8,4,4,BRA\n-trace_opcode_latency_initiation_spec_op_8 77,8\n");
    EXPECT(&r, {"sm.latency_tensor", "12"}, {"sm.interval_tensor", "8"}, {"sm.units_tensor", "4"},
           {"sm.interval_control", "4"});
    import_all(&r, "-specialized_unit_4 1,2,8,4,4,UDI\n-trace_opcode_latency_initiation_spec_op_4 2,5\n");
    EXPECT(&r, {"sm.latency_uniform", "2"}, {"sm.interval_uniform", "5"}, {"sm.units_uniform", "2"});
    rig_close(&r);
    refuse("-trace_opcode_latency_initiation_dp 8", GPC_ERROR_FORMAT, "'8' is not latency,initiation");
    refuse("-specialized_unit_1 BRA\n-trace_opcode_latency_initiation_spec_op_1 4,4", GPC_ERROR_FORMAT,
           "1: -specialized_unit_1: 'BRA' does not end in a unit's name");
    refuse("-specialized_unit_1 1,BRA\n-trace_opcode_latency_initiation_spec_op_1 4", GPC_ERROR_FORMAT,
           "2: -trace_opcode_latency_initiation_spec_op_1: '4' is not latency,initiation");
}

/* SM2_GTX480: schedulers use any unit, and SP and SFU do work without a unit; then SM7_QV100. */
Test(gpgpusim_timed, numbers_of_units) {
    rig r;
    rig_open(&r);
    import_all(&r, "-gpgpu_num_sp_units 2 -gpgpu_num_sfu_units 1 -gpgpu_num_int_units 0 -gpgpu_num_dp_units 0\n"
                   "-gpgpu_num_tensor_core_units 0");
    EXPECT(&r, {"sm.units_fp", "2"}, {"sm.units_sfu", "1"}, {"sm.units_int", "0"}, {"sm.units_double", "0"},
           {"sm.units_tensor", "auto"}, {"sm.unit_sharing", "sm"}, {"sm.latency_stages", "0"});
    import_all(&r, "-gpgpu_num_sp_units 4 -gpgpu_num_sfu_units 4 -gpgpu_num_int_units 4 -gpgpu_num_dp_units 4\n"
                   "-gpgpu_num_tensor_core_units 4 -gpgpu_sub_core_model 1 -gpgpu_reg_file_port_throughput 3");
    EXPECT(&r, {"sm.units_fp", "4"}, {"sm.units_sfu", "4"}, {"sm.units_int", "4"}, {"sm.units_double", "4"},
           {"sm.units_tensor", "4"}, {"sm.unit_sharing", "scheduler"}, {"sm.latency_stages", "4"});
    import_all(&r, "-specialized_unit_1 1,12,4,4,4,BRA\n-trace_opcode_latency_initiation_spec_op_1 4,4");
    EXPECT(&r, {"sm.units_control", "12"});
    rig_close(&r);
    refuse("-gpgpu_num_sp_units 0", GPC_ERROR_RANGE, "1: -gpgpu_num_sp_units: sm.units_fp: '0' is not between");
}

/* addrdec.h's numbers: of an address mapping, and without a mapping the nearest spread of slices. */
Test(gpgpusim_timed, partition_indexing) {
    static const char *const spreads[] = {"modulo", "xor", "ipoly", NULL, "random", "modulo", "hash"};
    static const char *const indexing[] = {"consecutive", "xor", "ipoly", "pae", "random", "consecutive", "ipoly"};
    for (unsigned n = 0; n < sizeof spreads / sizeof *spreads; n++) {
        char text[160];
        snprintf(text, sizeof text,
                 "-gpgpu_n_mem 16 -gpgpu_n_sub_partition_per_mchannel 2 -gpgpu_memory_partition_indexing %u", n);
        if (spreads[n])
            expect(text, "l2.interleave", spreads[n]);
        strcat(text, " -gpgpu_mem_address_mask 1");
        expect(text, "address.indexing", indexing[n]);
        expect(text, "l2.interleave", "modulo");
    }
    expect("-gpgpu_n_mem 12 -gpgpu_n_sub_partition_per_mchannel 2 -gpgpu_memory_partition_indexing 2", "l2.interleave",
           "hash");
}

/* addrdec.cc, init: defaults without a mapping. */
Test(gpgpusim_timed, address_masks) {
#define UPPER "00000000.00000000.00000000.00000000.0000"
    expect("-gpgpu_mem_address_mask 0", "address.mapping", "dramid@10;" UPPER "0RRR.RRRRRRRR.RRRCCCBB.CCCCCCCC");
    expect("-gpgpu_mem_address_mask 1", "address.mapping", "dramid@13;" UPPER "0RRR.RRRRRRRR.RRRBBCCC.CCCCCCCC");
    expect("-gpgpu_mem_address_mask 3", "address.mapping", "dramid@11;" UPPER "RRRR.RRRRRRRR.RRRBBCCC.CCCCCCCC");
    expect("-gpgpu_mem_address_mask 160", "address.mapping", "dramid@6;" UPPER "0RRR.RRRRRRRR.RRRCCCBB.CCCCCCCC");
    expect("-gpgpu_mem_address_mask 103", "address.mapping", "dramid@3;" UPPER "0RRR.RRRRRRRR.RRRCCCCC.CCCCCCBB");
#undef UPPER
}

/* A bank is a lookup and a port of the given width; without a width it moves a line. */
Test(gpgpusim_timed, l1) {
    static const char file[] = "-gpgpu_l1_banks 4\n-gpgpu_l1_latency 34\n"
                               "-gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:256:32,16:0,32\n";
    rig r;
    rig_open(&r);
    import_all(&r, file);
    EXPECT(&r, {"l1.latency", "34"}, {"l1.miss_latency", "35"}, {"l1.bypass_latency", "0"}, {"l1.coalescer", "warp"},
           {"l1.tag_ports", "4"}, {"l1.banks", "4"}, {"l1.data_width", "128B"}, {"l1.fill_width", "32B"},
           {"l1.mshr_entries", "256"}, {"l1.mshr_merges", "32"}, {"l1.miss_queue", "16"});
    import_all(&r, "-gpgpu_l1_latency 20 -gpgpu_reg_file_port_throughput 2"); /* 5 stages, with 3 before L1 */
    EXPECT(&r, {"l1.latency", "23"}, {"l1.miss_latency", "24"}, {"l1.bypass_latency", "3"});
    import_all(&r, "-gpgpu_cache:dl1 N:32:128:4,L:L:m:N:H,A:64:8");
    EXPECT(&r, {"l1.data_width", "512B"}, {"l1.fill_width", "128B"}, {"l1.mshr_entries", "64"},
           {"l1.miss_queue", "16"});
    rig_close(&r);
    refuse("-gpgpu_cache:dl1 N:32:128:4,L:L:m:N:H,A:0:8", GPC_ERROR_RANGE,
           "1: -gpgpu_cache:dl1: l1.mshr_entries: '0' is not between");
}

/* abstract_hardware_model.cc: sectors from Maxwell on; shader.cc: a block's place waits for stores. */
Test(gpgpusim_timed, coalescing_and_blocks) {
    expect("-gpgpu_coalesce_arch 13", "l1.coalescer", "warp");
    expect("-gpgpu_coalesce_arch 39", "l1.coalescer", "warp");
    expect("-gpgpu_coalesce_arch 40", "l1.coalescer", "sector");
    expect("-gpgpu_coalesce_arch 70", "l1.coalescer", "sector");
    expect("-gpgpu_shader_cta 16", "sm.blocks", "16");
    expect("-gpgpu_shader_cta 16", "blocks.release", "writes");
    expect("-gpgpu_l1_banks 4", "blocks.release", "exit");
}

Test(gpgpusim_timed, network) {
    rig r;
    rig_open(&r);
    import_all(&r, "-network_mode 2 -icnt_in_buffer_limit 512 -icnt_out_buffer_limit 256 -icnt_subnets 2\n"
                   "-icnt_flit_size 40\n");
    EXPECT(&r, {"network.input_buffer", "512"}, {"network.output_buffer", "256"}, {"network.width", "40B"},
           {"network.reply_width", "40B"}, {"network.header", "8B"}, {"network.latency", "1"},
           {"network.queues", "fifo"}, {"network.turnaround", "0"});
    rig_close(&r);
    expect("-network_mode 1", "network.latency", "8");
    rig_open(&r); /* a clock alone: 32 bytes at 700 MHz stay equal per second */
    import_all(&r, "-gpgpu_clock_domains 700:1400:700:924\n");
    EXPECT(&r, {"clock.network", "1400"}, {"network.width", "16B"}, {"network.reply_width", "16B"});
    import_all(&r, "-gpgpu_clock_domains 700:1000:700:924\n-icnt_flit_size 40\n");
    EXPECT(&r, {"clock.network", "1000"}, {"network.width", "40B"}, {"network.reply_width", "40B"});
    rig_close(&r);
    refuse("-icnt_subnets 1", GPC_ERROR_UNSUPPORTED, "'1' networks: there are two here");
}

/* A sector of L2 is a request of DRAM: a burst of 64 bytes brings 32. A line of L2 without sectors takes two bursts. */
Test(gpgpusim_timed, bursts_of_sectors) {
#define BURSTS "-gpgpu_n_mem_per_ctrlr 2 -gpgpu_dram_buswidth 4 -gpgpu_dram_burst_length 8\n" GTX480_TIMES
    rig r;
    rig_open(&r);
    import_all(&r, BURSTS "-dram_data_command_freq_ratio 4 -gpgpu_cache:dl2 S:64:128:8,L:B:m:L:L,A:256:4,4:0,32\n");
    EXPECT(&r, {"dram.burst_bytes", "32B"}, {"dram.burst_cycles", "2"});
    import_all(&r, BURSTS "-dram_data_command_freq_ratio 4 -gpgpu_cache:dl2 N:64:128:8,L:B:m:W:L,A:256:4,4:0,32\n");
    EXPECT(&r, {"dram.burst_bytes", "64B"}, {"dram.burst_cycles", "2"});
    rig_close(&r);
}

/* Latencies are in core cycles, the keys in cycles of L2: 120 of 700 MHz are 171.4 of 1000 MHz, plus the tags' step. */
Test(gpgpusim_timed, l2) {
    rig r;
    rig_open(&r);
    import_all(&r, "-rop_latency 120\n-gpgpu_clock_domains 700:700:1000:924\n-gpgpu_dram_partition_queues 64:48:32:16\n"
                   "-gpgpu_cache:dl2 S:64:128:16,L:B:m:L:P,A:192:4,24:0,32\n");
    EXPECT(&r, {"l2.rop_latency", "172"}, {"l2.latency", "1"}, {"l2.queue", "64"}, {"memory.link_buffer", "48"},
           {"l2.reply_queue", "16"}, {"l2.mshr_entries", "192"}, {"l2.mshr_merges", "4"},
           {"l2.miss_queue", "72"}, /* 24, and 48 before DRAM */
           {"l2.data_width", "32B"}, {"l2.fill_width", "32B"}, {"l2.tag_ports", "1"}, {"l2.banks", "1"});
    import_all(&r, "-gpgpu_l2_rop_latency 237");
    EXPECT(&r, {"l2.rop_latency", "340"}); /* 338.57 */
    rig_close(&r);
    rig_open(&r); /* with a link, packets before DRAM wait at the link's end */
    cr_assert_eq(gpc_config_set(r.config, "memory.link_width", "32B", &r.error), GPC_OK);
    import_all(&r,
               "-gpgpu_dram_partition_queues 64:48:32:16\n-gpgpu_cache:dl2 S:64:128:16,L:B:m:L:P,A:192:4,24:0,32\n");
    EXPECT(&r, {"l2.miss_queue", "24"}, {"memory.link_buffer", "48"});
    rig_close(&r);
    refuse("-gpgpu_dram_partition_queues 64:64:64", GPC_ERROR_FORMAT, "'64:64:64' is not four lengths");
}

/* SM2_GTX480: two chips of 4 bytes, bursts of 8, four transfers a cycle. */
Test(gpgpusim_timed, dram) {
    rig r;
    rig_open(&r);
    import_all(&r, GTX480_TIMES
               "-gpgpu_n_mem_per_ctrlr 2 -gpgpu_dram_buswidth 4 -gpgpu_dram_burst_length 8\n"
               "-dram_data_command_freq_ratio 4 -dram_bnkgrp_indexing_policy 0 -dram_bnk_indexing_policy 1\n"
               "-gpgpu_dram_scheduler 0 -gpgpu_frfcfs_dram_sched_queue_size 16 -dram_latency 100\n"
               "-gpgpu_mem_addr_mapping "
               "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS\n");
    EXPECT(&r, {"dram.burst_bytes", "64B"}, {"dram.burst_cycles", "2"}, {"dram.trcd_write", "7"}, {"dram.tccd_s", "2"},
           {"dram.tccd_l", "3"}, {"dram.command_bus", "single"}, {"dram.scheduler", "fcfs"}, {"dram.bank_hash", "xor"},
           {"dram.row_bytes", "auto"}, {"dram.group_bits", "high"},
           {"address.mapping", "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS"},
           {"dram.read_queue", "32"}, /* 16 lines */
           {"dram.write_queue", "32"}, {"dram.write_high", "28"}, {"dram.write_low", "16"},
           {"dram.latency", "132"}); /* 100 x 924 / 700 */
    rig_close(&r);
}

/* Without names, and without groups: CCDL is then 0. */
Test(gpgpusim_timed, dram_without_names) {
    rig r;
    rig_open(&r);
    import_all(&r, "-gpgpu_dram_timing_opt 8:2:8:12:21:13:34:9:4:5:13:1:0:0");
    EXPECT(&r, {"dram.bank_groups", "1"}, {"dram.group_banks", "8"}, {"dram.tccd_s", "2"}, {"dram.tccd_l", "2"},
           {"dram.trrd_s", "8"}, {"dram.trcd", "12"}, {"dram.tras", "21"}, {"dram.trp", "13"}, {"dram.trc", "34"},
           {"dram.tcl", "9"}, {"dram.tcwl", "4"}, {"dram.twtr_s", "5"}, {"dram.twr", "13"}, {"dram.trtp", "0"},
           {"dram.burst_bytes", "auto"}, {"dram.row_bytes", "auto"});
    rig_close(&r);
}

Test(gpgpusim_timed, dram_queues) {
    rig r;
    rig_open(&r);
    import_all(&r, "-gpgpu_frfcfs_dram_sched_queue_size 0"); /* unlimited: the largest value */
    EXPECT(&r, {"dram.read_queue", "4096"}, {"dram.write_queue", "4096"});
    import_all(&r, "-dram_write_queue_size 64:56:32");
    EXPECT(&r, {"dram.write_queue", "4096"}); /* not enabled */
    import_all(&r, "-dram_seperate_write_queue_enable 1 -dram_write_queue_size 64:56:32");
    EXPECT(&r, {"dram.write_queue", "64"}, {"dram.write_high", "56"}, {"dram.write_low", "32"});
    rig_close(&r);
    rig_open(&r); /* 16 lines of two bursts; by bank, with whole requests leaving, 16 banks have a second request */
    import_all(&r, GTX480_TIMES "-gpgpu_cache:dl2 64:128:16,L:B:m:W,A:32:4,4\n"
                                "-gpgpu_n_mem_per_ctrlr 2 -gpgpu_dram_buswidth 4 -gpgpu_dram_burst_length 8\n"
                                "-gpgpu_dram_scheduler 0 -gpgpu_frfcfs_dram_sched_queue_size 16\n");
    EXPECT(&r, {"dram.scheduler", "fcfs"}, {"dram.read_queue", "32"}, {"dram.write_queue", "32"});
    import_all(&r, "-gpgpu_dram_scheduler 1 -gpgpu_frfcfs_dram_sched_queue_size 16\n");
    EXPECT(&r, {"dram.scheduler", "by-bank"}, {"dram.read_queue", "48"});
    import_all(&r, "-gpgpu_dram_scheduler 1 -gpgpu_frfcfs_dram_sched_queue_size 16\n"
                   "-dram_seperate_write_queue_enable 1 -dram_write_queue_size 64:56:32\n");
    EXPECT(&r, {"dram.scheduler", "fr-fcfs"}, {"dram.read_queue", "32"}, {"dram.write_queue", "128"},
           {"dram.write_high", "112"}, {"dram.write_low", "64"});
    rig_close(&r);
    expect("-gpgpu_dram_scheduler 1", "dram.scheduler", "by-bank");
    refuse("-dram_seperate_write_queue_enable -dram_write_queue_size 64", GPC_ERROR_FORMAT,
           "'64' is not length:high:low");
}

/* The simple model: only a latency, and a sector per DRAM cycle. */
Test(gpgpusim_timed, simple_dram) {
    rig r;
    rig_open(&r);
    import_all(&r, "-gpgpu_simple_dram_model 1 -dram_latency 194 -gpgpu_clock_domains 1980:3106:3106:3106\n"
                   "-gpgpu_cache:dl2 S:256:128:20,L:B:m:L:X,A:384:4,32:0,32\n");
    EXPECT(&r, {"dram.model", "fixed"}, {"dram.fixed_latency", "304"}, {"dram.fixed_bandwidth", "32"}); /* 304.3 */
    import_all(&r, "-gpgpu_simple_dram_model 0");
    EXPECT(&r, {"dram.model", "timing"});
    rig_close(&r);
}

Test(gpgpusim_timed, dram_refusals) {
    refuse("-gpgpu_dram_timing_opt nbk=16:CCD=2", GPC_ERROR_FORMAT, "has not nbk:CCD:RRD:RCD:RAS:RP:RC:CL:WL:CDLR:WR");
    refuse("-gpgpu_dram_timing_opt 1:2:3", GPC_ERROR_FORMAT, "1: -gpgpu_dram_timing_opt: '1:2:3' has not nbk");
    refuse("-gpgpu_dram_timing_opt nbk=x", GPC_ERROR_FORMAT, "'nbk=x' has not nbk");
    refuse("-gpgpu_dram_timing_opt XYZ=1", GPC_ERROR_FORMAT, "'XYZ=1' has not nbk");
    refuse("-gpgpu_dram_timing_opt 9:2:8:12:21:13:34:9:4:5:13:4:0:0", GPC_ERROR_FORMAT,
           "groups (nbkgrp) do not divide");
    refuse("-gpgpu_dram_timing_opt 9:2:8:12:21:13:34:9:4:5:13:0:0:0", GPC_ERROR_FORMAT,
           "groups (nbkgrp) do not divide");
    refuse("-gpgpu_dram_scheduler 2", GPC_ERROR_UNSUPPORTED, "'2' is neither 0 (FIFO) nor 1 (FR-FCFS)");
    refuse(GTX480_TIMES "-dram_bnk_indexing_policy 2", GPC_ERROR_UNSUPPORTED, "'2' is neither 0 (linear) nor 1 (XOR)");
    refuse("-gpgpu_dram_buswidth 4 -gpgpu_dram_burst_length 6 -dram_data_command_freq_ratio 4", GPC_ERROR_FORMAT,
           "1: -gpgpu_dram_buswidth: '4' and -dram_data_command_freq_ratio make no whole number of cycles");
    refuse("-gpgpu_dram_burst_length 6 -dram_data_command_freq_ratio 0", GPC_ERROR_FORMAT, "no whole number of cycles");
    refuse("-gpgpu_dram_buswidth 65537", GPC_ERROR_FORMAT, "no whole number of cycles");
    refuse("-gpgpu_dram_burst_length 65538", GPC_ERROR_FORMAT, "no whole number of cycles");
    refuse("-gpgpu_dram_buswidth 4 -gpgpu_n_mem_per_ctrlr 65537", GPC_ERROR_FORMAT, "no whole number of cycles");
}

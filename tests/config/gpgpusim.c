/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Import of option files of GPGPU-Sim and Accel-Sim. Refusals are in gpgpusim_errors.c. */

/* From accel-sim/gpgpu-sim_distribution configs/tested-cfgs/SM7_QV100/gpgpusim.config. */
static const char qv100[] = "# This config models the Volta Quadro V100\n"
                            "-gpgpu_ptx_force_max_capability 70 \n"
                            "-gpgpu_kernel_launch_latency 5000\n"
                            "-gpgpu_TB_launch_latency 0\n"
                            "\n"
                            "-gpgpu_n_clusters 80\n"
                            "-gpgpu_n_cores_per_cluster 1\n"
                            "-gpgpu_n_mem 32\n"
                            "-gpgpu_n_sub_partition_per_mchannel 2 \n"
                            "-gpgpu_clock_domains 1132.0:1132.0:1132.0:850.0\n"
                            "# boost mode\n"
                            "# -gpgpu_clock_domains 1628.0:1628.0:1628.0:850.0\n"
                            "-gpgpu_shader_registers 65536\n"
                            "# This implies a maximum of 64 warps/SM\n"
                            "-gpgpu_shader_core_pipeline 2048:32 \n"
                            "-gpgpu_shader_cta 32\n"
                            "-gpgpu_pipeline_widths 4,4,4,4,4,4,4,4,4,4,8,4,4\n"
                            "-gpgpu_num_sp_units 4\n"
                            "-gpgpu_num_sfu_units 4\n"
                            "-gpgpu_num_dp_units 4\n"
                            "-gpgpu_num_int_units 4\n"
                            "-gpgpu_num_tensor_core_units 4\n"
                            "-gpgpu_sub_core_model 1\n"
                            "-gpgpu_reg_file_port_throughput 2\n"
                            "-ptx_opcode_latency_int 4,13,4,5,145,21\n"
                            "-ptx_opcode_initiation_int 2,2,2,2,8,4\n"
                            "-ptx_opcode_latency_fp 4,13,4,5,39\n"
                            "-ptx_opcode_initiation_fp 2,2,2,2,4\n"
                            "-ptx_opcode_latency_dp 8,19,8,8,330\n"
                            "-ptx_opcode_initiation_dp 4,4,4,4,130\n"
                            "-ptx_opcode_latency_sfu 100\n"
                            "-ptx_opcode_initiation_sfu 8\n"
                            "-ptx_opcode_latency_tesnor 64\n"
                            "-ptx_opcode_initiation_tensor 64\n"
                            "-gpgpu_num_sched_per_core 4\n"
                            "# Greedy then oldest scheduler\n"
                            "-gpgpu_scheduler lrr\n"
                            "-gpgpu_max_insn_issue_per_warp 1\n"
                            "-gpgpu_coalesce_arch 70\n"
                            "-gpgpu_adaptive_cache_config 1\n"
                            "-gpgpu_shmem_option 0,8,16,32,64,96\n"
                            "-gpgpu_unified_l1d_size 128\n"
                            "-gpgpu_l1_banks 4\n"
                            "-gpgpu_cache:dl1  S:4:128:64,L:T:m:L:L,A:512:8,16:0,32\n"
                            "-gpgpu_l1_latency 20\n"
                            "-gpgpu_gmem_skip_L1D 0\n"
                            "-gpgpu_flush_l1_cache 1\n"
                            "-gpgpu_shmem_size 98304\n"
                            "-gpgpu_smem_latency 20\n"
                            "-gpgpu_cache:dl2 S:32:128:24,L:B:m:L:P,A:192:4,32:0,32\n"
                            "-gpgpu_cache:dl2_texture_only 0\n"
                            "-gpgpu_dram_partition_queues 64:64:64:64\n"
                            "-gpgpu_memory_partition_indexing 2\n"
                            "-gpgpu_cache:il1 N:64:128:16,L:R:f:N:L,S:2:48,4\n"
                            "-gpgpu_const_cache:l1 N:128:64:8,L:R:f:N:L,S:2:64,4\n"
                            "-gpgpu_perfect_inst_const_cache 1\n"
                            "-network_mode 2\n"
                            "-icnt_in_buffer_limit 512\n"
                            "-icnt_out_buffer_limit 512\n"
                            "-icnt_subnets 2\n"
                            "-icnt_flit_size 40\n"
                            "-gpgpu_l2_rop_latency 160\n"
                            "-dram_latency 100\n"
                            "-gpgpu_dram_scheduler 1\n"
                            "-gpgpu_frfcfs_dram_sched_queue_size 64\n"
                            "-gpgpu_n_mem_per_ctrlr 1\n"
                            "-gpgpu_dram_buswidth 16\n"
                            "-gpgpu_dram_burst_length 2\n"
                            "-dram_data_command_freq_ratio 2  # HBM is DDR\n"
                            "-gpgpu_mem_addr_mapping "
                            "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS\n"
                            "#-gpgpu_dram_timing_opt \"nbk=16:CCD=1:RRD=4:RCD=14:RAS=33:RP=14:RC=47:\n"
                            "#                        CL=14:WL=2:CDLR=3:WR=12:nbkgrp=4:CCDL=2:RTPL=4\"\n"
                            "-gpgpu_dram_timing_opt \"nbk=16:CCD=1:RRD=3:RCD=12:RAS=28:RP=12:RC=40:\n"
                            "                        CL=12:WL=2:CDLR=3:WR=10:nbkgrp=4:CCDL=2:RTPL=3\"\n"
                            "-dram_dual_bus_interface 1\n"
                            "-dram_bnk_indexing_policy 0\n"
                            "-dram_bnkgrp_indexing_policy 1";

/* trace.config, of accel-sim/accel-sim-framework. */
static const char qv100_trace[] = "-trace_opcode_latency_initiation_int 2,2\n"
                                  "-trace_opcode_latency_initiation_sp 2,2\n"
                                  "-trace_opcode_latency_initiation_dp 8,4\n"
                                  "-trace_opcode_latency_initiation_sfu 20,8\n"
                                  "-trace_opcode_latency_initiation_tensor 2,2\n"
                                  "-specialized_unit_1 1,4,4,4,4,BRA\n"
                                  "-trace_opcode_latency_initiation_spec_op_1 4,4\n"
                                  "-specialized_unit_2 1,4,200,4,4,TEX\n"
                                  "-trace_opcode_latency_initiation_spec_op_2 200,4\n"
                                  "-specialized_unit_3 1,4,8,4,4,TENSOR\n"
                                  "-trace_opcode_latency_initiation_spec_op_3 2,2\n";

/* GPGPU-Sim 3.1: caches without a type and a set index, older names. */
static const char gtx480[] = "-gpgpu_n_clusters 15 -gpgpu_n_cores_per_cluster 1 -gpgpu_n_mem 6\n"
                             "-gpgpu_shader_registers 32768 -gpgpu_shader_core_pipeline 1536:32 -gpgpu_shader_cta 8\n"
                             "-gpgpu_cache:dl1  32:128:4,L:L:m:N,A:32:8,8\n"
                             "-gpgpu_shmem_size 49152\n"
                             "-gpgpu_cache:dl2 64:128:16,L:B:m:W,A:32:4,4\n"
                             "-gmem_skip_L1D 0\n"
                             "-gpgpu_dram_scheduler 1\n"
                             "-gpgpu_dram_return_queue_size 116\n";

static size_t applied;

static void import_all(rig *r, const char *text) {
    cr_assert_eq(import_gpgpusim(r, text, &applied), GPC_OK, "%s", r->error.message);
}

static bool is_one_of(const char *key, const char *const *keys) {
    while (*keys && strcmp(*keys, key) != 0)
        keys++;
    return *keys;
}

/*
 * The preset was written from the same files by hand. Differences: GPGPU-Sim's simpler occupancy rule; latencies
 * measured for the preset, or stated by GPGPU-Sim without the stages before and after the unit; a queue before DRAM;
 * DRAM, with every figure in the file, but a set by name in the preset; and energies and copies by the host, absent in
 * the file.
 */
Test(gpgpusim, qv100_is_the_preset) {
    static const char *const other[] = {
        "sm.register_unit",    "sm.warp_unit",        "sm.shared_unit", "sm.latency_alu",    "sm.latency_tensor",
        "sm.latency_constant", "sm.latency_uniform",  "sm.latency_int", "sm.latency_fp",     "sm.latency_stages",
        "sm.latency_control",  "sm.interval_control", "sm.units_fp",    "sm.units_double",   "sm.units_sfu",
        "sm.units_control",    "sm.units_tensor",     "l1.latency",     "l1.miss_latency",   "sm.interval_constant",
        "l1.release_width",    "l1.mshr_merged",      "l2.mshr_merged", "l2.interleave",     "address.mapping",
        "address.indexing",    "memory.link_buffer",  "l1.coalescer",   "l1.bypass_latency", "l2.rop_latency",
        "sm.memory_order",     "blocks.release",      "l2.miss_queue",  "kernels.copies",    NULL};
    rig imported, preset;
    rig_open(&imported);
    rig_open(&preset);
    import_all(&imported, qv100);
    cr_expect_eq(applied, 67, "%zu", applied);
    import_all(&imported, qv100_trace);
    cr_expect_eq(applied, 11, "%zu", applied);
    cr_assert_eq(gpc_config_load_preset(preset.config, "qv100", &preset.error), GPC_OK);
    for (size_t i = 0; i < gpc_key_count(); i++) {
        gpc_key_info info = GPC_KEY_INFO_INIT;
        gpc_key_at(i, &info, NULL);
        if (!is_one_of(info.name, other) && strncmp(info.name, "dram.", 5) != 0 &&
            strncmp(info.name, "energy.", 7) != 0)
            cr_expect_str_eq(value(imported.config, info.name), value(preset.config, info.name), "%s", info.name);
    }
    /* 4 registers of each of 32 threads; no granularity of warps or shared memory */
    EXPECT(&imported, {"sm.register_unit", "128"}, {"sm.warp_unit", "1"}, {"sm.shared_unit", "1B"},
           {"sm.latency_int", "2"}, {"sm.latency_fp", "2"}, {"sm.latency_tensor", "2"}, {"sm.interval_tensor", "2"},
           {"sm.latency_stages", "5"}, {"sm.interval_control", "4"}, {"l1.latency", "23"}, {"l1.miss_latency", "24"},
           {"l1.bypass_latency", "3"}, {"l1.coalescer", "sector"}, {"l2.rop_latency", "161"},
           {"blocks.release", "writes"}, {"memory.link_buffer", "64"}, {"kernels.copies", "l2"},
           {"sm.memory_order", "turns"});
    rig_close(&imported);
    rig_close(&preset);
}

/* -gpgpu_dram_timing_opt and related options, by memory_config::init of GPGPU-Sim. */
Test(gpgpusim, qv100_dram) {
    rig r;
    rig_open(&r);
    import_all(&r, qv100);
    EXPECT(&r, {"clock.dram", "850"}, {"dram.channels", "32"}, {"dram.model", "timing"}, {"dram.trcd", "12"},
           {"dram.trcd_write", "9"}, /* tRCD - (WL + 1) */
           {"dram.trp", "12"}, {"dram.tcl", "12"}, {"dram.tcwl", "2"}, {"dram.tras", "28"}, {"dram.trc", "40"},
           {"dram.trrd_s", "3"}, {"dram.trrd_l", "3"}, {"dram.tfaw", "0"}, {"dram.twr", "10"}, {"dram.twtr_s", "3"},
           {"dram.twtr_l", "3"}, {"dram.trtw", "2"}, /* tRTW = CL + BL/ratio + 2 - WL */
           {"dram.trtp", "3"}, {"dram.tccd_s", "1"}, {"dram.tccd_l", "2"}, {"dram.pseudo_channels", "1"},
           {"dram.bank_groups", "4"}, {"dram.group_banks", "4"}, {"dram.burst_bytes", "32B"}, /* 16 bytes, twice */
           {"dram.burst_cycles", "1"}, {"dram.command_bus", "dual"}, {"dram.scheduler", "by-bank"},
           {"dram.age_cap", "unlimited"}, {"dram.refresh", "none"}, {"dram.read_queue", "64"},
           {"dram.write_queue", "64"}, {"dram.row_bytes", "auto"},
           {"address.mapping", "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS"},
           {"address.indexing", "ipoly"}, {"l2.interleave", "modulo"}, {"dram.group_bits", "low"},
           {"dram.bank_hash", "none"}, {"dram.latency", "75"}); /* 100 cycles of 1132 MHz at 850 */
    rig_close(&r);
}

Test(gpgpusim, release_3) {
    rig r;
    rig_open(&r);
    import_all(&r, gtx480);
    cr_expect_eq(applied, 11);
    EXPECT(&r, {"sm.count", "15"}, {"sm.warps", "48"}, {"sm.lanes", "32"}, {"sm.blocks", "8"}, {"sm.shared", "48KiB"},
           {"l1.size", "16KiB"}, {"l1.ways", "4"}, {"l1.line", "128B"}, {"l1.sectors", "1"}, {"l1.index", "modulo"},
           {"l1.replacement", "lru"}, {"l1.write_policy", "evict"}, {"l1.write_policy_local", "back"},
           {"l1.write_allocate", "none"}, {"l1.write_allocate_local", "none"}, {"l1.allocate", "on-miss"},
           {"l1.unified", "false"}, {"l1.spaces", "all"}, {"l2.size", "768KiB"}, {"l2.slices", "6"}, {"l2.ways", "16"},
           {"l2.write_policy", "back"}, {"l2.write_allocate", "naive"}, {"dram.channels", "6"},
           {"l1.mshr_entries", "32"}, {"l1.mshr_merges", "8"}, {"l1.miss_queue", "8"}, {"l1.data_width", "128B"},
           {"l1.fill_width", "128B"}, {"l2.mshr_entries", "32"}, {"l2.mshr_merges", "4"}, {"l2.miss_queue", "4"},
           {"l2.data_width", "128B"}, {"dram.scheduler", "by-bank"});
    rig_close(&r);
}

static void expect_l1(const char *text, const char *key, const char *expected) {
    char option[128];
    snprintf(option, sizeof option, "-gpgpu_cache:dl1 %s", text);
    rig r;
    rig_open(&r);
    import_all(&r, option);
    cr_expect_str_eq(value(r.config, key), expected, "%s: %s is %s", text, key, value(r.config, key));
    rig_close(&r);
}

Test(gpgpusim, fields_of_l1) {
    expect_l1("N:64:128:6,L:L:m:N:H,S:64:8,8", "l1.index", "fermi");
    expect_l1("N:64:128:6,L:L:m:N:P,S:64:8,8", "l1.index", "ipoly");
    expect_l1("N:64:128:6,L:L:m:N:X,S:64:8,8", "l1.index", "xor");
    expect_l1("N:64:128:6,L:L:m:N:L,S:64:8,8", "l1.index", "modulo");
    expect_l1("N:64:128:6,L:L:m:N,S:64:8,8", "l1.index", "modulo");
    expect_l1("N:64:128:6,L:L:m:N:H,S:64:8,8", "l1.size", "48KiB");
    expect_l1("N:64:128:6,L:L:m:N:H,S:64:8,8", "l1.ways", "6");
    expect_l1("N:64:64:6,L:L:m:N:H,S:64:8,8", "l1.line", "64B");
    expect_l1("N:64:128:6,L:L:m:N:H,S:64:8,8", "l1.sectors", "1");
    expect_l1("S:64:128:6,L:L:m:N:H,S:64:8,8", "l1.sectors", "4");
    expect_l1("64:128:6,L:L:m:N:H,A:64:8", "l1.sectors", "1");
    expect_l1("N:64:128:6,L:B:m:F:L,A:64:8,8", "l1.write_policy", "back");
    expect_l1("N:64:128:6,L:B:m:F:L,A:64:8,8", "l1.write_policy_local", "back");
    expect_l1("N:64:128:6,L:T:m:F:L,A:64:8,8", "l1.write_policy", "through");
    expect_l1("N:64:128:6,L:T:m:F:L,A:64:8,8", "l1.write_policy_local", "through");
    expect_l1("N:64:128:6,L:E:m:F:L,A:64:8,8", "l1.write_policy", "evict");
    expect_l1("N:64:128:6,L:E:m:F:L,A:64:8,8", "l1.write_policy_local", "evict");
    expect_l1("N:64:128:6,L:L:m:F:L,A:64:8,8", "l1.write_policy", "evict");
    expect_l1("N:64:128:6,L:L:m:F:L,A:64:8,8", "l1.write_policy_local", "back");
    expect_l1("N:64:128:6,L:L:m:F:L,A:64:8,8", "l1.write_allocate", "fetch");
    expect_l1("N:64:128:6,L:L:m:W:L,A:64:8,8", "l1.write_allocate_local", "fetch");
    expect_l1("N:64:128:6,L:L:m:L:L,A:64:8,8", "l1.write_allocate", "lazy");
    expect_l1("N:64:128:6,L:L:m:N:L,A:64:8,8", "l1.write_allocate", "none");
    expect_l1("N:64:128:6,L:L:f:N:L,A:64:8,8", "l1.allocate", "on-fill");
    expect_l1("N:64:128:6,L:T:s:N:L,A:64:8,8", "l1.allocate", "streaming");
    expect_l1("N:64:128:6,L:T:s:W:L,A:64:8,8", "l1.allocate", "streaming");
    expect_l1("N:64:128:6,L:T:m:W:L,A:64:8,8:0,32", "l1.allocate", "on-miss");
    expect_l1("\"N:64:128:6,L:T:m:W:L,A:64:8,8:0,32\"", "l1.ways", "6");
    expect_l1("N:64:128:6,F:T:m:W:L,A:64:8,8:0,32", "l1.replacement", "fifo");
    expect_l1("N:64:128:6,L:L:m:N:L,A:64:8,8", "l1.mshr_free", "drained-reserving");
    expect_l1("N:64:128:6,L:L:f:N:L,A:64:8,8", "l1.mshr_free", "drained");
    expect_l1("N:64:128:6,L:T:s:N:L,A:64:8,8", "l1.mshr_free", "drained");
    expect_l1("S:64:128:6,L:L:m:N:L,A:64:8,8", "l1.mshr_free", "filled");
    expect_l1("none", "l1.enabled", "false");
}

#define LETTERS "00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS"
#define MAPPING(dramid) "-gpgpu_mem_addr_mapping " dramid LETTERS "\n"

Test(gpgpusim, l2_and_slices) {
    rig r;
    rig_open(&r);
    import_all(&r, "-gpgpu_n_mem 12\n-gpgpu_n_sub_partition_per_mchannel 2\n"
                   "-gpgpu_cache:dl2 S:64:128:16,F:T:m:N:X,A:192:4,32:0,32\n"
                   "-gpgpu_memory_partition_indexing 0\n" MAPPING("dramid@10;"));
    EXPECT(&r, {"l2.size", "3MiB"}, {"l2.slices", "24"}, {"dram.channels", "12"}, {"l2.ways", "16"},
           {"l2.line", "128B"}, {"l2.sectors", "4"}, {"l2.index", "xor"}, {"l2.replacement", "fifo"},
           {"l2.write_policy", "through"}, {"l2.write_allocate", "none"}, {"l2.interleave", "modulo"},
           {"l2.interleave_bytes", "256B"}, {"address.mapping", "dramid@10;" LETTERS},
           {"address.indexing", "consecutive"}, {"l2.enabled", "true"});
    /* a second file on top: more channels of the same slices */
    import_all(&r, "-gpgpu_n_mem 16\n");
    EXPECT(&r, {"l2.size", "4MiB"}, {"l2.slices", "32"}, {"dram.channels", "16"});
    import_all(&r, "-gpgpu_n_sub_partition_per_mchannel 4\n-gpgpu_n_chiplet_partition 2\n");
    EXPECT(&r, {"l2.size", "8MiB"}, {"l2.slices", "64"}, {"dram.channels", "16"}, {"l2.partitions", "2"});
    import_all(&r, "-gpgpu_cache:dl2 N:64:128:8,L:B:m:W:L,A:32:4,4:0,32");
    EXPECT(&r, {"l2.size", "4MiB"}, {"l2.slices", "64"}, {"l2.ways", "8"}, {"l2.sectors", "1"});
    import_all(&r, "-gpgpu_cache:dl2_texture_only 1");
    EXPECT(&r, {"l2.enabled", "false"}, {"l2.size", "4MiB"});
    rig_close(&r);
    rig_open(&r);
    import_all(&r, "-gpgpu_cache:dl2 none\n");
    EXPECT(&r, {"l2.enabled", "false"}, {"l2.size", "768KiB"}, {"l2.interleave_bytes", "256B"},
           {"address.mapping", "none"});
    rig_close(&r);
}

/* SM7_QV100 of release 4.0: 32 KiB of 256 ways, up to 128 KiB beside 0 to 96 KiB of shared memory. */
Test(gpgpusim, adaptive_l1_of_4_0) {
    rig r;
    rig_open(&r);
    import_all(&r, "-gpgpu_adaptive_cache_config 1\n-gpgpu_cache:dl1 S:1:128:256,L:L:s:N:L,A:256:8,16:0,32\n"
                   "-gpgpu_shmem_size 98304\n");
    EXPECT(&r, {"l1.size", "128KiB"}, {"l1.ways", "1024"}, {"l1.unified", "true"}, {"l1.resize", "ways"},
           {"l1.carveout", "auto"}, {"l1.carveouts", "0B 8KiB 16KiB 32KiB 64KiB 96KiB"});
    rig_close(&r);
}

/* 30 KB of 192 KB leave 4 sets of 128-byte lines more than 256 ways. */
Test(gpgpusim, adaptive_l1) {
    rig r;
    rig_open(&r);
    import_all(&r, "-gpgpu_adaptive_cache_config 1\n-gpgpu_unified_l1d_size 192\n-gpgpu_shmem_option 164,0,8,8,64\n"
                   "-gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:512:64,16:0,32\n");
    EXPECT(&r, {"l1.unified", "true"}, {"l1.size", "192KiB"}, {"l1.ways", "384"}, {"l1.resize", "ways"},
           {"l1.carveout", "auto"}, {"l1.carveouts", "0B 8KiB 64KiB 164KiB"});
    /* on top: the sets stay */
    import_all(&r, "-gpgpu_unified_l1d_size 128");
    EXPECT(&r, {"l1.size", "128KiB"}, {"l1.ways", "256"}, {"l1.unified", "true"});
    import_all(&r, "-gpgpu_adaptive_cache_config 0 -gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:512:64,16:0,32");
    EXPECT(&r, {"l1.size", "32KiB"}, {"l1.ways", "64"}, {"l1.unified", "false"}, {"l1.resize", "sets"});
    import_all(&r, "-gpgpu_unified_l1d_size 128");
    EXPECT(&r, {"l1.size", "32KiB"}, {"l1.unified", "false"});
    import_all(&r, "-gpgpu_adaptive_cache_config -gpgpu_unified_l1d_size 96");
    EXPECT(&r, {"l1.size", "96KiB"}, {"l1.ways", "192"}, {"l1.unified", "true"});
    /* an odd number of ways, too */
    import_all(&r, "-gpgpu_cache:dl1 S:8:128:4,L:T:m:L:L,A:512:64,16:0,32");
    EXPECT(&r, {"l1.size", "96KiB"}, {"l1.ways", "96"});
    import_all(&r, "-gpgpu_unified_l1d_size 33");
    EXPECT(&r, {"l1.size", "33KiB"}, {"l1.ways", "33"});
    rig_close(&r);
}

Test(gpgpusim, flags) {
    static const struct {
        const char *text, *flush, *spaces;
    } cases[] = {
        {"-gpgpu_flush_l1_cache 0", "none", "all"},
        {"-gpgpu_flush_l1_cache 1", "l1", "all"},
        {"-gpgpu_flush_l1_cache", "l1", "all"},
        {"-gpgpu_flush_l2_cache 1", "all", "all"},
        {"-gpgpu_flush_l1_cache 0 -gpgpu_flush_l2_cache 0", "none", "all"},
        {"-gpgpu_gmem_skip_L1D 1", "l1", "local"},
        {"-gpgpu_gmem_skip_L1D -gpgpu_flush_l2_cache", "all", "local"},
        {"-gmem_skip_L1D 1", "l1", "local"},
        {"-gpgpu_gmem_skip_L1D 1 -gpgpu_gmem_skip_L1D 0", "l1", "all"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rig r;
        rig_open(&r);
        import_all(&r, cases[i].text);
        EXPECT(&r, {"kernels.flush", cases[i].flush}, {"l1.spaces", cases[i].spaces});
        rig_close(&r);
    }
}

/*
 * Caches of code and constants, figure by figure, of GTX 480 (3.x) and QV100; no caches if everything is assumed
 * present.
 */
Test(gpgpusim, caches_that_are_only_read) {
    rig r;
    rig_open(&r);
    import_all(&r, "-gpgpu_cache:il1 4:128:4,L:R:f:N,A:2:32,4\n-gpgpu_const_cache:l1 64:64:2,L:R:f:N,A:2:32,4\n");
    cr_expect_eq(applied, 2);
    EXPECT(&r, {"l1i.size", "2KiB"}, {"l1i.ways", "4"}, {"l1i.line", "128B"}, {"l1i.replacement", "lru"},
           {"l1i.mshr_entries", "2"}, {"l1i.mshr_merges", "32"}, {"sm.fetch", "2"}, {"sm.fetch_latency", "2"},
           {"const.size", "8KiB"}, {"const.ways", "2"}, {"const.line", "64B"}, {"const.replacement", "lru"},
           {"const.mshr_entries", "2"}, {"const.mshr_merges", "32"}, {"const.miss_queue", "4"},
           {"const.latency", "auto"});
    import_all(&r, "-gpgpu_perfect_inst_const_cache 0 -gpgpu_cache:il1 N:64:128:16,F:R:f:N:L,S:3:48,4\n"
                   "-gpgpu_const_cache:l1 N:128:64:8,F:R:f:N:L,S:5:64,6");
    EXPECT(&r, {"l1i.size", "128KiB"}, {"l1i.ways", "16"}, {"l1i.replacement", "fifo"}, {"l1i.mshr_entries", "3"},
           {"l1i.mshr_merges", "48"}, {"const.size", "64KiB"}, {"const.ways", "8"}, {"const.replacement", "fifo"},
           {"const.mshr_entries", "5"}, {"const.mshr_merges", "64"}, {"const.miss_queue", "6"});
    import_all(&r, "-gpgpu_const_cache:l1 none");
    EXPECT(&r, {"l1i.size", "128KiB"}, {"const.size", "0B"});
    import_all(&r, "-gpgpu_const_cache:l1 N:128:64:8,L:R:f:N:L,S:2:64,4 -gpgpu_perfect_inst_const_cache 1");
    EXPECT(&r, {"l1i.size", "0B"}, {"const.size", "0B"}, {"const.ways", "8"});
    rig_close(&r);
}

Test(gpgpusim, syntax) {
    static const struct {
        const char *text, *count;
        size_t applied;
    } cases[] = {
        {"-gpgpu_n_clusters 7 -gpgpu_n_cores_per_cluster 2", "14", 2},
        {"-gpgpu_n_clusters\n\n# between\n7\t-gpgpu_n_cores_per_cluster\r\n2\r\n", "14", 2},
        {"-gpgpu_n_clusters 7#seven\n-gpgpu_n_cores_per_cluster 2# two", "14", 2},
        {"-gpgpu_n_clusters 0x10 -gpgpu_n_cores_per_cluster 010", "128", 2},
        {"-gpgpu_n_clusters \"7\" -gpgpu_n_cores_per_cluster \" 2 \"", "14", 2},
        {"-gpgpu_n_clusters 7", "21", 1},
        {"-gpgpu_n_cores_per_cluster 7", "70", 1},
        {"-other a b c\n-gpgpu_n_clusters 7\n-more -1 -0.5 \"x # y\n z\"\n-gpgpu_n_cores_per_cluster 2", "14", 2},
        {"<<<<<<< HEAD\n=======\n-gpgpu_n_clusters 7 -gpgpu_n_cores_per_cluster 2", "14", 2},
        {"-gpgpu_n_clusters 3 -gpgpu_n_clusters 7 -gpgpu_n_cores_per_cluster 2", "14", 3},
        {"", "15", 0},
        {"# nothing", "15", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rig r;
        rig_open(&r);
        import_all(&r, cases[i].text);
        cr_expect_str_eq(value(r.config, "sm.count"), cases[i].count, "%s", cases[i].text);
        cr_expect_eq(applied, cases[i].applied, "%s: %zu", cases[i].text, applied);
        rig_close(&r);
    }
}

/* Log: last message and number of warnings; and the import's reports, a letter per option. */
typedef struct heard {
    char said[256], warned[256], told[64];
    size_t warnings, count;
} heard;

static void listen(void *data, gpc_log_level level, const char *message) {
    heard *h = data;
    h->warnings += level == GPC_LOG_WARNING;
    snprintf(level == GPC_LOG_WARNING ? h->warned : h->said, sizeof h->said, "%s", message);
}

static void hear(void *data, const gpc_import_option *option) {
    heard *h = data;
    cr_assert_lt(h->count, sizeof h->told - 1);
    cr_expect_eq(option->line, h->count + 1, "%s", option->name);
    cr_expect_eq(option->name[0], '-');
    h->told[h->count++] = "aiu"[option->outcome];
    if (!strcmp(option->name, "-gpgpu_n_cluster"))
        cr_expect_str_eq(option->value, "7");
    if (!strcmp(option->name, "-gpgpu_flush_l1_cache"))
        cr_expect_str_eq(option->value, "");
}

static void open_listening(rig *r, heard *h) {
    *r = (rig){.error = GPC_ERROR_INIT};
    *h = (heard){.warnings = 0};
    gpc_context_options options = heap_options(&r->heap);
    options.log = listen;
    options.log_data = h;
    cr_assert_eq(gpc_context_create(&options, &r->context, NULL), GPC_OK);
    cr_assert_eq(gpc_config_create(r->context, &r->config, NULL), GPC_OK);
}

Test(gpgpusim, tells_what_it_passed_over) {
    rig r;
    heard h;
    open_listening(&r, &h);
    import_all(&r, gtx480);
    cr_expect(strstr(h.said, "gpgpusim.config: 11 options applied, 1 that have no key here and 0 unknown passed over"),
              "%s", h.said);
    cr_expect_eq(h.warnings, 0);
    rig_close(&r);
}

/* Forks have a fifth clock, of a network between SMs. GPGPU-Sim's sscanf ignores text behind the fourth. */
Test(gpgpusim, fifth_clock_is_told) {
    rig r;
    heard h;
    open_listening(&r, &h);
    import_all(&r, "-gpgpu_clock_domains 1620:1500:1400:1593:1620:900.5\n");
    cr_expect_str_eq(value(r.config, "clock.core"), "1620");
    cr_expect_str_eq(value(r.config, "clock.dram"), "1593");
    cr_expect_eq(h.warnings, 1);
    cr_expect(strstr(h.warned, "gpgpusim.config:1: -gpgpu_clock_domains: has a clock beyond the four that are known"),
              "%s", h.warned);
    cr_expect(strstr(h.said, "1 options applied, 0 that have no key here and 1 unknown passed over"), "%s", h.said);
    rig_close(&r);
}

/* Options registered in separate files: src/cuda-sim/ptx_loader.cc, addrdec.cc. */
Test(gpgpusim, options_of_other_files) {
    rig r;
    heard h;
    open_listening(&r, &h);
    import_all(&r, "-gpgpu_ptx_save_converted_ptxplus 0\n-gpgpu_mem_addr_test 0\n");
    cr_expect_eq(h.warnings, 0, "%s", h.warned);
    cr_expect(strstr(h.said, "0 options applied, 2 that have no key here and 0 unknown passed over"), "%s", h.said);
    import_all(&r, "-smem_latency 24 -inct_subnets 2 -sub_core_model -Elimnate_rw_turnaround 0\n"); /* before 4.0 */
    cr_expect_eq(h.warnings, 0, "%s", h.warned);
    cr_expect(strstr(h.said, "3 options applied, 1 that have no key here and 0 unknown passed over"), "%s", h.said);
    cr_expect_str_eq(value(r.config, "sm.latency_shared"), "24");
    rig_close(&r);
}

/* Every option by name, in the order of the text; a misspelt option is a warning with the place. */
Test(gpgpusim, text_option_by_option) {
    static const char text[] = "-gpgpu_n_clusters 4\n-gpgpu_n_cluster 7\n-gpgpu_perfect_mem 0\n"
                               "-gpgpu_flush_l1_cache\n-trace_components NONE all # of them\n-nothing";
    rig r;
    heard h;
    open_listening(&r, &h);
    cr_assert_eq(gpc_config_import_gpgpusim_text(r.config, text, "here", hear, &h, &r.error), GPC_OK, "%s",
                 r.error.message);
    cr_expect_str_eq(h.told, "auiaiu");
    cr_expect_eq(h.warnings, 2);
    cr_expect(strstr(h.warned, "here:6: -nothing: is no option"), "%s", h.warned);
    cr_expect(strstr(h.said, "here: 2 options applied, 2 that have no key here and 2 unknown passed over"), "%s",
              h.said);
    cr_expect_str_eq(value(r.config, "sm.count"), "12", "of three in a cluster");
    h.count = 0;
    cr_expect_eq(gpc_config_import_gpgpusim_text(r.config, "-gpgpu_n_mem 0", NULL, hear, &h, &r.error),
                 GPC_ERROR_RANGE);
    cr_expect(strstr(r.error.message, "text:1: -gpgpu_n_mem"), "%s", r.error.message);
    cr_expect_eq(h.count, 0, "nothing is told of what fails");
    cr_expect_eq(gpc_config_import_gpgpusim_text(r.config, NULL, NULL, NULL, NULL, &r.error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_config_import_gpgpusim_text(NULL, text, NULL, NULL, NULL, &r.error), GPC_ERROR_ARGUMENT);
    cr_expect_eq(gpc_config_import_gpgpusim(r.config, NULL, NULL, NULL, &r.error), GPC_ERROR_ARGUMENT);
    rig_close(&r);
}

/* -gpgpu_perf_sim_memcpy, registered upstream as 1: a file with an L2 and without the option has copies. */
Test(gpgpusim, copies_by_the_host) {
    static const char l2[] = "-gpgpu_cache:dl2 S:32:128:24,L:B:m:L:P,A:192:4,32:0,32\n";
    static const struct {
        bool describes;
        const char *option, *expected;
    } cases[] = {{false, "", "none"},
                 {false, "-gpgpu_perf_sim_memcpy 1\n", "l2"},
                 {true, "", "l2"},
                 {true, "-gpgpu_perf_sim_memcpy 1\n", "l2"},
                 {true, "-gpgpu_perf_sim_memcpy 0\n", "none"}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        rig r;
        heard h;
        char text[256];
        open_listening(&r, &h);
        snprintf(text, sizeof text, "%s%s", cases[n].describes ? l2 : "", cases[n].option);
        cr_assert_eq(gpc_config_import_gpgpusim_text(r.config, text, "here", hear, &h, &r.error), GPC_OK, "%s",
                     r.error.message);
        cr_expect_str_eq(value(r.config, "kernels.copies"), cases[n].expected, "%s", text);
        rig_close(&r);
    }
}

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GPC_CONFIG_GPGPUSIM_IMPORT_H
#define GPC_CONFIG_GPGPUSIM_IMPORT_H

#include "config/config_object.h"

/* Types and functions of the import of GPGPU-Sim's option files, for the files gpgpusim_*.c. */

typedef enum gpci_option_kind { GPCI_OPTION_NUMBER, GPCI_OPTION_FLAG, GPCI_OPTION_TEXT } gpci_option_kind;

/* Options with a key. `tesnor` is GPGPU-Sim's spelling. */
#define GPCI_GPGPUSIM_OPTIONS(X)                                           \
    X(CLUSTERS, "-gpgpu_n_clusters", NUMBER)                               \
    X(CORES, "-gpgpu_n_cores_per_cluster", NUMBER)                         \
    X(PIPELINE, "-gpgpu_shader_core_pipeline", TEXT)                       \
    X(BLOCKS, "-gpgpu_shader_cta", NUMBER)                                 \
    X(REGISTERS, "-gpgpu_shader_registers", NUMBER)                        \
    X(SHARED, "-gpgpu_shmem_size", NUMBER)                                 \
    X(CLOCKS, "-gpgpu_clock_domains", TEXT)                                \
    X(SCHEDULER, "-gpgpu_scheduler", TEXT)                                 \
    X(SCHEDULERS, "-gpgpu_num_sched_per_core", NUMBER)                     \
    X(ISSUE, "-gpgpu_max_insn_issue_per_warp", NUMBER)                     \
    X(WIDTHS, "-gpgpu_pipeline_widths", TEXT)                              \
    X(COLLECTORS_MEMORY, "-gpgpu_operand_collector_num_units_mem", NUMBER) \
    X(LATENCY_INT, "-ptx_opcode_latency_int", TEXT)                        \
    X(LATENCY_FP, "-ptx_opcode_latency_fp", TEXT)                          \
    X(LATENCY_DP, "-ptx_opcode_latency_dp", TEXT)                          \
    X(LATENCY_SFU, "-ptx_opcode_latency_sfu", TEXT)                        \
    X(LATENCY_TENSOR, "-ptx_opcode_latency_tesnor", TEXT)                  \
    X(INTERVAL_INT, "-ptx_opcode_initiation_int", TEXT)                    \
    X(INTERVAL_FP, "-ptx_opcode_initiation_fp", TEXT)                      \
    X(INTERVAL_DP, "-ptx_opcode_initiation_dp", TEXT)                      \
    X(INTERVAL_SFU, "-ptx_opcode_initiation_sfu", TEXT)                    \
    X(INTERVAL_TENSOR, "-ptx_opcode_initiation_tensor", TEXT)              \
    X(TRACE_INT, "-trace_opcode_latency_initiation_int", TEXT)             \
    X(TRACE_SP, "-trace_opcode_latency_initiation_sp", TEXT)               \
    X(TRACE_DP, "-trace_opcode_latency_initiation_dp", TEXT)               \
    X(TRACE_SFU, "-trace_opcode_latency_initiation_sfu", TEXT)             \
    X(TRACE_TENSOR, "-trace_opcode_latency_initiation_tensor", TEXT)       \
    X(UNIT_1, "-specialized_unit_1", TEXT)                                 \
    X(UNIT_2, "-specialized_unit_2", TEXT)                                 \
    X(UNIT_3, "-specialized_unit_3", TEXT)                                 \
    X(UNIT_4, "-specialized_unit_4", TEXT)                                 \
    X(UNIT_5, "-specialized_unit_5", TEXT)                                 \
    X(UNIT_6, "-specialized_unit_6", TEXT)                                 \
    X(UNIT_7, "-specialized_unit_7", TEXT)                                 \
    X(UNIT_8, "-specialized_unit_8", TEXT)                                 \
    X(UNIT_TIMES_1, "-trace_opcode_latency_initiation_spec_op_1", TEXT)    \
    X(UNIT_TIMES_2, "-trace_opcode_latency_initiation_spec_op_2", TEXT)    \
    X(UNIT_TIMES_3, "-trace_opcode_latency_initiation_spec_op_3", TEXT)    \
    X(UNIT_TIMES_4, "-trace_opcode_latency_initiation_spec_op_4", TEXT)    \
    X(UNIT_TIMES_5, "-trace_opcode_latency_initiation_spec_op_5", TEXT)    \
    X(UNIT_TIMES_6, "-trace_opcode_latency_initiation_spec_op_6", TEXT)    \
    X(UNIT_TIMES_7, "-trace_opcode_latency_initiation_spec_op_7", TEXT)    \
    X(UNIT_TIMES_8, "-trace_opcode_latency_initiation_spec_op_8", TEXT)    \
    X(UNITS_SP, "-gpgpu_num_sp_units", NUMBER)                             \
    X(UNITS_INT, "-gpgpu_num_int_units", NUMBER)                           \
    X(UNITS_DP, "-gpgpu_num_dp_units", NUMBER)                             \
    X(UNITS_SFU, "-gpgpu_num_sfu_units", NUMBER)                           \
    X(UNITS_TENSOR, "-gpgpu_num_tensor_core_units", NUMBER)                \
    X(SUB_CORES, "-gpgpu_sub_core_model", FLAG)                            \
    X(PORTS, "-gpgpu_reg_file_port_throughput", NUMBER)                    \
    X(SHARED_LATENCY, "-gpgpu_smem_latency", NUMBER)                       \
    X(LAUNCH, "-gpgpu_kernel_launch_latency", NUMBER)                      \
    X(BLOCK_LAUNCH, "-gpgpu_TB_launch_latency", NUMBER)                    \
    X(IL1, "-gpgpu_cache:il1", TEXT)                                       \
    X(CONST, "-gpgpu_const_cache:l1", TEXT)                                \
    X(PERFECT, "-gpgpu_perfect_inst_const_cache", FLAG)                    \
    X(L1, "-gpgpu_cache:dl1", TEXT)                                        \
    X(COALESCE, "-gpgpu_coalesce_arch", NUMBER)                            \
    X(L1_LATENCY, "-gpgpu_l1_latency", NUMBER)                             \
    X(L1_BANKS, "-gpgpu_l1_banks", NUMBER)                                 \
    X(SKIP_L1, "-gpgpu_gmem_skip_L1D", FLAG)                               \
    X(ADAPTIVE, "-gpgpu_adaptive_cache_config", FLAG)                      \
    X(UNIFIED, "-gpgpu_unified_l1d_size", NUMBER)                          \
    X(CARVEOUTS, "-gpgpu_shmem_option", TEXT)                              \
    X(NETWORK_MODE, "-network_mode", NUMBER)                               \
    X(NETWORK_INPUT, "-icnt_in_buffer_limit", NUMBER)                      \
    X(NETWORK_OUTPUT, "-icnt_out_buffer_limit", NUMBER)                    \
    X(NETWORK_SUBNETS, "-icnt_subnets", NUMBER)                            \
    X(NETWORK_FLIT, "-icnt_flit_size", NUMBER)                             \
    X(L2, "-gpgpu_cache:dl2", TEXT)                                        \
    X(L2_TEXTURE, "-gpgpu_cache:dl2_texture_only", FLAG)                   \
    X(L2_ROP, "-gpgpu_l2_rop_latency", NUMBER)                             \
    X(L2_QUEUES, "-gpgpu_dram_partition_queues", TEXT)                     \
    X(CHANNELS, "-gpgpu_n_mem", NUMBER)                                    \
    X(SUBPARTITIONS, "-gpgpu_n_sub_partition_per_mchannel", NUMBER)        \
    X(PARTITIONS, "-gpgpu_n_chiplet_partition", NUMBER)                    \
    X(INDEXING, "-gpgpu_memory_partition_indexing", NUMBER)                \
    X(MAPPING, "-gpgpu_mem_addr_mapping", TEXT)                            \
    X(MASK, "-gpgpu_mem_address_mask", NUMBER)                             \
    X(DRAM_TIMING, "-gpgpu_dram_timing_opt", TEXT)                         \
    X(DRAM_CHIPS, "-gpgpu_n_mem_per_ctrlr", NUMBER)                        \
    X(DRAM_WIDTH, "-gpgpu_dram_buswidth", NUMBER)                          \
    X(DRAM_BURST, "-gpgpu_dram_burst_length", NUMBER)                      \
    X(DRAM_RATIO, "-dram_data_command_freq_ratio", NUMBER)                 \
    X(DRAM_DUAL, "-dram_dual_bus_interface", FLAG)                         \
    X(DRAM_BANKS, "-dram_bnk_indexing_policy", NUMBER)                     \
    X(DRAM_GROUPS, "-dram_bnkgrp_indexing_policy", NUMBER)                 \
    X(DRAM_SCHEDULER, "-gpgpu_dram_scheduler", NUMBER)                     \
    X(DRAM_QUEUE, "-gpgpu_frfcfs_dram_sched_queue_size", NUMBER)           \
    X(DRAM_WRITES, "-dram_seperate_write_queue_enable", FLAG)              \
    X(DRAM_WRITE_QUEUE, "-dram_write_queue_size", TEXT)                    \
    X(DRAM_LATENCY, "-dram_latency", NUMBER)                               \
    X(DRAM_SIMPLE, "-gpgpu_simple_dram_model", FLAG)                       \
    X(FLUSH_L1, "-gpgpu_flush_l1_cache", FLAG)                             \
    X(FLUSH_L2, "-gpgpu_flush_l2_cache", FLAG)                             \
    X(COPIES, "-gpgpu_perf_sim_memcpy", FLAG)

typedef enum gpci_option_id {
#define X(id, name, kind) GPCI_OPTION_##id,
    GPCI_GPGPUSIM_OPTIONS(X)
#undef X
        GPCI_OPTION_COUNT
} gpci_option_id;

typedef struct gpci_option {
    bool given;
    size_t line;
    const char *text;
    uint64_t number; /* value of NUMBER and FLAG */
} gpci_option;

/* A part of an option's value that is unknown here: the option is applied without it. */
typedef struct gpci_import_rest {
    gpci_option_id id;
    const char *text, *reason; /* NULL = no rest */
} gpci_import_rest;

typedef struct gpci_import {
    const char *path;
    gpci_option options[GPCI_OPTION_COUNT];
    gpc_config *stage;
    gpc_error *error;
    gpci_import_rest *clocks; /* clocks of GPCI_OPTION_CLOCKS beyond the fourth clock */
} gpci_import;

const char *gpci_option_name(gpci_option_id option);
gpci_option_kind gpci_option_kind_of(gpci_option_id option);
/* Find an option, also under its name in earlier releases. GPCI_OPTION_COUNT: not found. */
gpci_option_id gpci_option_find(const char *name);

/* True for an option of GPGPU-Sim without a key here. */
bool gpci_option_is_another(const char *name);
/* Reason why an option was not applied; "" for an applied option. */
const char *gpci_option_reason(const char *name, gpc_import_outcome outcome);

/* Option of the `import`, by the end of its id's name. */
#define GPCI_OPTION(id) (&import->options[GPCI_OPTION_##id])

/* Fail with `path:line: name: what`. */
gpc_status gpci_import_fail(const gpci_import *import, size_t line, const char *name, gpc_status status,
                            const char *what);
/* Fail for an option's value, quoted before `what`. */
gpc_status gpci_import_refuse(const gpci_import *import, gpci_option_id option, gpc_status status, const char *what);

/* Set a key on behalf of an option. */
gpc_status gpci_import_set(const gpci_import *import, gpci_option_id option, gpci_key key, const char *text);
gpc_status gpci_import_set_number(const gpci_import *import, gpci_option_id option, gpci_key key, uint64_t value);

/* Set several keys from one option; stops at the first failure. */
typedef struct gpci_setting {
    gpci_key key;
    const char *text;
} gpci_setting;

typedef struct gpci_number_setting {
    gpci_key key;
    uint64_t number;
} gpci_number_setting;

gpc_status gpci_import_set_all(const gpci_import *import, gpci_option_id option, const gpci_setting *settings,
                               size_t count);
gpc_status gpci_import_set_numbers(const gpci_import *import, gpci_option_id option,
                                   const gpci_number_setting *settings, size_t count);

#define GPCI_SET_ALL(import, id, ...)                                    \
    gpci_import_set_all(import, id, (const gpci_setting[]){__VA_ARGS__}, \
                        sizeof((const gpci_setting[]){__VA_ARGS__}) / sizeof(gpci_setting))
#define GPCI_SET_NUMBERS(import, id, ...)                                           \
    gpci_import_set_numbers(import, id, (const gpci_number_setting[]){__VA_ARGS__}, \
                            sizeof((const gpci_number_setting[]){__VA_ARGS__}) / sizeof(gpci_number_setting))

/* Set a key from an option, if given. */
gpc_status gpci_import_copy(const gpci_import *import, gpci_option_id option, gpci_key key);

/* Number of a key in the stage: the present value, changed by the options applied until now. */
uint64_t gpci_import_now(const gpci_import *import, gpci_key key);
/* Number of an option, or `otherwise` if the file does not have the option. */
uint64_t gpci_import_or(const gpci_import *import, gpci_option_id option, uint64_t otherwise);

/* Convert core cycles, the unit of GPGPU-Sim's latencies, to cycles of another clock, rounded. */
uint64_t gpci_import_cycles(const gpci_import *import, uint64_t core_cycles, gpci_key clock);

/* Read a number below 2^32 as GPGPU-Sim: decimal, 0x, or octal with a leading 0. */
bool gpci_import_number(const char *text, uint64_t *value);
/* Read `least` to `most` numbers with `separator` between. Returns their number; 0 if the text is no such list. */
size_t gpci_import_list(const char *text, char separator, uint64_t *numbers, size_t least, size_t most);

/* True if the file is for a 3.x release: the file has 7 to 10 pipeline widths. */
bool gpci_import_is_3(const gpci_import *import);

/* Apply the options of a part of the GPU. The functions are called in this order. */
gpc_status gpci_import_sm(const gpci_import *import);
gpc_status gpci_import_classes(const gpci_import *import); /* called by gpci_import_sm */
gpc_status gpci_import_l1(const gpci_import *import);
gpc_status gpci_import_read_only(const gpci_import *import); /* caches of instructions and constants */
gpc_status gpci_import_memory(const gpci_import *import);
gpc_status gpci_import_dram(const gpci_import *import);
gpc_status gpci_import_mapping(const gpci_import *import);

/* Banks of a channel; 0 = unknown. */
uint64_t gpci_import_banks(const gpci_import *import);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Refused option files: the message names file, line, option and reason, and no key is set. */

static void touch(void *touched, const gpc_import_option *option) {
    (void)option;
    *(bool *)touched = true;
}

static void refuse_on(rig *r, const char *text, gpc_status expected, const char *message) {
    folder f;
    char path[192], whole[512];
    folder_make(&f);
    folder_write(&f, "x.config", text, strlen(text));
    folder_path(&f, "x.config", path);
    bool touched = false;
    gpc_status status = gpc_config_import_gpgpusim(r->config, path, touch, &touched, &r->error);
    snprintf(whole, sizeof whole, "%s:%s", path, message);
    expect_failure(r, status, expected, whole);
    cr_expect_not(touched, "no option is reported on failure");
    cr_expect_eq(r->error.message, strstr(r->error.message, path));
    folder_remove(&f);
}

static void refuse(const char *text, gpc_status expected, const char *message) {
    rig r;
    rig_open(&r);
    char longer[512];
    snprintf(longer, sizeof longer, "-gpgpu_shader_cta 3\n%s", text);
    refuse_on(&r, longer, expected, message);
    cr_expect_str_eq(value(r.config, "sm.blocks"), "8", "nothing may have been set");
    rig_close(&r);
}

Test(gpgpusim_errors, values) {
    refuse("-gpgpu_n_mem", GPC_ERROR_FORMAT, "2: -gpgpu_n_mem: has no value");
    refuse("-gpgpu_n_mem -gpgpu_n_clusters 3", GPC_ERROR_FORMAT, "2: -gpgpu_n_mem: has no value");
    refuse("\n-gpgpu_n_mem eight", GPC_ERROR_FORMAT, "3: -gpgpu_n_mem: 'eight' is not a whole number");
    refuse("-gpgpu_n_mem 8x", GPC_ERROR_FORMAT, "2: -gpgpu_n_mem: '8x' is not a whole number");
    refuse("-gpgpu_n_mem -8", GPC_ERROR_FORMAT, "2: -gpgpu_n_mem: '-8' is not a whole number");
    refuse("-gpgpu_n_mem 08", GPC_ERROR_FORMAT, "2: -gpgpu_n_mem: '08' is not a whole number");
    refuse("-gpgpu_n_mem 4294967296", GPC_ERROR_FORMAT, "2: -gpgpu_n_mem: '4294967296' is not a whole number");
    refuse("-gpgpu_n_mem 8 9", GPC_ERROR_FORMAT, "2: 9: neither an option nor a value");
    refuse("-gpgpu_flush_l1_cache 2", GPC_ERROR_FORMAT, "2: -gpgpu_flush_l1_cache: '2' is neither 0 nor 1");
    refuse("-gpgpu_flush_l1_cache yes", GPC_ERROR_FORMAT, "2: -gpgpu_flush_l1_cache: 'yes' is not a whole number");
    refuse("-gpgpu_dram_timing_opt \"nbk=16\n\n", GPC_ERROR_FORMAT, "2: \": the quote is not closed");
    refuse("-config other.config", GPC_ERROR_UNSUPPORTED, "2: -config: files that name others are not read");
}

Test(gpgpusim_errors, ranges) {
    refuse("-gpgpu_cache:il1 N:64:128:16,L:T:f:N:L,S:2:48,4", GPC_ERROR_FORMAT,
           "2: -gpgpu_cache:il1: 'N:64:128:16,L:T:f:N:L,S:2:48,4': the write policy is not R, of a cache that is only "
           "read");
    refuse("-gpgpu_const_cache:l1 N:64:128:16,L:R:m:N:L,S:2:48,4", GPC_ERROR_UNSUPPORTED,
           "2: -gpgpu_const_cache:l1: a cache that is only read allocates when it is filled (f)");
    refuse("-gpgpu_const_cache:l1 N:64:128:16,L:R:f:N:P,S:2:48,4", GPC_ERROR_UNSUPPORTED,
           "2: -gpgpu_const_cache:l1: a cache that is only read is indexed linearly (L)");
    refuse("-gpgpu_n_mem 0", GPC_ERROR_RANGE, "2: -gpgpu_n_mem: dram.channels: '0' is not between 1 and 1024");
    refuse("-gpgpu_n_clusters 5000 -gpgpu_n_cores_per_cluster 1", GPC_ERROR_RANGE,
           "2: -gpgpu_n_clusters: sm.count: '5000' is not between 1 and 4096");
    refuse("-gpgpu_n_mem 100\n-gpgpu_n_sub_partition_per_mchannel 100", GPC_ERROR_RANGE,
           "2: -gpgpu_n_mem: l2.slices: '10000' is not between 1 and 4096");
    refuse("-gpgpu_n_chiplet_partition 17", GPC_ERROR_RANGE, "2: -gpgpu_n_chiplet_partition: l2.partitions: '17'");
    refuse("-gpgpu_cache:dl1 N:32:128:2000,L:L:m:N:H,A:32:8,8", GPC_ERROR_RANGE,
           "2: -gpgpu_cache:dl1: l1.ways: '2000' is not between 1 and 1024");
}

Test(gpgpusim_errors, pipeline) {
    static const char *const wrong[] = {"2048",    "2048:",  ":32",       "2048:0",
                                        "2048:33", "2048:x", "2048:32:1", "99999999999999999999999999999999:32"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[128];
        snprintf(text, sizeof text, "-gpgpu_shader_core_pipeline %s", wrong[i]);
        refuse(text, GPC_ERROR_FORMAT, "2: -gpgpu_shader_core_pipeline: ");
    }
}

static void refuse_cache(const char *cache, const char *reason) {
    char text[160], message[256];
    snprintf(text, sizeof text, "-gpgpu_cache:dl1 %s", cache);
    snprintf(message, sizeof message, "2: -gpgpu_cache:dl1: '%s': %s", cache, reason);
    refuse(text, GPC_ERROR_FORMAT, message);
}

Test(gpgpusim_errors, cache_fields) {
    refuse_cache("Q:4:128:64,L:T:m:L:L,A:512:8,16", "the type is neither N (normal) nor S (sectored)");
    refuse_cache("S4:128:64,L:T:m:L:L,A:512:8,16", "a ':' is missing after the type");
    refuse_cache("S::128:64,L:T:m:L:L,A:512:8,16", "the number of sets is missing");
    refuse_cache("S:4,128:64,L:T:m:L:L,A:512:8,16", "a ':' is missing after the sets");
    refuse_cache("S:4:x:64,L:T:m:L:L,A:512:8,16", "the line size is missing");
    refuse_cache("S:4:128", "a ':' is missing after the line size");
    refuse_cache("S:4:128:", "the number of ways is missing");
    refuse_cache("S:4:128:64:L:T:m:L:L,A:512:8,16", "a ',' is missing after the ways");
    refuse_cache("S:4:128:64,R:T:m:L:L,A:512:8,16", "the replacement is neither L (LRU) nor F (FIFO)");
    refuse_cache("S:4:128:64,L,T:m:L:L,A:512:8,16", "a ':' is missing after the replacement");
    refuse_cache("S:4:128:64,L:R:m:L:L,A:512:8,16", "the write policy is none of B, T, E and L");
    refuse_cache("S:4:128:64,L:T,m:L:L,A:512:8,16", "a ':' is missing after the write policy");
    refuse_cache("S:4:128:64,L:T:x:L:L,A:512:8,16", "the allocation is none of m, f and s");
    refuse_cache("S:4:128:64,L:T:m:Q:L,A:512:8,16", "the write allocation is none of N, W, F and L");
    refuse_cache("S:4:128:64,L:T:m:L:Q,A:512:8,16", "the set index is none of L, H, P, X and C");
    refuse_cache("S:4:128:64,L:T:m:L:L", "a ',' is missing after the policies");
    refuse_cache("S:4:128:64,L:T:m:L:L,T:512:8,128:2", "the MSHR is neither A nor S");
    refuse_cache("S:4:128:64,L:T:m:L:L,A:x:8,16", "MSHR entries are missing");
    refuse_cache("S:4:128:64,L:T:m:L:L,A:512", "a ':' is missing after the MSHR entries");
    refuse_cache("S:4:128:64,L:T:m:L:L,A:512:", "merges are missing");
    refuse_cache("S:4:128:64,L:T:m:L:L,A:512:8,", "the miss queue is missing");
    refuse_cache("S:4:128:64,L:T:m:L:L,A:512:8,16:", "the result FIFO is missing");
    refuse_cache("S:4:128:64,L:T:m:L:L,A:512:8,16:0,", "the data port is missing");
    refuse_cache("S:4:128:64,L:T:m:L:L,A:512:8,16:0,32;", "there is something after the last field");
}

/* Assertions of cache_config::init across fields. */
Test(gpgpusim_errors, cache_as_a_whole) {
    refuse_cache("S:4:128:64,L:T:m:L:L,A:512:8,16:0,48", "the data port does not divide the line");
    refuse_cache("S:4:64:64,L:T:m:L:L,A:512:8,16", "a sectored line has 4 sectors of 32 bytes");
    refuse_cache("N:4:96:64,L:T:m:L:L,A:512:8,16", "sets and ways must be at least 1, the line size a power of two");
    refuse_cache("N:0:128:64,L:T:m:L:L,A:512:8,16", "sets and ways must be at least 1");
    refuse_cache("N:4:128:0,L:T:m:L:L,A:512:8,16", "sets and ways must be at least 1");
    refuse_cache("N:4294967295:128:4294967295,L:T:m:L:L,A:512:8,16", "the capacity is beyond 1 TiB");
    refuse_cache("N:4294967296:128:4,L:T:m:L:L,A:512:8,16", "the number of sets is missing");
    refuse_cache("N:4:128:64,L:B:f:N:L,A:512:8,16", "a write-back cache must allocate on a miss (m)");
    refuse_cache("N:4:128:64,L:B:s:N:L,A:512:8,16", "a write-back cache must allocate on a miss (m)");
    refuse_cache("N:4:128:64,L:T:f:F:L,A:512:8,16", "write allocation F and L need allocation on a miss (m)");
    refuse_cache("N:4:128:64,L:T:s:L:L,A:512:8,16", "write allocation F and L need allocation on a miss (m)");
    refuse("-gpgpu_cache:dl1 N:4:128:64,L:T:m:N:C,A:512:8,16", GPC_ERROR_UNSUPPORTED,
           "2: -gpgpu_cache:dl1: 'N:4:128:64,L:T:m:N:C,A:512:8,16': set index C is the user's own");
    refuse("-gpgpu_cache:dl2 N:4:128:64,L:L:m:N:L,A:512:8,16", GPC_ERROR_UNSUPPORTED,
           "2: -gpgpu_cache:dl2: an L2 writes by one policy");
    refuse("-gpgpu_cache:dl2 N:4:128:64,L:T:f:N:L,A:512:8,16", GPC_ERROR_UNSUPPORTED,
           "2: -gpgpu_cache:dl2: an L2 writes by one policy (B, T or E) and allocates on a miss (m)");
}

Test(gpgpusim_errors, adaptive) {
    static const char needs[] = "an adaptive L1 needs -gpgpu_unified_l1d_size, a multiple of -gpgpu_cache:dl1";
    static const char dl1[] = "-gpgpu_cache:dl1 S:4:128:32,L:T:m:L:L,A:512:8,16"; /* Volta has 32 KiB at least */
    char text[256], message[256];
    snprintf(text, sizeof text, "%s\n-gpgpu_adaptive_cache_config 1", dl1);
    snprintf(message, sizeof message, "3: -gpgpu_adaptive_cache_config: %s", needs);
    refuse(text, GPC_ERROR_FORMAT, message);
    snprintf(text, sizeof text, "%s\n-gpgpu_adaptive_cache_config 1\n-gpgpu_unified_l1d_size 100", dl1);
    snprintf(message, sizeof message, "4: -gpgpu_unified_l1d_size: %s", needs);
    refuse(text, GPC_ERROR_FORMAT, message);
    rig r;
    rig_open(&r);
    cr_assert_eq(gpc_config_load_preset(r.config, "qv100", NULL), GPC_OK);
    refuse_on(&r, "-gpgpu_adaptive_cache_config 0", GPC_ERROR_FORMAT,
              "1: -gpgpu_adaptive_cache_config: an L1 of its own size needs -gpgpu_cache:dl1");
    rig_close(&r);
}

Test(gpgpusim_errors, lists) {
    refuse("-gpgpu_shmem_option 0,8,x", GPC_ERROR_FORMAT, "2: -gpgpu_shmem_option: '0,8,x' is not a list of at most");
    refuse("-gpgpu_shmem_option ,8", GPC_ERROR_FORMAT, "2: -gpgpu_shmem_option: ',8' is not a list");
    refuse("-gpgpu_shmem_option 8,", GPC_ERROR_FORMAT, "2: -gpgpu_shmem_option: '8,' is not a list");
    char text[300] = "-gpgpu_shmem_option 0";
    for (int i = 0; i < 64; i++)
        strcat(text, ",1");
    refuse(text, GPC_ERROR_FORMAT, "2: -gpgpu_shmem_option: ");
}

#define LETTERS "00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS"

/* A mapping refused by addrdec.cc, or contradicted by the counts of the file. */
Test(gpgpusim_errors, mappings) {
    static const struct {
        const char *value, *reason;
    } wrong[] = {{"dramid@;" LETTERS, "dramid@ is not followed by a bit from 1 to 40"},
                 {"dramid@8", "dramid@ is not followed"},
                 {"dramid@41;" LETTERS, "dramid@ is not followed"},
                 {"dramid@8;RRRRBBBBCCCCSSSS", "has 16 bits, not 64"},
                 {"dramid@8;" LETTERS "C", "has 65 bits, not 64"},
                 {"dramid@8;" LETTERS "x", "'x' is none of the letters"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[160], message[160];
        snprintf(text, sizeof text, "-gpgpu_mem_addr_mapping %s", wrong[i].value);
        snprintf(message, sizeof message, "2: -gpgpu_mem_addr_mapping: address.mapping: %s", wrong[i].reason);
        refuse(text, GPC_ERROR_FORMAT, message);
    }
    refuse(
        "-gpgpu_n_mem 6 -gpgpu_mem_addr_mapping " LETTERS, GPC_ERROR_RANGE,
        "2: -gpgpu_mem_addr_mapping: '00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.B...' letters D "
        "say one of a power of two of channels, not of 6: dramid@ does");
    refuse("-gpgpu_n_mem 8\n-gpgpu_mem_addr_mapping " LETTERS, GPC_ERROR_RANGE, "3: -gpgpu_mem_addr_mapping: '0000");
    refuse("-gpgpu_dram_timing_opt 8:2:8:12:21:13:34:9:4:5:13:1:0:0 -gpgpu_mem_addr_mapping dramid@8;" LETTERS,
           GPC_ERROR_UNSUPPORTED, "2: -gpgpu_mem_addr_mapping: 'dramid@8;");
    refuse("-gpgpu_mem_address_mask 4", GPC_ERROR_UNSUPPORTED, "2: -gpgpu_mem_address_mask: '4' is none of 0, 1, 2");
    refuse("-gpgpu_memory_partition_indexing 7", GPC_ERROR_UNSUPPORTED,
           "2: -gpgpu_memory_partition_indexing: '7' is not in 0 to 6");
    refuse("-gpgpu_memory_partition_indexing 3", GPC_ERROR_UNSUPPORTED,
           "2: -gpgpu_memory_partition_indexing: '3' (PAE) needs -gpgpu_mem_addr_mapping");
    refuse("-dram_bnkgrp_indexing_policy 2 -gpgpu_mem_address_mask 1", GPC_ERROR_UNSUPPORTED,
           "2: -dram_bnkgrp_indexing_policy: '2' is neither 0 (higher bits) nor 1");
}

Test(gpgpusim_errors, files) {
    rig r;
    rig_open(&r);
    expect_failure(&r, gpc_config_import_gpgpusim(r.config, "/nowhere/at.all", NULL, NULL, &r.error), GPC_ERROR_IO,
                   "/nowhere/at.all: No such file or directory");
    folder f;
    char path[192];
    folder_make(&f);
    folder_write(&f, "x.config", "-gpgpu_n_mem\0 3", 15);
    folder_path(&f, "x.config", path);
    expect_failure(&r, gpc_config_import_gpgpusim(r.config, path, NULL, NULL, &r.error), GPC_ERROR_FORMAT,
                   "/x.config:1: a NUL byte");
    folder_remove(&f);
    rig_close(&r);
}

Test(gpgpusim_errors, without_memory) {
    static const char text[] = "-gpgpu_n_clusters 7 -gpgpu_shader_core_pipeline 2048:32 -gpgpu_shmem_option 0,8\n"
                               "-gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:512:8,16 -gpgpu_n_mem 4\n"
                               "-gpgpu_cache:dl2 S:32:128:24,L:B:m:L:P,A:192:4,32:0,32\n"
                               "-gpgpu_clock_domains 700:700:700:924 -gpgpu_scheduler two_level_active:6:0:1\n"
                               "-network_mode 2 -gpgpu_l2_rop_latency 160 -dram_latency 100 -gpgpu_dram_buswidth 16\n"
                               "-gpgpu_dram_burst_length 2 -gpgpu_mem_address_mask 1\n"
                               "-gpgpu_dram_timing_opt 8:2:8:12:21:13:34:9:4:5:13:1:0:0\n";
    folder f;
    char path[192];
    folder_make(&f);
    folder_write(&f, "x.config", text, strlen(text));
    folder_path(&f, "x.config", path);
    for (long n = 1;; n++) {
        rig r;
        rig_open(&r);
        r.heap.fail_at = r.heap.calls + n;
        gpc_status status = gpc_config_import_gpgpusim(r.config, path, NULL, NULL, &r.error);
        r.heap.fail_at = 0;
        cr_expect(status == GPC_OK || status == GPC_ERROR_MEMORY, "%s", r.error.message);
        cr_expect_str_eq(value(r.config, "sm.count"), status ? "15" : "21");
        cr_expect_str_eq(value(r.config, "l2.ways"), status ? "16" : "24");
        rig_close(&r);
        if (status == GPC_OK)
            break;
        cr_assert_lt(n, 1000);
    }
    folder_remove(&f);
}

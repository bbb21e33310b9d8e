/* SPDX-License-Identifier: BSD-2-Clause */
#define _XOPEN_SOURCE 700
#include "fuzz/fuzz.h"

#include "effort.h"
#include "golden.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

/* The targets over a small corpus and thousands of mutations, equal in every run. */

#define MUTATIONS effort_of_checks(2500)
#define MOST_SIZE 65536u

typedef void (*target)(const uint8_t *, size_t);

#define LAUNCH "-kernel name = k\n-kernel id = 1\n-grid dim = (3,2,1)\n-block dim = (40,1,1)\n-shmem = 1024\n"
#define LIST_OF_32                                                                                                  \
    " 0x7f0000000000 0x0 0x10 0x7f0000001000 0x20 0x24 0x28 0x2c 0x30 0x34 0x38 0x3c 0x40 0x44 0x48 0x4c 0x50 0x54" \
    " 0x58 0x5c 0x60 0x64 0x68 0x6c 0x70 0x74 0x78 0x7c 0x80 0x84 0x88 0xffffffffffffffff"

static const char *const texts[] = {
    LAUNCH "\n#traces format = threadblock_x\n\n#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 3\n"
           "0 0 0 0 0010 ffffffff 1 R1 MOV 0 0 \n0 0 0 0 0290 ffff0000 1 R8 LDG.E.SYS 1 R2 4 1 0x00007fe033702880 4 \n"
           "0 0 0 0 0430 ffff0000 0 STS 2 R25 R8 4 1 0x0000000000000200 4 \n\n#END_TB\n",
    LAUNCH "-binary version = 90\n-cuda stream id = 0\n-shmem base_addr = 0x00007f0000000000\n"
           "-local mem base_addr = 0x00007e0000000000\n-accelsim tracer version = 4\n-enable lineinfo = 1\n#\n"
           "#BEGIN_TB\nthread block = 2,1,0\nwarp = 0\ninsts = 4\n7 0000 ffffffff 1 R1 LDG.E 1 R2 4 0" LIST_OF_32
           "\n8 0010 0000000f 1 R1 LD.E.64 1 R2 8 2 0x7f0000000010 -8 4096 1 5\n"
           "9 0020 000000ff 0 STG.E.U8 2 R2 R3 1 1 0x7e0000000000 -1\n10 0030 ffffffff 0 EXIT 0 0\n"
           "warp = 1\ninsts = 1\n0 0 0 0 EXIT 0 0\n#END_TB\n"
           "#BEGIN_TB\nthread block = 0,0,0\nwarp = 1\ninsts = 2\n"
           "0000 1 1 R1 LDG.E 1 R2 4 1 0x10 0\n0000 3 1 R1 LDG.E 1 R2 4 1 0x90 4\n#END_TB\n",
    LAUNCH
    "-accelsim tracer version = 5\n#\n#BEGIN_TB\nthread block = 1,0,0\nwarp = 0\ninsts = 3\n"
    "0 ffffffff 1 R6 S2R 0 0 0 \n10 0 1 R4 ATOMG.E.ADD 1 R4 4 1 0x0 0 0 \na0 ffffffff 0 BAR.SYNC 0 0 -3\n#END_TB\n",
    LAUNCH "-accelsim tracer version = 6\n#\n#BEGIN_TB\nthread block = 1,1,0\ncluster id = 0,0,0\n"
           "cluster cta = 1,0,0\ncluster rank = 1\nwarp = 0\ninsts = 5\n"
           "0 ffffffff 1 UP1 ISETP 2 UR2 PT 0 5 6 NoVal\n10 ffffffff 1 R1 IADD3 2 R2 R3 0 5 Val 1 ff 1 0 1 dead\n"
           "20 1 0 UTMALDG.2D 2 UR4 UR8 16 80 1 f 48 0 3 3 0x1000 0x2000 0x0 0 NoVal\n"
           "30 1 0 UBLKCP.G.S 2 UR4 UR8 300 80 0 600 0 4 0x4000 2 4096 0 0 NoVal\n"
           "40 1 0 HGMMA.64x8x16.F32 2 R24 UR4 1 0 0 NoVal\n#END_TB\n",
    LAUNCH "-accelsim tracer version = 3\n#\n"
           "1 0 0 1 0000 3 1 R1 LDG.E 1 R2 4 1 0x7f1000000000 4\n0 0 0 0 0000 1 1 R1 LDG.E 1 R2 4 0 0x10\n"
           "1 0 0 1 0010 3 0 EXIT 0 0\n0 0 0 0 0010 1 0 EXIT 0 0\n",
    LAUNCH "-accelsim tracer version = 4\n#\n"
           "1 0 0 1 5 9 77 0000 3 1 R1 LDG.E 1 R2 4 1 0x7f1000000000 4 0\n0 0 0 0 6 9 77 0010 1 0 EXIT 0 0 0\n",
    LAUNCH "-accelsim tracer version = 4\n#\n"
           "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n5 9 0000 3 1 R1 LDG.E 1 R2 4 1 0x10 4 0\n"
           "#END_TB\n#BEGIN_TB\nthread block = 1,0,0\nwarp = 1\ninsts = 1\n6 9 0010 1 0 EXIT 0 0 0\n#END_TB\n",
};

static const char list[] =
    "MemcpyHtoD,0x00007fb0fc400000,200000\nkernel-1.traceg\nMemcpyDtoH,0,1\nkernel-2.traceg.xz\n";

#define NVBIT_LAUNCH(context, name, id)                                                              \
    "MEMTRACE: CTX " context " - LAUNCH - Kernel pc 0x7 - Kernel name " name " - grid launch id " id \
    " - grid size 2,1,1 - block size 64,1,1 - nregs 16 - shmem 0 - cuda stream id -1\n"
#define NVBIT "MEMTRACE: CTX 0x1 - grid_launch_id 0 - CTA "

static const char *const tables[] = {
    "kernel,block,warp,pc,kind,width,mask,address,cycle,sm\nk,0,1,0x10,load,4,0x5,0x1000 0x2000,7,3\n"
    "k,0,0,16,store,8,1,4096,8,3\n\"l\",1,0,0,atomic,4,1,0x10,0,0\n",
    "block,warp,lane,kind,address\n0,0,0,load,1\n0,0,3,load,2\n0,0,1,load,3\n",
    "{\"block\": 0, \"warp\": 1, \"kind\": \"load\", \"mask\": \"0x3\", \"address\": [4096, \"0x1004\"]}\n"
    "{\"kernel\": 2, \"block\": 1, \"warp\": 0, \"kind\": \"reduction\", \"address\": 7}\n",
    "NVBit (x)\nhello\nMEMTRACE: CTX 0x1 - LAUNCH - Kernel pc 0x7 - Kernel name k(int) - grid launch id 0 - grid size "
    "2,1,1 - block size 64,1,1 - nregs 16 - shmem 0 - cuda stream id 0\n" NVBIT
    "1,0,0 - warp 9 - LDG.E - 0x10 0x0 0x20 \n" NVBIT "0,0,0 - warp 4 - STG.E.64 - 0x0000000000000010 0x0 \n",
    NVBIT_LAUNCH("0x1", "a", "0") NVBIT_LAUNCH("0x2", "b", "0") NVBIT_LAUNCH("0x1", "c", "1") NVBIT
    "1,0,0 - warp 9 - LDG.E - 0x10 0x0 0x20 \n"
    "MEMTRACE: CTX 0x2 - grid_launch_id 0 - CTA 0,0,0 - warp 1 - LDG.E - 0x40 \n"
    "MEMTRACE: CTX 0x1 - grid_launch_id 1 - CTA 0,0,0 - warp 1 - STG.E - 0x80 \n" NVBIT
    "0,0,0 - warp 4 - STG.E.64 - 0x10 0x0 \n",
};

/* Insertions of mutations: meaningful words and numbers. */
static const char *const words[] = {"#BEGIN_TB\n",
                                    "#END_TB\n",
                                    "warp = ",
                                    "insts = ",
                                    "thread block = ",
                                    "Val ",
                                    "NoVal",
                                    "ffffffff",
                                    "00000000",
                                    "0x",
                                    "-1",
                                    "32",
                                    " 1 0x0 4\n",
                                    " 2 ",
                                    "18446744073709551615",
                                    "4294967296",
                                    "9223372036854775807",
                                    "R255",
                                    "LDG.E.128",
                                    "UTMALDG",
                                    "\n",
                                    "\r\n",
                                    "\t",
                                    "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"};

typedef struct input {
    uint8_t bytes[MOST_SIZE];
    size_t size;
} input;

static void insert(input *in, size_t at, const void *data, size_t length) {
    if (length > MOST_SIZE - in->size)
        return;
    memmove(in->bytes + at + length, in->bytes + at, in->size - at);
    memcpy(in->bytes + at, data, length);
    in->size += length;
}

static void remove_part(input *in, size_t at, size_t length) {
    length = length > in->size - at ? in->size - at : length;
    memmove(in->bytes + at, in->bytes + at + length, in->size - at - length);
    in->size -= length;
}

static void mutate(input *in, uint64_t *random) {
    uint8_t part[256];
    size_t at = gpci_random_below(random, (uint32_t)in->size + 1), last = in->size ? at - (at == in->size) : 0;
    size_t length = 1 + gpci_random_below(random, 40);
    const char *word = words[gpci_random_below(random, sizeof words / sizeof *words)];
    switch (gpci_random_below(random, 7)) {
    case 0:
        if (in->size)
            in->bytes[last] ^= (uint8_t)(1u << gpci_random_below(random, 8));
        break;
    case 1:
        if (in->size)
            in->bytes[last] = (uint8_t)gpci_random_below(random, 256);
        break;
    case 2:
        remove_part(in, at, length);
        break;
    case 3:
        insert(in, at, word, strlen(word));
        break;
    case 4: /* over existing bytes */
        remove_part(in, at, strlen(word));
        insert(in, at, word, strlen(word));
        break;
    case 5: /* a piece from elsewhere */
        length = length > in->size - at ? in->size - at : length;
        memcpy(part, in->bytes + at, length);
        insert(in, gpci_random_below(random, (uint32_t)in->size + 1), part, length);
        break;
    default: /* a digit more or less */
        if (in->size)
            in->bytes[last] = (uint8_t)(in->bytes[last] + (gpci_random_below(random, 2) ? 1 : -1));
    }
}

/* Results of a test's inputs: errors of the first inputs, and a digest of the inputs tried in every mode. */
static char told[1 << 17];
#define SHOWN 10u
#define DIGESTED 300u

static void run_one(target one, const input *in, uint64_t seed, uint64_t n, uint64_t digested, uint64_t *digest) {
    const size_t at = strlen(told);
    fuzz_last = (fuzz_told){.digest = 0};
    one(in->bytes, in->size);
    if (n <= digested)
        *digest = (*digest ^ fuzz_last.digest) * 0x9e3779b97f4a7c15u;
    if (n < SHOWN)
        snprintf(told + at, sizeof told - at, "%u.%u %08x%s%s\n", (unsigned)seed, (unsigned)n,
                 (unsigned)(fuzz_last.digest >> 32), *fuzz_last.error ? ": " : "", fuzz_last.error);
    if (n == digested)
        snprintf(told + strlen(told), sizeof told - strlen(told), "%u.all %08x\n", (unsigned)seed,
                 (unsigned)(*digest >> 32));
}

/* Runs an input and the mutations. The digest is of DIGESTED / `share` of the mutations. */
static void run_some(target one, const void *data, size_t size, uint64_t seed, uint64_t mutations, uint64_t share) {
    static input start, in;
    uint64_t digest = 0;
    cr_assert_leq(size, MOST_SIZE);
    memcpy(start.bytes, data, size);
    start.size = size;
    run_one(one, &start, seed, 0, DIGESTED / share, &digest);
    for (uint64_t n = 0; n < mutations; n++) {
        uint64_t random = seed * 1000003 + n;
        in = start;
        for (uint32_t changes = 1 + gpci_random_below(&random, 4); changes; changes--)
            mutate(&in, &random);
        run_one(one, &in, seed, n + 1, DIGESTED / share, &digest);
    }
}

/* Runs a share of the mutations. */
static void run(target one, const void *data, size_t size, uint64_t seed, uint64_t share) {
    run_some(one, data, size, seed, MUTATIONS / share, share);
}

/* Six blocks of two warps with loops over regular and odd addresses, to use every dictionary of the format. */
static void make_loops(char *text, size_t room) {
    size_t at = (size_t)snprintf(text, room, "%s#\n", LAUNCH);
    for (unsigned b = 0; b < 6; b++) {
        at += (size_t)snprintf(text + at, room - at, "#BEGIN_TB\nthread block = %u,%u,0\n", b % 3, b / 3);
        for (unsigned w = 0; w < 2; w++) {
            at += (size_t)snprintf(text + at, room - at, "warp = %u\ninsts = 13\n", w);
            for (unsigned n = 0; n < 4; n++)
                at += (size_t)snprintf(text + at, room - at,
                                       "0000 %x 1 R1 LDG.E 1 R2 4 1 0x%x 4\n0010 7 1 R1 LDG.E.64 1 R2 8 2 0x%x %d 24\n"
                                       "0020 f 0 STG 0 4 0 0x%x 0x%x 0x%x 0x%x\n",
                                       n % 2 ? 0xffffu : 0xff0u, 4096 * b + 1024 * w + n * 64, n * 32, b < 2 ? 8 : -8,
                                       b * 77, w * 1000, n * n * n, b * w * 4000);
            at += (size_t)snprintf(text + at, room - at, "0030 ffffffff 0 EXIT 0 0\n");
        }
        at += (size_t)snprintf(text + at, room - at, "#END_TB\n");
    }
}

Test(fuzz, text) {
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        run(fuzz_text, texts[t], strlen(texts[t]), t, 1);
    static char loops[MOST_SIZE];
    make_loops(loops, sizeof loops);
    run(fuzz_text, loops, strlen(loops), 9, 1);
    expect_golden("tests/fuzz/golden/text.golden", told);
}

Test(fuzz, table) {
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        run(fuzz_table, tables[t], strlen(tables[t]), 20 + t, 1);
    expect_golden("tests/fuzz/golden/table.golden", told);
}

Test(fuzz, list) {
    run(fuzz_list, list, strlen(list), 7, 1);
    expect_golden("tests/fuzz/golden/list.golden", told);
}

static void add_kernel(gpc_context *context, gpc_trace_writer *writer, const char *path, const char *text,
                       bool placed) {
    gpc_trace *trace;
    gpc_kernel kernel = GPC_KERNEL_INIT;
    const gpc_block *block;
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0 && !fclose(file));
    cr_assert_eq(gpc_trace_open(context, path, &trace, NULL), GPC_OK);
    cr_assert_eq(gpc_trace_next_kernel(trace, &kernel, NULL), GPC_OK);
    const uint32_t placement[] = {1, 2, 300};
    kernel.placement = placed ? placement : NULL;
    kernel.placement_count = placed ? 3 : 0;
    cr_assert_eq(gpc_trace_writer_kernel(writer, &kernel, NULL), GPC_OK);
    gpc_status status;
    while ((status = gpc_trace_next_block(trace, &block, NULL)) == GPC_OK)
        cr_assert_eq(gpc_trace_writer_block(writer, trace, block, NULL), GPC_OK);
    cr_assert_eq(status, GPC_END);
    gpc_trace_close(trace);
    unlink(path);
}

static size_t read_and_remove(const char *path, const char *folder, uint8_t *data) {
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file);
    size_t size = fread(data, 1, MOST_SIZE, file);
    fclose(file);
    unlink(path);
    rmdir(folder);
    return size;
}

/* A digest of a written file. */
static void tell_bytes(const uint8_t *data, size_t size) {
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ data[i]) * 0x100000001b3u;
    snprintf(told + strlen(told), sizeof told - strlen(told), "%zu bytes %08x\n", size, (unsigned)(sum >> 32));
}

/* Build a .gct from the texts. */
static size_t make_binary(uint8_t *data) {
    gpc_context *context;
    gpc_trace_writer *writer;
    char folder[] = "/tmp/gpucache-fuzz-XXXXXX", path[64], out[64];
    static char loops[MOST_SIZE];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/k.traceg", folder);
    snprintf(out, sizeof out, "%s/k.gct", folder);
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_assert_eq(gpc_trace_writer_create(context, out, GPC_TRACE_BINARY, &writer, NULL), GPC_OK);
    make_loops(loops, sizeof loops);
    add_kernel(context, writer, path, loops, true);
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        add_kernel(context, writer, path, texts[t], t % 2);
    cr_assert_eq(gpc_trace_writer_finish(writer, NULL), GPC_OK);
    gpc_trace_writer_destroy(writer);
    gpc_context_destroy(context);
    return read_and_remove(out, folder, data);
}

/* A .gct of a host, with the order of accesses. */
static size_t make_recording(uint8_t *data) {
    gpc_context *context;
    gpc_config *config;
    gpc_hierarchy *hierarchy;
    char folder[] = "/tmp/gpucache-fuzz-XXXXXX", path[64];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/r.gct", folder);
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    cr_assert_eq(gpc_config_create(context, &config, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_create(context, config, &hierarchy, NULL), GPC_OK);
    cr_assert_eq(gpc_hierarchy_record(hierarchy, path, NULL), GPC_OK);
    for (uint32_t n = 0; n < 30; n++) {
        const uint64_t addresses[] = {n * 64, n * n};
        gpc_warp_access access = GPC_WARP_ACCESS_INIT;
        const gpc_warp_event event = {.kind = n % 3, .warp = n % 5};
        access.block = n % 3;
        access.warp = n % 5;
        access.warp_age = n % 2;
        access.token = n % GPC_TOKEN_COUNT;
        access.mask = 5;
        access.addresses = addresses;
        access.width = 4;
        if (n % 10 == 4)
            cr_assert_eq(gpc_hierarchy_begin_kernel(hierarchy, NULL, NULL), GPC_OK);
        cr_assert_eq(gpc_hierarchy_access(hierarchy, &access, NULL, NULL), GPC_OK);
        cr_assert_eq(gpc_hierarchy_warp_event(hierarchy, &event, NULL), GPC_OK);
    }
    cr_assert_eq(gpc_hierarchy_record_end(hierarchy, NULL), GPC_OK);
    gpc_hierarchy_destroy(hierarchy);
    gpc_config_destroy(config);
    gpc_context_destroy(context);
    return read_and_remove(path, folder, data);
}

Test(fuzz, recording) {
    static uint8_t data[MOST_SIZE];
    size_t size = make_recording(data);
    tell_bytes(data, size);
    for (uint64_t seed = 40; seed < 42; seed++)
        run(fuzz_binary, data, size, seed, 1);
    expect_golden("tests/fuzz/golden/recording.golden", told);
}

Test(fuzz, binary) {
    static uint8_t data[MOST_SIZE];
    size_t size = make_binary(data);
    tell_bytes(data, size);
    for (uint64_t seed = 0; seed < 4; seed++)
        run(fuzz_binary, data, size, seed, 1);
    expect_golden("tests/fuzz/golden/binary.golden", told);
}

/* The small profile of tests/contract. */
Test(fuzz, profile) {
    static uint8_t data[MOST_SIZE];
    FILE *file = fopen("tests/contract/small.profile", "rb");
    cr_assert_not_null(file);
    size_t size = fread(data, 1, MOST_SIZE, file);
    fclose(file);
    cr_assert_gt(size, 0);
    for (uint64_t seed = 0; seed < 2; seed++)
        run(fuzz_profile, data, size, seed, 1);
    expect_golden("tests/fuzz/golden/profile.golden", told);
}

/*
 * Trees of caches (tree.c): two first-level modules over one cache; two first-level modules over two banks; and modules
 * of different depth under a third level with larger blocks, with a separate non-inclusive cache among them.
 */
static const uint8_t small_trees[3][51] = {
    {0,    3, 3, 2, 0, 4, 2, 6, 0,    0, 0x70, 1, 0, 4, 2, 6, 0,   0,
     0x70, 1, 0, 4, 4, 7, 0, 0, 0x01, 0, 1,    8, 4, 7, 0, 0, 0x17},
    {2, 4, 3,  6, 0,    4, 2, 6, 0, 0, 0x70, 3, 0,    4, 2, 6, 0, 0, 0x70, 2, 0,   4,
     4, 6, 10, 1, 0x01, 1, 0, 4, 4, 6, 42,   1, 0x01, 0, 1, 1, 0, 7, 0,    0, 0x17},
    {4,    5, 3, 4, 0,    2, 2, 6, 0,    0, 0x70, 2, 0, 2, 2, 6, 0,    0, 0x70, 2, 0, 2, 1, 6, 0,   0,
     0x71, 1, 2, 4, 0x22, 6, 0, 0, 0x01, 1, 0,    4, 2, 7, 0, 0, 0x12, 0, 1,    8, 4, 8, 0, 0, 0x27}};
static const size_t tree_sizes[] = {3 + 4 * 8, 3 + 5 * 8, 3 + 6 * 8};

Test(fuzz, tree) {
    gpc_context *context;
    cr_assert_eq(gpc_context_create(NULL, &context, NULL), GPC_OK);
    const size_t protocols = gpc_policy_count(context, GPC_POLICY_PROTOCOL);
    gpc_context_destroy(context);
    for (size_t p = 0; p < protocols; p++)
        for (size_t i = 0; i < 3; i++) {
            static uint8_t data[1024];
            uint64_t random = p * 3 + i;
            size_t size = tree_sizes[i];
            memcpy(data, small_trees[i], size);
            data[0] = (uint8_t)p;
            for (int n = 0; n < 100; n++) { /* module 0 to 2, kind, few flags, eight pages */
                data[size++] = (uint8_t)(gpci_random_below(&random, 3) | gpci_random_below(&random, 3) << 4);
                data[size++] = gpci_random_below(&random, 10) ? 0 : 3;
                data[size++] = (uint8_t)gpci_random_below(&random, 8);
                data[size++] = (uint8_t)gpci_random(&random);
                data[size++] = (uint8_t)gpci_random(&random);
            }
            run_some(fuzz_tree, data, size, p * 3 + i, 1000, 1);
        }
    expect_golden("tests/fuzz/golden/tree.golden", told);
}

static const char *const configurations[] = {
    "# a comment\npreset = h100\nmode = timed\nsm.count = 2\nl1.size = 1KiB\nl1.replacement = vote(lru, "
    "age-lru(bypass=1))\n",
    "l1.ways=2\nl2.slices = 1\ncoherence = mesi\nl1.carveouts = 0KiB 8KiB\ndram.mapping = row bank column channel\n",
};

Test(fuzz, config) {
    for (size_t t = 0; t < sizeof configurations / sizeof *configurations; t++)
        run(fuzz_config, configurations[t], strlen(configurations[t]), 60 + t, 4);
    expect_golden("tests/fuzz/golden/config.golden", told);
}

Test(fuzz, options) {
    static const char options[] = "-gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:384:48,16:0,32\n-gpgpu_n_clusters 2\n"
                                  "-gpgpu_shader_core_pipeline 1024:32\n-gpgpu_dram_timing_opt nbk=16:CCD=1\n";
    run(fuzz_options, options, strlen(options), 64, 4);
    expect_golden("tests/fuzz/golden/options.golden", told);
}

Test(fuzz, name) {
    static const char *const names[] = {
        "0vote(lru, age-lru(bypass=1))", "1agcb(entries=64)", "2gto + ccws + pcal(ebt=2)",
        "3pcal(warps=3, ebt=auto)",      "4stride",           "5bfs:4KiB:header=1"};
    for (size_t t = 0; t < sizeof names / sizeof *names; t++)
        run(fuzz_name, names[t], strlen(names[t]), 66 + t, 4);
    expect_golden("tests/fuzz/golden/name.golden", told);
}

Test(fuzz, kernels) {
    static const char kernels[] = "# numbers\n1 0 _Z14invert_mapping*\n4 -2 _Z11kmeansPoint*\n0 3 *\n";
    run(fuzz_kernels, kernels, strlen(kernels), 72, 4);
    expect_golden("tests/fuzz/golden/kernels.golden", told);
}

Test(fuzz, snapshot) {
    for (uint8_t n = 0; n < 5; n++) {
        const uint8_t edits[] = {n, 20, 0, 1, 0, 1, 0, 1, 0, 1, 99, 2, 0, 0};
        run(fuzz_snapshot, edits, sizeof edits - 4u * (n % 3), 80 + n, 100);
    }
}

/* Arbitrary bytes as input. */
Test(fuzz, api) {
    static uint8_t data[600];
    for (uint64_t seed = 0; seed < effort_of_checks(3000); seed++) {
        uint64_t random = seed;
        for (size_t n = 0; n < sizeof data; n++)
            data[n] = (uint8_t)gpci_random(&random);
        fuzz_api(data, sizeof data);
    }
}

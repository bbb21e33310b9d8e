/* SPDX-License-Identifier: BSD-2-Clause */
/* Bulk copies: what they ask of L1 and L2, and how long they take; and loads from another block's shared memory. */
#include "micro.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

static __device__ __forceinline__ uint32_t shared_address(const void *at)
{
    return (uint32_t)__cvta_generic_to_shared(at);
}

/* One thread copies `bytes` from global memory, `count` times, each waited for, from places `place` bytes apart. */
__global__ void bulk(const char *from, uint32_t *cycles, int bytes, int place, int count, int in_flight)
{
    extern __shared__ __align__(128) char room[];
    __shared__ __align__(8) uint64_t barrier;
    uint32_t bar = shared_address(&barrier), to = shared_address(room), total = 0;
    const char *at = from + (size_t)blockIdx.x * place * count;

    if (threadIdx.x != 0)
        return;
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar) : "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
    for (int i = 0; i < count; i += in_flight) {
        long long begin = clock64();
        uint32_t done = 0, phase = i / in_flight & 1;
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes * in_flight) : "memory");
        for (int k = 0; k < in_flight; k++)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                             to + k * ((bytes + 127) & ~127)),
                         "l"(at + (size_t)(i + k) * place), "r"(bytes), "r"(bar)
                         : "memory");
        while (!done)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                         : "=r"(done)
                         : "r"(bar), "r"(phase)
                         : "memory");
        total += (uint32_t)(clock64() - begin);
    }
    cycles[blockIdx.x] = total / (count / in_flight);
}

/* The way back: one thread writes `bytes` of shared memory to global memory, waits until they are written. */
__global__ void bulk_out(char *to, uint32_t *cycles, int bytes, int place, int count)
{
    extern __shared__ __align__(128) char room[];
    uint32_t from = shared_address(room), total = 0;
    char *at = to + (size_t)blockIdx.x * place * count;

    if (threadIdx.x != 0)
        return;
    asm volatile("fence.proxy.async;" ::: "memory");
    for (int i = 0; i < count; i++) {
        long long begin = clock64();
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(at + (size_t)i * place), "r"(from), "r"(bytes)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        total += (uint32_t)(clock64() - begin);
    }
    cycles[blockIdx.x] = total / count;
}

/* LDGSTS: each lane 4, 8 or 16 bytes; through L1 (ca) or past it (cg, 16 bytes alone). Each line is copied twice. */
template <int BYTES, bool PAST_L1> __global__ void ldgsts(const char *from, uint32_t *cycles, int count)
{
    extern __shared__ __align__(128) char room[];
    uint32_t to = shared_address(room) + threadIdx.x * BYTES, total = 0;

    for (int i = 0; i < 2 * count; i++) {
        const char *at = from + ((size_t)blockIdx.x * count + i % count) * 32 * BYTES + threadIdx.x * BYTES;
        long long begin = clock64();
        if (PAST_L1)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(at) : "memory");
        else
            asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(at), "n"(BYTES) : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        total += (uint32_t)(clock64() - begin);
    }
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = total / (2 * count);
}

/* A chase in the shared memory of block `rank` of the cluster. */
__global__ void distributed(uint32_t *cycles, int rank, int count)
{
    __shared__ uint32_t next[256];
    cg::cluster_group cluster = cg::this_cluster();
    uint32_t there, at, base;

    for (int i = threadIdx.x; i < 256; i += 32)
        next[i] = (i + 33) % 256 * 4;
    cluster.sync();
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(base) : "r"(shared_address(next)), "r"(rank));
    if (cluster.block_rank() == 0 && threadIdx.x == 0) {
        at = 0;
        long long begin = clock64();
        for (int i = 0; i < count; i++) {
            asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(there) : "r"(base + at) : "memory");
            at = there;
        }
        long long end = clock64();
        cycles[0] = (uint32_t)((end - begin) / count);
        cycles[1] = at;
    }
    cluster.sync();
}

/* All lanes of `warps` warps of each block read the next block's shared memory: the SM-to-SM network's rate. */
__global__ void distributed_rate(uint32_t *cycles, int count, int far)
{
    __shared__ uint32_t table[4096];
    cg::cluster_group cluster = cg::this_cluster();
    uint32_t base, sum = 0;
    int ranks = cluster.num_blocks(), rank = (cluster.block_rank() + far) % ranks;

    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        table[i] = i;
    cluster.sync();
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(base) : "r"(shared_address(table)), "r"(rank));
    long long begin = clock64();
    for (int i = 0; i < count; i++) {
        uint32_t value;
        asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(base + ((threadIdx.x + i * 32) & 4095) * 4) : "memory");
        sum += value;
    }
    if (sum == 0x12345)
        cycles[1000] = sum;
    cluster.sync();
    long long end = clock64();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = (uint32_t)(end - begin);
}

static char *bytes_of;
static uint32_t *cycles;

static uint32_t mean(int blocks)
{
    static uint32_t t[1024];
    double sum = 0;
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(t, cycles, 4 * blocks, cudaMemcpyDeviceToHost));
    for (int i = 0; i < blocks; i++)
        sum += t[i];
    return (uint32_t)(sum / blocks);
}

static void run_bulk(int blocks, int bytes, int place, int count, int in_flight, int offset)
{
    bulk<<<blocks, 32, 200 << 10>>>(bytes_of + offset, cycles, bytes, place, count, in_flight);
    printf("LAUNCH bulk in blocks=%d bytes=%d place=%d count=%d in_flight=%d offset=%d cycles=%u\n", blocks, bytes, place, count,
           in_flight, offset, mean(blocks));
    fflush(stdout);
}

static void launch_cluster(const char *name, int size, int far, int warps)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute[1];
    config.gridDim = dim3(warps == 0 ? size : 132 / size * size);
    config.blockDim = dim3(warps == 0 ? 32 : warps * 32);
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = size;
    attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    config.attrs = attribute;
    config.numAttrs = 1;
    if (warps == 0)
        CHECK(cudaLaunchKernelEx(&config, distributed, cycles, far, 256));
    else
        CHECK(cudaLaunchKernelEx(&config, distributed_rate, cycles, 256, far));
    printf("LAUNCH %s cluster=%d far=%d warps=%d count=256 cycles=%u\n", name, size, far, warps,
           mean(warps == 0 ? 1 : (int)config.gridDim.x));
    fflush(stdout);
}

template <int BYTES, bool PAST_L1> static void run_ldgsts(int blocks)
{
    ldgsts<BYTES, PAST_L1><<<blocks, 32, 1024>>>(bytes_of, cycles, 64);
    printf("LAUNCH ldgsts %s bytes=%d blocks=%d count=64,twice cycles=%u\n", PAST_L1 ? "cg" : "ca", BYTES, blocks, mean(blocks));
    fflush(stdout);
}

int main()
{
    int sms = sm_count();
    bytes_of = (char *)device_words((size_t)4 << 30);
    cycles = device_words(1 << 20);
    CHECK(cudaFuncSetAttribute(bulk, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    CHECK(cudaFuncSetAttribute(bulk_out, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    for (int bytes : {16, 32, 64, 128, 256, 1024, 4096, 16384, 65536})
        run_bulk(1, bytes, bytes < 4096 ? 4096 : bytes, 16, 1, 0);
    for (int offset : {16, 48, 80, 112}) {
        run_bulk(1, 16, 4096, 16, 1, offset);
        run_bulk(1, 128, 4096, 16, 1, offset);
    }
    for (int in_flight : {1, 2, 4, 8})
        for (int bytes : {128, 2048, 16384})
            run_bulk(sms, bytes, bytes < 4096 ? 4096 : bytes, 16, in_flight, 0);
    for (int bytes : {16, 128, 1024, 16384}) {
        bulk_out<<<1, 32, 200 << 10>>>(bytes_of, cycles, bytes, 16384, 16);
        printf("LAUNCH bulk out blocks=1 bytes=%d count=16 cycles=%u\n", bytes, mean(1));
        bulk_out<<<sms, 32, 200 << 10>>>(bytes_of, cycles, bytes, 16384, 16);
        printf("LAUNCH bulk out blocks=%d bytes=%d count=16 cycles=%u\n", sms, bytes, mean(sms));
    }
    run_ldgsts<4, false>(1);
    run_ldgsts<8, false>(1);
    run_ldgsts<16, false>(1);
    run_ldgsts<16, true>(1);
    run_ldgsts<16, false>(sms);
    run_ldgsts<16, true>(sms);
    for (int rank : {0, 1, 2, 3, 5, 7})
        launch_cluster("distributed", 8, rank, 0);
    for (int warps : {1, 4, 16, 32}) {
        launch_cluster("distributed_rate", 2, 1, warps);
        launch_cluster("distributed_rate", 8, 0, warps);
        launch_cluster("distributed_rate", 8, 3, warps);
    }
    return 0;
}

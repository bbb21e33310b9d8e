/* SPDX-License-Identifier: BSD-2-Clause */
/* Two reads of a 64-byte pair of sectors, so many cycles apart: what L2 counts as hits. */
#include "micro.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

/* Who reads second: the same warp; another warp of the block; the other block of a cluster; block b + blocks / 2. */
enum who { SAME_WARP, OTHER_WARP, CLUSTER, FAR_BLOCK };

static __device__ __forceinline__ const uint32_t *pair_at(const uint32_t *words, size_t owner, int pairs, int i)
{
    /* A pair of its own line each, lines scattered over 256 MiB by an odd multiplier. */
    size_t line = (owner * pairs + i) * 40503u & ((1u << 21) - 1);
    return words + line * 32;
}

static __device__ unsigned arrived;

__global__ void reads(const uint32_t *words, uint32_t *out, int who, int pairs, int second, int gap, int lanes)
{
    __shared__ uint32_t room[64];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    size_t owner = blockIdx.x;
    uint32_t sum = 0;
    bool first = true, later = true;

    if (who == OTHER_WARP)
        first = warp == 0, later = warp == 1;
    if (who == CLUSTER)
        owner = blockIdx.x / 2, first = blockIdx.x % 2 == 0, later = !first;
    if (who == FAR_BLOCK)
        owner = blockIdx.x % (gridDim.x / 2), first = blockIdx.x < gridDim.x / 2, later = !first;
    for (int i = 0; i < pairs; i += lanes) {
        if (who == OTHER_WARP)
            __syncthreads();
        if (who == CLUSTER)
            cg::this_cluster().sync();
        if (who == FAR_BLOCK && threadIdx.x == 0) {
            /* A barrier of the grid. */
            atomicAdd(&arrived, 1);
            while (atomicAdd(&arrived, 0) < gridDim.x * (unsigned)(i / lanes + 1)) {
            }
        }
        __syncwarp();
        uint32_t a = 0, b = 0;
        const uint32_t *at = pair_at(words, owner, pairs, i + lane % lanes);
        if (lane < lanes && first)
            a = load(at);
        if (later) {
            wait_cycles(gap);
            if (lane < lanes)
                b = load(at + second);
        }
        /* Both are answered before the next pair begins. */
        sum += a + b;
        wait_for(room + threadIdx.x, sum);
        wait_cycles(2000);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x + 32] = sum;
}

/*
 * Blocks of a cluster of any size read the same lines at the same time: `depth` loads of `lanes` lines each, `rounds`
 * times. With `aligned`, all blocks of the grid start each round at the same value of the GPU's timer.
 */
__global__ void together(const uint32_t *words, uint32_t *out, int rounds, int depth, int lanes, int group, int gap, int aligned)
{
    __shared__ uint32_t room[32];
    int lane = threadIdx.x & 31;
    size_t owner = blockIdx.x / group;
    uint32_t sum = 0;

    for (int i = 0; i < rounds; i++) {
        if (aligned) {
            if (threadIdx.x == 0) {
                atomicAdd(&arrived, 1);
                while (atomicAdd(&arrived, 0) < gridDim.x * (unsigned)(i + 1)) {
                }
                wait_for_tick();
            }
        } else
            cg::this_cluster().sync();
        __syncwarp();
        if (gap > 0 && blockIdx.x % group != 0)
            wait_cycles(gap);
        if (lane < lanes)
            for (int k = 0; k < depth; k++)
                sum += load(pair_at(words, owner, rounds * depth * lanes, (i * depth + k) * lanes + lane));
        wait_for(room + threadIdx.x, sum);
        wait_cycles(2500);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* One step of a Walsh transform, stride 8: a warp reads sectors 0 and 2 of its lines, then 1 and 3. */
__global__ void walsh(uint32_t *words, int half, int stride, int stores)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= half)
        return;
    int at = i + (i & -stride);
    uint32_t a = load(words + at), b = load(words + at + stride);
    if (stores) {
        words[at] = a + b;
        words[at + stride] = a - b;
    } else if (a + b == 0x12345)
        words[at] = a;
}

static uint32_t *words, *out;

static void run(int who, int blocks, int second, int gap, int lanes)
{
    static const char *const names[] = {"same-warp", "other-warp", "cluster", "far-block"};
    int pairs = lanes == 1 ? 32 : 128;
    unsigned zero = 0;
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute[1];

    CHECK(cudaMemcpyToSymbol(arrived, &zero, sizeof zero));
    printf("LAUNCH reads %s blocks=%d pairs=%d second=%d gap=%d lanes=%d\n", names[who], blocks, pairs, second, gap, lanes);
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(who == OTHER_WARP ? 64 : 32);
    if (who == CLUSTER) {
        attribute[0].id = cudaLaunchAttributeClusterDimension;
        attribute[0].val.clusterDim.x = 2;
        attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
        config.attrs = attribute;
        config.numAttrs = 1;
    }
    CHECK(cudaLaunchKernelEx(&config, reads, (const uint32_t *)words, out, who, pairs, second, gap, lanes));
    finish();
}

static void run_together(int blocks, int size, int rounds, int depth, int lanes, int gap, int warm, int aligned)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute[1];
    unsigned zero = 0;

    CHECK(cudaMemcpyToSymbol(arrived, &zero, sizeof zero));
    printf("LAUNCH together blocks=%d group=%d rounds=%d depth=%d lanes=%d gap=%d warm=%d aligned=%d\n", blocks, size, rounds, depth,
           lanes, gap, warm, aligned);
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(32);
    if (!aligned) {
        if (size > 8)
            CHECK(cudaFuncSetAttribute(together, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
        attribute[0].id = cudaLaunchAttributeClusterDimension;
        attribute[0].val.clusterDim.x = size;
        attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
        config.attrs = attribute;
        config.numAttrs = 1;
    }
    CHECK(cudaLaunchKernelEx(&config, together, (const uint32_t *)words, out, rounds, depth, lanes, size, gap, aligned));
    finish();
}

static void run_walsh(int blocks, int stride, int stores)
{
    printf("LAUNCH walsh blocks=%d stride=%d stores=%d\n", blocks, stride, stores);
    walsh<<<blocks, 256>>>(words, blocks * 256, stride, stores);
    finish();
}

int main()
{
    static const int gaps[] = {0, 64, 128, 256, 512, 1024};
    words = device_words((size_t)1 << 28);
    out = device_words((size_t)1 << 22);
    for (int who = SAME_WARP; who <= FAR_BLOCK; who++) {
        int blocks = who == CLUSTER || who == FAR_BLOCK ? 132 : 66;
        /* The other sector of the pair, and, where L1 does not see it, the same sector. */
        for (int gap : gaps)
            run(who, blocks, 8, gap, 1);
        if (who >= CLUSTER)
            for (int gap : gaps)
                run(who, blocks, 0, gap, 1);
        run(who, blocks, 8, 0, 32);
    }
    /* The other pair of the line: misses by itself. */
    run(SAME_WARP, 66, 16, 0, 1);
    /* Who asks once for many: by size of the cluster, lines in flight, and time. */
    for (int size : {1, 2, 4, 8, 16})
        run_together(size, size, 64, 1, 1, 0, 0, 0);
    for (int size : {2, 4, 8, 16})
        run_together(112, size, 64, 1, 1, 0, 0, 0);
    for (int lanes : {4, 32})
        for (int depth : {1, 4, 16, 64})
            run_together(2, 2, 16, depth, lanes, 0, 0, 0), run_together(112, 8, 16, depth, lanes, 0, 0, 0);
    for (int gap : {0, 32, 64, 128, 200, 300, 400})
        run_together(2, 2, 64, 1, 32, gap, 0, 0);
    run_together(132, 132, 64, 1, 1, 0, 0, 1);
    run_together(132, 132, 64, 1, 32, 0, 0, 1);
    run_together(132, 132, 16, 16, 32, 0, 0, 1);
    for (int blocks : {1, 8, 32, 132, 264, 528, 1024, 4096}) {
        run_walsh(blocks, 8, 1);
        run_walsh(blocks, 8, 0);
    }
    run_walsh(1024, 16, 1);
    run_walsh(1024, 32, 1);
    run_walsh(1024, 4, 1);
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Latency of single loads, unloaded: by level, by lanes, by how rows of DRAM and pages are met; and few warps that stream. */
#include "micro.h"
#include <algorithm>
#include <vector>

/*
 * Each load is timed by itself: lane l reads word l * lane of place i. Its cycles go to shared memory, so that nothing of
 * the measurement reaches L1.
 */
__global__ void timed_loads(const uint32_t *words, uint32_t *cycles, int count, size_t place, int lanes, int lane, int past_l1, int wait)
{
    __shared__ uint32_t times[4096], room[32];
    const uint32_t *at = words + (threadIdx.x & 31) * lane + (size_t)blockIdx.x * place * count;

    for (int i = 0; i < count; i++) {
        uint32_t value = 0;
        long long begin = clock64();
        if ((int)threadIdx.x < lanes)
            value = past_l1 ? load_past_l1(at + i * place) : load(at + i * place);
        wait_for(room + threadIdx.x, value);
        long long end = clock64();
        if (threadIdx.x == 0)
            times[i] = (uint32_t)(end - begin);
        wait_cycles(wait);
    }
    __syncwarp();
    for (int i = threadIdx.x; i < count; i += 32)
        cycles[blockIdx.x * count + i] = times[i];
}

/* W warps a block stream: each reads `depth` lines, waits for all, reads the next. atax 2 in short. */
__global__ void streams(const uint32_t *words, uint32_t *cycles, int count, int depth, size_t row)
{
    __shared__ uint32_t room[256];
    size_t column = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t sum = 0;
    long long begin = clock64();

    for (int i = 0; i < count; i += depth) {
        uint32_t values[8];
#pragma unroll
        for (int k = 0; k < 8; k++)
            values[k] = k < depth ? load(words + (i + k) * row + column) : 0;
#pragma unroll
        for (int k = 0; k < 8; k++)
            sum += values[k];
    }
    wait_for(room + threadIdx.x, sum);
    long long end = clock64();
    if ((threadIdx.x & 31) == 0)
        cycles[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = (uint32_t)(end - begin);
}

/* A chase through `lines` places, `place` bytes apart, in an order without a pattern. */
__global__ void chase(const uint64_t *first, uint32_t *cycles, int steps)
{
    const uint64_t *at = first;
    long long begin = clock64();
    for (int i = 0; i < steps; i++)
        asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
    long long end = clock64();
    cycles[0] = (uint32_t)((end - begin) / steps);
    cycles[1] = (uint32_t)(uint64_t)at;
}

static uint32_t *words, *cycles;
static char *flushed;

/* Fills L2 with clean lines that nobody reads again. Dirty ones would be written back while the loads are timed. */
__global__ void read_all(const uint32_t *at, uint32_t *out, size_t count)
{
    uint32_t sum = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        sum += load_past_l1(at + i);
    if (sum == 0x12345)
        out[0] = sum;
}

static void flush(void)
{
    for (int i = 0; i < 3; i++)
        read_all<<<1056, 256>>>((const uint32_t *)flushed, cycles + (1 << 17), (size_t)64 << 20);
    CHECK(cudaDeviceSynchronize());
}

static void print(const char *name, int count)
{
    std::vector<uint32_t> t(count);
    double sum = 0;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(t.data(), cycles, 4 * count, cudaMemcpyDeviceToHost));
    for (uint32_t x : t)
        sum += x;
    std::sort(t.begin(), t.end());
    printf("%s mean=%.1f min=%u p10=%u p50=%u p90=%u p99=%u max=%u\n", name, sum / count, t[0], t[count / 10], t[count / 2],
           t[count * 9 / 10], t[count * 99 / 100], t[count - 1]);
    fflush(stdout);
}

static void run(const char *name, int count, size_t place, int lanes, int lane, int past_l1, int warm, int blocks, int wait = 1000)
{
    char text[200];
    flush();
    for (int i = 0; i <= warm; i++)
        timed_loads<<<blocks, 32>>>(words, cycles, count, place, lanes, lane, past_l1, wait);
    snprintf(text, sizeof text, "timed-load %s lanes=%d lane=%d place=%zu blocks=%d wait=%d", name, lanes, lane, place, blocks, wait);
    print(text, count * blocks);
}

static void run_chase(size_t place, size_t footprint)
{
    size_t count = footprint / place;
    std::vector<size_t> order(count);
    std::vector<uint64_t> next(1);
    uint32_t result = 0;
    uint64_t seed = 88172645463325252ull;
    int steps = (int)std::min<size_t>(count, 2048);

    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count - 1; i > 0; i--) {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        std::swap(order[i], order[seed % (i + 1)]);
    }
    /* Only what the chase meets is written. */
    size_t met = std::min<size_t>(count, 4096);
    for (size_t i = 0; i < met; i++) {
        uint64_t value = (uint64_t)((char *)words + order[(i + 1) % met] * place);
        CHECK(cudaMemcpy((char *)words + order[i] * place, &value, 8, cudaMemcpyHostToDevice));
    }
    flush();
    chase<<<1, 1>>>((const uint64_t *)((char *)words + order[0] * place), cycles, steps);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&result, cycles, 4, cudaMemcpyDeviceToHost));
    printf("chase place=%zu footprint=%zu cycles=%u\n", place, footprint, result);
    fflush(stdout);
}

int main()
{
    words = device_words((size_t)40 << 30);
    cycles = device_words(1 << 20);
    CHECK(cudaMalloc((void **)&flushed, (size_t)256 << 20));
    /* Hits of L1 and L2. */
    run("l1-hit", 256, 0, 1, 0, 0, 1, 1);
    run("l1-hit", 256, 0, 32, 1, 0, 1, 1);
    run("l1-hit", 256, 0, 32, 32, 0, 1, 1);
    run("l2-hit", 1024, 32, 1, 0, 1, 1, 1);
    run("l2-hit", 1024, 32, 32, 1, 1, 1, 1);
    run("l2-hit", 256, 1024, 32, 32, 1, 1, 1);
    /* DRAM: one sector, a line, 32 lines; lines near, a row of DRAM apart and far apart. */
    for (size_t place : {(size_t)32, (size_t)256, (size_t)2048, (size_t)16384, (size_t)131072, (size_t)1048576}) {
        run("dram", 1024, place, 1, 0, 0, 0, 1);
        run("dram", 1024, place, 32, 1, 0, 0, 1);
    }
    for (int wait : {0, 100, 300, 3000}) {
        run("dram", 1024, 256, 1, 0, 0, 0, 1, wait);
        run("dram", 1024, 16384, 1, 0, 0, 0, 1, wait);
    }
    run("dram", 256, 1024, 8, 8, 0, 0, 1);
    run("dram", 256, 1024, 4, 32, 0, 0, 1);
    run("dram", 256, 1024, 8, 32, 0, 0, 1);
    run("dram", 256, 1024, 16, 32, 0, 0, 1);
    run("dram", 256, 1024, 32, 32, 0, 0, 1);
    for (int blocks : {2, 8, 32, 132})
        run("dram-loaded", 256, 1024, 32, 1, 0, 0, blocks);
    for (int blocks : {1, 2, 16, 132})
        for (int warps : {1, 8})
            for (int depth : {1, 2, 4, 8}) {
                char text[100];
                flush();
                streams<<<blocks, warps * 32>>>(words, cycles, 512, depth, 1024 * 8);
                snprintf(text, sizeof text, "streams blocks=%d warps=%d depth=%d rows=512 pitch=32768", blocks, warps, depth);
                print(text, blocks * warps);
            }
    for (size_t mib : {1, 8, 16, 24, 32, 48, 64, 128, 256, 1024, 4096, 16384, 32768})
        run_chase(4096, mib << 20);
    for (size_t mib : {64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768})
        run_chase((size_t)2 << 20, mib << 20);
    return 0;
}

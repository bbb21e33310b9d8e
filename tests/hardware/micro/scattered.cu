/* SPDX-License-Identifier: BSD-2-Clause */
/* Latency of loads whose lanes go to words at random, each load behind the one before it, by how many warps do so at once. */
#include "micro.h"
#include <algorithm>
#include <vector>

/* Words hold 0. An address takes three instructions behind the load before it, and so many more cycles in all rows. */
template <bool past_l1>
__global__ void scattered(const uint32_t *words, uint32_t *cycles, uint32_t mask, uint32_t seed, int warm, int times, int lanes)
{
    const uint32_t lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    uint32_t place = (seed + warp * 32 + lane) * 2654435761u >> 3, value = 0;
    for (uint32_t at = threadIdx.x; warm && at <= mask; at += blockDim.x)
        value += load(words + at);
    __syncthreads();
    long long begin = clock64();
    if ((int)lane < lanes)
#pragma unroll 1
        for (int i = 0; i < times; i++) {
            place = (place + value) * 1664525u + 1013904223u;
            value = past_l1 ? load_past_l1(words + (place >> 5 & mask)) : load(words + (place >> 5 & mask));
        }
    asm volatile("" ::"r"(value) : "memory");
    __syncwarp();
    long long end = clock64();
    if (lane == 0)
        cycles[warp] = (uint32_t)(end - begin) + (value != 0);
}

static uint32_t *words, *cycles;

static void run(const char *where, size_t bytes, bool past_l1, bool warm, int blocks, int warps, int lanes)
{
    const int times = warm ? 400 : 100, count = blocks * warps;
    const uint32_t mask = (uint32_t)(bytes / 4) - 1;
    std::vector<uint32_t> t(count);
    double mean = 0;
    for (int i = 0; i < 2; i++) {
        static uint32_t seed; /* nobody finds in L2 what another launch has read there */
        seed += bytes > (size_t)64 << 20 ? 1u << 19 : 0;
        if (past_l1)
            scattered<true><<<blocks, 32 * warps>>>(words, cycles, mask, seed, warm, times, lanes);
        else
            scattered<false><<<blocks, 32 * warps>>>(words, cycles, mask, seed, warm, times, lanes);
        CHECK(cudaMemcpy(t.data(), cycles, 4 * count, cudaMemcpyDeviceToHost));
    }
    for (uint32_t x : t)
        mean += (double)x / times / count;
    std::sort(t.begin(), t.end());
    printf("scattered %s KiB=%zu blocks=%d warps=%d lanes=%d: mean=%.1f least=%.1f most=%.1f\n", where, bytes >> 10, blocks, warps, lanes, mean,
           (double)t[0] / times, (double)t[count - 1] / times);
    fflush(stdout);
}

int main()
{
    words = device_words((size_t)1 << 30);
    cycles = device_words(1 << 20);
    const int sms = sm_count();
    CHECK(cudaFuncSetAttribute(scattered<false>, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
    for (int i = 0; i < 20; i++)
        run("clocks", 8 << 20, true, false, sms, 32, 32);
    for (int warps : {1, 2, 4, 8, 16, 32})
        for (int lanes : {1, 2, 4, 8, 16, 32})
            run("l1", 64 << 10, false, true, 1, warps, lanes);
    for (int blocks : {1, sms})
        for (int warps : {1, 4, 8, 16, 32})
            for (int lanes : {1, 2, 4, 8, 16, 32})
                run("l2", 8 << 20, true, false, blocks, warps, lanes);
    for (int blocks : {1, sms})
        for (int warps : {1, 4, 8, 16, 32})
            for (int lanes : {1, 2, 4, 8, 16, 32})
                run("dram", (size_t)1 << 30, true, false, blocks, warps, lanes);
    finish();
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Cycles of an SM for a load of one warp that hits L1, by the lines and words that its lanes ask for. */
#include "micro.h"
#include <algorithm>
#include <vector>

struct pattern { uint32_t word[32]; int lanes; };

#define REPEATS 32
__global__ void loads(const uint32_t *words, pattern pattern, uint32_t *cycles, int zero)
{
    __shared__ unsigned long long begin, end;
    __shared__ uint32_t room[1024];
    int lane = threadIdx.x & 31;
    uint32_t sum = 0;
    const uint32_t *at = words + pattern.word[lane];
    bool active = lane < pattern.lanes;
    if (threadIdx.x == 0)
        begin = ~0ull, end = 0;
    if (active)
        sum = load(at);
    room[threadIdx.x] = sum;
    __syncthreads();
    unsigned long long from = clock64();
    if (active)
        for (int r = 0; r < 4; r++) {
            uint32_t v[REPEATS];
#pragma unroll
            for (int i = 0; i < REPEATS; i++)
                v[i] = load(at + sum + i * zero);
#pragma unroll
            for (int i = 0; i < REPEATS; i++)
                sum += v[i];
        }
    wait_for(room + threadIdx.x, sum);
    unsigned long long to = clock64();
    atomicMin(&begin, from);
    atomicMax(&end, to);
    __syncthreads();
    if (threadIdx.x == 0)
        *cycles = (uint32_t)(end - begin);
}

static uint32_t *words, *out;

static double run(const pattern &p)
{
    uint32_t least = ~0u;
    const int warps = 16;
    for (int i = 0; i < 3; i++) {
        uint32_t cycles;
        loads<<<1, 32 * warps>>>(words, p, out, 0);
        CHECK(cudaMemcpy(&cycles, out, 4, cudaMemcpyDeviceToHost));
        least = std::min(least, cycles);
    }
    return least / (double)(warps * REPEATS * 4);
}

int main()
{
    words = device_words((size_t)1 << 26);
    out = device_words(1 << 16);
    uint32_t r = 1;
    auto random = [&](uint32_t n) { return (uint32_t)(((uint64_t)(r = r * 1664525 + 1013904223) * n) >> 32); };
    pattern p = {};
    p.lanes = 32;
    for (int i = 0; i < 3; i++)
        run(p); /* clocks */
    for (int stride = 0; stride <= 130; stride++) {
        for (int i = 0; i < 32; i++)
            p.word[i] = i * stride;
        printf("stride words=%d: %.2f\n", stride, run(p));
    }
    for (int lines : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32})
        for (int apart : {1, 2, 4, 8, 16, 32, 3, 5}) {
            for (int i = 0; i < 32; i++)
                p.word[i] = (i % lines) * apart * 32 + i;
            printf("spread lines=%d apart=%d: %.2f\n", lines, apart, run(p));
        }
    for (int conflict : {1, 2, 4, 8, 16, 32})
        for (int lines : {1, 2, 4, 8, 16, 32}) {
            if (conflict > lines)
                continue;
            for (int i = 0; i < 32; i++)
                p.word[i] = (i % lines) * 32 + i / conflict;
            printf("conflict ways=%d lines=%d: %.2f\n", conflict, lines, run(p));
        }
    for (int lanes : {1, 2, 4, 8, 16, 32}) {
        p.lanes = lanes;
        for (int i = 0; i < 32; i++)
            p.word[i] = i * 33;
        printf("lanes=%d of as many lines: %.2f\n", lanes, run(p));
        for (int i = 0; i < 32; i++)
            p.word[i] = i;
        printf("lanes=%d of one line: %.2f\n", lanes, run(p));
    }
    p.lanes = 32;
    /* All lines of three bits of their number: 8 lines, no two lanes a bank. */
    for (int a = 0; a < 12; a++)
        for (int b = a + 1; b < 12; b++)
            for (int c = b + 1; c < 12; c++) {
                for (int i = 0; i < 32; i++)
                    p.word[i] = ((i & 1) << a | (i >> 1 & 1) << b | (i >> 2 & 1) << c) * 32 + i;
                printf("bits %d %d %d: %.2f\n", a, b, c, run(p));
            }
    for (int t = 0; t < 300; t++) {
        uint32_t line[32];
        for (int i = 0; i < 32; i++)
            line[i] = random(512), p.word[i] = line[i] * 32 + i;
        printf("random lines:");
        for (int i = 0; i < 32; i++)
            printf(" %u", line[i]);
        printf(": %.2f\n", run(p));
    }
    for (int t = 0; t < 100; t++) {
        for (int i = 0; i < 32; i++)
            p.word[i] = random(16384);
        printf("random words:");
        for (int i = 0; i < 32; i++)
            printf(" %u", p.word[i]);
        printf(": %.2f\n", run(p));
    }
    finish();
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* How many lines L1 holds, which of a set's leave, what becomes of lines on their way, and how many there may be. */
#include "micro.h"
#include <algorithm>
#include <cstring>
#include <vector>

#define LINE_WORDS 32
#define SLOW 200

struct lines { uint32_t at[32]; };
struct script { int8_t op[64]; };

static __device__ __forceinline__ uint32_t load_passing(const uint32_t *at)
{
    uint32_t value;
    asm volatile("ld.global.L1::no_allocate.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}

static __device__ __forceinline__ void wait_for(uint32_t value)
{
    __shared__ uint32_t room[32];
    wait_for(room + (threadIdx.x & 31), value);
}

static __device__ __forceinline__ uint32_t is_slow(const uint32_t *at, bool stays_out)
{
    long long begin = clock64();
    wait_for(stays_out ? load_passing(at) : load(at));
    return clock64() - begin > SLOW;
}

/* Reads `count` lines, then asks for each whether it is there, the last first, without bringing it. */
__global__ void held(const uint32_t *words, uint32_t *out, int count, int stride, int sectors)
{
    extern __shared__ uint32_t share[];
    uint32_t zero = 0, there = 0;
    for (int i = 0; i < count; i++)
        for (int s = 0; s < sectors; s++)
            zero += load(words + (size_t)i * stride * LINE_WORDS + s * 8 + zero);
#pragma unroll 1 /* or loads of several rounds are issued before the clock is read */
    for (int i = count - 1; i >= 0; i--)
        there += !is_slow(words + (size_t)i * stride * LINE_WORDS + zero, true);
    out[blockIdx.x] = there;
    if (count < 0)
        share[0] = 0;
}

/* A script of lines of one set, one after the other; then one is asked for. */
__global__ void scripted(const uint32_t *words, lines set, script script, int length, int asked, uint8_t *out)
{
    uint32_t zero = 0;
    for (int i = 0; i < length; i++)
        zero += load(words + (size_t)set.at[script.op[i]] * LINE_WORDS + zero);
    out[blockIdx.x] = (uint8_t)is_slow(words + (size_t)set.at[asked] * LINE_WORDS + zero, false);
}

/* Lanes 0..n-1 read a line each; so often, at once or each time behind the last. */
__global__ void again(const uint32_t *words, lines set, int n, int times, int waits)
{
    uint32_t lane = threadIdx.x, v[4] = {0, 0, 0, 0};
    const uint32_t *at = words + (size_t)set.at[lane] * LINE_WORDS;
    for (int i = 0; i < 4; i++) {
        if (i < times && (int)lane < n)
            v[i] = load(at);
        if (waits) {
            wait_for(v[i]);
            wait_cycles(waits);
        }
    }
    wait_for(v[0] + v[1] + v[2] + v[3]);
}

/* When the last of so many loads has been issued, and when the last is answered: of the GPU's memory, of the host's. */
__global__ void __launch_bounds__(1024) flight(const uint32_t *words, uint32_t *cycles, int count, int unit)
{
    __shared__ unsigned long long begin, issued, end;
    int thread = threadIdx.x;
    uint32_t v[4] = {0, 0, 0, 0}, sum = 0;
    if (thread == 0)
        begin = ~0ull, end = issued = 0;
    /* The pages are known. */
    if (thread < 8)
        sum += load_past_l1(words + ((size_t)thread << 19) + ((size_t)1 << 16) * 7 + 8);
    wait_for(sum);
    __syncthreads();
    unsigned long long from = clock64();
#pragma unroll
    for (int j = 0; j < 4; j++)
        if (thread + j * 1024 < count)
            v[j] = load(words + (size_t)(thread + j * 1024) * unit + sum);
    unsigned long long sent = clock64();
    wait_for(v[0] + v[1] + v[2] + v[3]);
    unsigned long long to = clock64();
    atomicMin(&begin, from);
    atomicMax(&issued, sent);
    atomicMax(&end, to);
    __syncthreads();
    if (thread == 0)
        cycles[0] = (uint32_t)(issued - begin), cycles[1] = (uint32_t)(end - begin);
}

static uint32_t *words, *out;

static void run_held(int shared, int count, int stride, int sectors)
{
    uint32_t there[132];
    CHECK(cudaFuncSetAttribute(held, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
    CHECK(cudaFuncSetAttribute(held, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    CHECK(cudaDeviceSynchronize());
    held<<<132, 1, shared>>>(words, out, count, stride, sectors);
    CHECK(cudaMemcpy(there, out, sizeof there, cudaMemcpyDeviceToHost));
    std::sort(there, there + 132);
    printf("held shared=%d stride=%d sectors=%d: of %d lines %u to %u\n", shared, stride, sectors, count, there[0], there[131]);
}

static void run_script(lines set, const char *text)
{
    script script;
    int length = 0, most = 0;
    for (const char *c = text; *c; c++)
        script.op[length++] = *c - 'A', most = std::max(most, *c - 'A');
    printf("script %s: gone", text);
    for (int asked = 0; asked <= most; asked++) {
        int gone = 0;
        uint8_t host[132];
        scripted<<<132, 1>>>(words, set, script, length, asked, (uint8_t *)out);
        CHECK(cudaMemcpy(host, out, 132, cudaMemcpyDeviceToHost));
        for (uint8_t each : host)
            gone += each;
        printf(" %c %d", 'A' + asked, gone);
    }
    printf(" of 132\n");
}

static void run_again(lines set, const char *what, int n, int times, int waits)
{
    printf("LAUNCH again %s lines=%d times=%d waits=%d\n", what, n, times, waits);
    again<<<1, 32>>>(words, set, n, times, waits);
    finish();
}

static void run_flight(const uint32_t *where, const char *what, int unit)
{
    for (int count = 256; count <= 4096; count += count < 1024 ? 128 : 512) {
        uint32_t c[2];
        flight<<<1, 1024>>>(where, out, count, unit);
        CHECK(cudaMemcpy(c, out, 8, cudaMemcpyDeviceToHost));
        printf("flight %s apart=%d count=%d: issued after %u cycles, answered after %u\n", what, unit * 4, count, c[0], c[1]);
    }
}

int main()
{
    /* Line 2^b of a page belongs to the set of the line below 512 with this number: sets.cu. */
    static const uint32_t upper[] = {113, 27, 374, 329, 57};
    lines set, spread;
    int n = 0;
    words = device_words((size_t)4 << 30);
    out = device_words((size_t)1 << 16);
    for (uint32_t line = 0; n < 32; line++) {
        uint32_t number = line & 511;
        for (int bit = 0; bit < 5; bit++)
            number ^= line >> (9 + bit) & 1 ? upper[bit] : 0;
        if (number == 5)
            set.at[n++] = line;
    }
    for (int i = 0; i < 32; i++)
        spread.at[i] = 1000 + i * 7;
    for (int lines : {1, 3, 4, 5, 6, 8, 12, 16, 24, 31})
        for (int times : {1, 2, 3, 4})
            for (int waits : {0, 1500})
                run_again(set, "one-set", lines, times, waits), run_again(spread, "spread", lines, times, waits);
    for (int shared : {0, 6000, 14000, 30000, 62000, 98000, 130000, 162000, 194000, 226000})
        for (int count : {1700, 1736, 1740, 1924, 1932, 2048, 3000})
            run_held(shared, count, 1, 1);
    for (int sectors : {1, 4})
        for (int stride : {1, 2, 3, 4, 5, 8, 64, 113, 1024, 4096})
            run_held(30000, 1600, stride, sectors);
    for (const char *text : {"ABCD", "ABCDE", "ABCDAE", "ABCDBE", "ABCDCE", "ABCDABE", "ABCDACE", "ABCDABCE", "ABCDDCBAE", "ABCDEF", "ABCDEA", "ABCDAEF", "ABCDAEBF", "ABABABCDE"})
        run_script(set, text);
    uint32_t *host;
    CHECK(cudaHostAlloc((void **)&host, (size_t)256 << 20, cudaHostAllocMapped));
    memset(host, 0, (size_t)256 << 20);
    run_flight(words + ((size_t)1 << 28), "device", 4096);
    run_flight(host, "host", 4096);
    finish();
    return 0;
}

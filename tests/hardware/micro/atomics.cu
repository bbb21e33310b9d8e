/* SPDX-License-Identifier: BSD-2-Clause */
/* Rates of reductions (no result), atomics (with one) and shared-memory atomics, by how lanes share addresses. */
#include "micro.h"

enum op { RED, ATOM, CAS, RED_FLOAT };
/* Where lanes go: all to one word; side by side in a line; each into a sector of its own; a line of its own; 256 counters at random. */
enum spread { ONE_WORD, LINE, SECTORS, LINES, COUNTERS };

static __device__ __forceinline__ uint32_t perform(int op, uint32_t *at, uint32_t value)
{
    uint32_t result = 0;
    if (op == RED)
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
    if (op == ATOM)
        asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(result) : "l"(at), "r"(value) : "memory");
    if (op == CAS)
        asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(result) : "l"(at), "r"(value), "r"(value + 1) : "memory");
    if (op == RED_FLOAT)
        asm volatile("red.global.add.f32 [%0], %1;" ::"l"(at), "f"(1.0f) : "memory");
    return result;
}

__global__ void atomics(uint32_t *words, uint32_t *out, int op, int spread, int share, int count)
{
    int lane = threadIdx.x & 31;
    size_t region = share ? 0 : blockIdx.x;
    uint32_t *base = words + region * 8192;
    uint32_t state = threadIdx.x + blockIdx.x * blockDim.x, sum = 0;

    for (int i = 0; i < count; i++) {
        int at = 0;
        if (spread == LINE)
            at = lane;
        if (spread == SECTORS)
            at = lane * 8;
        if (spread == LINES)
            at = lane * 32;
        if (spread == COUNTERS) {
            state = state * 1664525u + 1013904223u;
            at = state >> 24;
        }
        sum += perform(op, base + at, 1);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void shared_atomics(uint32_t *out, int op, int ways, int count)
{
    __shared__ uint32_t table[1024];
    int lane = threadIdx.x & 31;
    uint32_t sum = 0, *at;

    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        table[i] = 0;
    __syncthreads();
    /* `ways` lanes share a word; negative: they share a bank, not a word. */
    at = ways > 0 ? table + lane / ways : table + lane % -ways * 32 + lane / -ways;
    long long begin = clock64();
    for (int i = 0; i < count; i++) {
        if (op == RED)
            atomicAdd(at, 1u);
        else if (op == ATOM)
            sum += atomicAdd(at, 1u);
        else
            sum += atomicCAS(at, sum, sum + 1);
    }
    __syncthreads();
    long long end = clock64();
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum + at[0];
    if (threadIdx.x == 0)
        out[(1 << 20) - 1 - blockIdx.x] = (uint32_t)(end - begin);
}

static uint32_t *words, *out;

static void run(int op, int spread, int share, int blocks, int warps, int count)
{
    static const char *const ops[] = {"red", "atom", "cas", "red-float"};
    static const char *const spreads[] = {"one-word", "line", "sectors", "lines", "counters"};
    printf("LAUNCH atomics %s-%s share=%d blocks=%d warps=%d count=%d\n", ops[op], spreads[spread], share, blocks, warps, count);
    atomics<<<blocks, warps * 32>>>(words, out, op, spread, share, count);
    finish();
}

static void run_shared(int op, int ways, int warps)
{
    static const char *const ops[] = {"red", "atom", "cas"};
    uint32_t cycles = 0;
    printf("LAUNCH shared_atomics %s ways=%d warps=%d count=64", ops[op], ways, warps);
    shared_atomics<<<1, warps * 32>>>(out, op, ways, 64);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&cycles, out + (1 << 20) - 1, 4, cudaMemcpyDeviceToHost));
    printf(" cycles=%u\n", cycles);
    finish();
}

int main()
{
    int sms = sm_count();
    words = device_words((size_t)1 << 26);
    out = device_words((size_t)1 << 23);
    for (int op = RED; op <= RED_FLOAT; op++)
        for (int spread = ONE_WORD; spread <= COUNTERS; spread++)
            for (int share = 0; share <= 1; share++)
                run(op, spread, share, sms, 4, 32);
    for (int op = RED; op <= ATOM; op++) {
        run(op, ONE_WORD, 1, 1, 1, 64);
        run(op, LINE, 1, 1, 1, 64);
        run(op, SECTORS, 1, 1, 1, 64);
        run(op, LINES, 1, 1, 1, 64);
        run(op, COUNTERS, 1, 1, 1, 64);
        run(op, COUNTERS, 1, sms, 16, 32);
        run(op, LINE, 0, 1, 16, 64);
        run(op, ONE_WORD, 0, 1, 16, 64);
    }
    for (int op = RED; op <= CAS; op++)
        for (int warps : {1, 8})
            for (int ways : {1, 2, 4, 8, 16, 32, -2, -8, -32})
                run_shared(op, ways, warps);
    return 0;
}

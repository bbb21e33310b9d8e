/* SPDX-License-Identifier: BSD-2-Clause */
/* Bursts of one warp, unrolled: how many stores, or reads, of a sector or line leave L1 as one. */
#include "micro.h"

/* About 4 cycles each: a chain of multiply-adds of zero, which no compiler can see through. */
template <int COUNT> static __device__ __forceinline__ uint32_t chain(uint32_t zero)
{
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        asm volatile("mad.lo.u32 %0, %0, %0, %0;" : "+r"(zero));
    return zero;
}

/* `COUNT` stores go round `PLACES` places, `SPACING` multiply-adds apart; then nothing for 600 cycles. */
template <int COUNT, int PLACES, int SPACING> __global__ void stores(uint32_t *words, int rounds, int place, int fresh, uint32_t zero)
{
    uint32_t *base = words + (threadIdx.x >> 5) * (1 << 20);
    if ((threadIdx.x & 31) != 0)
        return;
    for (int i = 0; i < rounds; i++) {
        uint32_t value = zero;
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            value = chain<SPACING>(value);
            store(base + (k % PLACES) * 32 * place / 4 + (k / PLACES) % 8, value);
        }
        wait_cycles(600);
        base += fresh * 32 * 64;
    }
}

/* The same for reads: sector k / PLACES of line k % PLACES, lines new in each round. */
template <int COUNT, int PLACES, int SPACING> __global__ void loads(const uint32_t *words, int rounds, int lanes, uint32_t zero)
{
    const uint32_t *base = words + (threadIdx.x >> 5) * (1 << 20) + (threadIdx.x & 31) * 32;
    uint32_t sum = 0;
    if ((int)(threadIdx.x & 31) >= lanes)
        return;
    for (int i = 0; i < rounds; i++) {
        uint32_t value = zero;
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            value = chain<SPACING>(value);
            sum += load(base + (k % PLACES) * 32 * 32 + k / PLACES * 8 + value);
        }
        wait_cycles(2000);
        base += 32 * 32 * PLACES;
    }
    if (sum == 0x12345)
        asm volatile("st.global.u32 [%0], %1;" ::"l"(words), "r"(sum) : "memory");
}

static uint32_t *words;

template <int COUNT, int PLACES, int SPACING> static void run(int place, int fresh, int warps = 1)
{
    printf("LAUNCH burst-stores count=%d places=%d spacing=%d place=%d fresh=%d warps=%d rounds=64\n", COUNT, PLACES, SPACING,
           place * 32, fresh, warps);
    stores<COUNT, PLACES, SPACING><<<1, warps * 32>>>(words, 64, place, fresh, 0);
    finish();
}

template <int COUNT, int PLACES, int SPACING> static void run_loads(int lanes, int warps = 1)
{
    printf("LAUNCH burst-loads count=%d places=%d spacing=%d lanes=%d warps=%d rounds=32\n", COUNT, PLACES, SPACING, lanes, warps);
    loads<COUNT, PLACES, SPACING><<<1, warps * 32>>>(words, 32, lanes, 0);
    finish();
}

template <int PLACES> static void run_places(int place)
{
    for (int fresh = 0; fresh <= 1; fresh++)
        run<4 * PLACES, PLACES, 0>(place, fresh);
}

__global__ void transpose(uint32_t *to, const uint32_t *from, int n)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    to[(size_t)x * n + y] = from[(size_t)y * n + x];
}

int main()
{
    words = device_words((size_t)1 << 30);
    for (int fresh = 0; fresh <= 1; fresh++) {
        run<1, 1, 0>(4, fresh);
        run<2, 1, 0>(4, fresh);
        run<3, 1, 0>(4, fresh);
        run<4, 1, 0>(4, fresh);
        run<6, 1, 0>(4, fresh);
        run<8, 1, 0>(4, fresh);
        run<16, 1, 0>(4, fresh);
        run<64, 1, 0>(4, fresh);
        run<8, 1, 1>(4, fresh);
        run<8, 1, 2>(4, fresh);
        run<8, 1, 3>(4, fresh);
        run<8, 1, 4>(4, fresh);
        run<8, 1, 6>(4, fresh);
        run<8, 1, 8>(4, fresh);
        run<8, 1, 10>(4, fresh);
        run<8, 1, 12>(4, fresh);
        run<8, 1, 16>(4, fresh);
    }
    run_places<2>(4);
    run_places<3>(4);
    run_places<4>(4);
    run_places<8>(4);
    run_places<12>(4);
    run_places<15>(4);
    run_places<16>(4);
    run_places<17>(4);
    run_places<20>(4);
    run_places<24>(4);
    run_places<32>(4);
    /* Sectors of one line, and of two, four and eight. */
    run_places<4>(1);
    run_places<8>(1);
    run_places<16>(1);
    run_places<32>(1);
    for (int warps : {2, 4, 8}) {
        run<16, 1, 0>(4, 1, warps);
        run<64, 16, 0>(4, 1, warps);
        run<32, 8, 0>(4, 1, warps);
    }
    run_loads<1, 1, 0>(1);
    run_loads<2, 1, 0>(1);
    run_loads<2, 1, 1>(1);
    run_loads<2, 1, 2>(1);
    run_loads<2, 1, 3>(1);
    run_loads<2, 1, 4>(1);
    run_loads<2, 1, 6>(1);
    run_loads<2, 1, 8>(1);
    run_loads<2, 1, 12>(1);
    run_loads<4, 1, 0>(1);
    run_loads<4, 2, 0>(1);
    run_loads<8, 4, 0>(1);
    run_loads<16, 8, 0>(1);
    for (int lanes : {2, 4, 8, 16, 32}) {
        run_loads<2, 1, 0>(lanes);
        run_loads<4, 1, 0>(lanes);
    }
    for (int warps : {2, 4, 8, 32}) {
        run_loads<2, 1, 0>(1, warps);
        run_loads<2, 1, 0>(2, warps);
        run_loads<2, 1, 0>(8, warps);
    }
    for (int size : {1, 4, 16, 64}) {
        printf("LAUNCH transpose blocks=%dx%d n=1024\n", size, size == 1 ? 1 : 64);
        transpose<<<dim3(size, size == 1 ? 1 : 64), dim3(16, 16)>>>(words, words + (1 << 22), 1024);
        finish();
    }
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Cycles that requests take an SM's port to L2, and L2, by what they carry: sectors, whole or in part, read or written. */
#include "micro.h"
#include <algorithm>
#include <vector>

enum operation { LOAD, STORE, ADD };
static const char *const names[] = {"load.cg", "store", "red.add"};

/*
 * `run` lanes side by side take 4 * vector bytes each, side by side; such groups are in places of `unit` words. No place has a
 * pattern that is known to matter, and an address takes three instructions.
 */
template <int what, int vector>
__global__ void widths(uint32_t *words, uint32_t *cycles, uint32_t mask, int unit, int times, int run)
{
    __shared__ unsigned long long begin, end;
    __shared__ uint32_t room[1024];
    const uint32_t lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    uint32_t place = (warp * 64 + lane / run) * 2654435761u >> 7, sum = 0;
    uint32_t *first = words + lane % run * vector;
    if (threadIdx.x == 0)
        begin = ~0ull, end = 0;
    __syncthreads();
    unsigned long long from = clock64();
    for (int i = 0; i < times; i += 8) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            uint32_t *at = first + (size_t)((place += 40503u * 32 + 7) & mask) * unit;
            if (what == LOAD) {
                uint32_t a, b, c, d;
                if (vector == 4)
                    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(at) : "memory");
                else
                    a = load_past_l1(at), b = c = d = 0;
                sum += a + b + c + d;
            } else if (what == STORE && vector == 4) {
                store_four(at, i);
            } else if (what == STORE) {
                store(at, i);
            } else {
                asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(1) : "memory");
            }
        }
    }
    wait_for(room + threadIdx.x, sum);
    unsigned long long to = clock64();
    atomicMin(&begin, from);
    atomicMax(&end, to);
    __syncthreads();
    if (threadIdx.x == 0) {
        uint32_t sm;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        cycles[2 * blockIdx.x] = (uint32_t)(end - begin);
        cycles[2 * blockIdx.x + 1] = sm;
    }
}

static uint32_t *words, *cycles;

template <int what, int vector>
static void run_one(size_t bytes, int blocks, int warps, int run, bool each = false)
{
    cudaEvent_t event[3];
    for (auto &e : event)
        CHECK(cudaEventCreate(&e));
    const int unit = std::max(8, run * vector), times = 512;
    const uint32_t mask = (uint32_t)(bytes / 4 / unit) - 1;
    float best = 1e9f, longer = 1e9f;
    std::vector<uint32_t> t(2 * blocks);
    for (int i = 0; i < 5; i++) {
        float once, twice;
        widths<what, vector><<<blocks, warps * 32>>>(words, cycles, mask, unit, times, run);
        CHECK(cudaEventRecord(event[0]));
        widths<what, vector><<<blocks, warps * 32>>>(words, cycles, mask, unit, times, run);
        CHECK(cudaEventRecord(event[1]));
        widths<what, vector><<<blocks, warps * 32>>>(words, cycles, mask, unit, 2 * times, run);
        CHECK(cudaEventRecord(event[2]));
        CHECK(cudaEventSynchronize(event[2]));
        CHECK(cudaEventElapsedTime(&once, event[0], event[1]));
        CHECK(cudaEventElapsedTime(&twice, event[1], event[2]));
        best = std::min(best, once), longer = std::min(longer, twice);
    }
    CHECK(cudaMemcpy(t.data(), cycles, 8 * blocks, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (int i = 0; i < blocks; i++)
        sum += t[2 * i];
    const double places = (double)warps * times * 32 / run;
    printf("width %s bytes=%d KiB=%zu blocks=%d warps=%d: %.2f SM cycles a place, %.4f places/ns, %.1f bytes/ns\n", names[what], run * vector * 4,
           bytes >> 10, blocks, warps, sum / blocks / (2 * places), places * blocks / ((longer - best) * 1e6),
           places * blocks * run * vector * 4 / ((longer - best) * 1e6));
    if (each) {
        printf("its SMs:");
        for (int i = 0; i < blocks; i++)
            printf(" %u:%.2f", t[2 * i + 1], t[2 * i] / (2 * places));
        printf("\n");
    }
    fflush(stdout);
    for (auto &e : event)
        CHECK(cudaEventDestroy(e));
}

int main()
{
    words = device_words((size_t)1 << 29);
    cycles = device_words(1 << 20);
    const int sms = sm_count();
    for (int i = 0; i < 3; i++)
        run_one<LOAD, 1>(8 << 20, 2 * sms, 32, 1); /* clocks */
    for (int blocks : {1, 2, 18, sms}) {
        for (int run : {1, 2, 4, 8, 16, 32}) {
            run_one<LOAD, 1>(8 << 20, blocks, 32, run);
            run_one<STORE, 1>(8 << 20, blocks, 32, run);
            run_one<ADD, 1>(8 << 20, blocks, 32, run);
        }
        for (int run : {1, 2, 4, 8, 16, 32}) {
            run_one<LOAD, 4>(8 << 20, blocks, 32, run);
            run_one<STORE, 4>(8 << 20, blocks, 32, run);
        }
    }
    for (int blocks : {4, 8, 12, 16, 17, 18, 20, 24, 32, 48, 66, 96}) {
        run_one<LOAD, 4>(8 << 20, blocks, 32, 8, true);
        run_one<STORE, 1>(8 << 20, blocks, 32, 1, true);
    }
    finish();
    return 0;
}

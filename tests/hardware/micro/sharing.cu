/* SPDX-License-Identifier: BSD-2-Clause */
/* Which SMs' reads of a sector become one before L2: two SMs read the same lines at the same time, all other SMs nothing. */
#include "micro.h"

static __device__ unsigned arrived;

/*
 * One block an SM. SM `first` reads the sectors of `first_mask` in each line, SM `second` those of `second_mask`, both at
 * a common value of the GPU's timer.
 */
__global__ void together(const uint32_t *words, int first, int second, int first_mask, int second_mask, int rounds)
{
    __shared__ uint32_t room[32];
    int sm, lane = threadIdx.x & 31, mask;
    uint32_t value = 0;

    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (sm != first && sm != second)
        return;
    mask = sm == first ? first_mask : second_mask;
    for (int i = 0; i < rounds; i++) {
        if (threadIdx.x == 0) {
            atomicAdd(&arrived, 1);
            while (atomicAdd(&arrived, 0) < 2u * (i + 1)) {
            }
            wait_for_tick();
        }
        __syncwarp();
        /* Eight lines a load, each lane a sector. */
        if (mask >> (lane & 3) & 1)
            value = load(words + (size_t)(i * 8 + lane / 4) * 32 * 37 + (lane & 3) * 8);
        wait_for(room + lane, value);
        wait_cycles(3000);
    }
}

static uint32_t *words;

static void run(int sms, int first, int second, int first_mask, int second_mask)
{
    unsigned zero = 0;
    CHECK(cudaMemcpyToSymbol(arrived, &zero, sizeof zero));
    printf("LAUNCH sharing first=%d second=%d masks=%x,%x rounds=8 lines=64\n", first, second, first_mask, second_mask);
    together<<<sms, 32, 200 << 10>>>(words, first, second, first_mask, second_mask, 8);
    finish();
}

int main(int count, char **arguments)
{
    int sms = sm_count();
    words = device_words((size_t)1 << 28);
    CHECK(cudaFuncSetAttribute(together, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    for (int second_mask : {0xf, 0x1, 0x3, 0x6, 0x8}) {
        run(sms, 0, 1, 0xf, second_mask);
        run(sms, 0, 1, second_mask, 0xf);
        run(sms, 0, 1, 0x3, second_mask);
    }
    for (int first : {0, 1, 36, 131})
        for (int second = 0; second < sms; second++)
            if (second != first)
                run(sms, first, second, 0x1, 0x1);
    return 0;
}

/* Stores of all SMs to one line, or a few, each parted by stores to lines of the SM's own, so that nothing goes together in L1. */
#include "micro.h"
#include <algorithm>

enum { STORES = 0, LOADS_BESIDE = 2 /* every other warp loads */, ADDS = 3 };

__global__ void hot(uint32_t *words, uint32_t *own, int lines, int apart, int between, int times, int what)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (threadIdx.x % 32)
        return;
    uint32_t *mine = own + (size_t)warp * 32 * 64;
    uint32_t sum = 0;
    for (int i = 0; i < times; i++) {
        uint32_t *at = words + (size_t)((warp * 7 + i) % lines) * apart;
        if (what == ADDS)
            atomicAdd(at, 1u);
        else if (what == LOADS_BESIDE && warp & 1)
            sum += load_past_l1(at);
        else
            store(at, i);
        for (int k = 0; k < between; k++)
            store(mine + k * 32, i);
    }
    if (sum == 12345)
        own[0] = sum;
}

int main()
{
    uint32_t *words = device_words((size_t)1 << 26), *own = device_words((size_t)1 << 29);
    cudaEvent_t e[3];
    for (auto &x : e)
        CHECK(cudaEventCreate(&x));
    for (int what : {STORES, LOADS_BESIDE, ADDS})
        for (int blocks : {16, 66, 132})
            for (int warps : {1, 4})
                for (int lines : {1, 4, 64})
                    for (int between : {0, 4, 17}) {
                        float best = 1e9f, longer = 1e9f;
                        for (int i = 0; i < 3; i++) {
                            float a, b;
                            CHECK(cudaEventRecord(e[0]));
                            hot<<<blocks, warps * 32>>>(words, own, lines, 32, between, 200, what);
                            CHECK(cudaEventRecord(e[1]));
                            hot<<<blocks, warps * 32>>>(words, own, lines, 32, between, 400, what);
                            CHECK(cudaEventRecord(e[2]));
                            CHECK(cudaEventSynchronize(e[2]));
                            CHECK(cudaEventElapsedTime(&a, e[0], e[1]));
                            CHECK(cudaEventElapsedTime(&b, e[1], e[2]));
                            best = std::min(best, a), longer = std::min(longer, b);
                        }
                        const double n = (double)blocks * warps * 200, ns = (longer - best) * 1e6;
                        printf("hot what=%d blocks=%d warps=%d lines=%d between=%d hot/ns=%.4f all/ns=%.3f ns-a-turn=%.1f\n",
                               what, blocks, warps, lines, between, n / ns, n * (1 + between) / ns, ns / 200);
                    }
    finish();
    return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Working sets that do not quite fit L1, by warps an SM. */
#include "micro.h"

__global__ void warp_reuse(float *out, const float *in, int lines, int rounds)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    const float *at = in + (i / 32) * lines * 32 + i % 32;
    float sum = 0;
    for (int r = 0; r < rounds; r++)
        for (int k = 0; k < lines; k++)
            sum += __ldca(at + k * 32);
    out[i] = sum;
}

__global__ void private_reuse(float *out, const float *in, int words, int rounds)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    const float *at = in + i * words;
    float sum = 0;
    for (int r = 0; r < rounds; r++)
        for (int k = 0; k < words; k++)
            sum += __ldca(at + k);
    out[i] = sum;
}

int main()
{
    float *in = (float *)device_words((size_t)1 << 29), *out = (float *)device_words((size_t)1 << 26);
    int sms = sm_count();
    CHECK(cudaFuncSetAttribute(warp_reuse, cudaFuncAttributePreferredSharedMemoryCarveout, 14));
    CHECK(cudaFuncSetAttribute(private_reuse, cudaFuncAttributePreferredSharedMemoryCarveout, 14));
    for (int words : {8, 16, 24, 32, 48})
        for (int blocks : {1, 2, 4, 8, 12, 16})
            for (int rounds : {4}) {
                printf("LAUNCH private_reuse words=%d warps=%d rounds=%d\n", words, blocks * 4, rounds);
                private_reuse<<<sms * blocks, 128>>>(out, in, words, rounds);
                finish();
            }
    for (int warps : {1, 2, 4})
        for (int words : {8, 32}) {
            printf("LAUNCH private_reuse words=%d warps=%d rounds=4 alone\n", words, warps);
            private_reuse<<<sms, 32 * warps>>>(out, in, words, 4);
            finish();
        }
    for (int rounds : {1, 2, 8}) {
        printf("LAUNCH private_reuse words=32 warps=64 rounds=%d\n", rounds);
        private_reuse<<<sms * 16, 128>>>(out, in, 32, rounds);
        finish();
    }
    for (int lines : {12, 20, 24, 26, 28, 30, 32, 36, 40, 44, 48, 64})
        for (int blocks : {8}) {
            printf("LAUNCH warp_reuse lines=%d warps=%d rounds=8\n", lines, blocks * 8);
            warp_reuse<<<sms * blocks, 256>>>(out, in, lines, 8);
            finish();
        }
    for (int warps : {8, 16, 32})
        for (int total : {1536, 1664, 1792, 2048, 2560}) {
            printf("LAUNCH warp_reuse lines=%d warps=%d rounds=8\n", total / warps, warps);
            warp_reuse<<<sms * warps / 8, 256>>>(out, in, total / warps, 8);
            finish();
        }
    return 0;
}

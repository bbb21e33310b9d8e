/* SPDX-License-Identifier: BSD-2-Clause */
/* How a launch begins and ends: small ones, for a profiler. With an argument L2 has their data. */
#include "micro.h"

__global__ void empty(float *out) { if (out == nullptr) __trap(); }
__global__ void read_only(float *out, const float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i] != 0) out[i] = 1;
}
__global__ void write_only(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 1;
}
__global__ void write_many(float *out, int n, int times)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < times; k++)
        out[i + (size_t)k * n] = 1;
}
__global__ void copy(float *out, const float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i];
}
__global__ void vecadd(float *out, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}
/* Loads that depend on each other, and nothing else. */
__global__ void read_chain(float *out, const int *a, int times)
{
    int at = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 1024;
    for (int k = 0; k < times; k++)
        at += a[at] + 32;
    if (at == 12345) out[0] = 1;
}
/* So many multiply-adds behind one another, without a loop: code that is long. */
template <int ADDS> __global__ void adds(float *out, float x)
{
    float v = threadIdx.x;
#pragma unroll
    for (int k = 0; k < ADDS; k++)
        v = v * x + (float)k;
    if (v == 12345) out[0] = v;
}

static uint32_t *a;

int main(int argc, char **)
{
    const bool warmed = argc > 1;
    a = device_words((size_t)1 << 30);
    float *out = (float *)device_words((size_t)1 << 28), *in = (float *)a, *b = in + (1 << 26);
    const int n_sms = sm_count();
    auto prepare = [&]() {
        if (!warmed)
            return;
        sweep<<<2 * n_sms, 512>>>(a, (size_t)1 << 20);
        sweep<<<2 * n_sms, 512>>>(a + (1 << 26), (size_t)1 << 20);
        CHECK(cudaDeviceSynchronize());
    };
    for (int blocks : {1, 132, 264, 528, 1056, 2048, 4096}) {
        int n = blocks * 256;
#define RUN(name, ...)                                                    \
    prepare();                                                            \
    printf("LAUNCH " #name " blocks=%d\n", blocks);                       \
    name<<<blocks, 256>>>(__VA_ARGS__);                                   \
    finish();
        RUN(empty, out)
        RUN(read_only, out, in, n)
        RUN(write_only, out, n)
        RUN(copy, out, in, n)
        RUN(vecadd, out, in, b, n)
        if (blocks <= 264) {
            for (int times : {1, 2, 4, 8}) {
                prepare();
                printf("LAUNCH read_chain times=%d blocks=%d\n", times, blocks);
                read_chain<<<blocks, 256>>>(out, (const int *)in, times);
                finish();
            }
            for (int times : {1, 2, 4, 8, 16, 32}) {
                prepare();
                printf("LAUNCH write_many times=%d blocks=%d\n", times, blocks);
                write_many<<<blocks, 256>>>(out, n, times);
                finish();
            }
            RUN(adds<16>, out, 0.5f)
            RUN(adds<128>, out, 0.5f)
            RUN(adds<512>, out, 0.5f)
            RUN(adds<2048>, out, 0.5f)
        }
    }
    for (int threads : {32, 64, 128, 256, 512, 1024}) {
        printf("LAUNCH empty threads=%d blocks=128\n", threads);
        empty<<<128, threads>>>(out);
        finish();
        printf("LAUNCH read_only threads=%d blocks=128\n", threads);
        read_only<<<128, threads>>>(out, in, 128 * threads);
        finish();
        printf("LAUNCH copy threads=%d blocks=128\n", threads);
        copy<<<128, threads>>>(out, in, 128 * threads);
        finish();
    }
    return 0;
}

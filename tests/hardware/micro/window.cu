/* SPDX-License-Identifier: BSD-2-Clause */
/* A line that all SMs, or one, have read is written by one of them, and read by another some cycles later. */
#include "micro.h"
#include <algorithm>
#include <vector>

enum { N = 48 };
static __device__ void meet(volatile unsigned *count, unsigned all) {
    __threadfence();
    atomicAdd((unsigned *)count, 1u);
    while (*count < all) {}
}
/*
 * Block `writer` writes line i 1,500 cycles after all have met (what: 0 nothing, 1 a word, 3 half a sector), and a fence follows;
 * block `reader`, and others, read it `delay` cycles after they have met.
 */
__global__ void window(uint32_t *lines, volatile unsigned *count, int writer, int reader, int what, int delay, int shared_by_all,
                       int readers, uint32_t *fence, uint32_t *out)
{
    __shared__ uint32_t room;
    const int block = (int)blockIdx.x;
    unsigned met = 0;
    for (int i = 0; i < N; i++) {
        uint32_t *line = lines + (size_t)i * 33 * 32;
        uint32_t x = 0;
        if (shared_by_all || block == reader)
            x = load_past_l1(line);
        wait_for(&room, x);
        wait_cycles(1000);
        meet(count, met += gridDim.x);
        if (block == writer) {
            wait_cycles(1500);
            long long begin = clock64();
            if (what == 1)
                store(line, 0);
            if (what == 3)
                store_four(line, 0);
            __threadfence();
            fence[i] = (uint32_t)(clock64() - begin);
        }
        if (block == reader || (block % 8 == reader % 8 && block < 8 * readers && block != writer && readers > 1)) {
            wait_cycles(delay);
            long long begin = clock64();
            x = load_past_l1(line);
            wait_for(&room, x);
            if (block == reader)
                out[i] = (uint32_t)(clock64() - begin);
        }
        wait_cycles(4000);
    }
}
static uint32_t *lines, *out, *fence;
static unsigned *count;

/* Mean and most of the load's cycles, and of the writer's with its fence, of two launches. */
static void run_one(int writer, int reader, int readers, int shared_by_all, int what, int delay)
{
    std::vector<uint32_t> t[2] = {std::vector<uint32_t>(N), std::vector<uint32_t>(N)};
    double sum[2] = {0, 0};
    uint32_t most[2] = {0, 0};
    for (int turn = 0; turn < 2; turn++) {
        CHECK(cudaMemset(count, 0, 4));
        window<<<132, 1>>>(lines, count, writer, reader, what, delay, shared_by_all, readers, fence, out);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(t[0].data(), out, 4 * N, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(t[1].data(), fence, 4 * N, cudaMemcpyDeviceToHost));
        for (int k = 0; k < 2; k++)
            for (uint32_t v : t[k])
                sum[k] += v, most[k] = std::max(most[k], v);
    }
    printf(" %.0f/%u,%.0f/%u", sum[0] / N / 2, most[0], sum[1] / N / 2, most[1]);
}

int main()
{
    lines = device_words(1 << 24), out = device_words(4096), fence = device_words(4096);
    count = (unsigned *)device_words(128);
    for (int writer : {0, 2})
        for (int reader : {4, 3})
            for (int readers : {1, 8})
                for (int shared_by_all : {1, 0})
                    for (int what : {0, 1, 3}) {
                        printf("window shared=%d writer=%d reader=%d readers=%d what=%d:", shared_by_all, writer, reader,
                               readers, what);
                        for (int delay = 1000; delay <= 1800; delay += 20)
                            run_one(writer, reader, readers, shared_by_all, what, delay);
                        printf("\n");
                        fflush(stdout);
                    }
    return 0;
}

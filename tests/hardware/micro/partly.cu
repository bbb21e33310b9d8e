/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads of sectors of which a part has just been written: lines that L2 has not, and lines that it has. */
#include "micro.h"
#include <algorithm>
#include <vector>

enum { N = 256 };
/* One lane: for each of N lines, write `bytes` bytes at its begin, wait, load the word at `at`; the load's cycles. */
__global__ void partly(uint32_t *words, size_t step, int bytes, int wait, int at, uint32_t *out)
{
    __shared__ uint32_t room;
    for (int i = 0; i < N; i++) {
        uint32_t *line = words + (size_t)i * step;
        for (int k = 0; k < bytes; k += 16) {
            if (bytes == 4)
                store(line, 0);
            else
                store_four(line + k / 4, 0);
        }
        wait_cycles(wait);
        long long begin = clock64();
        uint32_t x = load_past_l1(line + at / 4);
        wait_for(&room, x);
        out[i] = (uint32_t)(clock64() - begin);
        wait_cycles(3000);
    }
}
int main()
{
    uint32_t *words = device_words((size_t)1 << 29), *other = device_words((size_t)1 << 28), *out = device_words(4096);
    const size_t step = 33 * 32; /* 33 lines */
    for (int warm : {0, 1, 2})
        for (int bytes : {0, 4, 16, 32, 64, 128})
            for (int wait : {0, 200, 1000, 5000})
                for (int at : {0, 8, 32, 64}) {
                    if (bytes == 0 && wait)
                        continue;
                    sweep<<<264, 512>>>(other, (size_t)1 << 26);
                    if (warm == 1)
                        sweep<<<264, 512>>>(words, (size_t)N * step);
                    if (warm == 2) /* again, lines that were written */
                        partly<<<1, 1>>>(words, step, bytes, wait, at, out);
                    partly<<<1, 1>>>(words, step, bytes, wait, at, out);
                    finish();
                    std::vector<uint32_t> t(N);
                    CHECK(cudaMemcpy(t.data(), out, 4 * N, cudaMemcpyDeviceToHost));
                    std::sort(t.begin(), t.end());
                    double sum = 0;
                    for (uint32_t x : t)
                        sum += x;
                    static const char *const how[] = {"cold", "warm", "again"};
                    printf("partly %s bytes=%d wait=%d at=%d mean=%.1f p10=%u p50=%u p90=%u max=%u\n", how[warm], bytes, wait,
                           at, sum / N, t[N / 10], t[N / 2], t[N * 9 / 10], t[N - 1]);
                }
    return 0;
}

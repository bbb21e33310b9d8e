/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts shared by the programs of the folder. Each launch prints a line; the lines follow Nsight Compute's numbers. */
#ifndef MICRO_H
#define MICRO_H
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                                               \
    do {                                                                                          \
        cudaError_t check_status = (call);                                                        \
        if (check_status != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(check_status)); \
            exit(1);                                                                              \
        }                                                                                         \
    } while (0)

/* Loop by the SM's clock: only ALU work, for about `cycles` cycles. */
static __device__ __forceinline__ void wait_cycles(long long cycles) {
    if (cycles <= 0)
        return;
    long long begin = clock64();
    while (clock64() - begin < cycles) {}
}

static __device__ __forceinline__ uint32_t load(const uint32_t *at) {
    uint32_t value;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}

static __device__ __forceinline__ uint32_t load_past_l1(const uint32_t *at) {
    uint32_t value;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}

static __device__ __forceinline__ void store(uint32_t *at, uint32_t value) {
    asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

static __device__ __forceinline__ uint32_t load_byte(const void *at) {
    uint32_t value;
    asm volatile("ld.global.u8 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}

static __device__ __forceinline__ void store_byte(void *at, uint32_t value) {
    asm volatile("st.global.u8 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

static __device__ __forceinline__ void store_four(uint32_t *at, uint32_t value) {
    asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(at), "r"(value) : "memory");
}

/* Wait for a loaded value. Warps issue in order: instructions behind the store begin when the value has arrived. */
static __device__ __forceinline__ void wait_for(uint32_t *room, uint32_t value) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"((uint32_t)__cvta_generic_to_shared(room)), "r"(value) : "memory");
}

/* Wait for a multiple of 4,096 ns, 4,096 to 8,192 ns ahead, of the timer shared by the SMs. */
static __device__ __forceinline__ void wait_for_tick(void) {
    uint64_t timer, start;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    start = (start + 8192) & ~(uint64_t)4095;
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(timer));
    while (timer < start);
}

static __device__ __forceinline__ uint32_t mix(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/* Bring every sector to L2; a sweep of other memory evicts earlier contents. */
static __global__ void sweep(const uint32_t *a, size_t words) {
    uint32_t sum = 0;
    for (size_t i = (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * 8; i < words;
         i += (size_t)gridDim.x * blockDim.x * 8)
        sum += load_past_l1(a + i);
    if (sum == 12345) /* keeps the compiler from removing loads */
        printf("%u", sum);
}

static inline int sm_count(void) {
    int count = 0;
    CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
    return count;
}

static inline uint32_t *device_words(size_t bytes) {
    void *memory = nullptr;
    CHECK(cudaMalloc(&memory, bytes));
    CHECK(cudaMemset(memory, 0, bytes));
    CHECK(cudaDeviceSynchronize());
    return static_cast<uint32_t *>(memory);
}

static inline void finish(void) {
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    fflush(stdout);
}
#endif

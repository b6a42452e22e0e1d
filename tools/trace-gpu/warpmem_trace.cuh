/*
 * warpmem_trace.cuh -- traces a kernel on the GPU itself: pointers are wrapped,
 * every access through them is noted, a host thread writes them to a .wmt file.
 * docs/TRACING.md, section 2.
 *
 *     __global__ void saxpy(int n, float a, warpmem::ptr<const float> x,
 *                           warpmem::ptr<float> y)
 *     {
 *         int i = blockIdx.x * blockDim.x + threadIdx.x;
 *         if (i < n) {
 *             y[i] = a * x[i] + y[i];
 *         }
 *     }
 *
 *     warpmem::session trace("saxpy.wmt");
 *     trace.begin("saxpy", grid, block);
 *     saxpy<<<grid, block>>>(n, 2.0f, trace.wrap(x), trace.wrap(y));
 *     trace.end();     waits for the kernel
 *     trace.close();   or the destructor, which cannot report
 *
 * nvcc -std=c++17 -I DIR program.cu -lwarpmem_drain -lz -llzma, for sm_70 and
 * later.
 *
 * Not modelled  shared and local memory, accesses not through wrapped
 *               pointers, instructions between accesses.  Lanes count as
 *               together when __activemask() says so: as the GPU ran them.
 * Errors        std::runtime_error, with the reason.
 * Threads       one launch at a time per session, on any stream.
 * Cost          some 300 bytes over the bus per warp access; warps wait while
 *               the ring is full, nothing is dropped.
 */
#ifndef WARPMEM_TRACE_CUH
#define WARPMEM_TRACE_CUH

#include <cuda_runtime.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>

#include "warpmem_drain.h"

namespace warpmem
{

/* What the device needs: in host memory that both see, but for the head. */
struct ring {
    wm_drain_slot *slots;
    unsigned long long *head;          /* next ticket */
    volatile unsigned long long *tail; /* slots the host has taken */
    unsigned long long n_slots;
};

/* An index that knows the line it was written on. */
struct index {
    long long value;
    unsigned line;
    template <class I>
    __host__ __device__ constexpr index(I i, unsigned l = __builtin_LINE())
        : value((long long)i), line(l)
    {
    }
};

__device__ inline void note(const ring &r, const void *address, unsigned width,
                            unsigned op, unsigned pointer, unsigned line)
{
    unsigned mask = __activemask();
    unsigned thread =
        (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned lane = thread & 31u;
    unsigned leader = (unsigned)__ffs((int)mask) - 1u;
    unsigned long long ticket = 0;
    if (lane == leader) {
        ticket = atomicAdd(r.head, 1ull);
        while (ticket - *r.tail >= r.n_slots) {
        }
    }
    ticket = __shfl_sync(mask, ticket, (int)leader);
    wm_drain_slot *slot = &r.slots[ticket % r.n_slots];
    slot->address[lane] = (uint64_t)address;
    if (lane == leader) {
        slot->block = blockIdx.x + (unsigned long long)gridDim.x *
                                       (blockIdx.y +
                                        (unsigned long long)gridDim.y *
                                            blockIdx.z);
        slot->warp = thread / 32u;
        slot->mask = mask;
        slot->line = line;
        slot->op = (uint8_t)op;
        slot->width = (uint8_t)width;
        slot->pointer = (uint16_t)pointer;
    }
    __threadfence_system();
    __syncwarp(mask);
    if (lane == leader) {
        *(volatile uint64_t *)&slot->sequence = ticket + 1;
    }
}

/* What p[i] is: reading it is a load, writing it a store. */
template <class T> class reference
{
  public:
    __device__ reference(const ring &r, T *place, unsigned pointer,
                         unsigned line)
        : ring_(r), place_(place), pointer_(pointer), line_(line)
    {
    }
    __device__ operator T() const
    {
        note(ring_, place_, sizeof(T), WM_DRAIN_LOAD, pointer_, line_);
        return *place_;
    }
    template <class V> __device__ T operator=(const V &value) const
    {
        note(ring_, place_, sizeof(T), WM_DRAIN_STORE, pointer_, line_);
        return *place_ = (T)value;
    }
    __device__ T operator=(const reference &other) const
    {
        return *this = (T)other;
    }
    template <class V> __device__ T operator+=(const V &v) const
    {
        return *this = (T)*this + v;
    }
    template <class V> __device__ T operator-=(const V &v) const
    {
        return *this = (T)*this - v;
    }
    template <class V> __device__ T operator*=(const V &v) const
    {
        return *this = (T)*this * v;
    }

  private:
    const ring &ring_;
    T *place_;
    unsigned pointer_, line_;
};

template <class T> class ptr
{
  public:
    __host__ __device__ ptr(const ring &r, T *start, unsigned number)
        : ring_(r), start_(start), number_(number)
    {
    }
    __device__ reference<T> operator[](index i) const
    {
        return reference<T>(ring_, start_ + i.value, number_, i.line);
    }
    __device__ reference<T> at(long long i,
                               unsigned line = __builtin_LINE()) const
    {
        return reference<T>(ring_, start_ + i, number_, line);
    }
    template <class V>
    __device__ T atomic_add(index i, V value) const
    {
        note(ring_, start_ + i.value, sizeof(T), WM_DRAIN_ATOMIC, number_,
             i.line);
        return atomicAdd(start_ + i.value, (T)value);
    }
    __host__ __device__ ptr operator+(long long n) const
    {
        return ptr(ring_, start_ + n, number_);
    }
    /* For accesses that are not to be noted. */
    __host__ __device__ T *get() const
    {
        return start_;
    }

  private:
    ring ring_;
    T *start_;
    unsigned number_;
};

/* The host's side. */
class session
{
  public:
    explicit session(const char *path, size_t n_slots = 65536)
        : drain_(wm_drain_open(path))
    {
        if (drain_ == nullptr) {
            throw std::runtime_error("warpmem: out of memory");
        }
        void *head = nullptr, *slots = nullptr, *tail = nullptr;
        check(cudaMalloc(&head, sizeof(unsigned long long)));
        check(cudaHostAlloc(&slots, n_slots * sizeof(wm_drain_slot),
                            cudaHostAllocMapped));
        check(cudaHostAlloc(&tail, sizeof(unsigned long long),
                            cudaHostAllocMapped));
        ring_.head = (unsigned long long *)head;
        ring_.slots = (wm_drain_slot *)slots;
        ring_.tail = (volatile unsigned long long *)tail;
        ring_.n_slots = n_slots;
    }
    session(const session &) = delete;
    session &operator=(const session &) = delete;
    ~session()
    {
        stop();
        if (drain_ != nullptr) {
            (void)wm_drain_close(drain_, nullptr, 0);
        }
        cudaFree(ring_.head);
        cudaFreeHost(ring_.slots);
        cudaFreeHost((void *)ring_.tail);
    }
    /* A device pointer for a kernel; pointers are told apart in the trace. */
    template <class T> ptr<T> wrap(T *device)
    {
        return ptr<T>(ring_, device, n_pointers_++);
    }
    /* A copy from the host that the trace should know of. */
    void copy(const void *device, size_t n_bytes)
    {
        check(wm_drain_copy(drain_, (uint64_t)device, n_bytes));
    }
    void begin(const char *kernel, dim3 grid, dim3 block, size_t shared = 0)
    {
        int device = 0, major = 0, minor = 0;
        check(cudaGetDevice(&device));
        check(cudaDeviceGetAttribute(&major,
                                     cudaDevAttrComputeCapabilityMajor,
                                     device));
        check(cudaDeviceGetAttribute(&minor,
                                     cudaDevAttrComputeCapabilityMinor,
                                     device));
        wm_drain_launch_info info = {};
        info.name = kernel;
        info.grid[0] = grid.x, info.grid[1] = grid.y, info.grid[2] = grid.z;
        info.block[0] = block.x, info.block[1] = block.y;
        info.block[2] = block.z;
        info.shared_bytes = (uint32_t)shared;
        info.sm_version = (uint32_t)(10 * major + minor);
        check(wm_drain_launch(drain_, &info));
        for (unsigned long long i = 0; i < ring_.n_slots; i++) {
            ring_.slots[i].sequence = 0;
        }
        *ring_.tail = 0;
        check(cudaMemset(ring_.head, 0, sizeof(unsigned long long)));
        check(cudaDeviceSynchronize());
        is_ending_ = false;
        thread_ = std::thread([this] { drain(); });
    }
    void end()
    {
        cudaError_t outcome = cudaDeviceSynchronize();
        stop();
        check(outcome);
        check(wm_drain_launch_end(drain_));
    }
    void close()
    {
        char text[512];
        wm_drain *drain = drain_;
        drain_ = nullptr;
        if (wm_drain_close(drain, text, sizeof(text)) != 0) {
            throw std::runtime_error(std::string("warpmem: ") + text);
        }
    }

  private:
    static void check(cudaError_t outcome)
    {
        if (outcome != cudaSuccess) {
            throw std::runtime_error(std::string("warpmem: ") +
                                     cudaGetErrorString(outcome));
        }
    }
    void check(int outcome)
    {
        if (outcome != 0) {
            throw std::runtime_error(std::string("warpmem: ") +
                                     wm_drain_message(drain_));
        }
    }
    /* The host thread: slots in the order of their tickets, until the kernel
     * has ended and the next slot is not there.  After a failure it goes on
     * taking, so that the kernel can end. */
    void drain()
    {
        for (unsigned long long taken = 0;;) {
            const wm_drain_slot *slot = &ring_.slots[taken % ring_.n_slots];
            bool was_ending = is_ending_;
            if (*(const volatile uint64_t *)&slot->sequence == taken + 1) {
                std::atomic_thread_fence(std::memory_order_acquire);
                (void)wm_drain_add(drain_, slot);
                *ring_.tail = ++taken;
            } else if (was_ending) {
                return;
            } else {
                std::this_thread::yield();
            }
        }
    }
    void stop()
    {
        is_ending_ = true;
        if (thread_.joinable()) {
            thread_.join();
        }
    }

    ring ring_ = {};
    wm_drain *drain_;
    unsigned n_pointers_ = 0;
    std::atomic<bool> is_ending_{true};
    std::thread thread_;
};

} /* namespace warpmem */

#endif

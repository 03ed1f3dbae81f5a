// Where the threads of a computation wait for each other. A graph of a small model has hundreds of such places for every token,
// and most waits are shorter than a call into the kernel: libgomp makes one at each of them, and ggml's own barrier never lets
// go of its processor, even while the thread it waits for has none. Here a thread waits awake for a moment, then asleep, and is
// woken only if it sleeps. Systems other than Linux keep the barrier that is published.
#pragma once
#if defined(__linux__)
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

// Some hundred microseconds. Shorter waits cost prompts a twentieth of their speed, because the steps of a batch end less evenly
// than those of a token and waking a thread takes long; longer ones take the processor from the very thread that is waited for.
#define LIBERA_SPINS 30000

static atomic_int libera_sleepers;

static inline void libera_barrier(atomic_int * arrived, atomic_int * passed, int threads) {
    const int round = atomic_load_explicit(passed, memory_order_relaxed);
    if (atomic_fetch_add_explicit(arrived, 1, memory_order_seq_cst) == threads - 1) {
        atomic_store_explicit(arrived, 0, memory_order_relaxed);
        atomic_fetch_add_explicit(passed, 1, memory_order_seq_cst);
        if (atomic_load_explicit(&libera_sleepers, memory_order_seq_cst) > 0) {
            syscall(SYS_futex, passed, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0);
        }
        return;
    }
    int spins = 0;
    while (atomic_load_explicit(passed, memory_order_relaxed) == round) {
        if (spins++ < LIBERA_SPINS) {
            ggml_thread_cpu_relax();
        } else {
            // The kernel looks once more before it lets the thread sleep.
            atomic_fetch_add_explicit(&libera_sleepers, 1, memory_order_seq_cst);
            syscall(SYS_futex, passed, FUTEX_WAIT_PRIVATE, round, 0, 0, 0);
            atomic_fetch_sub_explicit(&libera_sleepers, 1, memory_order_seq_cst);
        }
    }
    atomic_thread_fence(memory_order_seq_cst);
}

#else
static inline void libera_barrier(atomic_int * arrived, atomic_int * passed, int threads) {
    (void) arrived; (void) passed; (void) threads;
    _Pragma("omp barrier")
}
#endif

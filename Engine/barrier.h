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
#include <time.h>
#include <unistd.h>

// Some hundred microseconds. Shorter waits cost prompts a twentieth of their speed, because the steps of a batch end less evenly
// than those of a token and waking a thread takes long. Beside programs that take every core such waits are worse than none: a
// thread that waited awake has used up its turn when the other one has ended its step, and each then waits for the other's next turn.
// So whoever slept longer than any step takes, because the other one had no processor, waits awake only for moments from then on, and
// longer again with every wait that ends in time.
#define LIBERA_SPINS 30000
#define LIBERA_FEWEST_SPINS 500
#define LIBERA_LONG_SLEEP 1000000 // ns

static atomic_int libera_sleepers;

static inline long long libera_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

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
    static _Thread_local int patience = LIBERA_SPINS;
    int spins = 0;
    while (spins < patience && atomic_load_explicit(passed, memory_order_relaxed) == round) {
        spins++;
        ggml_thread_cpu_relax();
    }
    if (spins < patience) {
        patience += patience / 16;
        if (patience > LIBERA_SPINS) { patience = LIBERA_SPINS; }
    } else {
        const long long began = libera_now();
        while (atomic_load_explicit(passed, memory_order_relaxed) == round) {
            // The kernel looks once more before it lets the thread sleep.
            atomic_fetch_add_explicit(&libera_sleepers, 1, memory_order_seq_cst);
            syscall(SYS_futex, passed, FUTEX_WAIT_PRIVATE, round, 0, 0, 0);
            atomic_fetch_sub_explicit(&libera_sleepers, 1, memory_order_seq_cst);
        }
        if (libera_now() - began > LIBERA_LONG_SLEEP) { patience = LIBERA_FEWEST_SPINS; }
    }
    atomic_thread_fence(memory_order_seq_cst);
}

#else
static inline void libera_barrier(atomic_int * arrived, atomic_int * passed, int threads) {
    (void) arrived; (void) passed; (void) threads;
    _Pragma("omp barrier")
}
#endif

// What Swift cannot call directly: variadic functions, raw system calls, function-like macros.
// Every function returns -1 and sets errno when it fails, unless it says otherwise.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

// Sockets (Workers)
int libera_socketpair(int ends[2]);
int libera_pipe(int ends[2]);
/// Sends the pieces as one write, the descriptors with its first byte; may send less than all.
ssize_t libera_send(int socket, const struct iovec *pieces, int count, const int *files, int file_count);
/// Receives bytes and whatever descriptors came with them (close-on-exec). `*file_count` holds the room on entry and the
/// number received on return; more descriptors than there is room for are closed and the call fails with EMSGSIZE.
ssize_t libera_receive(int socket, void *buffer, size_t length, int *files, int *file_count);
int libera_peer(int socket, uid_t *user, pid_t *process);
/// A listening Unix socket at `name` inside the open folder, mode 0600, whatever the length of the folder's path.
int libera_listen(int folder, const char *name, int backlog);
int libera_connect(int folder, const char *name);
int libera_accept(int listener);

// Processes (Workers)
/// Starts a program in a session of its own whose descriptor i is `files[i]`, or
/// /dev/null where that is negative; every other descriptor is closed in it.
/// Returns 0 or an errno value.
int libera_spawn(pid_t *process, const char *path, char *const arguments[], char *const environment[], const int *files,
                 int file_count);
/// Blocks until the child has ended but leaves its number taken, so that it cannot yet mean another process.
int libera_await(pid_t process);
int libera_wait(pid_t process, int *exit_code, int *signal);
/// The path of the program or library that `address` lies in, or NULL.
const char *libera_image(const void *address);
/// The loader that starts programs linked as this one is, or NULL.
const char *libera_loader(void);
int libera_duplicate(int descriptor);

// Files (Releases)
/// Each of two names leads to what the other led to, in one step. Not every file system can do that.
int libera_exchange(const char *one, const char *other);

// Sealing (Safety); on systems without these calls they fail with ENOSYS
int libera_landlock_version(void);
int libera_landlock_create(uint64_t files, uint64_t network, uint64_t scopes);
int libera_landlock_allow(int ruleset, uint64_t access, int beneath);
int libera_landlock_restrict(int ruleset);
int libera_no_new_privileges(void);
int libera_drop_capabilities(void);
/// This process leaves no core file and no crash report, and its memory is open to no other process of the same person. Where the system has no
/// such lock only the core file is forbidden. Children do not inherit the second.
int libera_close_memory(void);
/// 1 if the above holds, as the kernel answers; 0 if not.
int libera_memory_is_closed(void);
/// A system call by its number, as a probe makes it that asks what the kernel lets through.
long libera_raw_call(long number, long a, long b, long c, long d, long e, long f);
/// getpid by a number of the x32 interface, and through the gate of 32-bit programs; -1 with ENOSYS on other processors.
long libera_x32_call(void);
long libera_32bit_call(void);
/// From now on this process, and what it starts, has a third of another's share where the processor is wanted by both. Less would
/// starve it on a busy machine.
int libera_low_priority(void);
/// The same for the thread that calls, where threads have a priority of their own to set; 0 elsewhere.
int libera_low_thread_priority(void);
/// Gives memory that was freed back to the system, as far as the allocator keeps it.
void libera_return_memory(void);
/// All threads take memory from one heap. Otherwise glibc gives them heaps of their own, whose free places nobody else fills: nearly
/// half of what a process held that ran for long (Benchmarks/server.md).
void libera_one_heap(void);
/// No core files; at most so many open files and, unless 0, so many bytes of memory of its own.
int libera_limits(uint64_t memory_bytes, uint64_t open_files);

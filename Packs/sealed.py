"""Closes this process before it reads anything hostile: no new privileges, no socket of any kind, no tracing, no new
programs, bounded memory and file size. The folders it may see are already bounded by the worker that started it."""
import ctypes, os, platform, resource, struct, sys

# What is refused, by processor: socket, socketpair, connect, execve, execveat, ptrace, io_uring_setup.
CALLS = {"x86_64": (0xC000003E, (41, 53, 42, 59, 322, 101, 425)), "aarch64": (0xC00000B7, (198, 199, 203, 221, 281, 117, 425))}


def refuse_calls():
    architecture, calls = CALLS[platform.machine()]
    load, equal, at_least, answer = 0x20, 0x15, 0x35, 0x06
    refused, allowed, killed = 0x00050000 | 1, 0x7FFF0000, 0x80000000
    program = [(load, 0, 0, 4), (equal, 1, 0, architecture), (answer, 0, 0, killed), (load, 0, 0, 0)]
    # x86_64 has a second numbering of the same calls above this bit.
    program += [(at_least, 0, 1, 0x40000000), (answer, 0, 0, refused)]
    for call in calls:
        program += [(equal, 0, 1, call), (answer, 0, 0, refused)]
    program.append((answer, 0, 0, allowed))
    code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *step) for step in program))

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) != 0:  # PR_SET_NO_NEW_PRIVS
        raise OSError(ctypes.get_errno(), "no_new_privs")
    if libc.prctl(22, 2, ctypes.byref(Program(len(program), ctypes.addressof(code))), 0, 0) != 0:  # PR_SET_SECCOMP
        raise OSError(ctypes.get_errno(), "seccomp")


def seal(memory=8 << 30, file=64 << 30):
    """Says on stderr what could not be closed; the worker passes that on, so that it is never silent."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for limit, value in ((resource.RLIMIT_DATA, memory), (resource.RLIMIT_FSIZE, file)):
        hard = resource.getrlimit(limit)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (value, value))
    try:
        refuse_calls()
    except (OSError, KeyError, AttributeError) as error:
        print(f"unsealed: {type(error).__name__}: {error}", file=sys.stderr)

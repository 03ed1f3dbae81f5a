#if os(Linux)
  import Glibc

  /// System calls by what they are for.
  enum Calls {
    /// Into other processes, around the filter, and the system's own affairs. Nobody here has any business with these.
    static let intrusion =
      [
        "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease", "kcmp", "pidfd_getfd",
        "io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd", "perf_event_open", "bpf",
        "open_by_handle_at", "fanotify_init", "fanotify_mark", "add_key", "request_key", "keyctl", "execveat",
        "lookup_dcookie", "uselib", "vmsplice", "modify_ldt", "remap_file_pages",
      ] + [
        "mount", "umount", "umount2", "pivot_root", "chroot", "fsopen", "fsmount", "fsconfig", "fspick", "move_mount",
        "open_tree", "mount_setattr", "unshare", "setns", "swapon", "swapoff", "reboot", "kexec_load",
        "kexec_file_load", "init_module", "finit_module", "delete_module", "iopl", "ioperm", "acct", "quotactl",
        "quotactl_fd", "sethostname", "setdomainname", "settimeofday", "stime", "clock_settime", "clock_adjtime",
        "adjtimex", "syslog", "personality", "vhangup", "nfsservctl", "mknod", "mknodat",
      ]

    /// Memory, queues and semaphores that other processes can share by a name or a number.
    static let sharing = [
      "shmget", "shmat", "shmctl", "semget", "semctl", "msgget", "msgsnd", "msgrcv", "msgctl", "mq_open", "mq_unlink",
      "mq_timedsend", "mq_timedreceive", "mq_notify", "mq_getsetattr",
    ]

    /// Becoming somebody else, and whose a file is.
    static let identity = [
      "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setfsuid", "setfsgid", "setgroups",
      "chown",
      "fchown", "lchown", "fchownat", "setxattr", "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr",
      "fremovexattr", "removexattrat", "file_setattr", "name_to_handle_at",
    ]

    /// Letting others connect.
    static let serving = ["listen", "accept", "accept4"]

    /// Out of the group of processes that is ended together.
    static let leaving = ["setsid", "setpgid"]

    /// Other programs and other processes.
    static let programs = ["execve", "fork", "vfork"]

    /// What changes a file's mode, and which argument is the mode. Landlock does not guard modes.
    static let modes: [(String, UInt32)] = [("chmod", 1), ("fchmod", 1), ("fchmodat", 2), ("fchmodat2", 2)]

    /// What the main process has done before it seals itself: whatever listens, listens.
    static let opening = [
      "socket", "connect", "bind", "listen", "sendmmsg", "pidfd_open", "pidfd_send_signal",
    ]

    /// What engines were seen to call, and what does the same in another C library or kernel.
    static let ofEngines = memory + tasks + clocks + files + answers

    private static let memory = [
      "brk", "munmap", "mremap", "madvise", "mincore", "msync", "mlock", "mlock2", "munlock", "membarrier",
      "get_mempolicy", "memfd_create", "mseal", "map_shadow_stack",
    ]
    private static let tasks = [
      "exit", "exit_group", "futex", "futex_waitv", "futex_wake", "futex_wait", "futex_requeue", "set_robust_list",
      "get_robust_list", "rseq", "set_tid_address", "gettid", "getpid", "getppid", "getpgid", "getsid", "sched_yield",
      "sched_getaffinity", "sched_setaffinity", "sched_getparam", "sched_getscheduler", "sched_get_priority_max",
      "sched_get_priority_min", "getpriority", "getcpu", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn",
      "rt_sigpending", "rt_sigtimedwait", "rt_sigsuspend", "sigaltstack", "restart_syscall", "pause",
    ]
    private static let clocks = [
      "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time", "times", "getrusage",
      "timerfd_create", "timerfd_settime", "timerfd_gettime",
    ]
    private static let files = [
      "read", "readv", "pread64", "preadv", "preadv2", "write", "writev", "pwrite64", "pwritev", "pwritev2", "close",
      "close_range", "open", "openat", "creat", "lseek", "_llseek", "fstat", "fstat64", "stat", "stat64", "lstat",
      "lstat64",
      "newfstatat", "fstatat64", "statx", "statfs", "statfs64", "fstatfs", "fstatfs64", "access", "faccessat",
      "faccessat2", "readlink", "readlinkat", "getdents", "getdents64", "getcwd", "fcntl", "fcntl64", "dup", "dup2",
      "dup3", "flock", "ftruncate", "ftruncate64", "fallocate", "fsync", "fdatasync", "sync_file_range", "fadvise64",
      "fadvise64_64", "readahead", "copy_file_range", "sendfile", "unlink", "unlinkat", "rename", "renameat",
      "renameat2",
      "mkdir", "mkdirat", "rmdir", "umask", "pipe", "pipe2", "eventfd2", "poll", "ppoll", "select", "pselect6",
      "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2", "recvfrom", "recvmsg", "shutdown",
    ]
    private static let answers = [
      "uname", "sysinfo", "getrlimit", "ugetrlimit", "getrandom", "getuid", "geteuid", "getgid", "getegid", "getresuid",
      "getresgid", "getgroups", "capget", "getuid32", "geteuid32", "getgid32", "getegid32",
    ]
  }

  /// Arguments by their numbers in the kernel's interface, most of which Swift's view of the C library lacks.
  enum Flag {
    static let thread: UInt64 = 0x10000
    /// CLONE_NEWTIME (only clone3 knows it), NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET.
    static let namespaces: UInt64 = 0x7E02_0000
    /// PROT_EXEC.
    static let executable: UInt64 = 4
    /// MSG_FASTOPEN: a word that makes a connection first.
    static let fastOpen: UInt64 = 0x2000_0000

    /// TCGETS (is it a terminal?), FIONREAD, FIONBIO, FIOCLEX, FIONCLEX.
    static let askingOfFiles: [UInt64] = [0x5401, 0x541B, 0x5421, 0x5451, 0x5450]
    /// What drivers ask of cards, by the bits that tell it: the kinds of the system's own drivers (DRM) with their buffers (DMA-BUF) and
    /// fences (sync files), of NVIDIA's with its display part, and of its memory, which numbers its requests from nought.
    static let askingOfCards: [(mask: UInt64, request: UInt64)] =
      "db>Fm".utf8.map { (0xFF00, UInt64($0) << 8) }
      + [(0xFFFF_FF00, 0), (0xFFFF_FFFF, 0x3000_0001), (0xFFFF_FFFF, 0x3000_0002)]
    /// TCSETS, TCSETSW, TCSETSF, TIOCGPGRP, TIOCOUTQ, TIOCGWINSZ.
    static let askingOfTerminals: [UInt64] = [0x5402, 0x5403, 0x5404, 0x540F, 0x5411, 0x5413]
    /// The second byte of every request to a terminal, and of those to the system's own console: there keys can be given other words,
    /// which the person's shell then reads.
    private static let ofTerminals: Set<UInt8> = [0x54, 0x4B, 0x56]
    /// All requests but those, by the bits that tell them.
    static let askingOfOthers = others(than: ofTerminals)

    /// Every second byte that is not among these: stretches of them that begin with the same bits.
    private static func others(
      than bytes: Set<UInt8>, begin value: UInt8 = 0, bits: Int = 0
    ) -> [(mask: UInt64, request: UInt64)] {
      let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bits)
      let within = bytes.filter { $0 & mask == value }
      if within.isEmpty { return [(UInt64(mask) << 8, UInt64(value) << 8)] }
      guard bits < 8 else { return [] }
      return others(than: within, begin: value, bits: bits + 1)
        + others(than: within, begin: value | 0x80 >> bits, bits: bits + 1)
    }

    /// What a server says of its connections: SO_REUSEADDR, SO_SNDBUF, SO_RCVBUF, SO_KEEPALIVE, SO_LINGER, SO_RCVTIMEO,
    /// SO_SNDTIMEO; TCP_NODELAY, TCP_CORK, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT.
    static let socketOptions: [(CInt, CInt)] =
      [2, 7, 8, 9, 13, 20, 21].map { (1, $0) } + [1, 3, 4, 5, 6].map { (6, $0) }

    /// PR_SET_NAME, PR_GET_NAME, PR_GET_DUMPABLE.
    static let namesOfTasks: [CInt] = [15, 16, 3]
    /// PR_SET_DUMPABLE.
    static let setDumpable: UInt64 = 4

    /// PR_SET_PDEATHSIG, PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_GET_SECCOMP, PR_CAPBSET_READ, PR_SET_TIMERSLACK,
    /// PR_GET_TIMERSLACK, PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS, PR_SET_VMA.
    static let processOptions: [CInt] = [1, 3, 15, 16, 21, 23, 29, 30, 38, 39, 0x5356_4D41]
  }
#endif

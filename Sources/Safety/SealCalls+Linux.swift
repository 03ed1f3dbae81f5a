#if os(Linux)
  import CSeccomp
  import Glibc

  /// The system calls a process gives up, as a list of refusals over a default of allowing: engines bring threads, timers and
  /// memory tricks of their own, and a list of the allowed would break with every new version of theirs.
  struct SyscallFilter {
    private struct Refusal {
      var call: String
      var error: CInt = EPERM
      var when: [scmp_arg_cmp] = []
    }

    private var refusals: [Refusal] = []

    static func worker(_ profile: SealSpecification.Profile) -> SyscallFilter {
      var filter = SyscallFilter()
      filter.refuse(intrusion + administration)
      guard profile != .fetch else { return filter }
      filter.refuse(programs + attributes)
      filter.refuse(["connect", "bind", "listen", "accept", "accept4"])
      // A driver makes sockets and pairs of them for itself. None can be connected or bound, and only one for datagrams could
      // send without: nobody has those.
      let local: [scmp_arg_cmp] = [argument(0, SCMP_CMP_NE, UInt64(AF_UNIX))]
      let datagrams = [argument(1, SCMP_CMP_MASKED_EQ, 0xf, UInt64(SOCK_DGRAM.rawValue))]
      let raw = [argument(1, SCMP_CMP_MASKED_EQ, 0xf, UInt64(SOCK_RAW.rawValue))]
      for call in ["socket", "socketpair"] {
        if profile == .gpuEngine {
          for condition in [local, datagrams, raw] { filter.refuse(call, when: condition) }
        } else {
          filter.refuse(call)
        }
      }
      // Threads yes, processes no. What clone3 is asked cannot be inspected: ENOSYS makes the C library use clone.
      filter.refuse("clone3", error: ENOSYS)
      filter.refuse("clone", when: [argument(0, SCMP_CMP_MASKED_EQ, cloneThread, 0)])
      // abort() signals the process itself, which must go on working for a crash to be told from an exit.
      for call in ["kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"] {
        filter.refuse(call, when: [argument(0, SCMP_CMP_NE, UInt64(getpid()))])
      }
      filter.refuse("tkill")
      filter.refuse("prlimit64", when: [argument(0, SCMP_CMP_NE, 0)])
      return filter
    }

    static func main() -> SyscallFilter {
      var filter = SyscallFilter()
      filter.refuse(intrusion + administration)
      filter.refuse("socket", when: [argument(0, SCMP_CMP_NE, UInt64(AF_UNIX))])
      return filter
    }

    /// Binds every thread of the process.
    func load() -> SealReport.Lock {
      guard let context = seccomp_init(libera_seccomp_allow) else { return .open("seccomp is not available") }
      defer { seccomp_release(context) }
      let result = seccomp_attr_set(context, SCMP_FLTATR_CTL_TSYNC, 1)
      guard result == 0 else { return .open("seccomp cannot bind all threads: \(Seal.reason(-result))") }
      // Calls by the numbers of another interface (x32, 32-bit programs) pass no rule of ours: they end the process, where the
      // default would end a thread and leave the others waiting for it.
      let foreign = seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, libera_seccomp_kill)
      guard foreign == 0 else { return .open("seccomp cannot refuse foreign calls: \(Seal.reason(-foreign))") }
      for refusal in refusals {
        let number = seccomp_syscall_resolve_name(refusal.call)
        // A call this machine does not have needs no refusing.
        guard number != __NR_SCMP_ERROR else { continue }
        let result = refusal.when.withUnsafeBufferPointer {
          seccomp_rule_add_array(
            context, libera_seccomp_refuse(UInt16(refusal.error)), number, UInt32($0.count), $0.baseAddress)
        }
        guard result == 0 else { return .open("seccomp rule for \(refusal.call): \(Seal.reason(-result))") }
      }
      let loaded = seccomp_load(context)
      return loaded == 0
        ? .shut("seccomp, \(refusals.count) refusals") : .open("seccomp refused: \(Seal.reason(-loaded))")
    }

    private mutating func refuse(_ calls: [String]) {
      for call in calls { refuse(call) }
    }

    private mutating func refuse(_ call: String, error: CInt = EPERM, when: [scmp_arg_cmp] = []) {
      refusals.append(Refusal(call: call, error: error, when: when))
    }

    private static func argument(_ index: UInt32, _ comparison: scmp_compare, _ value: UInt64, _ second: UInt64 = 0)
      -> scmp_arg_cmp
    {
      scmp_arg_cmp(arg: index, op: comparison, datum_a: value, datum_b: second)
    }

    /// CLONE_THREAD, which Swift's view of the C library lacks.
    private static let cloneThread: UInt64 = 0x10000

    /// Ways into other processes and around the filter.
    private static let intrusion = [
      "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd",
      "io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd", "perf_event_open", "bpf",
      "open_by_handle_at", "fanotify_init", "add_key", "request_key", "keyctl",
    ]
    /// The system's own affairs.
    private static let administration = [
      "mount", "umount", "umount2", "pivot_root", "chroot", "fsopen", "fsmount", "fsconfig", "fspick", "move_mount",
      "open_tree", "mount_setattr", "unshare", "setns", "swapon", "swapoff", "reboot", "kexec_load", "kexec_file_load",
      "init_module", "finit_module", "delete_module", "iopl", "ioperm", "acct", "quotactl", "quotactl_fd",
      "sethostname", "setdomainname", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "syslog",
      "personality",
      "modify_ldt", "vhangup",
    ]
    /// Other programs.
    private static let programs = [
      "execve", "execveat", "fork", "vfork", "pidfd_open", "pidfd_send_signal", "process_mrelease", "setpriority",
    ]
    /// What Landlock does not guard: owners, modes, times and attributes of files that can be named but not opened.
    private static let attributes = [
      "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat", "utime", "utimes",
      "utimensat",
      "futimesat", "setxattr", "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr", "fremovexattr",
      "removexattrat", "file_setattr", "truncate",
    ]
  }
#endif

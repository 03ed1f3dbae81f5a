#if os(Linux)
  import CLinux
  import Core
  import Glibc

  /// Takes away from the calling process what it will not need again. None of it can be undone, and children inherit it.
  package enum Seal {
    /// For the first line of every process that holds what is the person's: no core file, and other programs of the same person
    /// cannot read its memory. Not for what it starts, which says so itself.
    @discardableResult
    package static func closeMemory() -> SealReport.Lock {
      guard libera_close_memory() == 0, libera_memory_is_closed() == 1 else {
        return .open("core files and readers of memory: \(systemReason())")
      }
      return .shut("no core files, no readers of memory")
    }

    /// Seals a worker. Call before any thread exists: Landlock binds the calling thread and those it starts later.
    /// `files` are open descriptors that engines may open again through /proc/self/fd.
    package static func worker(_ given: SealSpecification, files: [CInt]) -> SealReport {
      let specification = narrowed(given)
      let folders = Landlock.openPaths(specification, files: files)
      let limits = restrictMeans(specification)
      let privileges = refuseNewPrivileges()
      let landlock = folders.restrict()
      let seccomp = SyscallFilter.worker(specification.profile).load()
      var report = SealReport(
        noNewPrivileges: privileges, seccomp: seccomp, landlock: landlock, limits: limits)
      report.profile = specification.profile
      if !specification.profile.hasNetwork { report.socketDenied = socketIsDenied() }
      report.fileDenied = fileIsDenied("/etc/passwd")
      return report
    }

    /// The first thing in the main process, before any thread exists: from here on it writes only where `reach` says, starts nothing
    /// else, signals nobody but its own children and makes no TCP connection, even with a socket that is already open. What it starts
    /// is bound as well; what was started earlier is not.
    package static func keep(_ reach: HouseReach) -> SealReport.Lock {
      let privileges = refuseNewPrivileges()
      return privileges.shut ? Landlock.house(reach).restrict(connections: true) : privileges
    }

    /// Seals the main process in all its threads, after the listener is bound: what listens goes on serving, Unix sockets
    /// and sealed workers can be had, internet sockets cannot. `files` is what `keep` said.
    package static func main(files: SealReport.Lock) -> SealReport {
      let privileges = refuseNewPrivileges()
      var report = SealReport(
        noNewPrivileges: privileges, seccomp: SyscallFilter.main().load(), landlock: files,
        limits: libera_memory_is_closed() == 1
          ? .shut("no core files, no readers of memory") : .open("core files and readers of memory are possible"))
      report.socketDenied = socketIsDenied()
      report.fileDenied = writingIsDenied()
      return report
    }

    /// Without a GPU nobody needs the seal that reaches one.
    private static func narrowed(_ given: SealSpecification) -> SealSpecification {
      var narrow = given
      if given.profile == .gpuEngine, !GraphicsCard.isHere { narrow.profile = .engine }
      return narrow
    }

    /// Which system calls a profile leaves, nil being the main process: those allowed, perhaps with some arguments only, and those named
    /// as never allowed.
    package static func calls(of profile: SealSpecification.Profile?) -> (allowed: Set<String>, refused: Set<String>) {
      let filter = profile.map { SyscallFilter.worker($0) } ?? SyscallFilter.main()
      return (filter.allowed, filter.refused)
    }

    private static func refuseNewPrivileges() -> SealReport.Lock {
      libera_no_new_privileges() == 0
        ? .shut("no new privileges")
        : .open("no_new_privs refused: \(systemReason())")
    }

    private static func restrictMeans(_ specification: SealSpecification) -> SealReport.Lock {
      var failures: [String] = []
      if libera_limits(specification.memoryBytes ?? 0, specification.openFiles) != 0 {
        failures.append("resource limits: \(systemReason())")
      }
      // Under pressure the system ends a worker before it ends the vault.
      if !yields() { failures.append("oom_score_adj: \(systemReason())") }
      if specification.lowPriority, libera_low_priority() != 0 { failures.append("low priority: \(systemReason())") }
      if libera_drop_capabilities() != 0 { failures.append("capabilities: \(systemReason())") }
      // Last: afterwards an ordinary user's process may no longer write to its own entries in /proc.
      if case let memory = closeMemory(), !memory.shut { failures.append(memory.detail) }
      return failures.isEmpty
        ? .shut("memory, its readers, files, core files, oom score, capabilities")
        : .open(failures.joined(separator: "; "))
    }

    /// Whoever started this worker may have said it already, and a worker of a sealed process may not.
    private static func yields() -> Bool {
      let score = open("/proc/self/oom_score_adj", O_RDONLY | O_CLOEXEC)
      guard score >= 0 else { return false }
      defer { close(score) }
      var text = [UInt8](repeating: 0, count: 16)
      let count = read(score, &text, text.count)
      if count > 0, Int(String(decoding: text[..<count], as: UTF8.self).filter { !$0.isWhitespace }) ?? 0 >= 500 {
        return true
      }
      let writing = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
      guard writing >= 0 else { return false }
      defer { close(writing) }
      return write(writing, "500", 3) == 3
    }

    private static func socketIsDenied() -> Bool {
      let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
      if descriptor >= 0 { close(descriptor) }
      return descriptor < 0
    }

    private static func fileIsDenied(_ path: String) -> Bool {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      if descriptor >= 0 { close(descriptor) }
      return descriptor < 0
    }

    /// Tried on a device that every process may write to and that lies in no folder of ours.
    private static func writingIsDenied() -> Bool {
      let descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC)
      if descriptor >= 0 { close(descriptor) }
      return descriptor < 0
    }
  }
#endif

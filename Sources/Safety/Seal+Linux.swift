#if os(Linux)
  import CLinux
  import Glibc

  /// Takes away from the calling process what it will not need again. None of it can be undone, and children inherit it.
  package enum Seal {
    /// For the first line of every process that holds what is the person's: no core file, and other programs of the same person
    /// cannot read its memory. Not for what it starts, which says so itself.
    @discardableResult
    package static func closeMemory() -> SealReport.Lock {
      guard libera_close_memory() == 0, libera_memory_is_closed() == 1 else {
        return .open("core files and readers of memory: \(reason(errno))")
      }
      return .shut("no core files, no readers of memory")
    }

    /// Seals a worker. Call before any thread exists: Landlock binds the calling thread and those it starts later.
    /// `files` are open descriptors that engines may open again through /proc/self/fd.
    package static func worker(_ given: SealSpecification, files: [CInt]) -> SealReport {
      let specification = narrowed(given)
      let folders = Landlock.openPaths(specification, files: files)
      defer { folders.closeAll() }
      let limits = restrictMeans(specification)
      let privileges = refuseNewPrivileges()
      let landlock = folders.restrict()
      let seccomp = SyscallFilter.worker(specification.profile).load()
      var report = SealReport(
        noNewPrivileges: privileges, seccomp: seccomp, landlock: landlock, limits: limits)
      report.profile = specification.profile
      if specification.profile != .fetch { report.socketDenied = socketIsDenied() }
      report.fileDenied = fileIsDenied(specification.profile == .fetch ? "/" : "/etc/passwd")
      return report
    }

    /// The first thing in the main process, before any thread exists: from here on no TCP connection can be made, even
    /// with a socket that is already open. Processes started earlier are not bound by it.
    package static func refuseConnections() -> SealReport.Lock {
      let privileges = refuseNewPrivileges()
      return privileges.shut ? Landlock.refuseConnections() : privileges
    }

    /// Seals the main process in all its threads, after the listener is bound: what listens goes on serving, Unix sockets
    /// and sealed workers can be had, internet sockets cannot. `connections` is what `refuseConnections` said.
    package static func main(connections: SealReport.Lock) -> SealReport {
      let privileges = refuseNewPrivileges()
      var report = SealReport(
        noNewPrivileges: privileges, seccomp: SyscallFilter.main().load(), landlock: connections,
        limits: libera_memory_is_closed() == 1
          ? .shut("no core files, no readers of memory") : .open("core files and readers of memory are possible"))
      report.socketDenied = socketIsDenied()
      return report
    }

    /// Without a GPU nobody needs the seal that reaches one.
    private static func narrowed(_ given: SealSpecification) -> SealSpecification {
      var narrow = given
      if given.profile == .gpuEngine, !GPU.isHere { narrow.profile = .engine }
      return narrow
    }

    private static func refuseNewPrivileges() -> SealReport.Lock {
      libera_no_new_privileges() == 0
        ? .shut("no new privileges")
        : .open("no_new_privs refused: \(reason(errno))")
    }

    private static func restrictMeans(_ specification: SealSpecification) -> SealReport.Lock {
      var failures: [String] = []
      if libera_limits(specification.memoryBytes ?? 0, specification.openFiles) != 0 {
        failures.append("resource limits: \(reason(errno))")
      }
      // Under pressure the system ends a worker before it ends the vault.
      let score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)
      if score < 0 || write(score, "500", 3) != 3 { failures.append("oom_score_adj: \(reason(errno))") }
      if score >= 0 { close(score) }
      if specification.lowPriority, libera_low_priority() != 0 { failures.append("low priority: \(reason(errno))") }
      if libera_drop_capabilities() != 0 { failures.append("capabilities: \(reason(errno))") }
      // Last: afterwards an ordinary user's process may no longer write to its own entries in /proc.
      if case let memory = closeMemory(), !memory.shut { failures.append(memory.detail) }
      return failures.isEmpty
        ? .shut("memory, its readers, files, core files, oom score, capabilities")
        : .open(failures.joined(separator: "; "))
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

    static func reason(_ code: CInt) -> String { String(cString: strerror(code)) }
  }
#endif

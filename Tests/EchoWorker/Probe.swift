import CLinux
import CSeccomp
import Foundation
import Safety
import Workers

/// What somebody who has taken a process over would try, one attempt by its name. Attempts are made with arguments that do
/// nothing where the kernel lets them through.
struct Probe {
  /// What to call where, so that the outcome is known beforehand wherever nothing stands in the way.
  struct Place: Codable, Sendable {
    /// A folder of the process's own, one of the person's, and a socket for datagrams.
    var own: String
    var home: String
    var mailbox: String
    /// Another process of the person's.
    var other: Int
  }

  enum Outcome: String, Codable, Sendable {
    case allowed, refused
    /// Told by the process that watches, for this one is gone.
    case ends = "ends the process"
  }

  let name: String
  let attempt: @Sendable (Place) -> Int

  static func run(_ name: String, _ place: Place) -> Outcome? {
    guard let probe = all.first(where: { $0.name == name }) else { return nil }
    errno = 0
    // Any other complaint is the kernel's own, about arguments that were not meant to work.
    return probe.attempt(place) == -1 && [EPERM, EACCES, ENOSYS, EXDEV].contains(errno) ? .refused : .allowed
  }

  static let all = sockets + sending + files + programs + calls

  private static let sockets = [
    ("internet", AF_INET, SOCK_STREAM.rawValue), ("internet, datagrams", AF_INET, SOCK_DGRAM.rawValue),
    ("internet, raw", AF_INET, SOCK_RAW.rawValue), ("internet 6", AF_INET6, SOCK_STREAM.rawValue),
    ("local", AF_UNIX, SOCK_STREAM.rawValue), ("local, datagrams", AF_UNIX, SOCK_DGRAM.rawValue),
    ("netlink", AF_NETLINK, SOCK_RAW.rawValue), ("packets", AF_PACKET, SOCK_RAW.rawValue),
    ("virtual machine", AF_VSOCK, SOCK_STREAM.rawValue), ("kernel's ciphers", AF_ALG, SOCK_SEQPACKET.rawValue),
  ].map { name, family, type in
    Probe(name: "a socket: \(name)") { _ in open(socket(family, CInt(type), 0)) }
  }

  private static let sending = [
    Probe(name: "a pair of streams") { _ in pair(SOCK_STREAM.rawValue) },
    Probe(name: "a pair for datagrams") { _ in pair(SOCK_DGRAM.rawValue) },
    Probe(name: "a datagram to a local socket") { place in datagram(to: place.mailbox) },
    Probe(name: "connect") { _ in raw("connect", -1) },
    Probe(name: "bind") { _ in raw("bind", -1) },
    Probe(name: "listen") { _ in raw("listen", -1) },
    Probe(name: "accept") { _ in raw("accept4", -1) },
    Probe(name: "sendto, connected") { _ in raw("sendto", -1, 0, 0, 0, 0) },
    Probe(name: "sendto with an address") { _ in raw("sendto", -1, 0, 0, 0, 1) },
    Probe(name: "sendto that connects first") { _ in raw("sendto", -1, 0, 0, 0x2000_0000, 0) },
    Probe(name: "sendmsg, connected") { _ in raw("sendmsg", -1, 0, 0) },
    Probe(name: "sendmsg that connects first") { _ in raw("sendmsg", -1, 0, 0x2000_0000) },
    Probe(name: "sendmmsg") { _ in raw("sendmmsg", -1) },
    Probe(name: "a socket's option that makes it send (TCP_REPAIR)") { _ in raw("setsockopt", -1, 6, 19) },
  ]

  private static let files = [
    Probe(name: "read a file of its own") { look($0.own + "/file") },
    Probe(name: "write a file of its own") { write($0.own + "/new") },
    Probe(name: "read the person's files") { look($0.home + "/file") },
    Probe(name: "write among the person's files") { write($0.home + "/new") },
    Probe(name: "overwrite a file of the person") { change($0.home + "/file") },
    Probe(name: "move a file of the person") { Int(rename($0.home + "/file", $0.home + "/moved")) },
    Probe(name: "remove a file of the person") { Int(unlink($0.home + "/file")) },
    Probe(name: "link a file of the person into its own") { Int(link($0.home + "/file", $0.own + "/link")) },
    Probe(name: "a symbolic link of its own") { symbolic($0.own + "/symbolic") },
    Probe(name: "read /etc/passwd") { _ in look("/etc/passwd") },
    Probe(name: "write in memory that programs share (/dev/shm)") { _ in write("/dev/shm/libera-probe-\(getpid())") },
    Probe(name: "write /etc/passwd") { _ in change("/etc/passwd") },
    Probe(name: "write in /tmp") { _ in write("/tmp/libera-probe-\(getpid())") },
    Probe(name: "the first process's environment") { _ in read("/proc/1/environ") },
    Probe(name: "write its own memory through /proc") { _ in change("/proc/self/mem") },
    Probe(name: "write the system's settings") { _ in change("/proc/sys/kernel/core_pattern") },
    Probe(name: "let others read a file") { Int(chmod($0.own + "/file", 0o644)) },
    Probe(name: "keep a file from others") { Int(chmod($0.own + "/file", 0o600)) },
    Probe(name: "make a file another user's program") { Int(chmod($0.own + "/file", 0o4700)) },
    Probe(name: "give a file away") { place in raw("chown", pointer(place.own + "/file"), 1, 1) },
    Probe(name: "a file's attributes") { _ in raw("fsetxattr", -1) },
    Probe(name: "watch a folder") { _ in raw("inotify_add_watch", -1) },
  ]

  private static let programs = [
    Probe(name: "start another program") { _ in start("/bin/true") },
    Probe(name: "another process") { _ in fork() },
    Probe(name: "a process in a namespace of its own") { _ in fork(with: 0x1000_0000) },
    Probe(name: "clone3") { _ in raw("clone3") },
    Probe(name: "signal another program of the person") { raw("kill", $0.other, 0) },
    Probe(name: "signal the first process") { _ in raw("kill", 1, 0) },
    Probe(name: "new code in memory") { _ in
      raw("mmap", 0, 4096, Int(PROT_READ | PROT_EXEC), Int(MAP_PRIVATE) | 0x20, -1)
    },
    Probe(name: "type into the person's terminal (TIOCSTI)") { _ in raw("ioctl", -1, 0x5412) },
    Probe(name: "the same, with bits the kernel cuts off") { _ in raw("ioctl", -1, 0x1_0000_5412) },
    Probe(name: "give a key of the console other words (KDSKBSENT)") { _ in raw("ioctl", -1, 0x4B49) },
    Probe(name: "ask a graphics card (DRM_IOCTL_VERSION)") { _ in raw("ioctl", -1, 0xC040_6400) },
    Probe(name: "ask which network there is (SIOCGIFCONF)") { _ in raw("ioctl", -1, 0x8912) },
    Probe(name: "open its memory to others again") { _ in raw("prctl", 4, 1) },
    Probe(name: "refuse itself further calls") { _ in raw("prctl", 22, 2) },
    Probe(name: "a call of the x32 interface") { _ in libera_x32_call() },
    Probe(name: "a call of 32-bit programs") { _ in libera_32bit_call() },
  ]

  /// Calls that are told by their name alone.
  private static let calls = [
    "execveat", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_open", "pidfd_getfd", "bpf",
    "perf_event_open", "io_uring_setup", "userfaultfd", "keyctl", "add_key", "open_by_handle_at", "mount", "umount2",
    "pivot_root", "chroot", "unshare", "setns", "fsopen", "open_tree", "init_module", "kexec_load", "reboot", "swapon",
    "settimeofday", "personality", "syslog", "mknodat", "vmsplice", "shmget", "semget", "msgget", "mq_open", "setuid",
    "setgroups", "memfd_create", "setpriority", "setrlimit",
  ].map { call in Probe(name: call) { _ in raw(call, -1, -1, -1, -1, -1) } }

  // MARK: How it is tried

  private static func raw(_ call: String, _ a: Int = 0, _ b: Int = 0, _ c: Int = 0, _ d: Int = 0, _ e: Int = 0) -> Int {
    let number = seccomp_syscall_resolve_name(call)
    guard number >= 0 else {
      errno = ENOSYS
      return -1
    }
    return libera_raw_call(Int(number), a, b, c, d, e, 0)
  }

  /// Lives as long as the process, which is not long.
  private static func pointer(_ text: String) -> Int { Int(bitPattern: strdup(text)) }

  private static func open(_ descriptor: CInt) -> Int {
    if descriptor >= 0 { close(descriptor) }
    return Int(descriptor)
  }

  private static func look(_ path: String) -> Int { open(Foundation.open(path, O_RDONLY | O_CLOEXEC)) }
  private static func change(_ path: String) -> Int { open(Foundation.open(path, O_WRONLY | O_CLOEXEC)) }

  private static func read(_ path: String) -> Int {
    let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return -1 }
    defer { close(descriptor) }
    var byte: UInt8 = 0
    return Foundation.read(descriptor, &byte, 1)
  }

  private static func write(_ path: String) -> Int {
    let made = open(Foundation.open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
    if made >= 0 { unlink(path) }
    return made
  }

  private static func symbolic(_ path: String) -> Int {
    let made = symlink("/", path)
    if made == 0 { unlink(path) }
    return Int(made)
  }

  private static func pair(_ type: UInt32) -> Int {
    var ends: [CInt] = [-1, -1]
    let made = socketpair(AF_UNIX, CInt(type), 0, &ends)
    for end in ends where end >= 0 { close(end) }
    return Int(made)
  }

  /// By whichever socket can be had.
  private static func datagram(to path: String) -> Int {
    var ends = [socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0), -1]
    if ends[0] < 0, socketpair(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0, &ends) != 0 { return -1 }
    defer { for end in ends where end >= 0 { close(end) } }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { path.utf8CString.withUnsafeBytes($0.copyBytes) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(ends[0], "out", 3, 0, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  private static func fork(with flags: Int = 0) -> Int {
    let child = raw("clone", flags | Int(SIGCHLD))
    if child == 0 { _exit(0) }
    if child > 0 { waitpid(pid_t(child), nil, 0) }
    return child
  }

  /// In a process of its own, where there can be one: where it works, the process is another program afterwards.
  private static func start(_ path: String) -> Int {
    func become() -> CInt {
      var words: [UnsafeMutablePointer<CChar>?] = [strdup(path), nil]
      _ = execv(path, &words)
      return errno
    }
    let child = raw("clone", Int(SIGCHLD))
    if child == 0 { _exit(become()) }
    guard child > 0 else {
      errno = become()
      return -1
    }
    var status: CInt = 0
    waitpid(pid_t(child), &status, 0)
    errno = status >> 8 & 0xff
    return errno == 0 ? 0 : -1
  }
}

/// The main process, sealed as it seals itself, trying each attempt in a child that has its seal: "NAME\tOUTCOME" a line.
func probeMain(_ place: Probe.Place) throws {
  let files = try Seal.keep(HouseReach(writable: [place.own], programs: [WorkerProgram.find()]))
  let report = Seal.main(files: files)
  guard report.isSealed else { throw WorkerError.malformed(report.summary) }
  for probe in Probe.all {
    let child = libera_raw_call(Int(seccomp_syscall_resolve_name("clone")), Int(SIGCHLD), 0, 0, 0, 0, 0)
    if child == 0 { _exit(Probe.run(probe.name, place) == .allowed ? 0 : 1) }
    var status: CInt = 0
    guard child > 0, waitpid(pid_t(child), &status, 0) == pid_t(child) else { throw POSIXError(.ECHILD) }
    let outcome: Probe.Outcome = status & 0x7f != 0 ? .ends : status == 0 ? .allowed : .refused
    print("\(probe.name)\t\(outcome.rawValue)")
  }
}

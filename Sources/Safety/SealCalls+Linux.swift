#if os(Linux)
  import CSeccomp
  import Core
  import Glibc

  /// Which system calls a process may make, and with which arguments. What is not named fails with EPERM.
  struct SyscallFilter {
    private enum Answer: Equatable {
      case allow
      case refuse(CInt)
      /// Ends the process: nothing of ours asks for that, so whoever asks has taken it over.
      case kill

      var action: UInt32 {
        switch self {
        case .allow: libera_seccomp_allow
        case .refuse(let error): libera_seccomp_refuse(UInt16(error))
        case .kill: libera_seccomp_kill
        }
      }
    }

    private struct Rule {
      var call: String
      var answer: Answer
      var when: [scmp_arg_cmp]
    }

    private var rules: [Rule] = []
    /// What was left out where all else is allowed.
    private var left: [String] = []

    // MARK: What processes may call

    static func worker(_ profile: SealSpecification.Profile) -> SyscallFilter {
      switch profile {
      case .engine: engine(onGPU: false)
      case .gpuEngine: engine(onGPU: true)
      case .fetch: fetch()
      case .tool: tool(connected: false)
      case .connectedTool: tool(connected: true)
      }
    }

    /// An engine or a parser: memory, threads, clocks, and files that are open or lie in its folders.
    private static func engine(onGPU: Bool) -> SyscallFilter {
      var filter = SyscallFilter()
      filter.kill(Calls.intrusion)
      filter.allow(Calls.ofEngines)
      filter.allowThreads()
      // abort() signals the process itself, which must go on working for a crash to be told from an exit.
      for call in ["kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"] {
        filter.allow(call, [equal(0, UInt64(getpid()))])
      }
      // Limits may be read, not set.
      filter.allow("prlimit64", [equal(0, 0), equal(2, 0)])
      for option in Flag.namesOfTasks { filter.allow("prctl", [equal(0, UInt64(option))]) }
      filter.allowSending()
      for request in Flag.askingOfFiles { filter.allow("ioctl", [equal(1, request)]) }
      guard onGPU else {
        // No code comes later than the seal.
        for call in ["mmap", "mprotect"] { filter.allow(call, [masked(2, Flag.executable, 0)]) }
        return filter
      }
      // Drivers load and compile code, and have pairs of sockets for themselves.
      filter.allow(["mmap", "mprotect"])
      for (mask, request) in Flag.askingOfCards { filter.allow("ioctl", [masked(1, mask, request)]) }
      for type in [SOCK_STREAM, SOCK_SEQPACKET] { filter.allowPairs(of: type) }
      return filter
    }

    /// The worker with a network. What the libraries call by which the system finds names is not ours to know, so it may all but what
    /// fetching surely needs not.
    private static func fetch() -> SyscallFilter {
      var filter = SyscallFilter()
      filter.kill(Calls.intrusion)
      filter.allowInternet()
      filter.allowPairs(of: SOCK_STREAM)
      filter.allowThreads()
      filter.allowHarmlessRequests()
      filter.allowOwnModes()
      filter.allowTheRest(but: Calls.sharing + Calls.identity + Calls.programs + Calls.serving)
      return filter
    }

    /// A program of others, and what it starts. Some ask for calls that we never make, and do without when they are refused.
    private static func tool(connected: Bool) -> SyscallFilter {
      var filter = SyscallFilter()
      if connected { filter.allowInternet() }
      // Not for datagrams: one end of such a pair can send to every local socket that has a name.
      filter.allowPairs(of: SOCK_STREAM)
      filter.allowNewTasks()
      filter.allowHarmlessRequests()
      filter.allowOwnModes()
      filter.allowTheRest(
        but: Calls.intrusion + Calls.sharing + Calls.identity + Calls.serving + Calls.leaving
          + (connected ? [] : ["socket", "connect", "bind", "sendmmsg"]))
      return filter
    }

    /// The main process. It starts workers and serves sockets that are open already; nothing new goes out of it.
    static func main() -> SyscallFilter {
      var filter = SyscallFilter()
      filter.kill(Calls.intrusion)
      // Only streams: one end of a pair for datagrams can send to every local socket that has a name.
      filter.allowPairs(of: SOCK_STREAM)
      filter.allowSending()
      for (level, option) in Flag.socketOptions {
        filter.allow("setsockopt", [equal(1, UInt64(level)), equal(2, UInt64(option))])
      }
      filter.allowNewTasks()
      filter.allowOwnModes()
      // SQLite gives its files to whom they belong already.
      filter.allow("fchown", [equal(1, UInt64(geteuid())), equal(2, UInt64(getegid()))])
      filter.allowHarmlessRequests()
      filter.allowTheRest(but: Calls.sharing + Calls.identity + Calls.opening)
      return filter
    }

    private mutating func allow(_ calls: [String]) { for call in calls { allow(call, []) } }

    private mutating func allow(_ call: String, _ when: [scmp_arg_cmp]) {
      rules.append(Rule(call: call, answer: .allow, when: when))
    }

    private mutating func refuse(_ call: String, _ error: CInt) {
      rules.append(Rule(call: call, answer: .refuse(error), when: []))
    }

    private mutating func kill(_ calls: [String]) {
      rules += calls.map { Rule(call: $0, answer: .kill, when: []) }
    }

    /// No local sockets: services of the system listen there, which do more than connect.
    private mutating func allowInternet() {
      for family in [AF_INET, AF_INET6] {
        for type in [SOCK_STREAM, SOCK_DGRAM] {
          allow("socket", [Self.equal(0, UInt64(family)), Self.masked(1, 0xf, UInt64(type.rawValue))])
        }
      }
      // By which the C library asks what addresses this machine has.
      allow("socket", [Self.equal(0, UInt64(AF_NETLINK)), Self.equal(2, 0)])
    }

    /// What Landlock does not guard: modes of files that can be named but not written. They may become the owner's alone.
    private mutating func allowOwnModes() {
      for (call, place) in Calls.modes { allow(call, [Self.masked(place, 0o7077, 0)]) }
    }

    private mutating func allowPairs(of type: __socket_type) {
      allow(
        "socketpair",
        [
          Self.equal(0, UInt64(AF_UNIX)), Self.masked(1, 0xf, UInt64(type.rawValue)),
        ])
    }

    /// Over sockets that are connected: no address, and no connecting by the first word.
    private mutating func allowSending() {
      allow("sendto", [Self.equal(4, 0), Self.masked(3, Flag.fastOpen, 0)])
      allow("sendmsg", [Self.masked(2, Flag.fastOpen, 0)])
    }

    /// Of its own process: what sealing a worker takes, and asking; never opening its memory again. Of terminals: what types nothing
    /// into the person's shell.
    private mutating func allowHarmlessRequests() {
      for option in Flag.processOptions { allow("prctl", [Self.equal(0, UInt64(option))]) }
      allow("prctl", [Self.equal(0, Flag.setDumpable), Self.equal(1, 0)])
      for (mask, request) in Flag.askingOfOthers { allow("ioctl", [Self.masked(1, mask, request)]) }
      for request in Flag.askingOfFiles + Flag.askingOfTerminals { allow("ioctl", [Self.equal(1, request)]) }
    }

    /// Threads yes, processes no. What clone3 is asked cannot be inspected: ENOSYS makes the C library use clone.
    private mutating func allowThreads() {
      refuse("clone3", ENOSYS)
      allow("clone", [Self.masked(0, Flag.thread | Flag.namespaces, Flag.thread)])
    }

    /// Threads and processes, in no namespaces of their own.
    private mutating func allowNewTasks() {
      refuse("clone3", ENOSYS)
      allow("clone", [Self.masked(0, Flag.namespaces, 0)])
    }

    /// Every call this machine knows, except those and what has its rule already.
    private mutating func allowTheRest(but refused: [String]) {
      left = refused
      let named = Set(rules.map(\.call) + refused)
      for call in Self.known where !named.contains(call) { allow(call, []) }
    }

    private static func equal(_ index: UInt32, _ value: UInt64) -> scmp_arg_cmp {
      scmp_arg_cmp(arg: index, op: SCMP_CMP_EQ, datum_a: value, datum_b: 0)
    }

    private static func masked(_ index: UInt32, _ mask: UInt64, _ value: UInt64) -> scmp_arg_cmp {
      scmp_arg_cmp(arg: index, op: SCMP_CMP_MASKED_EQ, datum_a: mask, datum_b: value)
    }

    // MARK: Telling

    /// The calls it lets through, perhaps with some arguments only.
    var allowed: Set<String> { Set(rules.filter { $0.answer == .allow }.map(\.call)) }

    /// The calls it is told never to let through.
    var refused: Set<String> { Set(rules.map(\.call) + left).subtracting(allowed) }

    /// More than the kernel has.
    private static let numbers = CInt(0)..<640

    private static var known: [String] { numbers.compactMap { name(of: $0) } }

    private static func name(of number: CInt) -> String? {
      guard let found = seccomp_syscall_resolve_num_arch(seccomp_arch_native(), number) else { return nil }
      defer { free(found) }
      return String(cString: found)
    }

    // MARK: Loading

    /// Binds every thread of the process.
    func load() -> SealReport.Lock {
      guard let context = seccomp_init(libera_seccomp_refuse(UInt16(EPERM))) else {
        return .open("seccomp is not available")
      }
      defer { seccomp_release(context) }
      // Calls by the numbers of another interface (x32, 32-bit programs) pass no rule of ours: they end the process, where the
      // default would end a thread and leave the others waiting for it.
      let attributes: [(scmp_filter_attr, UInt32)] = [
        (SCMP_FLTATR_CTL_TSYNC, 1), (SCMP_FLTATR_ACT_BADARCH, libera_seccomp_kill), (SCMP_FLTATR_CTL_OPTIMIZE, 2),
      ]
      for (attribute, value) in attributes {
        let result = seccomp_attr_set(context, attribute, value)
        guard result == 0 else { return .open("seccomp lacks what is needed: \(systemReason(-result))") }
      }
      for rule in rules {
        let number = seccomp_syscall_resolve_name(rule.call)
        // A call that this machine does not have is refused by its absence.
        guard number != __NR_SCMP_ERROR, number >= 0 else { continue }
        let result = rule.when.withUnsafeBufferPointer {
          seccomp_rule_add_array(context, rule.answer.action, number, UInt32($0.count), $0.baseAddress)
        }
        guard result == 0 else { return .open("seccomp rule for \(rule.call): \(systemReason(-result))") }
      }
      // A C library newer than this one's knowledge asks for newer calls first, and does without them when told they are absent.
      for number in Self.numbers where Self.name(of: number) == nil {
        let result = seccomp_rule_add_array(context, Answer.refuse(ENOSYS).action, number, 0, nil)
        guard result == 0 else { return .open("seccomp rule for call \(number): \(systemReason(-result))") }
      }
      let loaded = seccomp_load(context)
      let allowed = Set(rules.filter { $0.answer == .allow }.map(\.call)).count
      return loaded == 0
        ? .shut("seccomp, \(allowed) calls allowed") : .open("seccomp refused: \(systemReason(-loaded))")
    }
  }
#endif

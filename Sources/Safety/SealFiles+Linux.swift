#if os(Linux)
  import CLinux
  import Core
  import Foundation

  /// The files a process may still open once Landlock holds. Paths are opened first and ruled on afterwards, because dropping
  /// capabilities in between may put them out of reach.
  struct Landlock {
    private var rules: [(descriptor: CInt, access: UInt64)] = []
    private var owned: [CInt] = []
    private var missing: [String] = []

    static func openPaths(_ specification: SealSpecification, files: [CInt]) -> Landlock {
      var paths = Landlock()
      for file in files { paths.rules.append((file, Access.readFile)) }
      let system = System(specification.profile)
      for path in system.readable { paths.add(path, system.read, required: false) }
      for path in system.listed { paths.add(path, Access.readFolder, required: false) }
      for path in system.devices { paths.add(path, Access.device, required: false) }
      // A program of others may put a link in the place of what it was granted, also while another is being started.
      let isForeign = [.tool, .connectedTool].contains(specification.profile)
      for path in specification.readable { paths.add(path, system.read, required: true, exactly: isForeign) }
      // A link that fetch puts where packs are made would have the main process write where it leads.
      let own = isForeign ? Access.keeping : Access.keeping & ~Access.makeLink
      for path in specification.writable { paths.add(path, own, required: true, exactly: isForeign) }
      return paths
    }

    /// The main process reads what the person may read, because any file may be imported. Landlock can only add: what is allowed for a
    /// folder cannot be taken from a part of it.
    static func house(_ reach: HouseReach) -> Landlock {
      var paths = Landlock()
      paths.add("/", Access.readFile | Access.readFolder, required: true)
      for path in reach.writable { paths.add(path, Access.keeping & ~Access.makeLink, required: true) }
      // A program that is linked is opened by its loader too.
      for path in reach.programs + [libera_loader().map { String(cString: $0) }].compactMap(\.self) {
        paths.add(path, Access.readFile | Access.execute, required: true)
      }
      for path in ["/dev/null", "/dev/snd", "/proc/pressure"] + (GraphicsCard.isHere ? GraphicsCard.devices : []) {
        paths.add(path, Access.device, required: false)
      }
      // Workers say of themselves how they yield to others. For root these files lie beside the whole system's settings.
      if geteuid() != 0 { paths.add("/proc", Access.writeFile, required: false) }
      return paths
    }

    private func closeAll() { for descriptor in owned { close(descriptor) } }

    /// `connections`: TCP connections are refused as well, which takes a newer kernel.
    func restrict(connections: Bool = false) -> SealReport.Lock {
      defer { closeAll() }
      let version = libera_landlock_version()
      guard version >= 1 else { return .open("Landlock is not available: \(systemReason())") }
      guard version >= 3 else { return .open("Landlock version \(version) does not know cutting files short (3 does)") }
      guard version >= 4 || !connections else {
        return .open("Landlock version \(version) knows no network rules (4 does)")
      }
      guard Landlock.isSingleThreaded else { return .open("Landlock came too late: threads were already running") }
      let known = Access.known(by: version)
      // From version 6 a process can also be kept from signalling, and from abstract sockets of, processes outside.
      let ruleset = libera_landlock_create(known, connections ? Access.connectTCP : 0, version >= 6 ? 0b11 : 0)
      guard ruleset >= 0 else { return .open("Landlock refused: \(systemReason())") }
      defer { close(ruleset) }
      for rule in rules {
        var kind = stat()
        guard fstat(rule.descriptor, &kind) == 0 else { return .open("Landlock rule: \(systemReason())") }
        let isFolder = kind.st_mode & S_IFMT == S_IFDIR
        let access = rule.access & known & (isFolder ? ~0 : Access.ofFiles)
        // Kernel-made files (memfd, pipes) take no rule and need none.
        if libera_landlock_allow(ruleset, access, rule.descriptor) != 0, errno != EBADFD, errno != EBADF {
          return .open("Landlock rule: \(systemReason())")
        }
      }
      guard libera_landlock_restrict(ruleset) == 0 else { return .open("Landlock refused: \(systemReason())") }
      let absent = missing.isEmpty ? "" : "; not found: " + missing.joined(separator: ", ")
      return .shut("Landlock version \(version)\(absent)")
    }

    /// `exactly`: only what lies there itself, and nothing that a link on the way leads to.
    private mutating func add(_ path: String, _ access: UInt64, required: Bool, exactly: Bool = false) {
      let descriptor = open(path, openOnly | O_CLOEXEC)
      guard descriptor >= 0, !exactly || Self.place(of: descriptor) == path else {
        if descriptor >= 0 { close(descriptor) }
        if required { missing.append(path) }
        return
      }
      owned.append(descriptor)
      rules.append((descriptor, access))
    }

    private static func place(of descriptor: CInt) -> String? {
      var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
      let length = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
      return length > 0 ? String(decoding: buffer[..<length], as: UTF8.self) : nil
    }

    /// O_PATH, which Swift's view of the C library lacks: names a file without opening it.
    private let openOnly: CInt = 0o10_000_000

    private static var isSingleThreaded: Bool {
      do { return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count == 1 } catch {
        return false
      }
    }
  }

  /// Landlock's access rights, by their numbers in the kernel's interface.
  private enum Access {
    static let execute: UInt64 = 1 << 0
    static let writeFile: UInt64 = 1 << 1
    static let readFile: UInt64 = 1 << 2
    static let readFolder: UInt64 = 1 << 3
    static let truncate: UInt64 = 1 << 14
    static let control: UInt64 = 1 << 15
    static let everything: UInt64 = (1 << 16) - 1
    /// Files, folders and sockets are made, written and removed; devices and pipes with a name are not made.
    static let keeping = everything & ~(execute | makeCharacterDevice | makePipe | makeBlockDevice | control)
    static let makeCharacterDevice: UInt64 = 1 << 6
    static let makePipe: UInt64 = 1 << 10
    /// A link to anywhere, which a later start might follow.
    static let makeLink: UInt64 = 1 << 12
    static let makeBlockDevice: UInt64 = 1 << 11
    static let ofFiles = execute | writeFile | readFile | truncate | control
    static let device = readFile | writeFile | control | readFolder
    static let connectTCP: UInt64 = 1 << 1

    static func known(by version: CInt) -> UInt64 {
      switch version {
      case 1: (1 << 13) - 1
      case 2: (1 << 14) - 1
      case 3, 4: (1 << 15) - 1
      default: everything
      }
    }
  }

  extension GraphicsCard {
    /// What computes, not what draws on a screen (/dev/dri/card0).
    static let devices =
      (0..<16).map { "/dev/dri/renderD\(128 + $0)" } + (0..<16).map { "/dev/nvidia\($0)" }
      + ["/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/nvidia-modeset", "/dev/nvidia-caps"]
  }

  /// What of the system a profile needs beside its own files.
  private struct System {
    var readable = [
      "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system", "/usr/share/zoneinfo", "/dev/urandom", "/dev/random",
    ]
    var devices = ["/dev/null"]
    /// Folders whose names alone may be read.
    var listed: [String] = []
    var read = Access.readFile | Access.readFolder

    init(_ profile: SealSpecification.Profile) {
      switch profile {
      case .engine: break
      case .gpuEngine:
        readable += ["/usr/lib", "/lib", "/lib64", "/usr/local", "/opt", "/usr/share", "/etc/vulkan", "/etc/OpenCL"]
        readable += ["/etc/ld.so.cache", "/proc/self", "/proc/driver", "/proc/devices", "/proc/modules", "/sys"]
        listed = ["/dev/dri"]  // which cards there are
        devices += GraphicsCard.devices
      case .fetch:
        readable += ["/usr/lib", "/usr/lib64", "/usr/share", "/lib", "/lib64"] + System.network
      case .tool, .connectedTool:
        // The system's programs and what they read of it; of the person's nothing.
        readable += ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/proc/self", "/dev/zero"]
        readable += ["alternatives", "mime.types", "os-release", "timezone"].map { "/etc/\($0)" } + System.network
        read |= Access.execute
      }
    }

    /// How names are found, and certificates; what libraries read before they do anything.
    private static let network =
      ["/run/systemd/resolve"]
      + [
        "resolv.conf", "hosts", "host.conf", "nsswitch.conf", "gai.conf", "services", "protocols", "ssl", "pki",
        "ca-certificates", "crypto-policies", "ld.so.cache", "localtime",
      ].map { "/etc/\($0)" }
  }
#endif

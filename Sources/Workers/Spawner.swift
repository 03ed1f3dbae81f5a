import CLinux
import Core
import Foundation
import Synchronization

/// Why a process is no more.
package enum ExitReason: Codable, Sendable, Equatable, CustomStringConvertible {
  case code(CInt)
  case signal(CInt)
  /// It was somebody else's child and went without a word.
  case unknown
  /// The launcher ended it, because offline was set.
  case offline
  /// A thread of this program that does not come back from what it computes. Nothing can end it.
  case abandoned

  package var description: String {
    switch self {
    case .code(0): "it finished"
    case .code(let code): "exit code \(code)"
    case .signal(let signal): "signal \(ExitReason.names[signal] ?? String(signal))"
    case .unknown: "for an unknown reason"
    case .offline: "offline was set"
    case .abandoned: "it does not come back"
    }
  }

  private static let names: [CInt: String] = [
    SIGKILL: "KILL", SIGSEGV: "SEGV", SIGABRT: "ABRT", SIGBUS: "BUS", SIGILL: "ILL", SIGFPE: "FPE", SIGTERM: "TERM",
    SIGTRAP: "TRAP", SIGINT: "INT", SIGPIPE: "PIPE", SIGSYS: "SYS", SIGXCPU: "XCPU",
  ]
}

/// The one place where processes are started: descriptors are handed over by name, everything else is closed in the child,
/// which runs in a session of its own and so hears nothing of the terminal's Ctrl-C.
package enum Spawner {
  /// Stands for the null device among the files of `start`.
  package static let nothing: CInt = -1

  /// The process's own entry for how early the system ends it when memory is short, and what stands there: opened at the first start
  /// of a child, before the process seals itself. A negative descriptor: it cannot be had, and the child says it itself.
  private static let score: (entry: CInt, own: String) = {
    #if os(Linux)
      let entry = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC)
      var text = [UInt8](repeating: 0, count: 16)
      let count = max(0, read(entry, &text, text.count))
      return (entry, String(decoding: text[..<count], as: UTF8.self).filter { !$0.isWhitespace })
    #else
      return (-1, "")
    #endif
  }()
  private static let starting = Mutex(())

  /// `files[i]` becomes the child's descriptor i, `nothing` the null device; the caller keeps its own.
  /// `yielding`: under pressure the system ends the child before it ends us.
  package static func start(
    _ program: String, _ arguments: [String], environment: [String: String], files: [CInt], yielding: Bool = false
  ) throws -> CInt {
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for word in words + variables { free(word) } }
    var process = pid_t()
    let result = starting.withLock { _ in
      // A child begins with what its parent has at that moment.
      let (entry, own) = score
      let isRaised = yielding && entry >= 0 && Int(own) ?? 500 < 500 && pwrite(entry, "500", 3, 0) == 3
      defer { if isRaised { _ = pwrite(entry, own, own.utf8.count, 0) } }
      return libera_spawn(&process, program, &words, &variables, files, CInt(files.count))
    }
    guard result == 0 else { throw WorkerError.notStarted(program: program, reason: systemReason(result)) }
    return process
  }

  /// Blocks until the child has ended and removes its last trace.
  package static func wait(_ process: CInt) -> ExitReason {
    var code: CInt = 0
    var signal: CInt = 0
    guard libera_wait(process, &code, &signal) == 0 else { return .unknown }
    return signal == 0 ? .code(code) : .signal(signal)
  }

  /// A connected pair of sockets, both close-on-exec.
  package static func socketPair() throws -> (ours: CInt, theirs: CInt) {
    var ends: [CInt] = [-1, -1]
    guard libera_socketpair(&ends) == 0 else { throw WorkerError.socket(systemReason()) }
    return (ends[0], ends[1])
  }

  /// Sealed workers get what the C engines read from the environment and nothing that tells of the person.
  package static func plainEnvironment(_ whole: [String: String] = ProcessInfo.processInfo.environment) -> [String:
    String]
  {
    let names: Set = ["LD_LIBRARY_PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TESSDATA_PREFIX"]
    let families = ["LIBERA_", "GGML_", "LLAMA_", "OMP_", "GOMP_", "CUDA_", "VK_"]
    let kept = whole.filter { variable, _ in
      names.contains(variable) || families.contains { variable.hasPrefix($0) } && variable != password
    }
    // OpenMP's threads spin while they wait for the next computation: as long as they do by default they keep other programs, and
    // other workers, from their cores; never spinning makes a token three times slower.
    let usual = ["GOMP_SPINCOUNT": "30000"].merging(kept) { $1 }
    // Both would start a debugger on a crash, which a sealed process cannot.
    return usual.merging(["SWIFT_BACKTRACE": "enable=no", "GGML_NO_BACKTRACE": "1"]) { $1 }
  }

  /// Opens backups, and is no worker's.
  private static let password = "LIBERA_PASSWORD"

  /// A worker with a network is told besides how others are reached, by which certificates they are known, and where the hub is: what
  /// else a person's shell holds, keys of other services among it, could leave by such a worker.
  package static func connectedEnvironment(
    _ whole: [String: String] = ProcessInfo.processInfo.environment
  ) -> [String: String] {
    let reached: Set = [
      "http_proxy", "https_proxy", "all_proxy", "no_proxy", "hf_endpoint", "ssl_cert_file", "curl_ca_bundle",
    ]
    return plainEnvironment(whole).merging(whole.filter { reached.contains($0.key.lowercased()) }) { $1 }
  }

  /// The file of authorities that the person's shell names, to be trusted instead of the system's.
  package static func authorities(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> String? {
    ["SSL_CERT_FILE", "CURL_CA_BUNDLE"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
  }
}

/// Where libera-worker lies: named by LIBERA_WORKER, else beside the running program, else beside the image this code is in
/// (which in a test run is the test bundle in the build folder).
package enum WorkerProgram {
  /// The program of a kind of worker.
  package static func find(_ kind: WorkerKind) throws -> String {
    kind == .echo ? folder(try find()) + "/echo-worker" : try find()
  }

  package static func find(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws -> String {
    if let named = environment["LIBERA_WORKER"] {
      guard access(named, X_OK) == 0 else { throw WorkerError.programMissing([named]) }
      return named
    }
    let places = [programFolder(), imageFolder()].compactMap(\.self)
    for place in places where access(place + "/libera-worker", X_OK) == 0 { return place + "/libera-worker" }
    throw WorkerError.programMissing(places)
  }

  private static func programFolder() -> String? {
    #if os(Linux)
      var path = [CChar](repeating: 0, count: Int(PATH_MAX))
      let length = readlink("/proc/self/exe", &path, path.count)
      guard length > 0 else { return nil }
      return folder(String(decoding: path[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self))
    #else
      return Bundle.main.executablePath.map(folder)
    #endif
  }

  private static func imageFolder() -> String? {
    libera_image(#dsohandle).map { folder(String(cString: $0)) }
  }

  private static func folder(_ path: String) -> String { (path as NSString).deletingLastPathComponent }
}

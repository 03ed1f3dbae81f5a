import CLlama
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// llama.cpp's log, kept out of stderr: the last error lines say why a load failed.
///
/// llama.cpp has one log callback for the process, called on the thread that asked: where several engines work in one, each
/// thread has its own lines and its own listener.
enum EngineLog {
  private struct Ear {
    var kept: [String] = []
    var listener: (@Sendable (String) -> Void)?
  }
  private static let ears = Mutex<[pthread_t: Ear]>([:])
  private static var thread: pthread_t { pthread_self() }
  private static let capacity = 24

  static func install() {
    llama_log_set(
      { level, text, _ in
        guard let text else { return }
        EngineLog.receive(
          String(cString: text), isProblem: level == GGML_LOG_LEVEL_ERROR || level == GGML_LOG_LEVEL_WARN)
      }, nil)
  }

  static func receive(_ line: String, isProblem: Bool) {
    let thread = thread
    if let heard = ears.withLock({ $0[thread]?.listener }) { heard(line) }
    guard isProblem else { return }
    let trimmed = line.trimming { $0.isWhitespace }
    guard !trimmed.isEmpty else { return }
    ears.withLock { ears in
      var lines = ears[thread, default: Ear()].kept + [trimmed]
      if lines.count > capacity { lines.removeFirst(lines.count - capacity) }
      ears[thread, default: Ear()].kept = lines
    }
  }

  /// Every unit of work begins with this, so that what a thread left that has ended is not read.
  static func clear() {
    let thread = thread
    ears.withLock { ears in
      ears[thread]?.kept = []
      if ears[thread]?.listener == nil { ears[thread] = nil }
    }
  }

  /// The last complaints, or `fallback` where llama.cpp said nothing.
  static func reason(orElse fallback: String) -> String {
    let thread = thread
    let lines = ears.withLock { Array($0[thread]?.kept.suffix(3) ?? []) }
    return lines.isEmpty ? fallback : lines.joined(separator: " / ")
  }

  /// Hears every line while `work` runs; rewriting weights reports its progress only here.
  static func listening<Result>(_ hear: @escaping @Sendable (String) -> Void, while work: () throws -> Result) rethrows
    -> Result
  {
    let thread = thread
    ears.withLock { $0[thread, default: Ear()].listener = hear }
    defer { ears.withLock { $0[thread]?.listener = nil } }
    return try work()
  }
}

extension String {
  fileprivate func trimming(_ unwanted: (Character) -> Bool) -> String {
    var rest = self[...].drop(while: unwanted)
    while let last = rest.last, unwanted(last) { rest.removeLast() }
    return String(rest)
  }
}

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
/// thread has its own lines.
enum EngineLog {
  private static let kept = Mutex<[pthread_t: [String]]>([:])
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
    guard isProblem else { return }
    let trimmed = line.trimming { $0.isWhitespace }
    guard !trimmed.isEmpty else { return }
    let thread = thread
    kept.withLock { $0[thread] = Array(($0[thread, default: []] + [trimmed]).suffix(capacity)) }
  }

  /// Every unit of work begins with this, so that what a thread left that has ended is not read.
  static func clear() {
    let thread = thread
    kept.withLock { $0[thread] = nil }
  }

  /// The last complaints, or `fallback` where llama.cpp said nothing.
  static func reason(orElse fallback: String) -> String {
    let thread = thread
    let lines = kept.withLock { $0[thread, default: []].suffix(3) }
    return lines.isEmpty ? fallback : lines.joined(separator: " / ")
  }
}

extension String {
  fileprivate func trimming(_ unwanted: (Character) -> Bool) -> String {
    var rest = self[...].drop(while: unwanted)
    while let last = rest.last, unwanted(last) { rest.removeLast() }
    return String(rest)
  }
}

import CLlama
import Synchronization

/// llama.cpp's log, kept out of stderr: the last error lines say why a load failed.
///
/// It is process-wide because llama.cpp has one log callback per process.
enum EngineLog {
  private static let kept = Mutex<[String]>([])
  private static let listener = Mutex<(@Sendable (String) -> Void)?>(nil)
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
    if let heard = listener.withLock({ $0 }) { heard(line) }
    guard isProblem else { return }
    let trimmed = line.trimming { $0.isWhitespace }
    guard !trimmed.isEmpty else { return }
    kept.withLock {
      $0.append(trimmed)
      if $0.count > capacity { $0.removeFirst($0.count - capacity) }
    }
  }

  static func clear() { kept.withLock { $0.removeAll() } }

  /// The last complaints, or `fallback` where llama.cpp said nothing.
  static func reason(orElse fallback: String) -> String {
    let lines = kept.withLock { Array($0.suffix(3)) }
    return lines.isEmpty ? fallback : lines.joined(separator: " / ")
  }

  /// Hears every line while `work` runs; rewriting weights reports its progress only here.
  static func listening<Result>(_ hear: @escaping @Sendable (String) -> Void, while work: () throws -> Result) rethrows
    -> Result
  {
    listener.withLock { $0 = hear }
    defer { listener.withLock { $0 = nil } }
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

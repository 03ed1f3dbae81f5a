import Foundation

/// Where words go: answers to standard output, everything about them to standard error; colours only where someone looks.
struct Terminal: Sendable {
  enum Style: String { case bold = "1", quiet = "2", accent = "36", warning = "33", problem = "31" }

  let isInteractive: Bool
  private let colours: Bool
  private let errorColours: Bool

  init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    let plain = !(environment["NO_COLOR"] ?? "").isEmpty || environment["TERM"] == "dumb"
    isInteractive = isatty(STDOUT_FILENO) == 1
    colours = isInteractive && !plain
    errorColours = isatty(STDERR_FILENO) == 1 && !plain
  }

  /// How many letters a line of what the person looks at holds.
  var columns: Int {
    var size = winsize()
    return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }

  var readsFromPerson: Bool { isatty(STDIN_FILENO) == 1 }
  var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }

  func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
  func line(_ text: String = "") { write(text + "\n") }
  func note(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
  /// Overwrites the last progress line; an empty text clears it. Nothing when nobody looks.
  func progress(_ text: String) {
    if showsProgress { FileHandle.standardError.write(Data("\r\u{1B}[2K\(text)".utf8)) }
  }

  func styled(_ text: String, _ style: Style) -> String { colours ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text }
  func styledNote(_ text: String, _ style: Style) -> String {
    errorColours ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }
}

/// Quantities as people read them.
enum Words {
  static func bytes(_ count: some BinaryInteger) -> String {
    let value = Double(count)
    switch value {
    case 1e9...: return String(format: "%.1f GB", value / 1e9)
    case 1e6...: return String(format: "%.0f MB", value / 1e6)
    case 1e3...: return String(format: "%.0f kB", value / 1e3)
    default: return "\(count) bytes"
    }
  }

  static func duration(ms: Double) -> String {
    ms < 1000 ? String(format: "%.0f ms", ms) : String(format: "%.1f s", ms / 1000)
  }

  static func timeLeft(seconds: Double) -> String {
    seconds < 90 ? "\(Int(seconds.rounded())) s" : "\(Int((seconds / 60).rounded())) min"
  }
}

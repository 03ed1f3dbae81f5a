import Core
import Foundation

/// Where words go: answers to standard output, everything about them to standard error; colours only where someone looks.
///
/// Whatever is written comes through here, and characters that a terminal obeys are shown instead of sent: subjects, names of
/// files, answers and errors may be a stranger's words. Colours of our own are told apart by a number that nobody outside knows.
struct Terminal: Sendable {
  enum Style: String, CaseIterable { case bold = "1", quiet = "2", accent = "36", warning = "33", problem = "31" }

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

  /// Ends the program where nobody reads any more, as in `libera help | head`, or where what reads is full.
  func write(_ text: String) {
    put(Self.shown(text))
  }

  /// A text for machines as it is, where no terminal would read it.
  func writeVerbatim(_ text: String) { put(isInteractive ? Self.shown(text) : text) }

  private func put(_ text: String) {
    guard let failure = Self.put(text, into: STDOUT_FILENO) else { return }
    if failure != EPIPE {
      note("libera: " + say("The output cannot be written: \(systemReason(failure))."))
    }
    exit(failure == EPIPE ? ExitCode.unheard.rawValue : ExitCode.failed.rawValue)
  }

  func line(_ text: String = "") { write(text + "\n") }
  /// A remark that cannot be written is dropped.
  func note(_ text: String) { _ = Self.put(Self.shown(text) + "\n", into: STDERR_FILENO) }

  /// The error that kept it from being written, or nil.
  private static func put(_ text: String, into descriptor: Int32) -> Int32? {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      let failure = errno
      switch (count, failure) {
      case (0..., _): rest = rest.dropFirst(count)
      case (_, EINTR): continue
      case (_, EAGAIN):
        // Whoever started the program may have made its output one that does not wait.
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&ready, 1, -1)
      default: return failure
      }
    }
    return nil
  }

  /// Overwrites the last progress line; an empty text clears it. Nothing when nobody looks.
  func progress(_ text: String) {
    if showsProgress {
      let line = Self.shown(text).replacing("\n", with: " ")
      _ = Self.put("\r\u{1B}[2K\(line)", into: STDERR_FILENO)
    }
  }

  func styled(_ text: String, _ style: Style) -> String { colours ? Self.painted(text, style) : text }
  func styledNote(_ text: String, _ style: Style) -> String { errorColours ? Self.painted(text, style) : text }

  /// For what others than this write to the terminal, a prompt for instance.
  static func shown(_ text: String) -> String {
    var text = Visible.text(text)
    guard text.contains(mark) else { return text }
    for style in Style.allCases {
      text = text.replacing("\(mark)\(style.rawValue);", with: "\u{1B}[\(style.rawValue)m")
    }
    return text.replacing("\(mark)0;", with: "\u{1B}[0m")
  }

  private static let mark = "⟦\(UInt64.random(in: .min ... .max))⟧"

  private static func painted(_ text: String, _ style: Style) -> String { "\(mark)\(style.rawValue);\(text)\(mark)0;" }
}

/// Quantities as people read them.
enum Words {
  static func pages(_ count: Int) -> String { say(count, one: "\(count) page", many: "\(count) pages") }

  static func bytes(_ count: some BinaryInteger) -> String {
    let value = Double(count)
    switch value {
    case 1e9...: return say("\(decimal(value / 1e9)) GB")
    case 1e6...: return say("\(decimal(value / 1e6, digits: 0)) MB")
    case 1e3...: return say("\(decimal(value / 1e3, digits: 0)) kB")
    default: return say("\(count) bytes")
    }
  }

  static func duration(ms: Double) -> String {
    ms < 1000 ? String(format: "%.0f ms", ms) : "\(decimal(ms / 1000)) s"
  }

  /// With the sign that the language puts before decimals.
  static func decimal(_ value: Double, digits: Int = 1) -> String {
    String(format: "%.\(digits)f", value).replacing(".", with: say("."))
  }

  static func timeLeft(seconds: Double) -> String {
    seconds < 90 ? "\(Int(seconds.rounded())) s" : "\(Int((seconds / 60).rounded())) min"
  }
}

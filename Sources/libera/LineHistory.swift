import CEdit
import Core
import Foundation

/// Reads lines with the terminal's usual editing keys, and remembers the last 500 in the data folder (0600).
final class LineHistory {
  private let file: URL
  private let interactive: Bool

  init(_ folders: Folders, interactive: Bool) throws {
    file = folders.chatHistory
    self.interactive = interactive
    guard interactive else { return }
    try Folders.make(folders.data)
    using_history()
    stifle_history(500)
    if FileManager.default.fileExists(atPath: file.path) { read_history(file.path) }
  }

  /// The next line, or nil at the end of input. Ctrl-C at the prompt does nothing: there is nothing to stop.
  func ask(_ prompt: String) -> String? {
    guard interactive else { return readLine() }
    let before = signal(SIGINT, SIG_IGN)
    defer { signal(SIGINT, before) }
    guard let raw = readline(prompt) else { return nil }
    defer { free(raw) }
    let line = String(cString: raw)
    if !line.allSatisfy(\.isWhitespace) {
      add_history(raw)
      write_history(file.path)
      chmod(file.path, 0o600)
    }
    return line
  }
}

import CEdit
import Core
import Foundation
import Synchronization

/// Reads lines with the terminal's usual editing keys, and remembers the last 500 in the data folder (0600).
final class LineHistory: Sendable {
  private let file: URL
  private let interactive: Bool
  /// Lines typed while an answer came: the next to be asked.
  private let typed = Mutex<[Line]>([])
  /// Whether another line waited behind the last one that was read.
  private let isFollowed = Mutex(false)

  struct Line: Sendable {
    var text: String
    /// Several lines that come at once were pasted; who wrote them is not known.
    var isAlone = true
  }

  init(_ folders: Folders, interactive: Bool) throws {
    file = folders.chatHistory
    self.interactive = interactive
    guard interactive else { return }
    try Folders.make(folders.data)
    libera_take_keys()
    using_history()
    stifle_history(500)
    recall()
  }

  /// The file is what is remembered: lines that were destroyed meanwhile are not written down again, and those typed elsewhere stay.
  private func recall() {
    clear_history()
    if FileManager.default.fileExists(atPath: file.path) { read_history(file.path) }
  }

  /// The next line, or nil at the end of input.
  func ask(_ prompt: String) throws -> Line? {
    guard interactive else { return try InputLine.next().map { Line(text: $0) } }
    if let line = typed.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return line }
    guard let raw = readline(Terminal.shown(prompt)) else { return nil }
    defer { free(raw) }
    let line = String(cString: raw)
    guard line.utf8.count <= InputLine.longest else { throw UsageError.tooLong(line.utf8.count, InputLine.longest) }
    if !line.allSatisfy(\.isWhitespace) {
      recall()
      add_history(raw)
      write_history(file.path)
      chmod(file.path, 0o600)
    }
    return Line(text: line, isAlone: isAlone())
  }

  /// Of the line that was just read.
  private func isAlone() -> Bool {
    var terminal = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    let waits = poll(&terminal, 1, 0) > 0
    return isFollowed.withLock { isFollowed in
      defer { isFollowed = waits }
      return !waits && !isFollowed
    }
  }

  /// Reads what is typed while `work` is done: "/stop" calls `stop`, other lines are asked afterwards.
  func listening(_ stop: @escaping @Sendable () -> Void, while work: () async throws -> Void) async rethrows {
    guard interactive else { return try await work() }
    let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
    source.setEventHandler { [self] in
      var buffer = [UInt8](repeating: 0, count: 4096)
      // A terminal gives whole lines, or nothing where Ctrl-D was pressed.
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      guard count > 0 else { return typed.withLock { $0.append(Line(text: "/quit")) } }
      let alone = isAlone()
      // What was pasted while the prompt stood ends in returns, as the terminal had it then.
      for line in String(decoding: buffer[..<count], as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
      {
        if line.trimmingCharacters(in: .whitespaces) == "/stop" {
          stop()
        } else {
          typed.withLock { $0.append(Line(text: line, isAlone: alone)) }
        }
      }
    }
    source.resume()
    do { try await work() } catch {
      await Self.end(source)
      throw error
    }
    await Self.end(source)
  }

  /// Returns when the source reads no more: a line that it takes later would be missed by who asks for the next.
  private static func end(_ source: any DispatchSourceRead) async {
    await withCheckedContinuation { continuation in
      source.setCancelHandler { continuation.resume() }
      source.cancel()
    }
  }
}

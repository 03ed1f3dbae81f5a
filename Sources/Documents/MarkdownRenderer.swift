import Core

/// An answer's Markdown as HTML for the page, made in the worker that reads what others wrote.
package struct MarkdownRenderer: Sendable {
  /// Longer than any answer; what is longer is shown as it was written.
  package static let mostBytes = 256 << 10
  private static let mostTime = Duration.seconds(2)

  private let desk: ParseDesk
  package init(_ desk: ParseDesk) { self.desk = desk }

  /// `sentences` are wrapped in `<span data-s="INDEX">`. What is too long, or takes too long, comes as plain text under a line
  /// that says so.
  package func html(from text: String, sentences: [String] = []) async throws -> String {
    let bytes = text.utf8.count + sentences.reduce(0) { $0 + $1.utf8.count }
    guard bytes <= 2 * Self.mostBytes, text.utf8.count <= Self.mostBytes else {
      return Self.plain(
        text, because: "it has \(text.utf8.count / 1000) kB; at most \(Self.mostBytes / 1000) are laid out")
    }
    do {
      let html = try await desk.ask(
        "markdown", MarkdownRequest(text: text, sentences: sentences), within: Self.mostTime, for: String.self)
      guard !PageHTML.isHarmless(html) else { return html }
      // No worker of ours makes that. The next request finds a fresh one.
      await desk.stop()
      return Self.plain(text, because: "what it was laid out as is not what Markdown can be")
    } catch let error as DocumentError {
      return Self.plain(text, because: "it could not be laid out: \(error.message)")
    }
  }

  private static func plain(_ text: String, because reason: String) -> String {
    "<p><em>Shown as it was written, because \(escaped(reason)).</em></p>\n<pre>\(escaped(text))</pre>\n"
  }

  private static func escaped(_ text: String) -> String {
    var out = ""
    out.reserveCapacity(text.utf8.count + 64)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      case "\0": continue
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }
}

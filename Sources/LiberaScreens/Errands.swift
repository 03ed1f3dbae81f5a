public import Foundation
public import LiberaKit

/// What the system's shortcuts and its assistant can have done without a screen of the app: each one operation of the library, in the
/// home that the app has open.
@MainActor
public struct Errands: Sendable {
  public struct Said: Sendable, Equatable {
    public var answer: String
    /// What the documents say of it; nil where none were asked.
    public var finding: Finding?
    /// The names of the documents that it rests on, each once.
    public var documents: [String]
  }

  public struct Taken: Sendable, Equatable {
    public var imported = 0
    public var skipped = 0
    public var failed = 0
    /// Why a file was skipped or failed.
    public var reasons: [String] = []
  }

  private let app: AppScreen
  public init(_ app: AppScreen) { self.app = app }

  public func ask(_ question: String) async throws -> Said {
    let question = try Self.words(question)
    let answer = try await app.rooms().libera.answer(question)
    var documents: [String] = []
    for citation in answer.citations where !documents.contains(citation.document) {
      documents.append(citation.document)
    }
    return Said(answer: answer.answer, finding: answer.finding, documents: documents)
  }

  public func take(_ files: [HandedFile]) async throws -> Taken {
    let rooms = try await app.rooms()
    var put: [URL] = []
    defer { for file in put { Self.remove(file.deletingLastPathComponent()) } }
    for file in files { put.append(try file.put(into: rooms.doors.place)) }
    var taken = Taken()
    for try await event in rooms.libera.import(put) {
      switch event {
      case .finished(let imported, let skipped, let failed, _):
        (taken.imported, taken.skipped, taken.failed) = (imported, skipped, failed)
      case .skipped(_, let reason), .failed(_, let reason): taken.reasons.append(reason)
      case .progress, .done: break
      }
    }
    await rooms.library.refresh()
    return taken
  }

  /// The words of a recording.
  public func words(of recording: HandedFile) async throws -> String {
    let rooms = try await app.rooms()
    let file = try recording.put(into: rooms.doors.place)
    defer { Self.remove(file.deletingLastPathComponent()) }
    return try await rooms.libera.transcribe(file).text
  }

  /// - Parameter moment: nil: what the words themselves say of a time.
  public func remind(of words: String, at moment: Date? = nil) async throws -> Action {
    let words = try Self.words(words)
    let rooms = try await app.rooms()
    var command = "remind me to \(words)"
    var edits: CommandEdits?
    if let moment {
      var named = CommandEdits()
      (named.title, named.start) = (words, LocalMoment.text(moment))
      edits = named
    }
    // A title may itself sound like a command.
    let shown = try await rooms.libera.perform(command, onlyShow: true)
    if shown.card.kind != .addReminder {
      command = "remind me to do it"
      edits = edits ?? CommandEdits()
      edits?.title = words
    }
    let performed = try await rooms.libera.perform(command, confirmed: true, edits: edits)
    guard let action = performed.action, action.kind == .addReminder, action.state != .failed else {
      throw LiberaError(
        code: "reminder_not_set", message: performed.action?.reason ?? "No reminder was set: \(performed.card.words)")
    }
    await rooms.mirror.done(action, performed.card)
    return action
  }

  /// Opens the microphone; the screen shows it as soon as the app does.
  public func listen() async throws {
    let rooms = try await app.rooms()
    rooms.firstRun.leave()
    rooms.wanted = .voice
    guard let microphone = rooms.doors.microphone else {
      throw LiberaError(code: "no_microphone", message: "There is no microphone here.")
    }
    rooms.voice.listen(through: microphone)
  }

  /// The link of this app's own widget.
  public static let listenLink = "libera-widget://listen"

  /// Does what a link that opened the app stands for; one that is not of the widget does nothing.
  public func follow(_ link: URL) async {
    guard link.absoluteString == Self.listenLink else { return }
    // The screen that is shown then says why nothing listens.
    do { try await listen() } catch { return }
  }

  private static func words(_ text: String) throws -> String {
    let words = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !words.isEmpty else { throw LiberaError(code: "no_words", message: "Nothing was said.") }
    return words
  }

  private static func remove(_ folder: URL) {
    // What is left is removed at the next start.
    do { try FileManager.default.removeItem(at: folder) } catch { return }
  }
}

enum LocalMoment {
  /// As `2026-06-11T07:00:00`, in the zone of the device.
  static func text(_ moment: Date) -> String {
    String(moment.formatted(Date.ISO8601FormatStyle(timeZone: .current)).prefix(19))
  }
}

public import Foundation
public import LiberaKit
public import Observation

/// The chat: a composer, turns that stream, the page behind a citation.
@MainActor @Observable
public final class ChatScreen: Fallible {
  private let libera: Libera
  public let conversation: UUID
  public private(set) var title = ""
  public private(set) var turns: [ChatTurn] = []
  /// Every turn of every branch, as it was read last.
  private var kept: [ConversationTurn] = []
  /// What stands in the composer.
  public var draft = ""
  /// The question that is being asked in another way: its old answer is kept beside the new one.
  public private(set) var editing: ChatTurn.ID?
  /// nil: as the settings say.
  public var mode: Mode?
  public var collection: String?
  /// The names of the files that are attached to the conversation.
  public private(set) var attached: [String] = []
  /// The page that is open, or why it could not be opened.
  public private(set) var page: Result<PageView, LiberaError>?
  /// Photos or pages are on their way into the conversation.
  public private(set) var isAttaching = false
  @ObservationIgnored private var answering: Task<Void, Never>?
  @ObservationIgnored private var attaching: Task<Void, Never>?
  private let pictures: PictureFolder

  /// - Parameter place: A folder of the app's own, for pictures on their way in.
  public init(
    _ libera: Libera, conversation: UUID = UUID(), place: URL = FileManager.default.temporaryDirectory
  ) {
    self.libera = libera
    self.conversation = conversation
    pictures = PictureFolder(in: PictureFolder.attached(in: place).appending(path: conversation.uuidString))
  }

  public var isAnswering: Bool { turns.last.map { !$0.stage.isOver } ?? false }
  public var canSend: Bool { !isAnswering && !draft.allSatisfy(\.isWhitespace) }

  /// Reads a conversation that was kept; a new one is empty.
  public func open() async {
    do {
      guard let whole = try await read() else { return }
      attached = whole.attached
      let known = turns
      if !isAnswering {
        turns = whole.turns.filter(\.isShown).map { kept in
          known.first { $0.answerID == kept.id && $0.stage.isOver } ?? ChatTurn(kept)
        }
      }
      problem = nil
    } catch { failed(error) }
  }

  /// The conversation as it is kept; nil: nothing of it is yet, or any more.
  private func read() async throws -> Conversation? {
    guard try await libera.conversations.list().contains(where: { $0.id == conversation }) else { return nil }
    let whole = try await libera.conversations.show(conversation)
    (title, kept) = (whole.title, whole.turns)
    return whole
  }

  /// What else was asked or answered in the place of a turn; nil: nothing.
  public func versions(of turn: ChatTurn) -> Versions? { turn.answerID.flatMap { Versions(of: $0, in: kept) } }

  /// Shows another version, with what followed it. The next question follows that.
  public func show(version: ConversationTurn.ID) async {
    guard !isAnswering else { return }
    if editing != nil { leaveEditing() }
    do { try await libera.conversations.choose(version) } catch { return failed(error) }
    await open()
  }

  /// Puts an earlier question into the composer, to be asked in another way.
  public func edit(_ turn: ChatTurn.ID) {
    guard !isAnswering, let question = turns.first(where: { $0.id == turn })?.question else { return }
    (editing, draft) = (turn, question)
  }

  public func leaveEditing() { (editing, draft) = (nil, "") }

  /// What a question that is asked anew follows, "" being the beginning; what came after it is not shown any more.
  private func makeRoom(for turn: ChatTurn.ID?) -> String? {
    guard let place = turns.firstIndex(where: { $0.id == turn }) else { return nil }
    let before = turns[..<place].last { $0.answerID != nil }?.answerID
    turns.removeSubrange(place...)
    return before ?? ""
  }

  /// Sends what stands in the composer.
  public func send() {
    guard canSend else { return }
    let question = draft.trimmingCharacters(in: .whitespacesAndNewlines)
    let edited = editing
    leaveEditing()
    ask(question, following: makeRoom(for: edited))
  }

  private func ask(_ question: String, following: String?) {
    let turn = ChatTurn(question)
    let known = Set(kept.map(\.id))
    turns.append(turn)
    let options = AskOptions(
      mode: mode, collection: collection, conversation: conversation, following: following)
    answering = Task { [libera] in
      do {
        for try await event in libera.ask(question, options) { self.change(turn.id) { $0.take(event) } }
        self.change(turn.id) { $0.end(with: nil) }
      } catch { self.change(turn.id) { $0.end(with: error) } }
      // A task of its own: stopping an answer cancels this one.
      await Task { await self.find(turn, besides: known) }.value
    }
  }

  /// Reads what is kept of a question that is over, and what else is in its place.
  private func find(_ turn: ChatTurn, besides known: Set<ConversationTurn.ID>) async {
    do {
      try await libera.conversations.settled(conversation)
      guard let whole = try await read() else { return }
      let found = whole.turns.last { $0.question == turn.question && !known.contains($0.id) }
      change(turn.id) { $0.isKept(as: found?.id) }
    } catch { failed(error) }
  }

  /// An answer that was stopped may still be told of when its question is not shown any more.
  private func change(_ turn: ChatTurn.ID, _ work: (inout ChatTurn) -> Void) {
    guard let place = turns.firstIndex(where: { $0.id == turn }) else { return }
    work(&turns[place])
  }

  /// Stops the answer; what was written stays.
  public func stop() {
    guard isAnswering else { return }
    answering?.cancel()
    turns[turns.count - 1].end(with: CancellationError())
  }

  /// Asks a question again in its place; an answer that was there is kept beside the new one.
  public func retry(_ turn: ChatTurn.ID) {
    guard !isAnswering, let question = turns.first(where: { $0.id == turn })?.question else { return }
    if editing != nil { leaveEditing() }
    ask(question, following: makeRoom(for: turn))
  }

  /// Attaches files to the conversation.
  public func attach(_ files: [URL]) async {
    do {
      for try await event in libera.attach(files, to: conversation) {
        switch event {
        case .done(let name, _, _): if !attached.contains(name) { attached.append(name) }
        case .failed(let name, let reason):
          problem = LiberaError(code: "attachment_failed", message: "\(name): \(reason)")
        default: break
        }
      }
    } catch { failed(error) }
  }

  /// Attaches photos, each as a file of its own.
  /// - Parameter name: What the files are called, before the moment and their number.
  public func attach(photos: [any ChosenPicture], called name: String, at moment: Date = Date()) {
    guard !photos.isEmpty else { return }
    attachKept { [pictures] in
      let (files, missing) = try await pictures.keep(photos, called: name, at: moment)
      if let reason = missing.first { self.problem = .pictures(missing.count, of: photos.count, reason) }
      return files
    }
  }

  /// Attaches the pages of a scan, as one file.
  public func attach(scan: [ScannedPage], called name: String, at moment: Date = Date()) {
    guard !scan.isEmpty else { return }
    attachKept { [pictures] in [try pictures.keep(scan, called: name, at: moment)] }
  }

  /// The library has its own copy afterwards, and nothing of them stays here.
  private func attachKept(_ keep: @escaping @MainActor () async throws -> [URL]) {
    guard !isAttaching else { return }
    isAttaching = true
    attaching = Task {
      do { await self.attach(try await keep()) } catch { self.failed(error) }
      do { try self.pictures.remove() } catch { self.failed(error) }
      self.isAttaching = false
    }
  }

  public func open(_ citation: Citation) async {
    // Sharp also where the page is made larger.
    do { page = .success(try await libera.page(of: citation, scale: 3)) } catch {
      page = .failure(LiberaError(telling: error))
    }
  }

  public func closePage() { page = nil }

  /// Returns when the answer has ended; for tests and for whoever must wait.
  public func settled() async {
    await attaching?.value
    await answering?.value
  }
}

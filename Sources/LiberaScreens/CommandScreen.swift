import Foundation
public import LiberaKit
public import Observation

/// A spoken or typed command from its words to its undo.
@MainActor @Observable
public final class CommandScreen {
  public enum Stage: Sendable, Equatable {
    case idle
    case understanding
    /// A card asks: one tap where it is nearly sure, a choice where it is not.
    case asking(Performed)
    /// Done, and undo is offered.
    case done(Action, notices: [String])
    /// A question about the calendar was answered.
    case agenda([AgendaEntry])
    case undone(Action)
    /// Alarms and timers: those that were asked about, or that may be meant.
    case alarms([DueReminder])
    /// No command.
    case nothing
    case failed(LiberaError)
  }

  private let libera: Libera
  /// Copies what was done into the system's calendar and notifications.
  @ObservationIgnored public var mirror: SystemMirror?
  public private(set) var stage = Stage.idle
  public private(set) var words = ""
  /// What the person writes on the card.
  public var edits = CommandEdits()
  /// What was said after the command, to be understood next.
  public private(set) var rest: String?
  /// The mail that the command has drafted, while its card is shown.
  public private(set) var mail: MailDraft?
  /// What the system's mail made of it; nil until it was opened there.
  public private(set) var mailEnd: MailDraft.End?
  private var recognition: Double?
  /// One id for a card, so that confirming twice does nothing twice.
  @ObservationIgnored private var id = UUID()

  public init(_ libera: Libera) { self.libera = libera }

  /// Understands, and does what is sure enough.
  public func hear(_ words: String, recognition: Double? = nil) async {
    (self.words, self.recognition, edits, rest) = (words, recognition, CommandEdits(), nil)
    id = UUID()
    (mail, mailEnd) = (nil, nil)
    stage = .understanding
    await perform(confirmed: false)
  }

  /// The person has seen the card and says yes, with what was changed on it.
  public func confirm() async {
    guard case .asking = stage else { return }
    stage = .understanding
    await perform(confirmed: true)
  }

  /// The person says no: nothing was done.
  public func dismiss() { stage = .idle }

  /// The system's mail is done with the draft.
  public func mailed(_ end: MailDraft.End) { mailEnd = end }

  public func undo() async {
    guard case .done(let action, _) = stage else { return }
    do {
      stage = .undone(try await libera.undo(action.id))
      await mirror?.undone(action.id)
    } catch { stage = .failed(LiberaError(telling: error)) }
  }

  private func perform(confirmed: Bool) async {
    let asked = words
    do {
      let performed = try await libera.perform(
        asked, confirmed: confirmed, recognition: recognition, edits: edits == CommandEdits() ? nil : edits, id: id)
      // Something else was said meanwhile.
      guard asked == words else { return }
      rest = performed.rest
      stage = Self.stage(after: performed)
      if let action = performed.action, action.state == .done { mail = MailDraft(performed.card) }
      if let action = performed.action, action.state != .failed { await mirror?.done(action, performed.card) }
    } catch { stage = .failed(LiberaError(telling: error)) }
  }

  /// What a screen shows of what came of a command.
  public nonisolated static func stage(after performed: Performed) -> Stage {
    if let action = performed.action {
      guard action.state == .failed else { return .done(action, notices: performed.notices) }
      return .failed(LiberaError(code: "action_failed", message: action.reason ?? action.summary))
    }
    if let agenda = performed.agenda { return .agenda(agenda) }
    if let alarms = performed.alarms { return .alarms(alarms) }
    return performed.decision == .none ? .nothing : .asking(performed)
  }
}

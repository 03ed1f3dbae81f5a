public import LiberaKit
public import Observation

/// What was done by command, with its undo, and what has fallen due.
@MainActor @Observable
public final class ActionsScreen: Fallible {
  private let libera: Libera
  /// Takes what was taken back out of the system's calendar and notifications too.
  @ObservationIgnored public var mirror: SystemMirror?
  /// The latest first.
  public private(set) var actions: [Action] = []
  public private(set) var due: [DueReminder] = []

  public init(_ libera: Libera) { self.libera = libera }

  public func refresh() async {
    do {
      actions = try await libera.actions().reversed()
      due = try await libera.dueReminders()
    } catch { failed(error) }
  }

  public func canUndo(_ action: Action) -> Bool { action.state == .done || action.state == .waiting }

  public func undo(_ id: Action.ID) async {
    do {
      try await libera.undo(id)
      await mirror?.undone(id)
    } catch { failed(error) }
    await refresh()
  }

  /// Settles a reminder, or lets it fall due again after so many minutes.
  public func settle(_ id: DueReminder.ID, snoozingMinutes minutes: Double? = nil) async {
    do { try await libera.settle(reminder: id, snoozingMinutes: minutes) } catch { failed(error) }
    await refresh()
  }
}

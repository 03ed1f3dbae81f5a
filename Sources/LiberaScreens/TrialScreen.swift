public import LiberaKit
public import Observation

/// Trying a chat model on this device: its file is verified, it is loaded, and writes ten tokens.
@MainActor @Observable
public final class TrialScreen {
  public enum Step: Int, Sendable, CaseIterable { case file, writing }
  public enum State: Sendable, Equatable {
    case waits
    /// How far it is: 0 to 1; nil where nobody knows.
    case runs(Double?)
    case passed
    case failed(LiberaError)
    /// The person ended it.
    case stopped
  }

  private let libera: Libera
  public private(set) var pack: ModelPack?
  public private(set) var states: [Step: State] = [:]
  public private(set) var result: ModelTrial?
  @ObservationIgnored private var trying: Task<Void, Never>?

  public init(_ libera: Libera) { self.libera = libera }

  public func state(of step: Step) -> State { states[step] ?? .waits }

  public var isRunning: Bool {
    states.values.contains {
      if case .runs = $0 { true } else { false }
    }
  }

  /// Ends a trial that runs and begins this one.
  public func begin(_ pack: ModelPack) {
    let before = trying
    before?.cancel()
    (self.pack, result, states) = (pack, nil, [.file: .runs(nil)])
    trying = Task {
      await before?.value
      await self.run(pack)
    }
  }

  private func run(_ pack: ModelPack) async {
    var step = Step.file
    // The trial before it has just said how it ended.
    (result, states) = (nil, [.file: .runs(nil)])
    do {
      for try await event in libera.packs.verify(pack.id) {
        if case .progress(_, let share) = event { states[.file] = .runs(share) }
      }
      try Task.checkCancellation()
      (step, states[.file], states[.writing]) = (.writing, .passed, .runs(nil))
      let trial = try await libera.packs.tryOut(pack.id)
      (result, states[.writing]) = (trial, .passed)
    } catch is CancellationError {
      states[step] = .stopped
    } catch {
      states[step] = .failed(LiberaError(telling: error))
    }
  }

  public func stop() { trying?.cancel() }
  public func settled() async { await trying?.value }
}

public import LiberaKit
public import Observation

/// Where the time of answers went, and what failed.
@MainActor @Observable
public final class DiagnosticsScreen {
  private let libera: Libera
  /// The latest first.
  public private(set) var traces: [AnswerTrace] = []
  public private(set) var errors: [LoggedError] = []
  public private(set) var problem: LiberaError?

  public init(_ libera: Libera) { self.libera = libera }

  public func refresh() async {
    do {
      traces = try await libera.traces().reversed()
      errors = try await libera.errors().reversed()
    } catch { problem = LiberaError(telling: error) }
  }

  public func dismissProblem() { problem = nil }
}

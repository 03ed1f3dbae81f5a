public import LiberaKit
public import Observation

/// Where the time of answers went, and what failed.
@MainActor @Observable
public final class DiagnosticsScreen: Fallible {
  private let libera: Libera
  /// The latest first.
  public private(set) var traces: [AnswerTrace] = []
  public private(set) var errors: [LoggedError] = []

  public init(_ libera: Libera) { self.libera = libera }

  public func refresh() async {
    do {
      traces = try await libera.traces().reversed()
      errors = try await libera.errors().reversed()
    } catch { failed(error) }
  }
}

import Assistant
import Core
public import Foundation

/// Where the time of one answer went: names and numbers, no word of the person.
public struct AnswerTrace: Sendable, Codable, Equatable {
  /// A part of its time, right after the part before it.
  public struct Phase: Sendable, Codable, Equatable {
    public var name: String
    public var milliseconds: Double
  }
  public var began: Date
  public var phases: [Phase]
  /// As in "pack" or "mode".
  public var names: [String: String]
  /// As in "prompt tokens".
  public var numbers: [String: Double]

  init(_ entry: TraceLog.Entry) {
    began = Date(timeIntervalSince1970: entry.beganMs / 1000)
    phases = entry.phases.map { Phase(name: $0.name, milliseconds: $0.ms) }
    (names, numbers) = (entry.names, entry.numbers)
  }

  public var milliseconds: Double { phases.map(\.milliseconds).reduce(0, +) }
}

/// What failed once, without the words of the person.
public struct LoggedError: Sendable, Codable, Equatable {
  public var time: Date
  public var subsystem: String
  public var code: String
  public var message: String
}

/// What destroying data of a kind takes away, and what stays though it may come as a surprise.
public struct DataMeasured: Sendable, Codable, Equatable {
  public struct Part: Sendable, Codable, Equatable {
    public var what: String
    public var count: Int
  }
  public var goes: [Part]
  public var stays: [String]
}

extension Libera {
  /// The last answers, the latest last.
  public func traces() async throws -> [AnswerTrace] {
    do { return try await house.traces.entries().map(AnswerTrace.init) } catch { throw LiberaError.told(error) }
  }

  /// The error log of this home, the oldest first.
  public func errors() async throws -> [LoggedError] {
    try await all(ShowLog.self, Nothing()).map {
      LoggedError(time: $0.time, subsystem: $0.subsystem, code: $0.code, message: $0.message)
    }
  }

  /// What `destroy` would take away.
  public func measure(_ kind: KeptData) async throws -> DataMeasured {
    let measured = try await one(MeasureData.self, DataInput(kind: kind))
    return DataMeasured(
      goes: measured.goes.map { DataMeasured.Part(what: $0.what, count: $0.count) }, stays: measured.stays)
  }
}

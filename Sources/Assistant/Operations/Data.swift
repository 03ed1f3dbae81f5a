package import Core

/// What a person can destroy, each without the others.
public enum KeptData: String, Codable, Sendable, CaseIterable {
  case conversations, documents, logs, settings, actions, everything
}

package struct DataInput: Codable, Sendable {
  package var kind: KeptData
  package init(kind: KeptData) { self.kind = kind }
}

/// What would go, and what would stay though it may come as a surprise.
package struct DataMeasure: Codable, Sendable {
  package struct Part: Codable, Sendable, Equatable {
    package var what: String
    package var count: Int

    init(_ one: String, _ many: String, count: Int) {
      (what, self.count) = (count == 1 ? one : many, count)
    }
  }
  package var kind: KeptData
  package var goes: [Part]
  package var stays: [String]
}

package enum MeasureData: Operation {
  package static let name = "data-measure"
  package static func run(_ input: DataInput, in house: House, emit: @escaping Emit<DataMeasure>) async throws {
    emit(try await house.measure(input.kind))
  }
}

/// Destroys everything of a kind. Ends when nothing of it is left in the files.
package enum DestroyData: Operation {
  package static let name = "data-destroy"
  package static let destroys = true
  /// Among the settings stands what a person has forbidden, which would be allowed again.
  package static func check(_ input: DataInput, from caller: Caller) throws {
    guard [.settings, .everything].contains(input.kind), !caller.isPerson else { return }
    throw CallerError.personOnly("Destroying the settings")
  }
  package static func run(_ input: DataInput, in house: House, emit: @escaping Emit<Nothing>) async throws {
    try await house.destroy(input.kind)
    emit(Nothing())
  }
}

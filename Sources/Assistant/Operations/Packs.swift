package import Core
import Foundation
import Inference
package import Models

/// Every pack of the catalogue and every installed one, with its fit on this device.
package enum ListPacks: Operation {
  package struct Input: Codable, Sendable {
    /// The person's, as BCP 47 writes it: what finds by meaning in that language is proposed as well.
    package var language: String?
    package init(language: String? = nil) { self.language = language }
  }

  package static let name = "packs"
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<PackStatus>) async throws {
    _ = await house.cards.look()
    for status in try house.packs.list(for: input.language) { emit(status) }
  }
}

package struct PackInput: Codable, Sendable {
  package var id: String
  package var context: Int?
  package init(id: String, context: Int? = nil) { (self.id, self.context) = (id, context) }
}

extension Operation where Input == PackInput {
  package static var numbers: [NumberField<PackInput>] { [.whole("context", 1...(1 << 30)) { $0.context }] }
}

/// What the device can give this pack, for a context if one is named.
package enum FitPack: Operation {
  package static let name = "packs-fit"
  package static func run(_ input: PackInput, in house: House, emit: @escaping Emit<Fit>) async throws {
    _ = await house.cards.look()
    emit(try house.packs.fit(input.id, context: input.context ?? house.packs.context))
  }
}

/// Exactly one field is set.
package struct PackStep: Codable, Sendable {
  package struct Progress: Codable, Sendable {
    /// What is being done, in words.
    package var step: String
    /// 0 to 1.
    package var share: Double
    package var done: Int64?
    package var total: Int64?
    package var speed: Double?
    package var secondsLeft: Double?

    enum CodingKeys: String, CodingKey {
      case step, share, done, total, speed
      case secondsLeft = "seconds_left"
    }
  }
  package var progress: Progress?
  package var note: String?
  package var done: PackStatus?

  static func step(_ step: String, _ share: Double) -> PackStep {
    PackStep(progress: Progress(step: step, share: share))
  }
}

/// Hashes the installed files again.
package enum VerifyPack: Operation {
  package static let name = "packs-verify"
  package static func run(_ input: PackInput, in house: House, emit: @escaping Emit<PackStep>) async throws {
    do { try await house.packs.verify(input.id) { emit(.step("verifying", $0)) } } catch {
      // A worker that has it open would go on answering from it.
      await house.models.unload(input.id)
      throw error
    }
    emit(PackStep(done: try house.packs.status(of: input.id)))
  }
}

package enum RemovePack: Operation {
  package static let name = "packs-remove"
  package static func run(_ input: PackInput, in house: House, emit: @escaping Emit<Nothing>) async throws {
    await house.models.unload(input.id)
    try house.packs.remove(input.id)
    await house.library.packsChanged()
    emit(Nothing())
  }
}

/// Fetches a pack, verifies it and installs it. Instead of a pack's id the input may name a file of the hub (`HubReference`).
package enum PullPack: Operation {
  package static let name = "packs-pull"
  package static func run(_ input: PackInput, in house: House, emit: @escaping Emit<PackStep>) async throws {
    var id = input.id
    for try await event in try await house.pull(id) {
      if case .installed(let status) = event { id = status.pack.id }
      if let event = PackStep(event) { emit(event) }
    }
    try Task.checkCancellation()
    await house.library.packsChanged()
    emit(PackStep(done: try house.packs.status(of: id)))
  }
}

/// Takes in the person's own GGUF file.
package enum ImportPack: Operation {
  package struct Input: Codable, Sendable {
    package var path: String
    package init(path: String) { self.path = path }
  }
  package static let name = "packs-import"
  package static let places: [String: PlaceUse] = ["path": .reads]
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<PackStep>) async throws {
    let status = try await house.packs.importFile(URL(filePath: input.path)) { emit(.step("copying", $0)) }
    await house.library.packsChanged()
    emit(PackStep(done: status))
  }
}

/// Takes in the packs of a bundle file, each as a pull would leave it.
package enum InstallBundle: Operation {
  package static let name = "packs-install"
  package static let places: [String: PlaceUse] = ["path": .reads]
  package static func run(_ input: ImportPack.Input, in house: House, emit: @escaping Emit<PackStep>) async throws {
    let bundle = try house.packs.bundle(at: input.path)
    for member in bundle.members {
      emit(PackStep(note: member.id))
      _ = try await house.packs.install(member, of: bundle) { emit(.step("copying and verifying", $0)) }
      try Task.checkCancellation()
      await house.library.packsChanged()
      emit(PackStep(done: try house.packs.status(of: member.id)))
    }
  }
}

/// Loads a pack and generates ten tokens: the proof that it works on this device.
package enum SmokePack: Operation {
  package struct Event: Codable, Sendable {
    package var text: String
    package var tokens: Int
    package var loadMs: Double
    package var tokensPerSecond: Double
    package var backend: String

    enum CodingKeys: String, CodingKey {
      case text, tokens, backend
      case loadMs = "load_ms"
      case tokensPerSecond = "tokens_per_s"
    }
  }
  package static let name = "packs-smoke"
  /// What it is to go on with.
  package static let beginning = "The capital of France is"
  package static func run(_ input: PackInput, in house: House, emit: @escaping Emit<Event>) async throws {
    emit(try await house.smoke(input.id))
  }
}

extension PackStep {
  init?(_ event: PullEvent) {
    switch event {
    case .source(let name): self.init(note: "from \(name)")
    case .progress(let progress):
      self.init(
        progress: Progress(
          step: "downloading", share: progress.total > 0 ? Double(progress.done) / Double(progress.total) : 0,
          done: progress.done, total: progress.total, speed: progress.speed, secondsLeft: progress.secondsLeft))
    case .step(let words): self.init(note: words)
    case .retrying(let reason, let seconds): self.init(note: "\(reason) Trying again in \(Int(seconds)) s.")
    case .restarted(let reason): self.init(note: "Started again from the beginning: \(reason)")
    case .sourceFailed(let name, let reason): self.init(note: "\(name): \(reason)")
    case .quarantined(let path): self.init(note: "What was fetched is kept apart in \(path)")
    case .installed: return nil
    }
  }
}

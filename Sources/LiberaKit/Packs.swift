import Assistant
public import Foundation
import Models

/// A model: what it is, whether it is here, and whether it fits this device.
public struct ModelPack: Sendable, Codable, Equatable, Identifiable {
  public enum Kind: String, Sendable, Codable {
    case chat, embed, speech
    /// Finds where somebody speaks.
    case voice = "vad"
  }
  public var id: String
  public var name: String
  public var kind: Kind
  public var parameters: Int64
  public var quantization: String
  public var bytes: Int64
  public var licence: String
  public var context: Int
  public var isInstalled: Bool
  /// The weights' hashes were found right, and no file has changed since.
  public var isVerified: Bool
  /// Whether the device's memory has room for it, and why not.
  public var fits: Bool
  public var fitReason: String
  /// What it takes in memory.
  public var footprintBytes: Int64

  init(_ status: PackStatus) {
    let pack = status.pack
    (id, name, parameters, quantization) = (pack.id, pack.name, pack.parameters, pack.quantization)
    kind = Kind(rawValue: pack.kind.rawValue) ?? .chat
    (bytes, licence, context) = (pack.bytes, pack.licence, pack.context)
    (isInstalled, isVerified) = (status.installed != nil, status.verified)
    (fits, fitReason, footprintBytes) = (status.fit.fits, status.fit.reason, status.fit.footprintBytes)
  }
}

/// What happens while packs are taken in.
public enum PackEvent: Sendable, Codable, Equatable {
  /// What is being done, in words, and how far it is: 0 to 1.
  case progress(String, share: Double)
  case note(String)
  case done(ModelPack)

  init?(_ event: Assistant.PackEvent) {
    if let progress = event.progress {
      self = .progress(progress.step, share: progress.share)
    } else if let note = event.note {
      self = .note(note)
    } else if let status = event.done {
      self = .done(ModelPack(status))
    } else {
      return nil
    }
  }
}

/// The models of one home. This library downloads nothing: the program hands over files, and each is believed only once its hash is
/// right.
public struct Packs: Sendable {
  let libera: Libera

  /// Every pack of the catalogue and every installed one.
  public func list() async throws -> [ModelPack] {
    try await libera.all(ListPacks.self, Nothing()).map(ModelPack.init)
  }

  /// Takes in the packs of a bundle file, as `./libera package --models` makes it.
  public func install(bundle: URL) -> AsyncThrowingStream<PackEvent, any Error> {
    libera.events(InstallBundle.self, ImportPack.Input(path: bundle.path)) { PackEvent($0) }
  }

  /// Takes in a person's own GGUF file.
  public func install(model: URL) -> AsyncThrowingStream<PackEvent, any Error> {
    libera.events(ImportPack.self, ImportPack.Input(path: model.path)) { PackEvent($0) }
  }

  /// Hashes the installed files again.
  public func verify(_ id: ModelPack.ID) -> AsyncThrowingStream<PackEvent, any Error> {
    libera.events(VerifyPack.self, PackInput(id: id)) { PackEvent($0) }
  }

  public func remove(_ id: ModelPack.ID) async throws { _ = try await libera.one(RemovePack.self, PackInput(id: id)) }
}

extension Libera {
  /// The models of this home.
  public var packs: Packs { Packs(libera: self) }
}

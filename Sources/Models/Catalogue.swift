import Core
package import Foundation

/// The packs the project knows, read from `Packs/catalogue.json` and checked before anything trusts it.
package struct Catalogue: Codable, Sendable, Equatable {
  package var packs: [Pack]

  package init(packs: [Pack]) throws {
    self.packs = packs
    try validate()
  }

  package init(at file: URL) throws {
    do {
      try self.init(from: Data(contentsOf: file))
    } catch let error as PackError {
      throw error
    } catch {
      throw PackError.catalogueUnreadable("\(file.path): \(error)")
    }
  }

  package init(from data: Data) throws {
    do {
      self = try JSON.decode(Catalogue.self, from: data)
    } catch {
      throw PackError.catalogueUnreadable("\(error)")
    }
    try validate()
  }

  package func pack(_ id: String) throws -> Pack {
    guard let pack = packs.first(where: { $0.id == id }) else { throw PackError.unknownPack(id, packs.map(\.id)) }
    return pack
  }

  /// The first pack that makes vectors in a language, where the default one of them does not know it.
  func other(for language: String) -> String? {
    let embedders = packs.filter { $0.kind == .embed && $0.languages?.contains(language) == true }
    return embedders.contains(where: \.isDefault) ? nil : embedders.first?.id
  }

  private func validate() throws {
    var seen = Set<String>()
    for pack in packs {
      guard PackID.isValid(pack.id) else { throw PackError.catalogueUnreadable("\"\(pack.id)\" is no pack name") }
      guard seen.insert(pack.id).inserted else { throw PackError.catalogueUnreadable("\"\(pack.id)\" stands twice") }
      if let fault = Self.fault(in: pack) { throw PackError.catalogueUnreadable("\(pack.id): \(fault)") }
    }
  }

  private static func fault(in pack: Pack) -> String? {
    if pack.bytes <= 0 || pack.parameters <= 0 || pack.context <= 0 { return "a size is not positive" }
    switch (pack.hash, pack.sha256) {
    case (.catalogue, let hash?) where SHA256.isHash(hash): break
    case (.publisher, nil): break
    default: return "its SHA-256 is missing, malformed or claimed from elsewhere"
    }
    if pack.hash == .publisher, pack.sources.contains(where: { $0.convert != nil || $0.files.count != 1 }) {
      return "only a single unconverted file can take its SHA-256 from the publisher"
    }
    if pack.sources.isEmpty { return "it has no source" }
    for source in pack.sources {
      if let fault = fault(in: source) { return "\(source.name): \(fault)" }
    }
    return nil
  }

  private static func fault(in source: Pack.Source) -> String? {
    let names = source.files.map(\.name)
    if names.isEmpty || Set(names).count != names.count { return "it has no files or two of one name" }
    if !names.allSatisfy(PackID.isValid) { return "a file's name is unusable" }
    if source.convert == nil, source.files.count != 1 { return "several files and no converter" }
    if let convert = source.convert {
      guard let form = convert.form else { return "it says not what is made of its files" }
      let missing = form.files.filter { !names.contains($0) }
      if !missing.isEmpty { return "it lacks \(missing.joined(separator: ", "))" }
    }
    for file in source.files {
      if file.bytes <= 0 || file.parts.isEmpty { return "\(file.name) is empty" }
      if let hash = file.sha256, !SHA256.isHash(hash) { return "\(file.name): malformed SHA-256" }
      if source.convert != nil, file.sha256 == nil { return "\(file.name) goes to a converter without a SHA-256" }
      for part in file.parts {
        if (part.url == nil) == (part.package == nil) { return "a part needs one address" }
        if part.bytes <= 0 { return "a part's size is not positive" }
        if let hash = part.sha256, !SHA256.isHash(hash) { return "a part's SHA-256 is malformed" }
        // Nothing unverified is unpacked.
        if part.member != nil, part.sha256 == nil { return "an archive without a SHA-256" }
      }
    }
    return nil
  }
}

/// Pack names become folder names, so they are letters, digits, dots, hyphens and underscores, and do not begin with a dot.
package enum PackID {
  /// For a file that is no catalogue's: its name, and what tells it from others of that name.
  static func own(_ file: URL, sha256: String) -> String {
    let stem = file.deletingPathExtension().lastPathComponent.lowercased().map { character in
      character.isASCII && (character.isLetter || character.isNumber || "._-".contains(character)) ? character : "-"
    }
    let base = String(String(stem).drop { ".-_".contains($0) }.prefix(64))
    return "\(base.isEmpty ? "model" : base)-\(sha256.prefix(8))"
  }

  package static func isValid(_ id: String) -> Bool {
    guard let first = id.utf8.first, id.utf8.count <= 96, first != UInt8(ascii: "."), first != UInt8(ascii: "-") else {
      return false
    }
    return id.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
  }
}

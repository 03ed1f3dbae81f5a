/// One line of `packs list`; the field names are the contract in docs/cli.md.
package struct PackStatus: Encodable, Sendable, Equatable {
  package struct Installed: Codable, Sendable, Equatable {
    package var derivedSHA256: String?
    package var layout: String?

    enum CodingKeys: String, CodingKey {
      case layout
      case derivedSHA256 = "derived_sha256"
    }

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(derivedSHA256, forKey: .derivedSHA256)
      try container.encode(layout, forKey: .layout)
    }
  }

  package var pack: Pack
  /// What lies here; for a publisher's pack the hash that was fetched with it.
  package var sha256: String?
  package var installed: Installed?
  /// The weights' hashes were found right, and no file has changed since.
  package var verified: Bool
  /// The catalogue has a newer version than the installed one.
  package var upgradable: Bool
  package var fit: Fit

  enum CodingKeys: String, CodingKey {
    case id, name, kind, family, parameters, quantization, bytes, sha256, hash, licence, context, installed, verified
    case upgradable, fit, sources
    case isDefault = "default"
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(pack.id, forKey: .id)
    try container.encode(pack.name, forKey: .name)
    try container.encode(pack.kind, forKey: .kind)
    try container.encode(pack.family, forKey: .family)
    try container.encode(pack.parameters, forKey: .parameters)
    try container.encode(pack.quantization, forKey: .quantization)
    try container.encode(pack.bytes, forKey: .bytes)
    try container.encode(sha256, forKey: .sha256)
    try container.encode(pack.hash, forKey: .hash)
    try container.encode(pack.licence, forKey: .licence)
    try container.encode(pack.context, forKey: .context)
    try container.encode(installed, forKey: .installed)
    try container.encode(verified, forKey: .verified)
    try container.encode(upgradable, forKey: .upgradable)
    try container.encode(fit, forKey: .fit)
    try container.encode(pack.isDefault, forKey: .isDefault)
    try container.encode(
      pack.sources.map { source in
        "\(source.name): " + source.files.flatMap(\.parts).map(\.description).joined(separator: "; ")
      }, forKey: .sources)
  }
}

/// One line of `packs list`; docs/cli.md promises the field names.
package struct PackStatus: Codable, Sendable, Equatable {
  package struct Installed: Codable, Sendable, Equatable {
    package var quantization: String
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
  /// What comes over the network for its first source.
  package var fetchBytes: Int64

  enum CodingKeys: String, CodingKey {
    case id, name, kind, family, parameters, quantization, bytes, sha256, hash, licence, context, installed, verified
    case upgradable, fit, languages, sources
    case isDefault = "default"
    case fetchBytes = "fetch_bytes"
  }

  package init(
    pack: Pack, sha256: String?, installed: Installed?, verified: Bool, upgradable: Bool, fit: Fit
  ) {
    self.pack = pack
    self.sha256 = sha256
    self.installed = installed
    self.verified = verified
    self.upgradable = upgradable
    self.fit = fit
    fetchBytes = pack.sources.first?.fetchBytes ?? pack.bytes
  }

  /// As it comes back over the owner's socket: what a person is shown, without the parts of the sources.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    sha256 = try container.decodeIfPresent(String.self, forKey: .sha256)
    pack = Pack(
      id: try container.decode(String.self, forKey: .id), version: 0,
      name: try container.decode(String.self, forKey: .name),
      kind: try container.decode(Pack.Kind.self, forKey: .kind),
      family: try container.decode(String.self, forKey: .family),
      parameters: try container.decode(Int64.self, forKey: .parameters),
      quantization: try container.decode(String.self, forKey: .quantization),
      bytes: try container.decode(Int64.self, forKey: .bytes), sha256: sha256,
      hash: try container.decode(Pack.HashOrigin.self, forKey: .hash),
      licence: try container.decode(String.self, forKey: .licence),
      context: try container.decode(Int.self, forKey: .context), shape: nil, throughput: nil,
      isDefault: try container.decode(Bool.self, forKey: .isDefault),
      languages: try container.decodeIfPresent([String].self, forKey: .languages),
      sources: try container.decode([String].self, forKey: .sources).map {
        Pack.Source(name: $0, files: [], convert: nil)
      })
    installed = try container.decodeIfPresent(Installed.self, forKey: .installed)
    verified = try container.decode(Bool.self, forKey: .verified)
    upgradable = try container.decode(Bool.self, forKey: .upgradable)
    fit = try container.decode(Fit.self, forKey: .fit)
    fetchBytes = try container.decode(Int64.self, forKey: .fetchBytes)
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
    try container.encode(fetchBytes, forKey: .fetchBytes)
    try container.encode(sha256, forKey: .sha256)
    try container.encode(pack.hash, forKey: .hash)
    try container.encode(pack.licence, forKey: .licence)
    try container.encode(pack.context, forKey: .context)
    try container.encode(installed, forKey: .installed)
    try container.encode(verified, forKey: .verified)
    try container.encode(upgradable, forKey: .upgradable)
    try container.encode(fit, forKey: .fit)
    try container.encode(pack.isDefault, forKey: .isDefault)
    try container.encodeIfPresent(pack.languages, forKey: .languages)
    try container.encode(
      pack.sources.map { source in
        let parts = source.files.flatMap(\.parts).map(\.description)
        return parts.isEmpty ? source.name : "\(source.name): " + parts.joined(separator: "; ")
      }, forKey: .sources)
  }
}

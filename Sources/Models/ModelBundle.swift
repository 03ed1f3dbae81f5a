import Core
import Foundation

/// Packs in one file, for machines that never go online: a tar file with the weights of each pack as `ID.gguf` or `ID.bin`.
///
/// It comes from anywhere and is believed in nothing. A member's name only chooses among the catalogue's packs and becomes no
/// path; its size must be the catalogue's; and its SHA-256 is computed of a copy of our own. All members are looked at
/// before the first is installed.
package struct ModelBundle: Sendable {
  package struct Member: Sendable, Equatable {
    package var id: String
    var start: Int
    var bytes: Int
  }

  package let members: [Member]
  let file: RegularFile

  /// Whose works the models are; the one member that is no pack.
  static let licences = "LICENCES"
  private static let mostLicences = 1 << 20

  package init(at path: String, catalogue: Catalogue) throws {
    file = try RegularFile(path)
    var found: [Member] = []
    var place = 0
    while let header = try TarHeader.read(file.piece(at: place, upTo: TarHeader.block), PackError.bundle) {
      guard header.kind == UInt8(ascii: "0"), !header.isSplit else {
        throw PackError.bundle("\"\(header.name)\" is a folder, a link or something else that is no plain file")
      }
      let start = place + TarHeader.block
      guard header.bytes <= file.bytes - start else { throw PackError.bundle("it ends within \(header.name)") }
      if header.name == Self.licences {
        guard header.bytes <= Self.mostLicences else { throw PackError.bundle("\(header.name) is too large") }
      } else {
        let pack = try Self.pack(header.name, in: catalogue)
        guard !found.contains(where: { $0.id == pack.id }) else {
          throw PackError.bundle("\(header.name) stands twice")
        }
        guard header.bytes == pack.bytes else {
          throw PackError.bundle("\(header.name) has \(header.bytes) bytes where \(pack.bytes) belong")
        }
        found.append(Member(id: pack.id, start: start, bytes: header.bytes))
      }
      place = start + header.bytes + TarHeader.padding(header.bytes)
    }
    guard !found.isEmpty else { throw PackError.bundle("there is no pack in it") }
    members = found
  }

  private static func pack(_ name: String, in catalogue: Catalogue) throws -> Pack {
    guard let pack = catalogue.packs.first(where: { "\($0.id).\($0.fileExtension)" == name }) else {
      throw PackError.bundle("\"\(name)\" is no pack that this version knows")
    }
    return pack
  }
}

extension PackStore {
  package func bundle(at path: String) throws -> ModelBundle { try ModelBundle(at: path, catalogue: catalogue) }

  /// Installs one pack of a bundle, unless it is here already.
  package func install(
    _ member: ModelBundle.Member, of bundle: ModelBundle, progress: @Sendable (Double) -> Void = { _ in }
  ) async throws -> PackStatus {
    let now = try status(of: member.id)
    if now.installed != nil, now.verified, !now.upgradable { return now }
    try await install(
      member.id, from: bundle.file, member.start..<(member.start + member.bytes),
      source: URL(filePath: bundle.file.path).lastPathComponent, progress: progress)
    return try status(of: member.id)
  }
}

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
  private static let block = 512

  package init(at path: String, catalogue: Catalogue) throws {
    file = try RegularFile(path)
    var found: [Member] = []
    var place = 0
    while let header = try Self.header(of: file, at: place) {
      let start = place + Self.block
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
      place = start + (header.bytes + Self.block - 1) / Self.block * Self.block
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

  /// The member that begins there; nil at the end of the bundle.
  private static func header(of file: RegularFile, at place: Int) throws -> (name: String, bytes: Int)? {
    guard let data = try file.piece(at: place, upTo: block), data.count == block else {
      throw PackError.bundle("it has no end")
    }
    let bytes = [UInt8](data)
    if bytes.allSatisfy({ $0 == 0 }) { return nil }
    // The checksum counts its own eight places as spaces.
    let sum = bytes.enumerated().reduce(0) { $0 + ((148..<156).contains($1.offset) ? 32 : Int($1.element)) }
    guard bytes[257..<262].elementsEqual("ustar".utf8), octal(bytes[148..<156]) == sum else {
      throw PackError.bundle("it is no tar file, or a damaged one")
    }
    let name = String(decoding: bytes[..<100].prefix { $0 != 0 }, as: UTF8.self)
    guard bytes[156] == UInt8(ascii: "0"), bytes[345] == 0 else {
      throw PackError.bundle("\"\(name)\" is a folder, a link or something else that is no plain file")
    }
    guard let size = octal(bytes[124..<136]) else { throw PackError.bundle("\"\(name)\" has no size") }
    return (name, size)
  }

  private static func octal(_ field: ArraySlice<UInt8>) -> Int? {
    let digits = field.prefix { $0 != 0 && $0 != UInt8(ascii: " ") }
    return Int(String(decoding: digits, as: UTF8.self), radix: 8).flatMap { $0 < 0 ? nil : $0 }
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

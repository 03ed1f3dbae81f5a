import Core
package import Foundation

/// A model file of the hub as a person names it: "hf:OWNER/REPO", and behind a colon a file of it or how its weights are laid out.
package struct HubReference: Sendable, Equatable {
  package static let prefix = "hf:"

  /// As in "OWNER/REPO".
  package var repository: String
  package var wanted: String?

  /// nil where it is no such name.
  package init?(_ text: String) {
    guard text.hasPrefix(Self.prefix) else { return nil }
    let parts = text.dropFirst(Self.prefix.count).split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    repository = parts.first.map(String.init) ?? ""
    wanted = parts.count > 1 ? String(parts[1]) : nil
    guard SettingRule.isRepository(repository), wanted.map({ !$0.isEmpty && $0.utf8.count <= 200 }) ?? true else {
      return nil
    }
  }
}

/// What the hub says of a repository, as far as it is needed to choose a file of it.
package struct HubListing: Codable, Sendable, Equatable {
  package struct File: Codable, Sendable, Equatable {
    package var name: String
    package var bytes: Int64
    package var sha256: String
    package var url: String
  }

  package var files: [File]
  package var licence: String?

  /// The layouts that are taken where none is named, the first that is there: small and still good.
  static let layouts = ["Q4_K_M", "Q4_K_S", "Q4_0", "Q5_K_M", "Q8_0"]

  /// The file that is meant. One that is named is that one; else a model alone, no part of one and nothing that belongs beside one.
  package func file(_ reference: HubReference) throws -> File {
    if let wanted = reference.wanted, let named = files.first(where: { $0.name == wanted }) {
      guard !Self.isPart(named.name) else { throw PackError.inParts(named.name) }
      return named
    }
    let models = files.filter { !Self.isPart($0.name) && !Self.isCompanion($0.name) }
    for layout in reference.wanted.map({ [$0] }) ?? Self.layouts {
      if let found = models.first(where: { Self.isLaidOut($0.name, as: layout) }) { return found }
    }
    if reference.wanted == nil, models.count == 1 { return models[0] }
    if models.isEmpty, let part = files.first(where: { Self.isPart($0.name) }) { throw PackError.inParts(part.name) }
    throw PackError.noSuchFile(
      reference.wanted ?? "", repository: reference.repository, files: models.map(\.name))
  }

  /// As in "model-00001-of-00003.gguf".
  private static func isPart(_ name: String) -> Bool { name.contains(/-[0-9]{5}-of-[0-9]{5}\.gguf$/.ignoresCase()) }

  /// Files that belong to a model (for pictures, drafts, adapters) and are not one themselves.
  private static func isCompanion(_ name: String) -> Bool {
    let words = name.split(separator: "/").last?.lowercased().split { !$0.isLetter } ?? []
    return words.contains { ["mmproj", "imatrix", "lora", "draft"].contains($0) }
  }

  /// The name ends in the layout's, behind a sign that is no part of a layout: "F16" is not in "BF16".
  private static func isLaidOut(_ name: String, as layout: String) -> Bool {
    let stem = name.lowercased().dropLast(".gguf".count)
    guard stem.hasSuffix(layout.lowercased()) else { return false }
    return stem.dropLast(layout.count).last.map { "-._/".contains($0) } ?? true
  }
}

extension HubListing {
  /// No hub of models states more of one repository.
  package static let mostBytes = 8 << 20
  /// So much of it a worker may tell (`ReplyBound.usual`); no repository of models has so many files.
  private static let mostToldBytes = 1 << 20
  /// No model is larger, and a worker tells no longer number.
  private static let mostFileBytes: Int64 = 999_999_999_999

  private struct Answer: Decodable {
    struct Sibling: Decodable {
      struct Stored: Decodable {
        var sha256: String?
        var size: Int64?
      }
      var rfilename: String
      var lfs: Stored?
    }
    struct Card: Decodable { var license: String? }
    var sha: String
    var siblings: [Sibling]?
    var cardData: Card?
  }

  /// Of what `hub` answers when it is asked for `repository` with its files' sizes. Addresses name the revision that was listed.
  package init(_ answer: Data, repository: String, hub: String) throws {
    let read: Answer
    do { read = try JSON.decode(Answer.self, from: answer) } catch {
      throw PackError.network("\(hub) did not answer as a hub of models does")
    }
    guard read.sha.wholeMatch(of: /[0-9a-f]{7,64}/) != nil else {
      throw PackError.network("\(hub) names no revision of \(repository)")
    }
    let all = (read.siblings ?? []).prefix(10_000).compactMap { file -> File? in
      guard file.rfilename.lowercased().hasSuffix(".gguf"), file.rfilename.utf8.count <= 500,
        // Dots for names would lead elsewhere.
        ForeignName.parts(file.rfilename).allSatisfy(ForeignName.isPart), SettingRule.isPlain(file.rfilename),
        let hash = file.lfs?.sha256, SHA256.isHash(hash), let bytes = file.lfs?.size,
        (1...Self.mostFileBytes).contains(bytes),
        let path = file.rfilename.addingPercentEncoding(withAllowedCharacters: Self.plain)
      else { return nil }
      return File(
        name: file.rfilename, bytes: bytes, sha256: hash, url: "\(hub)/\(repository)/resolve/\(read.sha)/\(path)")
    }
    var room = Self.mostToldBytes
    files = Array(
      all.prefix { file in
        room -= 2 * (file.name.utf8.count + file.url.utf8.count)
        return room > 0
      })
    licence = read.cardData?.license.flatMap { $0.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._+-]{0,39}/) == nil ? nil : $0 }
  }

  private static let plain = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")

  /// Where a repository's description is asked for.
  package static func address(_ repository: String, hub: String) -> String {
    "\(hub)/api/models/\(repository)?blobs=true"
  }
}

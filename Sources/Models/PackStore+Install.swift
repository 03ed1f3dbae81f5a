import Core
package import Foundation

extension PackStore {
  /// Puts verified weights in their place. The record is written last: until then the pack is what it was before.
  ///
  /// They are hashed there once more: what fetches may write where they were made, also while they are hashed there.
  func install(_ weights: URL, as pack: Pack, source: String, sha256: String) async throws {
    let home = home(of: pack.id)
    try Folders.make(home)
    let name = "weights-\(sha256.prefix(12)).\(pack.fileExtension)"
    let place = home.appending(path: name)
    guard chmod(weights.path, 0o600) == 0 else { throw Disk.failure(weights) }
    try Disk.rename(weights, to: place)
    guard let stamp = try await stamp(place, sha256) else {
      try Disk.remove(place)
      throw PackError.damaged(id: pack.id, reason: "its weights were changed while it was installed")
    }
    let before = try readableRecord(of: pack.id)
    let record = PackRecord(
      pack: pack, source: source, file: name, sha256: sha256, bytes: stamp.bytes, installed: Date(), checked: stamp)
    try Disk.write(JSON.encode(record, pretty: true), to: recordFile(of: pack.id))
    if let before, before.file != name { try Disk.remove(home.appending(path: before.file)) }
  }

  /// Takes a model file of the user's own into the packs. One that the catalogue knows by its size and hash becomes that pack, whatever
  /// the file is called; any other is described by what its header says.
  package func importFile(_ file: URL, progress: @Sendable (Double) -> Void = { _ in }) async throws -> PackStatus {
    guard Disk.exists(file) else { throw PackError.fileNotFound(file.path) }
    let bytes = Int64(try RegularFile(file.path).bytes)
    let candidates = catalogue.packs.filter { $0.sha256 != nil && $0.bytes == bytes }
    if candidates.isEmpty { _ = try GGUFHeader(at: file) }
    try DiskSpace.check(needed: bytes, in: folder)
    // A private copy first: what is hashed, checked and installed is then one and the same.
    let copy = newCopy()
    defer { discard(copy) }
    try await FileCopy.copy(file, to: copy) { progress(0.7 * Double($0) / Double(max(1, bytes))) }
    let hash = try await SHA256.of(file: copy) { progress(0.7 + 0.3 * Double($0) / Double(max(1, bytes))) }
    let pack: Pack
    if let known = candidates.first(where: { $0.sha256 == hash }) {
      if known.fileExtension == "gguf" { _ = try GGUFHeader(at: copy) }
      pack = known
    } else {
      pack = Pack(own: try GGUFHeader(at: copy), file: file, sha256: hash)
    }
    let lock = try PackLock(pack.id, in: staging)
    defer { lock.release() }
    try await install(copy, as: pack, source: file.lastPathComponent, sha256: hash)
    return try status(of: pack.id)
  }

  /// Takes weights of a catalogue pack that are already on this machine; only the right file is accepted.
  package func install(_ id: String, from file: URL, progress: @Sendable (Double) -> Void = { _ in }) async throws {
    let opened = try RegularFile(file.path)
    try await install(id, from: opened, 0..<opened.bytes, source: file.lastPathComponent, progress: progress)
  }

  /// The same of a stretch of a file.
  func install(
    _ id: String, from file: RegularFile, _ stretch: Range<Int>, source: String, progress: @Sendable (Double) -> Void
  ) async throws {
    let pack = try catalogue.pack(id)
    guard let expected = pack.sha256 else { throw PackError.noPublishedHash(id) }
    let lock = try PackLock(id, in: staging)
    defer { lock.release() }
    try DiskSpace.check(needed: pack.bytes, in: folder)
    let copy = newCopy()
    defer { discard(copy) }
    try await FileCopy.copy(file, stretch, to: copy) { progress(0.6 * Double($0) / Double(pack.bytes)) }
    let found = try await SHA256.of(file: copy) { progress(0.6 + 0.4 * Double($0) / Double(pack.bytes)) }
    // The file is the user's own, so it is left where it is and not quarantined.
    guard found == expected else {
      throw PackError.hashMismatch(file: "\(id) in \(source)", expected: expected, found: found, quarantined: nil)
    }
    if pack.fileExtension == "gguf" { _ = try GGUFHeader(at: copy) }
    try await install(copy, as: pack, source: source, sha256: found)
  }

  /// A leftover is cleaned at the next start too, so failing to remove it here is no failure of the work.
  func discard(_ file: URL) {
    do { try Disk.remove(file) } catch { return }
  }
}

/// Refused before the first byte rather than half-way.
package enum DiskSpace {
  package static func check(needed: Int64, in folder: URL) throws {
    let available = try Disk.free(folder)
    // A little is left for the vault, which must always be able to write.
    guard available - (64 << 20) >= needed else {
      throw PackError.notEnoughSpace(needed: needed + (64 << 20), available: available, folder: folder.path)
    }
  }
}

extension Pack {
  static let unknownLicence = "unknown"

  /// The user's own file, described by what its header says.
  package init(own header: GGUFHeader, file: URL, sha256: String) {
    self.init(
      id: PackID.own(file, sha256: sha256), version: 1,
      name: (header.name ?? file.deletingPathExtension().lastPathComponent).letters(200),
      kind: header.isEmbedder ? .embed : .chat, family: header.architecture.letters(100),
      parameters: max(1, header.parameters), quantization: header.quantization, bytes: header.fileBytes, sha256: sha256,
      hash: .user,
      licence: (header.licence ?? Pack.unknownLicence).letters(100), context: header.contextLength,
      shape: Shape(
        layers: header.layers, kvHeads: header.kvHeads, headDimension: header.headDimension,
        embedding: header.embedding, vocabulary: header.vocabulary),
      isDefault: false, sources: [])
  }
}

import Core
package import Foundation
import Synchronization

/// The packs of this device: a folder per pack under `packs/`, with the weights and their record. Nothing else is state,
/// so a store can be made at any time, and a kill at any moment leaves either the old pack or the new one.
package struct PackStore: Sendable {
  package let folder: URL
  package let catalogue: Catalogue
  /// What is available to a pack; whoever watches the device says it, and until then it is unknown.
  package var availableMemory: @Sendable () -> Int64? = { nil }
  /// The graphics card that may take a part of a pack; nil where there is none, or nobody has asked yet.
  package var card: @Sendable () -> GraphicsCardReport? = { nil }
  /// The context a pack is judged by when nothing else is asked.
  package var context = 4096
  private let measured = MeasuredFiles()

  package init(folder: URL, catalogue: Catalogue) throws {
    self.folder = folder
    self.catalogue = catalogue
    try Folders.make(folder)
    try Folders.make(staging)
  }

  package var staging: URL { folder.appending(path: ".staging", directoryHint: .isDirectory) }
  package var quarantine: URL { folder.appending(path: ".quarantine", directoryHint: .isDirectory) }

  func home(of id: String) -> URL { folder.appending(path: id, directoryHint: .isDirectory) }
  func recordFile(of id: String) -> URL { home(of: id).appending(path: "pack.json") }
}

// MARK: Looking
extension PackStore {
  /// The record of an installed pack, or nil.
  package func record(of id: String) throws -> PackRecord? {
    guard PackID.isValid(id) else { throw PackError.unknownPack(id, catalogue.packs.map(\.id)) }
    let file = recordFile(of: id)
    guard Disk.exists(file) else { return nil }
    let record: PackRecord
    do { record = try JSON.decode(PackRecord.self, from: Data(contentsOf: file)) } catch {
      throw PackError.damaged(id: id, reason: "its record cannot be read")
    }
    // Paths are made of these, and only ever of names within the pack's own folder.
    guard record.pack.id == id, PackID.isValid(record.file),
      SHA256.isHash(record.sha256)
    else { throw PackError.damaged(id: id, reason: "its record names what no pack has") }
    return record
  }

  package func installed() throws -> [PackRecord] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().compactMap { name in
      PackID.isValid(name) ? try readableRecord(of: name) : nil
    }
  }

  /// What lies among the packs and is none: somebody else's, which nothing reads.
  package func others() throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
    return try names.sorted().filter { name in
      guard PackID.isValid(name) else { return true }
      // One that is being put here has no record yet.
      guard !Disk.isThere(recordFile(of: name)), let lock = try PackLock.free(name, in: staging) else { return false }
      lock.release()
      return true
    }
  }

  /// A record that cannot be read, such as a later version's, is as if there were none, so that the other packs can be used and this
  /// one can be pulled again. Whoever wants this pack is told by `record`.
  func readableRecord(of id: String) throws -> PackRecord? {
    do { return try record(of: id) } catch PackError.damaged { return nil }
  }

  /// The file an engine loads. Whoever loads it calls `check` before.
  package func weights(of id: String) throws -> URL {
    guard let record = try record(of: id) else { throw PackError.notInstalled(id) }
    try refuseDamaged(record)
    let file = home(of: id).appending(path: record.file)
    guard Disk.size(file) == record.bytes else {
      throw PackError.damaged(id: id, reason: "its weights are missing or of the wrong size")
    }
    return file
  }

  /// Every pack of the catalogue in its order, then the installed ones the catalogue does not know.
  /// `language`: the person's. A pack that knows it counts as a default one where those of its kind do not.
  package func list(for language: String? = nil) throws -> [PackStatus] {
    let records = Dictionary(uniqueKeysWithValues: try installed().map { ($0.pack.id, $0) })
    let available = availableMemory()
    let known = catalogue.packs.map { status($0, records[$0.id], available) }
    let own = records.values.filter { record in !catalogue.packs.contains { $0.id == record.pack.id } }
    var all = known + own.sorted { $0.pack.id < $1.pack.id }.map { status($0.pack, $0, available) }
    if let language, let other = catalogue.other(for: language) {
      for place in all.indices where all[place].pack.id == other { all[place].pack.isDefault = true }
    }
    return all
  }

  package func status(of id: String) throws -> PackStatus {
    let (pack, record) = try known(id)
    return status(catalogue.packs.first { $0.id == id } ?? pack, record, availableMemory())
  }

  /// A pack as it is installed, or else as it is offered.
  private func known(_ id: String) throws -> (pack: Pack, record: PackRecord?) {
    let record = try record(of: id)
    guard let pack = record?.pack ?? catalogue.packs.first(where: { $0.id == id }) else {
      throw PackError.unknownPack(id, catalogue.packs.map(\.id))
    }
    return (pack, record)
  }

  private func status(_ pack: Pack, _ record: PackRecord?, _ available: Int64?) -> PackStatus {
    PackStatus(
      pack: pack, sha256: record?.sha256 ?? pack.sha256,
      installed: record.map { .init(quantization: $0.pack.quantization) },
      verified: record.map(isUntouched) ?? false,
      upgradable: record.map { $0.pack.version < pack.version } ?? false,
      fit: Fit.decide(footprint(pack, record), context: context, available: available, card: card()))
  }

  /// Exact from the installed file's header, else what the catalogue says.
  private func footprint(_ pack: Pack, _ record: PackRecord?) -> Footprint {
    guard let record, pack.fileExtension == "gguf" else { return Footprint(pack) }
    // A file that cannot be read is reported by verify and by loading; here the catalogue's word is enough.
    do {
      let file = home(of: pack.id).appending(path: record.file)
      var exact = try measured.footprint(of: file)
      exact.maximumContext = min(exact.maximumContext, pack.context)
      return exact
    } catch {
      return Footprint(pack)
    }
  }

  private func isUntouched(_ record: PackRecord) -> Bool {
    let file = home(of: record.pack.id).appending(path: record.file)
    return record.checked != nil && PackRecord.Stamp(of: file) == record.checked
  }

  /// Nothing is to be fetched: this version is here, whole. For whoever holds the pack's lock.
  func isCurrent(_ pack: Pack) async throws -> Bool {
    guard let record = try readableRecord(of: pack.id), record.pack.version >= pack.version,
      pack.sha256 == nil || pack.sha256 == record.sha256
    else { return false }
    if isUntouched(record) { return true }
    return try await fault(of: pack.id) == nil
  }

  package func fit(_ id: String, context: Int) throws -> Fit {
    let (pack, record) = try known(id)
    return Fit.decide(footprint(pack, record), context: context, available: availableMemory(), card: card())
  }
}

// MARK: Verifying
extension PackStore {
  /// What must hold before an engine loads the pack: its files' hashes were found right, and no file has changed since. Where
  /// one has, they are computed again; a pack whose hash was found wrong stays refused until it is verified or pulled again.
  package func check(_ id: String, progress: @Sendable (Double) -> Void = { _ in }) async throws {
    guard let record = try record(of: id) else { throw PackError.notInstalled(id) }
    if isUntouched(record) { return }
    // Another task may be reading the same files at this moment: then its result is taken.
    let lock = try await PackLock.awaited(id, in: staging)
    defer { lock.release() }
    guard let record = try self.record(of: id) else { throw PackError.notInstalled(id) }
    if isUntouched(record) { return }
    try refuseDamaged(record)
    if let fault = try await fault(of: id, progress: progress) { throw PackError.damaged(id: id, reason: fault) }
  }

  private func refuseDamaged(_ record: PackRecord) throws {
    guard record.checked != nil else {
      throw PackError.damaged(id: record.pack.id, reason: "it was found changed when it was last verified")
    }
  }

  /// Hashes what lies here again. Wrong weights are reported and the record says so; they stay
  /// until the pack is pulled again or removed, and nothing loads them.
  package func verify(_ id: String, progress: @Sendable (Double) -> Void = { _ in }) async throws {
    guard try record(of: id) != nil else { throw PackError.notInstalled(id) }
    let lock = try PackLock(id, in: staging)
    defer { lock.release() }
    if let fault = try await fault(of: id, progress: progress) { throw PackError.damaged(id: id, reason: fault) }
  }

  /// What is wrong with the pack's files, by their hashes; the record keeps what was found.
  private func fault(of id: String, progress: @Sendable (Double) -> Void = { _ in }) async throws -> String? {
    guard var record = try record(of: id) else { throw PackError.notInstalled(id) }
    let total = Double(record.bytes)
    record.checked = try await stamp(home(of: id).appending(path: record.file), record.sha256) {
      progress(Double($0) / total)
    }
    try Disk.write(JSON.encode(record, pretty: true), to: recordFile(of: id))
    return record.checked == nil ? "\(record.file) is missing or has not the SHA-256 it was installed with" : nil
  }

  /// The file's stamp if it has this hash, else nil. Taken before reading: a change meanwhile shows afterwards.
  func stamp(
    _ file: URL, _ sha256: String, progress: @Sendable (Int64) -> Void = { _ in }
  ) async throws -> PackRecord.Stamp? {
    guard let stamp = PackRecord.Stamp(of: file) else { return nil }
    return try await SHA256.of(file: file, progress: progress) == sha256 ? stamp : nil
  }
}

/// What files take in memory, read from their headers once as long as they stay as they are: every question asks.
private final class MeasuredFiles: Sendable {
  private let known = Mutex<[String: (stamp: PackRecord.Stamp, footprint: Footprint)]>([:])

  func footprint(of file: URL) throws -> Footprint {
    let stamp = PackRecord.Stamp(of: file)
    if let found = known.withLock({ $0[file.path] }), found.stamp == stamp { return found.footprint }
    let footprint = Footprint(try GGUFHeader(at: file))
    if let stamp { known.withLock { $0[file.path] = (stamp, footprint) } }
    return footprint
  }
}

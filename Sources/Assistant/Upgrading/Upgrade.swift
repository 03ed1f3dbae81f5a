package import Core
import Foundation
import Models
package import Releases
import Safety
import Storage
import Workers

/// Another version of the program in place of this one, where it was unpacked from the tar file.
///
/// At every moment the program's folder holds a whole version: the new one is unpacked beside it, held to its checksum and its
/// publisher's signature, asked whether it starts here, and then both change places in one step.
package struct Upgrade: Sendable {
  package enum Step: Sendable {
    case progress(String, Double?)
    /// So many answers are still given by the program that is asked to end.
    case waiting(Int)
    case ended(Int32)
  }
  package typealias Telling = @Sendable (Step) -> Void

  package let tree: ProgramTree
  package let installed: ReleaseVersion
  package let name: ReleaseName
  let source: ReleaseSource
  let folders: Folders
  let key: PublisherKey?
  let keyText: String?

  /// `key`: a file that the person names where the program carries no key.
  package init(to place: String, tree: ProgramTree, key path: String?, folders: Folders) throws {
    (self.tree, self.folders) = (tree, folders)
    source = ReleaseSource(place)
    guard let name = ReleaseName(source.file) else { throw ReleaseError.notAName(source.file) }
    self.name = name
    installed = try tree.version()
    let carried = try tree.key()
    if let path {
      guard carried == nil else { throw ReleaseError.hasKey }
      keyText = try ProgramTree.keyText(path)
      key = try PublisherKey(keyText ?? "")
    } else {
      (key, keyText) = (carried, nil)
    }
  }

  package var comparison: ReleaseComparison { ReleaseComparison(name.version, over: installed) }

  /// What is offered, as far as it has been looked at.
  package struct Offer: Sendable {
    package let vouching: Vouching
    /// The tar file on this device, with that checksum.
    let archive: RegularFile
  }

  /// Fetches what is to be fetched, and holds it to what its publisher says.
  package func look(checksum: String?, _ tell: @escaping Telling) async throws -> Offer {
    let (notes, call) = try await source.notes(folders)
    defer { withExtendedLifetime(call) {} }
    let vouching = try Vouching(of: name, key: key, sums: notes.sums, signature: notes.signature, named: checksum)
    let archive = try await source.archive(vouching.sha256, notes, call, folders, tell)
    let stamp = archive.stamp
    tell(.progress("verifying", nil))
    let found = try await waitingForDisk { try Self.digest(of: archive, $0) }
    guard found == vouching.sha256 else {
      throw ReleaseError.wrongBytes(file: name.file, expected: vouching.sha256, found: found)
    }
    guard archive.stamp == stamp else { throw ReleaseError.changed(name.file) }
    return Offer(vouching: vouching, archive: archive)
  }

  private static func digest(of file: RegularFile, _ check: () throws -> Void) throws -> String {
    var (hash, done) = (SHA256(), 0)
    while let piece = try file.piece(at: done, upTo: 1 << 20) {
      try check()
      hash.update(piece)
      done += piece.count
    }
    return hash.digest
  }

  /// Puts it in place; returns which version it is and where the one before is kept.
  package func install(_ offer: Offer, _ tell: @escaping Telling) async throws {
    let new = tree.part
    do {
      try await unpack(offer, to: new, tell)
      try check(new)
    } catch {
      try new.remove()
      throw error
    }
    let lock = try await OtherVersion.makesWay(in: folders, tell)
    try OtherVersion.checkRoom(for: try new.voice(), in: folders)
    let previous = tree.previous
    try previous.remove()
    try DurableFile.move(new.folder, to: previous.folder)
    try tree.exchange(with: previous)
    withExtendedLifetime(lock) {}
    try source.forget(folders)
  }

  private func unpack(_ offer: Offer, to new: ProgramTree, _ tell: Telling) async throws {
    guard access(tree.parent.path, W_OK) == 0 else { throw ReleaseError.notWritable(tree.parent.path) }
    tell(.progress("unpacking", nil))
    try new.remove()
    let plain = tree.unpressed
    defer { unlink(plain.path) }
    let stamp = offer.archive.stamp
    try await inflate(offer.archive, to: plain)
    guard offer.archive.stamp == stamp else { throw ReleaseError.changed(name.file) }
    let top = name.folder
    try await waitingForDisk { try TreeArchive.unpack(RegularFile(plain.path), top: top, to: new.folder, $0) }
    if let keyText { try new.keep(key: keyText) } else if key != nil { try new.keep(key: Self.carriedKey(tree)) }
  }

  private static func carriedKey(_ tree: ProgramTree) throws -> String {
    try ProgramTree.keyText(tree.folder.appending(path: "lib/libera/publisher.pub").path)
  }

  /// In the sealed process that takes apart what was fetched: it sees the one file and the one it makes.
  private func inflate(_ file: RegularFile, to plain: URL) async throws {
    unlink(plain.path)
    let out = open(plain.path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard out >= 0 else { throw Disk.failure(plain) }
    defer { close(out) }
    let memory = UInt64(1 << 30) + 2 * UInt64(file.bytes)
    let worker = try await WorkerHost.processes.start(.convert, seal: SealSpecification(memoryBytes: memory))
    do {
      try await finishing {
        let request = InflateRequest(most: Int64(TreeArchive.mostBytes))
        try await worker.finish("inflate", request, files: [file.descriptor, out])
      } then: {
        await worker.stop()
      }
    } catch {
      throw RemoteError(error).code == "pack_malformed"
        ? ReleaseError.archive(RemoteError(error).message.lowercasedFirst) : error
    }
  }

  /// It is the version that its name says, and it starts here.
  private func check(_ new: ProgramTree) throws {
    let version = try new.version()
    guard version == name.version else { throw ReleaseError.otherVersion("\(version)") }
    let voice = try new.voice()
    guard voice.version == "\(version)" else { throw ReleaseError.otherVersion(voice.version) }
    guard case .tree = try ProgramTree.standing(new.folder.appending(path: "lib/libera")) else {
      throw ReleaseError.archive("it holds more than bin, lib/libera and share")
    }
  }
}

/// Back to the version that was there before.
package struct Downgrade: Sendable {
  package let tree: ProgramTree
  package let installed: ReleaseVersion
  package let before: ReleaseVersion
  let folders: Folders

  package init(tree: ProgramTree, folders: Folders) throws {
    (self.tree, self.folders) = (tree, folders)
    installed = try tree.version()
    guard tree.previous.exists else { throw ReleaseError.nothingBack }
    before = try tree.previous.version()
    // What a kill left there before the exchange was never in use.
    guard before < installed else { throw ReleaseError.nothingBack }
  }

  /// Whether the vault must go back too: the older version cannot read what it has become. No house may be open.
  package func needsOldVault() throws -> Bool {
    guard let knows = try tree.previous.voice().vault else { return false }
    let formats = try Vault.formats(folders)
    guard let now = formats.now, now > knows else { return false }
    guard let copy = formats.before, copy <= knows else { throw ReleaseError.vaultNotReadable(of: before) }
    return true
  }

  package func run(_ tell: @escaping Upgrade.Telling, confirmOldVault: () throws -> Void) async throws {
    _ = try tree.previous.voice()
    let lock = try await OtherVersion.makesWay(in: folders, tell)
    // The vault first: the newer version reads the older vault, not the other way round.
    if try needsOldVault() {
      try confirmOldVault()
      try Vault.goBackBeforeMigration(folders)
    }
    try tree.exchange(with: tree.previous)
    withExtendedLifetime(lock) {}
    try tree.previous.remove()
  }
}

/// What must be so before two versions change places.
enum OtherVersion {
  /// No process works with the data folder any more; a server is asked to end after its answers. Holding what is returned keeps it so.
  static func makesWay(in folders: Folders, _ tell: Upgrade.Telling) async throws -> OwnerLock? {
    guard FileManager.default.fileExists(atPath: folders.data.path) else { return nil }
    var asked: Int32?
    for _ in 0..<1200 {
      switch try OwnerLock.take(folders.ownerLock) {
      case .taken(let lock):
        if let asked { tell(.ended(asked)) }
        return lock
      case .held(let process):
        if asked == nil, let client = try await OwnerClient.connect(folders.ownerSocket) {
          try await ask(client, tell)
          asked = client.process
        }
        if asked == nil, process == nil { break }
      }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw ReleaseError.running(asked)
  }

  private static func ask(_ client: OwnerClient, _ tell: Upgrade.Telling) async throws {
    do {
      for try await data in client.call(MakeWay.name, try JSON.encode(Nothing())) {
        tell(.waiting(try JSON.decode(MakeWay.Event.self, from: data).answers))
      }
    } catch WorkerError.ownerGone {
      // It ended before it could say that it does.
    } catch  where RemoteError(error).code == "operation_not_found" {
      throw ReleaseError.running(client.process)
    }
  }

  /// A vault of an older format is copied before it is brought to a newer one (`Migrator`); there must be room for that.
  static func checkRoom(for voice: ProgramTree.Voice, in folders: Folders) throws {
    guard let knows = voice.vault, let now = try Vault.formats(folders).now, now < knows else { return }
    let needed = (Disk.size(folders.vault) ?? 0) + (16 << 20)
    try DiskSpace.check(needed: needed, in: folders.data)
  }
}

extension String {
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}

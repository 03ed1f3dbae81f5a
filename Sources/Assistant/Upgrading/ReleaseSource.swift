import Core
import Foundation
import Models
import Releases
import Workers

/// Where a version comes from: a file of the person's, or an address that the person has typed.
enum ReleaseSource: Sendable {
  case file(URL)
  case address(String)

  init(_ place: String) {
    self = place.contains("://") ? .address(place) : .file(URL(filePath: place).standardizedFileURL)
  }

  /// The name of the tar file.
  var file: String {
    switch self {
    case .file(let url): url.lastPathComponent
    case .address(let address): String(address.split(separator: "/").last ?? "")
    }
  }

  /// The worker with a network, while something is fetched. It may go to the one address and what lies beside it, nowhere else.
  final class Fetching: Sendable {
    private let launcher: Launcher
    private let worker: Worker

    init(_ address: String, _ folders: Folders) async throws {
      try folders.check()
      try Folders.make(ReleaseSource.staging(folders))
      launcher = try Launcher(folders, offline: Settings(over: folders.settings).offline, release: address)
      worker = try await launcher.start(.fetch)
    }

    func call(_ operation: String, _ body: some Encodable, _ take: (FetchEvent) -> Void) async throws {
      for try await case .event(let data) in worker.call(operation, body, most: FetchEvent.most(operation)) {
        take(try JSON.decode(FetchEvent.self, from: data))
      }
      try Task.checkCancellation()
    }

    func end() async {
      await worker.stop()
      await launcher.stop()
    }
  }

  /// In the one folder that the worker writes to. What a broken-off transfer has left there goes on.
  private static func staging(_ folders: Folders) -> URL {
    folders.packs.appending(path: ".staging/.release", directoryHint: .isDirectory)
  }

  /// The checksums and their signature, and who goes on fetching.
  func notes(_ folders: Folders) async throws -> (ReleaseNotes, Fetching?) {
    switch self {
    case .file(let url):
      func beside(_ name: String) throws -> Data? {
        let place = url.deletingLastPathComponent().appending(path: name).path
        return RegularFile.exists(place) ? try RegularFile.whole(place, limit: ReleaseName.mostSums) : nil
      }
      let signature = try beside(ReleaseName.signature).map { String(decoding: $0, as: UTF8.self) }
      return (ReleaseNotes(sums: try beside(ReleaseName.sums), signature: signature, bytes: nil), nil)
    case .address(let address):
      let fetching = try await Fetching(address, folders)
      var notes: ReleaseNotes?
      do {
        try await fetching.call("release", ReleaseRequest(url: address)) {
          if case .release(let it) = $0 { notes = it }
        }
        guard let notes else { throw ReleaseError.noChecksum(file) }
        return (notes, fetching)
      } catch {
        await fetching.end()
        throw error
      }
    }
  }

  /// The tar file, on this device.
  func archive(
    _ sha256: String, _ notes: ReleaseNotes, _ fetching: Fetching?, _ folders: Folders,
    _ tell: @escaping Upgrade.Telling
  ) async throws -> RegularFile {
    guard case .address(let address) = self else {
      guard case .file(let url) = self else { throw ReleaseError.notAName(file) }
      return try RegularFile(url.path)
    }
    guard let fetching else { throw ReleaseError.notAName(file) }
    return try await finishing {
      guard let bytes = notes.bytes, bytes > 0 else { throw ReleaseError.noLength(address) }
      let place = Self.staging(folders).appending(path: "\(sha256).tar.gz")
      try DiskSpace.check(needed: bytes - (Disk.size(place) ?? 0), in: Self.staging(folders))
      let request = DownloadRequest(url: address, to: place.path, bytes: bytes, sha256: sha256)
      try await fetch(request, fetching, tell)
      return try RegularFile(place.path)
    } then: {
      await fetching.end()
    }
  }

  /// Again where the failure may pass; what came is kept.
  private func fetch(_ request: DownloadRequest, _ fetching: Fetching, _ tell: @escaping Upgrade.Telling) async throws {
    for pause in [1.0, 4, nil] {
      do {
        return try await fetching.call("download", request) { event in
          guard case .progress(let done, let total) = event, total > 0 else { return }
          tell(.progress("downloading", Double(done) / Double(total)))
        }
      } catch {
        guard let pause, PackError.transient.contains(RemoteError(error).code) else { throw error }
        try await Task.sleep(for: .seconds(pause))
      }
    }
  }

  /// What was fetched is in place now.
  func forget(_ folders: Folders) throws {
    if case .address = self { try Disk.remove(Self.staging(folders)) }
  }
}

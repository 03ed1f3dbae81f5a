import Core
package import Foundation
import Synchronization
import Workers

/// Files a browser hands over. They are written to a staging folder under an id of ours, and an operation's input names them
/// as `"uploads": [id]` or `"upload": id`; the operation sees `"paths"` or `"path"`. They are deleted when the operation has ended, or
/// when no operation has asked for them in time.
package struct Uploads: Sendable {
  package let folder: URL
  private let bounds: Bounds
  private let held = Held()

  /// All that lies in the folder, by its id.
  private final class Held: Sendable {
    struct One {
      var made = Date()
      /// An operation is at work on it.
      var isUsed = false
    }
    let all = Mutex<[String: One]>([:])
  }

  /// Says to other servers that this folder is in use.
  private let lock: OwnerLock?

  /// Removes what servers left that were killed; folders as young as a server's start may be about to be locked.
  package init(folder: URL, bounds: Bounds = Bounds()) throws {
    (self.folder, self.bounds) = (folder, bounds)
    let (places, files) = (folder.deletingLastPathComponent(), FileManager.default)
    try files.removeIfThere(folder)
    try Folders.make(folder)
    lock = try Self.lock(folder)
    for name in try files.contentsOfDirectory(atPath: places.path) where name.hasPrefix("uploads-") {
      let other = places.appending(path: name, directoryHint: .isDirectory)
      let changed = try files.attributesOfItem(atPath: other.path)[.modificationDate] as? Date ?? .distantPast
      guard name != folder.lastPathComponent, changed.timeIntervalSinceNow < -60 else { continue }
      if try Self.lock(other) != nil { try files.removeItem(at: other) }
    }
  }

  /// nil where another server holds it.
  private static func lock(_ folder: URL) throws -> OwnerLock? {
    switch try OwnerLock.take(folder.appending(path: "lock")) {
    case .taken(let lock): lock
    case .held: nil
    }
  }

  /// Nothing that was handed over outlives the server.
  func close() throws {
    try FileManager.default.removeIfThere(folder)
  }

  func stage(_ request: Request) throws -> (URL, FileHandle) {
    let name = ForeignName.file(request.query["name"] ?? "")
    do { try makeRoom() } catch let error as ServerError { throw error } catch {
      throw ServerError.uploadFailed(error.localizedDescription)
    }
    let id = UUID().uuidString.lowercased()
    let place = folder.appending(path: id, directoryHint: .isDirectory)
    do { try Folders.make(place) } catch { throw ServerError.uploadFailed(error.localizedDescription) }
    held.all.withLock { $0[id] = Held.One() }
    let file = place.appending(path: name, directoryHint: .notDirectory)
    let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw ServerError.uploadFailed(String(cString: strerror(errno))) }
    return (file, FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
  }

  /// Removes what was handed over and not asked for in time; refuses more than may wait.
  private func makeRoom() throws {
    let longest = bounds.uploadSeconds + bounds.unusedUploadSeconds
    let unused = held.all.withLock { $0.filter { !$0.value.isUsed } }
    let late = unused.filter { -$0.value.made.timeIntervalSinceNow > longest }
    try remove(Array(late.keys))
    let waiting = unused.keys.filter { late[$0] == nil }
    let kept = try waiting.reduce(0) { try $0 + bytes(of: $1) }
    guard waiting.count < bounds.waitingUploads, kept < bounds.waitingUploadBytes else {
      throw ServerError.uploadFailed("too much waits that nothing has used yet")
    }
  }

  private func bytes(of id: String) throws -> Int {
    let files = FileManager.default
    let place = folder.appending(path: id, directoryHint: .isDirectory)
    do {
      return try files.contentsOfDirectory(atPath: place.path).reduce(0) { sum, name in
        let size = try files.attributesOfItem(atPath: place.appending(path: name).path)[.size] as? NSNumber
        return sum + (size?.intValue ?? 0)
      }
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile { return 0 }  // it was used meanwhile
  }

  func taken(_ request: Request) throws -> Response {
    guard let file = request.file else { throw ServerError.uploadFailed("no body came") }
    return .json(["upload": file.deletingLastPathComponent().lastPathComponent, "name": file.lastPathComponent])
  }

  /// The input with its upload ids replaced by the staged paths.
  func resolve(_ body: Data) throws -> (body: Data, used: [String]) {
    guard body.range(of: Data(#""upload"#.utf8)) != nil else { return (body, []) }
    let parsed: Any
    do { parsed = try JSON.untyped(body) } catch {
      throw ServerError.unreadable("it is not valid JSON")
    }
    guard var input = parsed as? [String: Any] else { return (body, []) }
    var used: [String] = []
    if let id = input["upload"] as? String {
      input["path"] = try staged(id).first
      input["upload"] = nil
      used.append(id)
    }
    if let ids = input["uploads"] as? [String] {
      input["paths"] = try (input["paths"] as? [String] ?? []) + ids.flatMap(staged)
      input["uploads"] = nil
      used += ids
    }
    return used.isEmpty ? (body, []) : (try JSONSerialization.data(withJSONObject: input), used)
  }

  private func staged(_ id: String) throws -> [String] {
    guard UUID(uuidString: id) != nil else { throw ServerError.unknownUpload(id) }
    let place = folder.appending(path: id.lowercased(), directoryHint: .isDirectory)
    do {
      return try FileManager.default.contentsOfDirectory(atPath: place.path).map { place.appending(path: $0).path }
    } catch { throw ServerError.unknownUpload(id) }
  }

  /// The same events; when they have ended, however they end, the staged files go.
  func deleting(
    _ ids: [String], after events: AsyncThrowingStream<Data, any Error>
  ) -> AsyncThrowingStream<Data, any Error> {
    held.all.withLock { held in for id in ids { held[id.lowercased()]?.isUsed = true } }
    return AsyncThrowingStream { continuation in
      let work = Task {
        do {
          for try await event in events { continuation.yield(event) }
          try remove(ids)
          continuation.finish()
        } catch {
          do { try remove(ids) } catch let second { return continuation.finish(throwing: second) }
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in work.cancel() }
    }
  }

  private func remove(_ ids: [String]) throws {
    for id in ids {
      let place = folder.appending(path: id.lowercased(), directoryHint: .isDirectory)
      try FileManager.default.removeIfThere(place)
      _ = held.all.withLock { $0.removeValue(forKey: id.lowercased()) }
    }
  }
}

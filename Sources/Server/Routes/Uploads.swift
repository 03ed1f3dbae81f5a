import Assistant
import Core
package import Foundation
import Synchronization
import Workers

/// Files a browser hands over. They are written to a staging folder under an id of ours, and an operation's input names them
/// as `"uploads": [id]` or `"upload": id`; the operation sees `"paths"` or `"path"`. They are deleted when the operation has ended, or
/// when no operation has asked for them in time. Whoever handed them over has a folder of his own there: nobody else can name
/// what lies in it, and what waits in it takes no room from others.
package struct Uploads: Sendable {
  package let folder: URL
  private let bounds: Bounds
  private let held = Held()

  /// All that lies in the folder, by the caller's folder and its id.
  private final class Held: Sendable {
    struct One {
      var made = Date()
      var owner: String
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

  /// Where the body of this request goes: in a folder of its own, in its caller's.
  func place(of request: Request) -> URL {
    folder.appending(path: Handed.folder(of: request.caller), directoryHint: .isDirectory)
      .appending(path: UUID().uuidString.lowercased(), directoryHint: .isDirectory)
      .appending(path: ForeignName.file(request.query["name"] ?? ""), directoryHint: .notDirectory)
  }

  /// As a new file, where its caller has room left.
  func create(_ file: URL) throws -> FileHandle {
    let place = file.deletingLastPathComponent()
    let owner = place.deletingLastPathComponent().lastPathComponent
    try makeRoom(for: owner)
    try Folders.make(place)
    held.all.withLock { $0[Self.id(of: file)] = Held.One(owner: owner) }
    let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw ServerError.uploadFailed(systemReason()) }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  private static func id(of file: URL) -> String {
    file.pathComponents.dropLast().suffix(2).joined(separator: "/")
  }

  /// A route begins to work on the file that is its own body, however long that takes, and removes it itself.
  func leave(_ file: URL) {
    _ = held.all.withLock { $0.removeValue(forKey: Self.id(of: file)) }
  }

  /// It did not come whole.
  func discard(_ file: URL) throws { try remove([Self.id(of: file)]) }

  /// Removes what was handed over and not asked for in time.
  func removeLate() throws {
    let longest = bounds.uploadSeconds + bounds.unusedUploadSeconds
    let late = held.all.withLock { $0.filter { !$0.value.isUsed && -$0.value.made.timeIntervalSinceNow > longest } }
    try remove(Array(late.keys))
  }

  /// Refuses more than may wait of one caller's.
  private func makeRoom(for owner: String) throws {
    try removeLate()
    let waiting = held.all.withLock { $0.filter { !$0.value.isUsed && $0.value.owner == owner } }.keys
    let sizes = try waiting.reduce(into: [:]) { $0[$1] = try bytes(of: $1) }
    // A route that takes a file as its own body removes it itself.
    held.all.withLock { held in for id in waiting where sizes[id] == nil { held[id] = nil } }
    guard sizes.count < bounds.waitingUploads, sizes.values.reduce(0, +) < bounds.waitingUploadBytes else {
      throw ServerError.uploadFailed("too much waits that nothing has used yet")
    }
  }

  /// nil where it is gone.
  private func bytes(of id: String) throws -> Int? {
    let files = FileManager.default
    let place = folder.appending(path: id, directoryHint: .isDirectory)
    do {
      return try files.contentsOfDirectory(atPath: place.path).reduce(0) { sum, name in
        let size = try files.attributesOfItem(atPath: place.appending(path: name).path)[.size] as? NSNumber
        return sum + (size?.intValue ?? 0)
      }
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile { return nil }
  }

  func taken(_ request: Request) throws -> Response {
    guard let file = request.file else { throw ServerError.uploadFailed("no body came") }
    return .json(["upload": file.deletingLastPathComponent().lastPathComponent, "name": file.lastPathComponent])
  }

  /// The input with the ids of the caller's uploads replaced by the staged paths.
  func resolve(_ body: Data, for caller: Caller) throws -> (body: Data, used: [String]) {
    guard body.range(of: Data(#""upload"#.utf8)) != nil else { return (body, []) }
    let parsed: Any
    do { parsed = try JSON.untyped(body) } catch {
      throw ServerError.unreadable("it is not valid JSON")
    }
    guard var input = parsed as? [String: Any] else { return (body, []) }
    let owner = Handed.folder(of: caller)
    var used: [String] = []
    if let id = input["upload"] as? String {
      let (known, files) = try staged(id, of: owner)
      input["path"] = files.first
      input["upload"] = nil
      used.append(known)
    }
    if let ids = input["uploads"] as? [String] {
      var named: Set<String> = []
      let all = try ids.filter { named.insert($0.lowercased()).inserted }.map { try staged($0, of: owner) }
      input["paths"] = (input["paths"] as? [String] ?? []) + all.flatMap(\.files)
      input["uploads"] = nil
      used += all.map(\.id)
    }
    return used.isEmpty ? (body, []) : (try JSONSerialization.data(withJSONObject: input), used)
  }

  private func staged(_ id: String, of owner: String) throws -> (id: String, files: [String]) {
    guard UUID(uuidString: id) != nil else { throw ServerError.unknownUpload(id) }
    let known = "\(owner)/\(id.lowercased())"
    let place = folder.appending(path: known, directoryHint: .isDirectory)
    do {
      return (
        known, try FileManager.default.contentsOfDirectory(atPath: place.path).map { place.appending(path: $0).path }
      )
    } catch { throw ServerError.unknownUpload(id) }
  }

  /// The same events; when they have ended, however they end, the staged files go.
  func deleting(
    _ ids: [String], after events: AsyncThrowingStream<Data, any Error>
  ) -> AsyncThrowingStream<Data, any Error> {
    held.all.withLock { held in for id in ids { held[id]?.isUsed = true } }
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
      let place = folder.appending(path: id, directoryHint: .isDirectory)
      try FileManager.default.removeIfThere(place)
      _ = held.all.withLock { $0.removeValue(forKey: id) }
    }
  }
}

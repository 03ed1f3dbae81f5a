import Core
import Foundation
import Models
import Workers

/// Fetches what is missing of one file. What is there is only continued when the server says it is still the same file
/// (`If-Range`), or, where a server gives nothing to compare by, when the final SHA-256 will tell; never glued on trust.
final class Download {
  private struct State: Codable {
    var url: String
    var validator: String?
  }

  private let request: DownloadRequest
  private let url: String
  private let cancelled: CancelFlag
  private let report: (FetchEvent) throws -> Void
  private let file: URL
  private let stateFile: URL
  private var descriptor: CInt
  private var done: Int64 = 0
  private var resumed = false
  private var hash = SHA256()
  private var reported = Date.distantPast

  init(
    _ request: DownloadRequest, url: String, cancelled: CancelFlag, report: @escaping (FetchEvent) throws -> Void
  ) throws {
    self.request = request
    self.url = url
    self.cancelled = cancelled
    self.report = report
    file = URL(filePath: request.to)
    stateFile = file.appendingPathExtension("state")
    descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Disk.failure(file) }
  }

  deinit { close(descriptor) }

  func run() throws {
    let headers = try prepare()
    if done < request.bytes { try transfer(headers) }
    try finish()
  }

  /// Looks at what is there already and says how to ask for the rest.
  private func prepare() throws -> [String] {
    let have = Disk.size(file) ?? 0
    let state = try readState()
    // Another address may serve other bytes; without a hash to judge by in the end nothing of it is kept.
    let usable =
      have > 0 && have <= request.bytes && (request.sha256 != nil || (state?.url == url && state?.validator != nil))
    guard usable else {
      try restart(have > 0 ? "what was there cannot be continued" : nil)
      return []
    }
    try hashWhatIsThere()
    resumed = true
    try progress(always: true)
    guard let validator = state?.validator, state?.url == url else { return ["Range: bytes=\(done)-"] }
    return ["Range: bytes=\(done)-", "If-Range: \(validator)"]
  }

  private func transfer(_ headers: [String]) throws {
    let transfer = try Transfer(cancelled: cancelled)
    transfer.begin = { [unowned self] in try begin($0) }
    transfer.body = { [unowned self] in try receive($0) }
    try transfer.follow(url, headers: headers, patience: request.patience)
  }

  private func begin(_ answer: Transfer.Answer) throws {
    switch answer.status {
    case 206:
      let (start, total) = Self.range(answer["content-range"] ?? "")
      guard start == done, total == nil || total == request.bytes else {
        try restart("the server sent another part than was asked for")
        throw PackError.changed(url)
      }
    case 416:
      try restart("the server has no more of this file")
      throw PackError.changed(url)
    default:
      if let announced = answer["content-length"].flatMap({ Int64($0) }), announced != request.bytes {
        try restart(nil)
        throw PackError.wrongLength(announced: announced, expected: request.bytes)
      }
      if done > 0 { try restart("the server sends the file from its beginning") }
    }
    if let encoding = answer["content-encoding"], encoding != "identity" {
      throw PackError.network("\(url) sent \(encoding) data, which was not asked for")
    }
    try writeState(answer)
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) throws {
    guard done + Int64(bytes.count) <= request.bytes else {
      try restart(nil)
      throw PackError.wrongLength(announced: done + Int64(bytes.count), expected: request.bytes)
    }
    guard Descriptor.write(bytes, to: descriptor) else {
      guard DiskFull.isMeant(by: errno) else { throw Disk.failure(file) }
      let folder = file.deletingLastPathComponent()
      throw PackError.notEnoughSpace(
        needed: request.bytes - done, available: try Disk.free(folder), folder: folder.path)
    }
    hash.update(bytes)
    done += Int64(bytes.count)
    try progress()
  }

  private func finish() throws {
    guard done == request.bytes else {
      throw PackError.truncated("\(done) of \(request.bytes) bytes came")
    }
    guard fsync(descriptor) == 0 else { throw Disk.failure(file) }
    if let expected = request.sha256, hash.digest != expected {
      // Glued from two files: from the beginning it can still be the right one.
      if resumed {
        try restart("its parts do not belong together")
        throw PackError.changed(url)
      }
      throw PackError.hashMismatch(file: url, expected: expected, found: hash.digest, quarantined: nil)
    }
    try Disk.remove(stateFile)
    try progress(always: true)
    try report(.downloaded(bytes: done, sha256: hash.digest))
  }

  private func restart(_ reason: String?) throws {
    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw Disk.failure(file) }
    try Disk.remove(stateFile)
    (done, hash, resumed) = (0, SHA256(), false)
    if let reason { try report(.restarted(reason: reason)) }
  }

  private func hashWhatIsThere() throws {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    (done, hash) = (0, SHA256())
    while true {
      if cancelled.isSet { throw CancellationError() }
      let count = buffer.withUnsafeMutableBytes { Descriptor.read(descriptor, into: $0) }
      guard count >= 0 else { throw Disk.failure(file) }
      if count == 0 { return }
      buffer.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      done += Int64(count)
    }
  }

  private func progress(always: Bool = false) throws {
    guard always || Date().timeIntervalSince(reported) > 0.1 else { return }
    reported = Date()
    try report(.progress(done: done, total: request.bytes))
  }

  private func readState() throws -> State? {
    guard Disk.exists(stateFile) else { return nil }
    // A state that a kill left half-written only costs the chance to continue.
    do { return try JSON.decode(State.self, from: Data(contentsOf: stateFile)) } catch { return nil }
  }

  private func writeState(_ answer: Transfer.Answer) throws {
    // Weak tags do not promise the same bytes.
    let tag = answer["etag"].flatMap { $0.hasPrefix("W/") || $0.isEmpty ? nil : $0 }
    try JSON.encode(State(url: url, validator: tag ?? answer["last-modified"])).write(to: stateFile)
  }

  /// `bytes 100-199/200` -> where the part begins and how long the whole is.
  static func range(_ text: String) -> (start: Int64?, total: Int64?) {
    guard text.hasPrefix("bytes ") else { return (nil, nil) }
    let halves = text.dropFirst(6).split(separator: "/", maxSplits: 1)
    let start = halves.first?.split(separator: "-").first.flatMap { Int64($0) }
    return (start, halves.count > 1 ? Int64(halves[1]) : nil)
  }
}

import Core
import Foundation
import Workers

/// Fetches one pack: source after source until one gives weights with the right SHA-256. It holds the pack's lock, works in
/// `.staging/<id>/` and leaves there what a broken-off pull has fetched, so that the next one goes on from it.
struct Puller {
  let store: PackStore
  let pack: Pack
  let call: FetchCall
  let convert: ConvertCall
  /// Pauses between attempts; injected so that tests need not wait.
  let pauses: [Double]
  let patience: Int
  let report: @Sendable (PullEvent) -> Void

  private var stage: URL { store.staging.appending(path: pack.id, directoryHint: .isDirectory) }

  func run() async throws {
    let lock = try PackLock(pack.id, in: store.staging)
    defer { lock.release() }
    if try await store.isCurrent(pack) { return report(.installed(try store.status(of: pack.id))) }
    try Folders.make(stage)
    try checkSpace()
    var reasons: [String] = []
    for source in pack.sources {
      report(.source(source.name))
      do {
        try Folders.make(stage)
        let (weights, hash) = try await weights(from: source)
        // The catalogue describes its packs; any other is what its header says.
        var fetched = pack.family.isEmpty ? pack.described(by: try GGUFHeader(at: weights)) : pack
        fetched.sha256 = hash
        try await store.install(weights, as: fetched, source: source.name, sha256: hash)
        try Disk.remove(stage)
        report(.installed(try store.status(of: pack.id)))
        return
      } catch let error where error is CancellationError || RemoteError(error).code == "cancelled" {
        throw CancellationError()
      } catch {
        let failure = RemoteError(error)
        // What came whole and is no model never becomes one.
        if ["pack_malformed", "pack_unsupported"].contains(failure.code) { try Disk.remove(stage) }
        // A full disk is full for every source, and offline is offline.
        if ["not_enough_space", "offline"].contains(failure.code) { throw error }
        report(.sourceFailed(name: source.name, reason: failure.message))
        reasons.append("\(source.name): \(failure.message)")
        if pack.sources.count == 1, PackError.transient.contains(failure.code) == false { throw error }
      }
    }
    throw PackError.noSourceWorked(id: pack.id, reasons: reasons)
  }

  /// Archives and what they unpack to stand beside each other; joined files and the result stay.
  private func checkSpace() throws {
    let needs = pack.sources.map { source -> Int64 in
      let files = source.files.reduce(Int64(0)) { $0 + $1.bytes }
      let archives = source.files.flatMap(\.parts).filter { $0.member != nil }.map(\.bytes).max() ?? 0
      return files + archives * 2 + (source.convert == nil ? 0 : pack.bytes)
    }
    let there = try FileManager.default.subpathsOfDirectory(atPath: stage.path).reduce(Int64(0)) {
      $0 + (Disk.size(stage.appending(path: $1)) ?? 0)
    }
    let needed = needs.max() ?? pack.bytes
    try DiskSpace.check(needed: max(0, needed - there), in: stage)
  }

  /// The weights of one source, with their verified hash.
  private func weights(from source: Pack.Source) async throws -> (URL, String) {
    var job = SourceJob(puller: self, source: source, stage: stage, total: source.fetchBytes)
    var expected = pack.sha256
    if pack.sha256 == nil, let url = source.files[0].parts[0].url {
      (expected, job.source) = try await published(source, url)
    }
    guard let expected else { throw PackError.noPublishedHash(source.name) }
    let files = try await job.files(expected: expected)
    let result: URL
    if let form = source.convert?.form {
      report(.step("converting"))
      result = stage.appending(path: "result.part")
      let request = ConvertRequest(form: form, files: form.files, name: pack.name)
      // The catalogue was refused if one of them were missing.
      try await convert("convert", JSON.encode(request), form.files.compactMap { files[$0] }, result)
    } else {
      result = files[source.files[0].name] ?? stage
    }
    report(.step("verifying"))
    try await verify(result, expected)
    return (result, expected)
  }

  private func verify(_ file: URL, _ expected: String) async throws {
    let found = try await SHA256.of(file: file)
    guard found == expected else {
      throw PackError.hashMismatch(
        file: pack.id, expected: expected, found: found, quarantined: try quarantine(file, found))
    }
    if pack.fileExtension == "gguf" { _ = try GGUFHeader(at: file) }
  }

  /// A wrong file is kept aside, one per pack, never where anything loads from.
  func quarantine(_ file: URL, _ found: String) throws -> String {
    try Folders.make(store.quarantine)
    let place = store.quarantine.appending(path: "\(pack.id)-\(found.prefix(12))")
    for old in try FileManager.default.contentsOfDirectory(atPath: store.quarantine.path)
    where old.hasPrefix(pack.id + "-") {
      try Disk.remove(store.quarantine.appending(path: old))
    }
    guard chmod(file.path, 0o400) == 0 else { throw Disk.failure(file) }
    try Disk.rename(file, to: place)
    report(.quarantined(path: place.path))
    return place.path
  }

  private func published(_ source: Pack.Source, _ url: String) async throws -> (String, Pack.Source) {
    report(.step("asking the publisher for the SHA-256"))
    var answer: (String, Int64)?
    try await attempt("published", PublishedRequest(url: url)) { event in
      if case .published(let hash, let bytes) = event { answer = (hash, bytes) }
    }
    // Files are named after it here, whoever looked at it before.
    guard let (hash, bytes) = answer, SHA256.isHash(hash) else { throw PackError.noPublishedHash(url) }
    // The publisher's word for the hash is taken, a size far from the catalogue's is not: the disk was checked for that.
    guard bytes <= pack.bytes + pack.bytes / 50 else {
      throw PackError.wrongLength(announced: bytes, expected: pack.bytes)
    }
    var source = source
    source.files[0].bytes = bytes
    source.files[0].sha256 = hash
    source.files[0].parts[0].bytes = bytes
    source.files[0].parts[0].sha256 = hash
    return (hash, source)
  }

  /// One call, again after a pause while the failure may pass. What came is kept, so an attempt that got on a good way
  /// does not count: a long transfer over a bad line ends well.
  func attempt(_ operation: String, _ body: some Encodable, _ receive: (FetchEvent) throws -> Void) async throws {
    var left = pauses[...]
    var farthest: Int64 = 0
    while true {
      let before = farthest
      do {
        return try await send(operation, body) { event in
          if case .progress(let done, _) = event { farthest = max(farthest, done) }
          try receive(event)
        }
      } catch {
        let failure = RemoteError(error)
        if farthest - before >= 1 << 20 { left = pauses[...] }
        // A line that was lost comes back; a host that was never reached is left to the next source at once.
        let mayPass = PackError.transient.contains(failure.code) || (failure.code == "unreachable" && farthest > 0)
        guard mayPass, let pause = left.popFirst() else { throw error }
        report(.retrying(reason: failure.message, seconds: pause))
        try await Task.sleep(for: .seconds(pause))
      }
    }
  }

  private func send(_ operation: String, _ body: some Encodable, _ receive: (FetchEvent) throws -> Void) async throws {
    for try await reply in call(operation, try JSON.encode(body)) {
      guard case .event(let data) = reply else { continue }
      try receive(try JSON.decode(FetchEvent.self, from: data))
    }
    // A stream whose task was cancelled ends without an error.
    try Task.checkCancellation()
  }
}

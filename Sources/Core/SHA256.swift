import CSodium
package import Foundation

/// SHA-256 over what passes by, so that a file is hashed while it is read or written.
package struct SHA256: Sendable {
  private var state = crypto_hash_sha256_state()

  package init() { crypto_hash_sha256_init(&state) }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    crypto_hash_sha256_update(&state, base.assumingMemoryBound(to: UInt8.self), UInt64(bytes.count))
  }

  package mutating func update(_ data: Data) { data.withUnsafeBytes { update($0) } }

  /// The digest as lower-case hexadecimal; the hash itself can go on.
  package var digest: String {
    var copy = state
    var bytes = [UInt8](repeating: 0, count: 32)
    crypto_hash_sha256_final(&copy, &bytes)
    return bytes.hex
  }

  package static func isHash(_ text: String) -> Bool {
    text.utf8.count == 64
      && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }

  package static func of(_ data: Data) -> String {
    var hash = SHA256()
    hash.update(data)
    return hash.digest
  }

  /// What only those can compute who know the key (HMAC).
  package static func keyed(_ key: String, _ text: String) -> String {
    var state = crypto_auth_hmacsha256_state()
    var bytes = [UInt8](repeating: 0, count: 32)
    let (key, text) = (Array(key.utf8), Array(text.utf8))
    crypto_auth_hmacsha256_init(&state, key, key.count)
    crypto_auth_hmacsha256_update(&state, text, UInt64(text.count))
    crypto_auth_hmacsha256_final(&state, &bytes)
    return bytes.hex
  }

  /// 256 bits from the system's generator, as hexadecimal.
  package static func secret() -> String {
    var source = SystemRandomNumberGenerator()
    return (0..<32).map { _ in UInt8.random(in: 0...255, using: &source) }.hex
  }

  /// Hashes a file in pieces.
  package static func of(file: URL) throws -> String {
    var hash = SHA256()
    let opened = try RegularFile(file.path)
    var done = 0
    while let piece = try opened.piece(at: done, upTo: 1 << 20) {
      hash.update(piece)
      done += piece.count
    }
    return hash.digest
  }

  /// Hashes a large file in pieces; stops when its task is cancelled.
  package static func of(file: URL, progress: (Int64) -> Void = { _ in }) async throws -> String {
    var hash = SHA256()
    let opened = try RegularFile(file.path)
    var done: Int64 = 0
    while let piece = try opened.piece(at: Int(done), upTo: 1 << 20) {
      try Task.checkCancellation()
      hash.update(piece)
      done += Int64(piece.count)
      progress(done)
      await Task.yield()
    }
    return hash.digest
  }
}

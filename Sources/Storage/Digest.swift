import CSodium
package import Foundation

/// SHA-256, in pieces or at once.
package struct Digest {
  private var state = crypto_hash_sha256_state()

  package init() { crypto_hash_sha256_init(&state) }

  package mutating func add(_ data: Data) {
    data.withUnsafeBytes { bytes in
      _ = crypto_hash_sha256_update(
        &state, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(bytes.count))
    }
  }

  /// Lowercase hexadecimal.
  package mutating func finish() -> String {
    var hash = [UInt8](repeating: 0, count: 32)
    crypto_hash_sha256_final(&state, &hash)
    return hash.map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
  }

  package static func of(_ data: Data) -> String {
    var digest = Digest()
    digest.add(data)
    return digest.finish()
  }

  package static func of(file: URL) throws -> String {
    let handle = try FileHandle(forReadingFrom: file)
    defer { handle.closeFile() }
    var digest = Digest()
    while let piece = try handle.read(upToCount: 1 << 20), !piece.isEmpty { digest.add(piece) }
    return digest.finish()
  }
}

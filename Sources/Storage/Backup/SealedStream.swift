import CSodium
import Foundation

/// A password-protected stream: Argon2id makes the key, XChaCha20-Poly1305 seals one frame after the other, and the last frame
/// is marked, so that a cut file is noticed.
enum SealedStream {
  static let magic = Data("LIBERA SEALED 1\n".utf8)
  static let frame = 64 * 1024
  static let extra = Int(crypto_secretstream_xchacha20poly1305_ABYTES)
  static let headerBytes = Int(crypto_secretstream_xchacha20poly1305_HEADERBYTES)
  static let saltBytes = Int(crypto_pwhash_SALTBYTES)
  static let finalTag = UInt8(
    crypto_secretstream_xchacha20poly1305_TAG_PUSH | crypto_secretstream_xchacha20poly1305_TAG_REKEY)

  /// How hard guessing the password is made; stored in the file.
  struct Effort: Equatable {
    var passes: UInt64
    var memory: UInt64
    static let usual = Effort(passes: 3, memory: 256 << 20)
    /// A file that asks for more than this is not from us and would only exhaust the machine.
    var isSane: Bool { (1...16).contains(passes) && (8_192...(1 << 30)).contains(memory) }

    var data: Data {
      var data = Data()
      for value in [passes, memory] { withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) } }
      return data
    }
  }

  static func key(_ password: String, salt: Data, _ effort: Effort) throws -> [UInt8] {
    var key = [UInt8](repeating: 0, count: Int(crypto_secretstream_xchacha20poly1305_KEYBYTES))
    let bytes = Array(password.utf8).map { CChar(bitPattern: $0) }
    let code = salt.withUnsafeBytes { salt in
      crypto_pwhash(
        &key, UInt64(key.count), bytes, UInt64(bytes.count), salt.bindMemory(to: UInt8.self).baseAddress!,
        effort.passes,
        Int(effort.memory), crypto_pwhash_ALG_ARGON2ID13)
    }
    guard code == 0 else { throw StorageError.invalid("There is not enough memory to derive the key (256 MB).") }
    return key
  }
}

final class SealingSink: ByteSink {
  private let target: any ByteSink
  private var state = crypto_secretstream_xchacha20poly1305_state()
  private var pending = Data()

  init(_ target: any ByteSink, password: String, effort: SealedStream.Effort) throws {
    guard sodium_init() >= 0 else { throw StorageError.invalid("The encryption library does not start.") }
    self.target = target
    var salt = Data(count: SealedStream.saltBytes)
    salt.withUnsafeMutableBytes { randombytes_buf($0.baseAddress!, $0.count) }
    var key = try SealedStream.key(password, salt: salt, effort)
    var header = [UInt8](repeating: 0, count: SealedStream.headerBytes)
    crypto_secretstream_xchacha20poly1305_init_push(&state, &header, key)
    sodium_memzero(&key, key.count)
    try target.write(SealedStream.magic + effort.data + salt + header)
  }

  func write(_ data: Data) throws {
    pending.append(data)
    // One frame is always held back, because the last one is to be marked as such.
    while pending.count > SealedStream.frame {
      try push(pending.prefix(SealedStream.frame), last: false)
      pending = Data(pending.dropFirst(SealedStream.frame))
    }
  }

  func finish() throws {
    try push(pending, last: true)
    try target.finish()
  }

  private func push(_ plain: Data, last: Bool) throws {
    var sealed = [UInt8](repeating: 0, count: plain.count + SealedStream.extra)
    crypto_secretstream_xchacha20poly1305_push(
      &state, &sealed, nil, Array(plain), UInt64(plain.count), nil, 0, last ? SealedStream.finalTag : 0)
    try target.write(Data(sealed))
  }
}

final class OpeningSource: ByteInput {
  private let source: any ByteInput
  private var state = crypto_secretstream_xchacha20poly1305_state()
  private var opened = Data()
  private var isOver = false

  /// `source` stands after the magic.
  init(_ source: any ByteInput, password: String) throws {
    guard sodium_init() >= 0 else { throw StorageError.invalid("The encryption library does not start.") }
    self.source = source
    let start = try source.read(16 + SealedStream.saltBytes + SealedStream.headerBytes)
    guard start.count == 16 + SealedStream.saltBytes + SealedStream.headerBytes else {
      throw StorageError.damagedBackup("it ends in its first lines")
    }
    let numbers = start.withUnsafeBytes { bytes in
      (0..<2).map { UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self)) }
    }
    let effort = SealedStream.Effort(passes: numbers[0], memory: numbers[1])
    guard effort.isSane else { throw StorageError.damagedBackup("its first lines make no sense") }
    let salt = Data(start.dropFirst(16).prefix(SealedStream.saltBytes))
    var key = try SealedStream.key(password, salt: salt, effort)
    let code = crypto_secretstream_xchacha20poly1305_init_pull(
      &state, Array(start.suffix(SealedStream.headerBytes)), key)
    sodium_memzero(&key, key.count)
    guard code == 0 else { throw StorageError.passwordWrong }
    // A wrong password shows at the first frame.
    try pull()
  }

  func read(_ count: Int) throws -> Data {
    while opened.count < count, !isOver { try pull() }
    defer { opened = Data(opened.dropFirst(count)) }
    return Data(opened.prefix(count))
  }

  private func pull() throws {
    let sealed = try source.read(SealedStream.frame + SealedStream.extra)
    guard sealed.count >= SealedStream.extra else { throw StorageError.damagedBackup("it ends too early") }
    var plain = [UInt8](repeating: 0, count: sealed.count - SealedStream.extra)
    var tag: UInt8 = 0
    let code = crypto_secretstream_xchacha20poly1305_pull(
      &state, &plain, nil, &tag, Array(sealed), UInt64(sealed.count), nil, 0)
    guard code == 0 else { throw StorageError.passwordWrong }
    opened.append(contentsOf: plain)
    isOver = tag == SealedStream.finalTag
    if isOver, !(try source.read(1)).isEmpty { throw StorageError.damagedBackup("something follows its end") }
  }
}

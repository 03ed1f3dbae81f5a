import Core
import Foundation
import Models

/// A pack as it reaches a sealed worker: an open descriptor, no path.
struct PackFile {
  let descriptor: CInt

  /// The one place where a file is judged before llama.cpp reads it.
  @discardableResult
  func checkHeader() throws -> GGUFHeader {
    do { return try GGUFHeader(descriptor: descriptor) } catch let error as PackError {
      throw EngineError.packRefused(reason: error.message)
    }
  }

  /// Opens the descriptor as a stream of its own; llama.cpp maps the file, so it outlives the stream.
  func withStream<Result>(_ body: (UnsafeMutablePointer<FILE>) throws -> Result) throws -> Result {
    let copy = dup(descriptor)
    guard copy >= 0, let stream = fdopen(copy, "rb") else {
      if copy >= 0 { close(copy) }
      throw EngineError.packRefused(reason: String(cString: strerror(errno)))
    }
    defer { fclose(stream) }
    rewind(stream)  // a duplicate shares its offset with whoever read the file before
    return try body(stream)
  }

  /// Ties saved state to this very file: its size and pages taken evenly from all of it.
  func fingerprint() throws -> UInt64 {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw EngineError.packRefused(reason: String(cString: strerror(errno)))
    }
    var digest = Fingerprint()
    let size = Int(status.st_size)
    digest.add(UInt64(size))
    var page = [UInt8](repeating: 0, count: 4096)
    for sample in 0..<64 {
      let count = pread(descriptor, &page, page.count, off_t(size / 64 * sample))
      guard count >= 0 else { throw EngineError.packRefused(reason: String(cString: strerror(errno))) }
      page.prefix(count).withUnsafeBytes { digest.add($0) }
    }
    return digest.value
  }
}

/// FNV-1a over 64-bit words: tells files of ours apart, and is no defence against forgery.
struct Fingerprint {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ word: UInt64) {
    value = (value ^ word) &* 0x0000_0100_0000_01b3
    value ^= value >> 29
  }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    let words = bytes.count / 8
    for word in 0..<words { add(bytes.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self)) }
    for byte in bytes.dropFirst(words * 8) { add(UInt64(byte)) }
  }

  mutating func add(_ text: String) {
    for byte in text.utf8 { add(UInt64(byte)) }
    add(0)
  }
}

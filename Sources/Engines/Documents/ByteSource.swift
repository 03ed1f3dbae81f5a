import Core
import Documents
import Foundation

/// A file handed over as a descriptor, read by position so that nobody's file offset moves, or one that lay within another.
///
/// Never mapped: a file that another program shortens while it is read would end the process.
final class ByteSource {
  let size: Int
  private let descriptor: CInt
  private let held: [UInt8]
  // PDFium asks for many small pieces near each other; one window spares most of the system calls.
  private var window: [UInt8] = []
  private var windowStart = 0
  private static let windowSize = 64 << 10

  init(descriptor: CInt) throws {
    guard let bytes = Descriptor.fileBytes(descriptor) else {
      throw DocumentError.unreadable("it is not a regular file")
    }
    (self.descriptor, held, size) = (descriptor, [], bytes)
    guard size > 0 else { throw DocumentError.empty }
  }

  init(_ bytes: [UInt8]) throws {
    (descriptor, held, size) = (-1, bytes, bytes.count)
    guard size > 0 else { throw DocumentError.empty }
  }

  /// Fills the buffer as far as the file reaches and returns the bytes read.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    if !held.isEmpty {
      let part = held[min(max(0, offset), size)..<min(max(0, offset) + buffer.count, size)]
      part.withUnsafeBytes { buffer.copyMemory(from: $0) }
      return part.count
    }
    let done = Descriptor.read(descriptor, at: offset, into: buffer)
    guard done >= 0 else { throw DocumentError.unreadable(systemReason()) }
    return done
  }

  func read(at offset: Int, count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: max(0, min(count, size - offset)))
    let done = try bytes.withUnsafeMutableBytes { try read(at: offset, into: $0) }
    bytes.removeLast(bytes.count - done)
    return bytes
  }

  func whole(limit: Int) throws -> [UInt8] {
    guard size <= limit else { throw DocumentError.tooLarge(bytes: size, limit: limit) }
    return try read(at: 0, count: size)
  }

  /// For callbacks from C: false where the bytes are not there.
  func copy(at offset: Int, to target: UnsafeMutablePointer<UInt8>, count: Int) -> Bool {
    guard offset >= 0, count >= 0, offset <= size - count else { return false }
    do {
      if count > Self.windowSize {
        return try read(at: offset, into: UnsafeMutableRawBufferPointer(start: target, count: count)) == count
      }
      if offset < windowStart || offset + count > windowStart + window.count {
        windowStart = max(0, offset - Self.windowSize / 4)
        window = try read(at: windowStart, count: Self.windowSize + Self.windowSize / 4)
      }
      let from = offset - windowStart
      guard from + count <= window.count else { return false }
      window.withUnsafeBufferPointer { target.update(from: $0.baseAddress! + from, count: count) }
      return true
    } catch {
      return false
    }
  }
}

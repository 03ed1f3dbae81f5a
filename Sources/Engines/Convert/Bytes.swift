import Core
import Foundation
import Models
import Workers

/// A file that was handed over, mapped for as long as this lives.
final class MappedFile {
  let bytes: UnsafeRawBufferPointer

  init(_ descriptor: CInt) throws {
    guard let size = Descriptor.fileBytes(descriptor), size > 0 else {
      throw PackError.malformed("a file is empty, or none")
    }
    guard let start = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED else {
      throw PackError.malformed("a file cannot be read: \(systemReason())")
    }
    bytes = UnsafeRawBufferPointer(start: start, count: size)
  }

  deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }
}

/// Bytes that stay where they are for as long as this lives.
final class HeldBytes {
  let bytes: UnsafeMutableRawBufferPointer

  init(_ whole: [UInt8]) {
    bytes = .allocate(byteCount: max(1, whole.count), alignment: 16)
    bytes.copyBytes(from: whole)
  }

  deinit { bytes.deallocate() }
}

/// Reads little-endian numbers and stretches one after the other. Every length is checked against what is left before anything
/// is made of it, because the file comes from the network.
struct ByteReader {
  private(set) var left: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { left = bytes }

  mutating func take(_ count: Int) throws -> UnsafeRawBufferPointer {
    guard count >= 0, count <= left.count else {
      throw PackError.malformed("\(count) bytes announced where \(left.count) are left")
    }
    defer { left = UnsafeRawBufferPointer(rebasing: left[count...]) }
    return UnsafeRawBufferPointer(rebasing: left[..<count])
  }

  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type) throws -> Int {
    let bytes = try take(MemoryLayout<Number>.size)
    guard let number = Int(exactly: Number(littleEndian: bytes.loadUnaligned(as: Number.self))) else {
      throw PackError.malformed("a number is out of range")
    }
    return number
  }

  mutating func text(_ count: Int) throws -> String { String(decoding: try take(count), as: UTF8.self) }

  /// What stands before the next line's end.
  mutating func line() throws -> String {
    guard let end = left.firstIndex(of: UInt8(ascii: "\n")) else { throw PackError.malformed("a line has no end") }
    let line = try text(end - left.startIndex)
    _ = try take(1)
    return line
  }
}

/// The file that is made, written in large pieces.
final class WrittenFile {
  private let descriptor: CInt
  private let cancelled: CancelFlag
  private var waiting: [UInt8] = []
  private(set) var written = 0

  init(_ descriptor: CInt, _ cancelled: CancelFlag) throws {
    (self.descriptor, self.cancelled) = (descriptor, cancelled)
    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw Self.failure() }
  }

  func checkCancelled() throws { try cancelled.check() }

  func append(_ bytes: UnsafeRawBufferPointer) throws {
    waiting.append(contentsOf: bytes)
    written += bytes.count
    if waiting.count >= 1 << 20 { try flush() }
  }

  func append<Number>(numbers: [Number]) throws { try numbers.withUnsafeBytes { try append($0) } }

  func append(_ number: some FixedWidthInteger) throws {
    try withUnsafeBytes(of: number.littleEndian) { try append($0) }
  }

  func append(_ text: String) throws { try append(numbers: Array(text.utf8)) }

  func pad(to alignment: Int) throws {
    try append(numbers: [UInt8](repeating: 0, count: (alignment - written % alignment) % alignment))
  }

  func finish() throws {
    try flush()
    guard fsync(descriptor) == 0 else { throw Self.failure() }
  }

  private func flush() throws {
    try cancelled.check()
    guard Descriptor.write(waiting, to: descriptor) else { throw Self.failure() }
    waiting.removeAll(keepingCapacity: true)
  }

  private static func failure() -> any Error {
    DiskFull.isMeant(by: errno)
      ? DiskFull() : PackError.folder("the new file", detail: systemReason())
  }
}

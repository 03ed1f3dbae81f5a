import Core
import Foundation

/// Reads a file's beginning piece by piece, in bounded memory; every length is held against the file's before it is used.
struct GGUFReader {
  let descriptor: CInt
  let fileBytes: Int64
  private(set) var position: Int64 = 0
  private var window: [UInt8] = []
  private var windowStart: Int64 = 0

  private static let mostBytes = 1 << 50
  /// Longer texts are skipped, never kept: no key, name or template that we look at comes near it.
  static let longestText: UInt64 = 4 << 20
  /// Of all texts together: beyond it they are skipped as well, else a large file could come to lie in memory whole.
  static let mostKept: UInt64 = 64 << 20
  /// Some ten times as many as the largest vocabulary has words.
  private static let mostSkipped = 1 << 24
  private var (kept, skipped): (UInt64, Int) = (0, 0)

  init(descriptor: CInt) throws {
    self.descriptor = descriptor
    guard let bytes = Descriptor.fileBytes(descriptor) else { throw PackError.malformed("it is not a plain file") }
    // A file of holes may be as large as numbers go, and sums of sizes are made.
    guard bytes <= Self.mostBytes else { throw PackError.malformed("it is larger than any model") }
    fileBytes = Int64(bytes)
  }

  var left: Int64 { fileBytes - position }

  mutating func number<Number: FixedWidthInteger>(_ type: Number.Type, _ what: String) throws -> Number {
    let size = MemoryLayout<Number>.size
    try need(UInt64(size), what)
    try fill(size)
    let offset = Int(position - windowStart)
    var value: Number = 0
    for index in 0..<size { value |= Number(truncatingIfNeeded: window[offset + index]) << Number(8 * index) }
    position += Int64(size)
    return value
  }

  /// A text, or nil for one that is longer than anything kept here.
  mutating func text(_ what: String) throws -> String? {
    let length = try number(UInt64.self, what)
    try need(length, what)
    guard length <= min(Self.longestText, Self.mostKept - kept) else {
      position += Int64(length)
      return nil
    }
    kept += length
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(length))
    while bytes.count < Int(length) {
      let wanted = min(Int(length) - bytes.count, 1 << 16)
      try fill(wanted)
      let offset = Int(position - windowStart)
      bytes += window[offset..<offset + wanted]
      position += Int64(wanted)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  mutating func skipText(_ what: String) throws {
    let length = try number(UInt64.self, what)
    skipped += 1
    guard skipped <= Self.mostSkipped else { throw PackError.malformed("\(what) has more texts than any model") }
    try skip(length, what)
  }

  mutating func skip(_ count: UInt64, _ what: String) throws {
    try need(count, what)
    position += Int64(count)
  }

  func need(_ count: UInt64, _ what: String) throws {
    guard count <= UInt64(max(0, left)) else {
      throw PackError.malformed("\(what) reaches \(count) bytes on where \(max(0, left)) are left")
    }
  }

  private mutating func fill(_ count: Int) throws {
    if position >= windowStart, position + Int64(count) <= windowStart + Int64(window.count) { return }
    windowStart = position
    let wanted = Int(min(Int64(max(count, 1 << 18)), left))
    window = try [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
      filled = max(0, Descriptor.read(descriptor, at: Int(windowStart), into: UnsafeMutableRawBufferPointer(buffer)))
      guard filled == wanted else { throw PackError.malformed("it became shorter while it was read") }
    }
  }
}

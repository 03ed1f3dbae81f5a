import Foundation

/// Where things lie in a vector file: a header (a page, on any processor), then blocks of `slots` vectors, each block column by column, so that the
/// coarse search reads only the columns it needs, from end to end.
struct VectorLayout: Equatable, Sendable {
  static let headerBytes = 16_384
  static let slots = 8192

  /// As the embedder makes them, and rounded up to whole words of sign bits.
  let dimensions: Int
  var padded: Int { (dimensions + 63) / 64 * 64 }
  var words: Int { padded / 64 }

  // Columns of a block, in bytes from its start.
  var chunks: Int { 0 }
  var documents: Int { 8 * Self.slots }
  var scales: Int { documents + 4 * Self.slots }
  var factors: Int { scales + 4 * Self.slots }
  var codes: Int { factors + 4 * Self.slots }
  var values: Int { codes + 8 * words * Self.slots }
  var blockBytes: Int { values + 2 * padded * Self.slots }

  func offset(ofBlock block: Int) -> Int { Self.headerBytes + block * blockBytes }
}

/// What the first page of a vector file says. It is written after the vectors it counts are on the disk.
struct VectorHeader: Equatable {
  static let magic: UInt64 = 0x31_4345_565f_4249_4c  // "LIB_VEC1"

  var dimensions: Int
  var used: Int
  /// The vault's revision of its vectors that this file has followed.
  var revision: Int64

  var bytes: Data {
    var data = Data(count: 32)
    data.withUnsafeMutableBytes {
      $0.storeBytes(of: Self.magic.littleEndian, as: UInt64.self)
      $0.storeBytes(of: Int64(dimensions).littleEndian, toByteOffset: 8, as: Int64.self)
      $0.storeBytes(of: Int64(used).littleEndian, toByteOffset: 16, as: Int64.self)
      $0.storeBytes(of: revision.littleEndian, toByteOffset: 24, as: Int64.self)
    }
    return data
  }
}

extension VectorHeader {
  init?(_ data: Data, fileBytes: Int) {
    guard data.count == 32 else { return nil }
    let fields = data.withUnsafeBytes { bytes in
      (0..<4).map { Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Int64.self)) }
    }
    guard fields[0] == Int64(bitPattern: Self.magic), (1...65_536).contains(fields[1]), fields[2] >= 0 else {
      return nil
    }
    self.init(dimensions: Int(fields[1]), used: Int(fields[2]), revision: fields[3])
    let layout = VectorLayout(dimensions: dimensions)
    let blocks = (used + VectorLayout.slots - 1) / VectorLayout.slots
    guard used <= fileBytes, layout.offset(ofBlock: blocks) <= fileBytes else { return nil }
  }
}

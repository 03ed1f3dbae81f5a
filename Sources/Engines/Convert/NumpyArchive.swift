import Models

/// Arrays as numpy keeps them, an `.npz`: an archive of files, each of a line that says what its numbers are, then the numbers.
final class NumpyArchive {
  // The tensors point into these.
  private let files: [String: HeldBytes]
  private static let most = 1 << 30

  init(_ bytes: UnsafeRawBufferPointer) throws {
    files = try PackedParts(bytes).members(most: Self.most).mapValues(HeldBytes.init)
  }

  func tensor(_ name: String) throws -> Tensor {
    guard let file = files["\(name).npy"] else { throw PackError.malformed("it has no \(name)") }
    var reader = ByteReader(UnsafeRawBufferPointer(file.bytes))
    guard try reader.take(6).elementsEqual([0x93] + Array("NUMPY".utf8)), try reader.take(2).elementsEqual([1, 0])
    else { throw PackError.unsupported("\(name) is no array of numpy's first kind") }
    let header = try reader.text(reader.number(UInt16.self))
    let kinds: [(String, Tensor.Kind)] = [("'<f4'", .single), ("'<f2'", .half), ("'|u1'", .byte)]
    guard let kind = kinds.first(where: { header.contains("'descr': \($0.0)") })?.1,
      header.contains("'fortran_order': False"), let shape = Self.shape(in: header)
    else { throw PackError.unsupported("\(name) is stored as \(header.prefix(80))") }
    return try Tensor(name, kind, shape, reader.left)
  }

  /// The numbers between the brackets of `'shape': (512, 256)`.
  private static func shape(in header: String) -> [Int]? {
    guard let start = header.firstRange(of: "'shape': (")?.upperBound,
      let end = header[start...].firstIndex(of: ")")
    else { return nil }
    let words = header[start..<end].split(separator: ",").map { $0.filter { $0 != " " } }.filter { !$0.isEmpty }
    let sizes = words.compactMap { Int($0) }
    return sizes.count == words.count && !sizes.isEmpty ? sizes : nil
  }
}

import Core
import Foundation

/// The tape archive that every system can open.
enum Tar {
  static func header(_ name: String, size: Int, type: Character = "0") -> Data {
    var header = Data(count: TarHeader.block)
    func put(_ text: String, _ offset: Int) {
      header.replaceSubrange(offset..<offset + text.utf8.count, with: Data(text.utf8))
    }
    func octal(_ value: Int, _ digits: Int) -> String {
      let text = String(value, radix: 8)
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    // A name that is too long stands in an extended header before this one, which readers prefer.
    put(String(decoding: Data(name.utf8.prefix(99)), as: Unicode.ASCII.self).replacing("\u{fffd}", with: "_"), 0)
    put(octal(0o600, 7), 100)
    put(octal(0, 7), 108)
    put(octal(0, 7), 116)
    if size < 0o77777777777 {
      put(octal(size, 11), 124)
    } else {
      // Eight gigabytes and more: the number itself, marked by the first bit.
      header[124] = 0x80
      for index in 0..<8 { header[135 - index] = UInt8(truncatingIfNeeded: size >> (8 * index)) }
    }
    put(octal(0, 11), 136)
    put("        ", 148)
    put(String(type), 156)
    put("ustar\u{0}00", 257)
    let sum = header.reduce(0) { $0 + Int($1) }
    put(octal(sum, 6) + "\u{0} ", 148)
    return header
  }

  static func extendedHeader(_ name: String) -> Data {
    // "LENGTH path=NAME\n", where LENGTH counts itself.
    let rest = " path=\(name)\n".utf8.count
    var length = rest + String(rest).count
    length = rest + String(length).count
    let record = Data("\(length) path=\(name)\n".utf8)
    return header("name", size: record.count, type: "x") + record + Data(count: TarHeader.padding(record.count))
  }
}

struct TarWriter {
  let sink: any ByteSink

  func add(_ name: String, size: Int, _ pieces: ((Data) throws -> Void) throws -> Void) throws {
    if name.utf8.count > 99 || !name.utf8.allSatisfy({ $0 < 128 }) { try sink.write(Tar.extendedHeader(name)) }
    try sink.write(Tar.header(name, size: size))
    var written = 0
    try pieces { piece in
      written += piece.count
      try sink.write(piece)
    }
    guard written == size else { throw StorageError.invalid("“\(name)” changed while it was backed up.") }
    try sink.write(Data(count: TarHeader.padding(size)))
  }

  func finish() throws {
    try sink.write(Data(count: 2 * TarHeader.block))
    try sink.finish()
  }
}

struct TarReader {
  let source: any ByteInput

  struct Member {
    var name: String
    var size: Int
  }

  /// The next file, nil at the end. Its bytes must be read (`copy`) before the next call.
  func next() throws -> Member? {
    var longName: String?
    while let header = try TarHeader.read(source.read(TarHeader.block), StorageError.damagedBackup) {
      if header.isFile { return Member(name: longName ?? header.name, size: header.bytes) }
      guard header.kind == UInt8(ascii: "x") else {
        throw StorageError.damagedBackup("it holds something that is not a file")
      }
      guard header.bytes < 65_536 else { throw StorageError.damagedBackup("a name is too long") }
      let record = String(decoding: try source.read(header.bytes), as: UTF8.self)
      _ = try source.read(TarHeader.padding(header.bytes))
      guard let place = record.firstRange(of: " path="), record.hasSuffix("\n") else { continue }
      longName = String(record[place.upperBound...].dropLast())
    }
    return nil
  }

  func copy(_ member: Member, _ take: (Data) throws -> Void) throws {
    var left = member.size
    while left > 0 {
      try Task.checkCancellation()
      let piece = try source.read(min(left, 1 << 20))
      guard !piece.isEmpty else { throw StorageError.damagedBackup("it ends too early") }
      left -= piece.count
      try take(piece)
    }
    _ = try source.read(TarHeader.padding(member.size))
  }
}

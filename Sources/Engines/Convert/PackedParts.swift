import CArchive
import Models

/// A zip, a wheel or a tar in memory. A member's name only selects; it never becomes a path.
struct PackedParts {
  private let bytes: UnsafeRawBufferPointer
  private static let mostMembers = 100_000

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// One member, piece by piece; what follows it is not read.
  func member(_ name: String, piece: (UnsafeRawBufferPointer) throws -> Void) throws {
    var found = false
    try walk { path, archive in
      guard path == name else { return true }
      found = true
      try pieces(archive, name, piece)
      return false
    }
    guard found else { throw PackError.malformed("there is no \(name) in the archive") }
  }

  /// All members whole, by their names, as far as they come to no more than `most` bytes.
  func members(most: Int) throws -> [String: [UInt8]] {
    var members: [String: [UInt8]] = [:]
    var left = most
    try walk { path, archive in
      var whole: [UInt8] = []
      try pieces(archive, path) { piece in
        left -= piece.count
        guard left >= 0 else { throw PackError.malformed("it unpacks to more than \(most >> 20) MB") }
        whole.append(contentsOf: piece)
      }
      members[path] = whole
      return true
    }
    return members
  }

  /// What gzip has packed; anything else is refused.
  func inflated(piece: (UnsafeRawBufferPointer) throws -> Void) throws {
    guard let archive = archive_read_new() else { throw PackError.malformed("there is no memory") }
    defer { archive_read_free(archive) }
    archive_read_support_filter_gzip(archive)
    archive_read_support_format_raw(archive)
    var entry: OpaquePointer?
    guard archive_read_open_memory(archive, bytes.baseAddress, bytes.count) == ARCHIVE_OK,
      archive_read_next_header(archive, &entry) == ARCHIVE_OK,
      archive_filter_code(archive, 0) == ARCHIVE_FILTER_GZIP
    else { throw PackError.malformed("it is no file of gzip") }
    try pieces(archive, "it", piece)
  }

  /// Visits the plain files in order until one says that it is enough.
  private func walk(_ visit: (String, OpaquePointer) throws -> Bool) throws {
    guard let archive = archive_read_new() else { throw PackError.malformed("there is no memory") }
    defer { archive_read_free(archive) }
    archive_read_support_filter_gzip(archive)
    archive_read_support_format_zip(archive)
    archive_read_support_format_tar(archive)
    guard archive_read_open_memory(archive, bytes.baseAddress, bytes.count) == ARCHIVE_OK else {
      throw failure(archive, "it")
    }
    for _ in 0..<Self.mostMembers {
      var entry: OpaquePointer?
      let status = archive_read_next_header(archive, &entry)
      if status == ARCHIVE_EOF { return }
      guard status >= ARCHIVE_WARN, let entry else { throw failure(archive, "it") }
      guard archive_entry_filetype(entry) == S_IFREG,
        let name = archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry)
      else { continue }
      if try !visit(String(cString: name), archive) { return }
    }
    throw PackError.malformed("the archive has more than \(Self.mostMembers) members")
  }

  private func pieces(_ archive: OpaquePointer, _ name: String, _ piece: (UnsafeRawBufferPointer) throws -> Void) throws
  {
    try withUnsafeTemporaryAllocation(byteCount: 256 << 10, alignment: 16) { buffer in
      while true {
        let count = archive_read_data(archive, buffer.baseAddress, buffer.count)
        if count == 0 { return }
        guard count > 0 else { throw failure(archive, name) }
        try piece(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    }
  }

  private func failure(_ archive: OpaquePointer, _ name: String) -> PackError {
    .malformed(
      "\(name) cannot be unpacked: \(archive_error_string(archive).map { String(cString: $0) } ?? "no reason")")
  }
}

import CArchive
import Documents
import Foundation

/// The textual entries of a ZIP package, unpacked within limits.
struct Archive {
  private(set) var entries: [String: [UInt8]] = [:]
  private(set) var names: Set<String> = []

  /// Reads the entries that `wanted` names. Whatever unpacks to far more than its packed size ends the reading.
  init(_ source: ByteSource, limits: ParseLimits, wanted: (String) -> Bool) throws {
    guard let archive = archive_read_new() else { throw DocumentError.unreadable("there is no memory") }
    defer { archive_read_free(archive) }
    archive_read_support_format_zip_seekable(archive)
    let feed = Feed(source)
    let context = Unmanaged.passUnretained(feed).toOpaque()
    archive_read_set_callback_data(archive, context)
    archive_read_set_read_callback(archive) { _, context, buffer in
      Unmanaged<Feed>.fromOpaque(context!).takeUnretainedValue().read(buffer!)
    }
    archive_read_set_seek_callback(archive) { _, context, offset, whence in
      Unmanaged<Feed>.fromOpaque(context!).takeUnretainedValue().seek(offset, whence)
    }
    archive_read_set_skip_callback(archive) { _, context, count in
      Unmanaged<Feed>.fromOpaque(context!).takeUnretainedValue().skip(count)
    }
    defer { withExtendedLifetime(feed) {} }
    guard archive_read_open1(archive) == ARCHIVE_OK else { throw DocumentError.damaged(Self.reason(archive)) }
    var total = 0
    while true {
      var entry: OpaquePointer?
      let status = archive_read_next_header(archive, &entry)
      if status == ARCHIVE_EOF { break }
      guard status >= ARCHIVE_WARN, let entry else { throw DocumentError.damaged(Self.reason(archive)) }
      guard let name = archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry) else { continue }
      let path = String(cString: name)
      names.insert(path)
      guard names.count <= 20_000 else { throw DocumentError.unpacksTooMuch("it has more than 20000 entries") }
      guard wanted(path) else { continue }
      guard archive_entry_is_data_encrypted(entry) == 0 else { throw DocumentError.needsPassword }
      let bytes = try Self.data(archive, path, total: total, source.size, limits)
      total += bytes.count
      entries[path] = bytes
    }
  }

  private static func data(
    _ archive: OpaquePointer, _ path: String, total: Int, _ packed: Int, _ limits: ParseLimits
  ) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      let count = archive_read_data(archive, &piece, piece.count)
      if count == 0 { return bytes }
      guard count > 0 else { throw DocumentError.damaged("\(path): \(reason(archive))") }
      bytes += piece[0..<count]
      let sum = total + bytes.count
      // The whole file is the most that any entry can have been packed into.
      guard sum <= limits.unpackedBytes else {
        throw DocumentError.unpacksTooMuch("more than \(limits.unpackedBytes >> 20) MB")
      }
      guard sum < 4 << 20 || sum / limits.unpackedRatio <= packed else {
        throw DocumentError.unpacksTooMuch("more than \(limits.unpackedRatio) times its size")
      }
    }
  }

  private static func reason(_ archive: OpaquePointer) -> String {
    archive_error_string(archive).map { String(cString: $0) } ?? "the package's directory is broken"
  }

  /// The file as libarchive asks for it.
  private final class Feed {
    private let source: ByteSource
    private var position = 0
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    init(_ source: ByteSource) { self.source = source }
    deinit { buffer.deallocate() }

    func read(_ target: UnsafeMutablePointer<UnsafeRawPointer?>) -> Int {
      guard position < source.size else { return 0 }
      do {
        let count = try source.read(at: position, into: buffer)
        position += count
        target.pointee = UnsafeRawPointer(buffer.baseAddress!)
        return count
      } catch {
        return -30  // ARCHIVE_FATAL
      }
    }

    func seek(_ offset: Int64, _ whence: CInt) -> Int64 {
      let base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? Int64(position) : Int64(source.size)
      let (target, overflow) = base.addingReportingOverflow(offset)
      guard !overflow, target >= 0 else { return -30 }
      position = Int(target)
      return target
    }

    func skip(_ count: Int64) -> Int64 {
      let step = max(0, min(count, Int64(source.size - position)))
      position += Int(step)
      return step
    }
  }
}

extension Archive {
  /// An entry as a tree; a damaged one is an error that names it.
  func markup(_ path: String) throws -> Markup? {
    guard let bytes = entries[path] else { return nil }
    guard let markup = Markup(xml: bytes) else { throw DocumentError.damaged("\(path) is no well-formed XML") }
    return markup
  }
}

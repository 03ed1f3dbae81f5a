import CZlib
import Foundation

/// Fewer bytes for whoever takes them so.
///
/// Unchecked: whoever has one uses it from one place at a time.
final class Gzip: @unchecked Sendable {
  // It refers to itself and so keeps its place.
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

  /// nil where memory is short.
  init?() {
    stream.initialize(to: z_stream())
    if libera_gzip_begin(stream) != Z_OK { return nil }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// So that all of it can be read at once, though more follows; or the end of what was given before.
  func pack(_ data: Data, isLast: Bool = false) -> Data {
    var (packed, input) = (Data(), data)
    var piece = Data(count: 64 << 10)
    input.withUnsafeMutableBytes { from in
      stream.pointee.next_in = from.bindMemory(to: Bytef.self).baseAddress
      stream.pointee.avail_in = UInt32(from.count)
      repeat {
        let room = piece.count
        piece.withUnsafeMutableBytes { to in
          stream.pointee.next_out = to.bindMemory(to: Bytef.self).baseAddress
          stream.pointee.avail_out = UInt32(room)
          _ = deflate(stream, isLast ? Z_FINISH : Z_SYNC_FLUSH)
        }
        packed += piece.prefix(room - Int(stream.pointee.avail_out))
      } while stream.pointee.avail_out == 0
    }
    return packed
  }

  /// nil where it would not be smaller.
  static func smaller(_ data: Data) -> Data? {
    guard let packed = Gzip()?.pack(data, isLast: true), packed.count < data.count else { return nil }
    return packed
  }

  /// Whether it is among what a request says that it takes.
  static func isTaken(by request: Request) -> Bool {
    (request.headers["accept-encoding"] ?? "").split(separator: ",").contains {
      $0.trimmingCharacters(in: .whitespaces) == "gzip"
    }
  }
}

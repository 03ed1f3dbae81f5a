import CZlib
import Foundation

/// Fewer bytes for what is served again and again.
enum Gzip {
  /// nil where it would not be smaller.
  static func smaller(_ data: Data) -> Data? {
    var stream = z_stream()
    guard libera_gzip_begin(&stream) == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    var out = Data(count: data.count)
    var input = data
    let isWhole = input.withUnsafeMutableBytes { from in
      out.withUnsafeMutableBytes { to in
        stream.next_in = from.bindMemory(to: Bytef.self).baseAddress
        stream.avail_in = UInt32(from.count)
        stream.next_out = to.bindMemory(to: Bytef.self).baseAddress
        stream.avail_out = UInt32(to.count)
        return deflate(&stream, Z_FINISH) == Z_STREAM_END
      }
    }
    return isWhole ? out.prefix(Int(stream.total_out)) : nil
  }
}

import CHTTP
import Foundation

extension Exchange {
  fileprivate final class Held: Sendable {
    let data: Data
    init(_ data: Data) { self.data = data }
  }

  /// What is long is held and read as it is sent, not copied: thousands who are slow to read one file of the page share its bytes.
  static func response(of data: Data) -> OpaquePointer? {
    guard data.count > block else {
      return data.withUnsafeBytes { bytes in
        MHD_create_response_from_buffer(
          bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
      }
    }
    return MHD_create_response_from_callback(
      UInt64(data.count), block, readHeld, Unmanaged.passRetained(Held(data)).toOpaque(), releaseHeld)
  }

  static let block = 16384
}

private func readHeld(
  _ context: UnsafeMutableRawPointer?, _ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int
) -> Int {
  guard let context, let buffer else { return libera_http_broken() }
  let rest = Unmanaged<Exchange.Held>.fromOpaque(context).takeUnretainedValue().data.dropFirst(Int(position))
  let part = rest.prefix(capacity)
  guard !part.isEmpty else { return libera_http_end() }
  part.copyBytes(to: UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
  return part.count
}

private func releaseHeld(_ context: UnsafeMutableRawPointer?) {
  if let context { Unmanaged<Exchange.Held>.fromOpaque(context).release() }
}

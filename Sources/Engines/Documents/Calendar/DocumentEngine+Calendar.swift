import Core
import Documents
import Foundation
import Workers

extension DocumentEngine {
  func calendar(_ request: CalendarRequest, _ source: ByteSource, _ reply: some ReplySink) throws {
    guard request.from <= request.until else { throw DocumentError.unsupported("a span that ends before it begins") }
    let bytes = try source.whole(limit: request.limits.fileBytes)
    let local = TimeZone(identifier: request.zone) ?? .gmt
    let file = try CalendarFile(bytes, local: local, limits: request.limits)
    try reply.event(file.expand(request.from..<request.until))
  }
}

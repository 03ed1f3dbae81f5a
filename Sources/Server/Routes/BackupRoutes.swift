import Core
import Foundation

/// A finished backup, for the person's browser to keep where it likes. A page alone takes one: no program needs all that a person has.
struct BackupRoutes: Sendable {
  /// The house's own folder for backups.
  let folder: URL

  private static let path = "/api/backups/"

  var routes: [Route] {
    [
      Route(
        "GET", Self.path, isPrefix: true, needs: .right(.manage),
        .later { request in
          let name = request.tail(after: Self.path)
          guard case .page = request.caller else { throw ServerError.notFound(Self.path + name) }
          return try await answer(name)
        })
    ]
  }

  /// The browser compares what came with the size that is told: the head has gone out when a disk fails.
  private func answer(_ name: String) async throws -> Response {
    let file = try opened(name)
    // A folder or a pipe has no size.
    guard let size = Descriptor.fileBytes(file.fileDescriptor) else { throw ServerError.notFound(Self.path + name) }
    // Each piece is read when there is room for it.
    let pieces = AsyncThrowingStream<Data, any Error>(unfolding: {
      let piece = try file.read(upToCount: 1 << 18) ?? Data()
      return piece.isEmpty ? nil : piece
    })
    var response = try await LineFeed.response(pieces, type: "application/octet-stream") { _ in Data() }
    response.headers.append(("Libera-Size", String(size)))
    return response
  }

  /// A file of the folder itself, by its name: no link, and nothing but what a backup is called.
  private func opened(_ name: String) throws -> FileHandle {
    guard ForeignName.isPart(name), name.hasSuffix(".backup") else { throw ServerError.notFound(Self.path + name) }
    let descriptor = open(folder.appending(path: name).path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw ServerError.notFound(Self.path + name) }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }
}

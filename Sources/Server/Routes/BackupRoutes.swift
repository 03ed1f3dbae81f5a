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
    guard let pieces = Pieces(of: try opened(name)) else { throw ServerError.notFound(Self.path + name) }
    var response = try await LineFeed.response(pieces, type: "application/octet-stream", packed: false) { _ in Data() }
    response.headers += [("Libera-Size", String(pieces.size)), ("Cache-Control", "no-store")]
    return response
  }

  /// A file of the folder itself, by its name: no link, and nothing but what a backup is called.
  private func opened(_ name: String) throws -> FileHandle {
    guard ForeignName.isPart(name), name.hasSuffix(".backup") else { throw ServerError.notFound(Self.path + name) }
    let descriptor = open(folder.appending(path: name).path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw ServerError.notFound(Self.path + name) }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// A file, piece by piece, each read when there is room for it.
  private struct Pieces: AsyncSequence {
    let file: FileHandle
    let size: Int

    /// nil where it is no file: a folder, a pipe.
    init?(of file: FileHandle) {
      guard let size = Descriptor.fileBytes(file.fileDescriptor) else { return nil }
      (self.file, self.size) = (file, size)
    }

    struct AsyncIterator: AsyncIteratorProtocol {
      let file: FileHandle

      mutating func next() async throws -> Data? {
        let piece = try file.read(upToCount: 1 << 18) ?? Data()
        return piece.isEmpty ? nil : piece
      }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(file: file) }
  }
}

import Core
import Documents
import Foundation
import Resources
import Workers

/// Draws pages of documents, one after the other, in a sealed worker that is kept for a moment: who looks at one page soon asks for
/// the next. A worker sees one document and no other; callers take turns.
actor PageDesk {
  private let rest: Duration
  private let host: WorkerHost
  private var open: (file: URL, reader: DocumentReader)?
  let turns = Scheduler(cores: 1)
  private var asked = 0

  init(rest: Duration = .seconds(20), on host: WorkerHost = .processes) { (self.rest, self.host) = (rest, host) }

  /// A caller that goes away leaves its turn to the next.
  func render(_ file: URL, _ request: RenderRequest) async throws -> (page: RenderedPage, picture: Data) {
    asked += 1
    let mine = asked
    defer { Task { await stop(unlessAskedSince: mine) } }
    return try await turns.run("a page", .person, cores: 1) { _ in try await draw(file, request) }
  }

  func stop() async {
    let reader = open?.reader
    open = nil
    await reader?.stop()
  }

  private func draw(_ file: URL, _ request: RenderRequest) async throws -> (page: RenderedPage, picture: Data) {
    if let open, open.file != file { await stop() }
    let reader = open?.reader ?? DocumentReader(on: host)
    open = (file, reader)
    return try await reader.render(file, request)
  }

  private func stop(unlessAskedSince mine: Int) async {
    guard await waited(rest) else { return }
    if asked == mine { await stop() }
  }
}

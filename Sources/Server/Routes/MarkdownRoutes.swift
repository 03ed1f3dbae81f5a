import Core
import Documents
import Foundation

/// `POST /api/render`: an answer's Markdown as safe HTML, its sentences marked.
struct MarkdownRoutes: Sendable {
  private struct Input: Decodable {
    var text: String
    var sentences: [String]?
  }

  let renderer: MarkdownRenderer

  var routes: [Route] {
    [
      Route(
        "POST", "/api/render", needs: .right(.ask), body: .json(limit: 1 << 20, seconds: 30),
        .later { [renderer] request in
          let input = try request.decode(Input.self)
          return .json(["html": try await renderer.html(from: input.text, sentences: input.sentences ?? [])])
        })
    ]
  }
}

import Core
import Documents
import Foundation

/// `POST /api/render`: an answer's Markdown as safe HTML, its sentences marked; several at once as `texts`, for a conversation.
struct MarkdownRoutes: Sendable {
  private struct Text: Decodable {
    var text: String
    var sentences: [String]?
  }
  private struct Input: Decodable {
    var text: String?
    var sentences: [String]?
    var texts: [Text]?
  }

  let renderer: MarkdownRenderer

  var routes: [Route] {
    [
      Route(
        "POST", "/api/render", needs: .right(.ask), body: .json(limit: 1 << 20, seconds: 30),
        .later { [renderer] request in
          let input = try request.decode(Input.self)
          if let text = input.text {
            return .json(["html": try await renderer.html(from: text, sentences: input.sentences ?? [])])
          }
          guard let texts = input.texts else { throw ServerError.unreadable("it has neither a text nor texts") }
          var pages: [String] = []
          for one in texts { pages.append(try await renderer.html(from: one.text, sentences: one.sentences ?? [])) }
          return .json(["pages": pages])
        })
    ]
  }
}

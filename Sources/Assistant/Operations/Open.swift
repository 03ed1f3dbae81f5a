import Core
import Documents
package import Foundation
import Resources
import Storage

/// The page behind a citation, with the passage marked; for documents without pages the passage in its surroundings.
package enum Open: Operation {
  package struct Input: Codable, Sendable {
    package var id: String
    /// Pixels per point.
    package var scale: Double
    package init(id: String, scale: Double = 2) { (self.id, self.scale) = (id, scale) }
  }

  package struct Event: Codable, Sendable {
    package var citation: Citation
    /// A PNG; nil for documents without pages.
    package var picture: Data?
    package var width: Int?
    package var height: Int?
    /// Pixels per point that the picture has come to.
    package var scale: Double?
    /// The text around the passage.
    package var before: String
    package var after: String
  }

  package static let name = "open"
  package static var numbers: [NumberField<Input>] { [.real("scale", 0.01...100) { $0.scale }] }
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    guard let place = CitationPlace(id: input.id) else { throw CitationError.malformed(input.id) }
    let shelf = house.vault.documents
    let document = try await shelf.cited(place.document, as: input.id)
    // A place may be a whole document: however many ask at once, one is made at a time.
    var event = try await house.texts.run("a passage", .person, cores: 1) { _ in
      let citation = try await Citing(shelf: shelf).citation(place, of: document, score: 1)
      let wider = max(0, place.range.lowerBound - 600)..<(place.range.upperBound + 600)
      let pages = try await shelf.pages(of: document.id, holding: wider)
      return Event(
        citation: citation, before: Citing.slice(wider.lowerBound..<place.range.lowerBound, of: pages),
        after: Citing.slice(place.range.upperBound..<wider.upperBound, of: pages))
    }
    let citation = event.citation
    if let page = citation.page {
      var request = RenderRequest(page: page, scale: input.scale)
      request.marks = citation.boxes.map { Box($0[0], $0[1], $0[2], $0[3]) }
      let rendered = try await house.drawing.render(house.vault.blobs.url(document.hash), request)
      (event.picture, event.width, event.height) = (rendered.picture, rendered.page.width, rendered.page.height)
      event.scale = rendered.page.scale
    }
    emit(event)
  }
}

package import Foundation

/// A physical page, or a part of bounded size of a document without pages (`DocumentInfo.pages` is then nil).
/// Parts are cut the same way each time, so their numbers serve to resume.
package struct Page: Codable, Sendable, Equatable {
  /// 1-based.
  package var number: Int
  /// In PDF points with the page's rotation applied; 0 for a part.
  package var width: Double
  package var height: Double
  package var blocks: [Block]
  /// The page had no text of its own and was read from its picture; mean word confidence 0...1.
  package var recognised: Double?

  package init(number: Int, width: Double = 0, height: Double = 0, blocks: [Block] = []) {
    self.number = number
    self.width = width
    self.height = height
    self.blocks = blocks
  }
}

extension Page {
  /// What it takes on the way, roughly: what `ParseRequest.window` is counted in.
  package var cost: Int { blocks.reduce(256) { $0 + 128 + $1.text.utf8.count + ($1.geometry?.count ?? 0) } }
}

/// A heading, a paragraph, a row: the smallest piece with a meaning of its own, in reading order.
package struct Block: Codable, Sendable, Equatable {
  package enum Kind: Codable, Sendable, Equatable {
    case heading(level: Int)
    case paragraph
    case listItem(level: Int)
    /// One row of a table; where the table has headers each cell carries its own ("Name: Meyer; City: Bonn").
    case row(header: Bool)
    case code
    case caption
    case footnote
    /// Running headers, footers and page numbers: kept in the text, left out of chunks.
    case furniture
  }

  package var kind: Kind
  package var text: String
  /// Where the words stand on the page; see `Geometry`. Nil where the format has no layout.
  package var geometry: Data?
  /// The first source line (1-based), for formats made of lines.
  package var line: Int?

  package init(_ kind: Kind, _ text: String, geometry: Data? = nil, line: Int? = nil) {
    self.kind = kind
    self.text = text
    self.geometry = geometry
    self.line = line
  }
}

/// A rectangle in PDF points, origin top left, page rotation applied.
package struct Box: Codable, Sendable, Equatable {
  package var x0, y0, x1, y1: Double

  package init(_ x0: Double, _ y0: Double, _ x1: Double, _ y1: Double) {
    self.x0 = x0
    self.y0 = y0
    self.x1 = x1
    self.y1 = y1
  }

  package var width: Double { x1 - x0 }
  package var height: Double { y1 - y0 }

  package func union(_ other: Box) -> Box {
    Box(min(x0, other.x0), min(y0, other.y0), max(x1, other.x1), max(y1, other.y1))
  }

  // Written as docs/api.md has them: [x0, y0, x1, y1].
  package init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    self.init(
      try list.decode(Double.self), try list.decode(Double.self), try list.decode(Double.self),
      try list.decode(Double.self))
  }

  package func encode(to encoder: any Encoder) throws {
    var list = encoder.unkeyedContainer()
    for value in [x0, y0, x1, y1] { try list.encode(value) }
  }
}

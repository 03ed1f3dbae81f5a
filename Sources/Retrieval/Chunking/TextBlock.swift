/// A stretch of a document as its reader sees it: one paragraph, one heading, one row.
///
/// `text` is exactly the document's text from `start` to `end` (UTF-8 bytes), so that every place found in it is a place in
/// the document.
package struct TextBlock: Sendable, Equatable, Codable {
  package enum Kind: String, Sendable, Codable {
    case paragraph, heading, listItem, tableHeader, tableRow, code
  }

  package var kind: Kind
  package var text: String
  package var page: Int?
  package var start: Int
  /// 1 is the highest; only of headings.
  package var level: Int

  package init(_ kind: Kind, _ text: String, page: Int? = nil, start: Int, level: Int = 1) {
    self.kind = kind
    self.text = text
    self.page = page
    self.start = start
    self.level = level
  }
}

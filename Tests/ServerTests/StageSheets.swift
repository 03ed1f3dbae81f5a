import Assistant
import Core
import Foundation

/// The documents of the stage as one turns them over: a manual of 450 pages, and a letter that has none.
extension Props {
  private static func isLetter(_ id: String) -> Bool { id == "c3" || id.hasSuffix(".txt") }

  private static func sheets(of id: String) -> [String] {
    if isLetter(id) {
      return [
        "Please have the boiler inspected once each year by a certified engineer.\n\n"
          + "Part: Filter; Months: 6\nPart: Gasket; Months: 12\nPart: Pump; Months: 24\n\nYours, the landlord."
      ]
    }
    return (1...450).map { number in
      number == 12 || number == 14
        ? page : "Page \(number) of the manual tells of valve \(number) and of the care it takes."
    }
  }

  static func text(of id: String) -> String { sheets(of: id).joined(separator: "\n") }

  private static func starts(_ sheets: [String]) -> [Int] {
    sheets.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.utf8.count + 1) }
  }

  static func outline(_ id: String) -> Data {
    let sheets = sheets(of: id)
    let starts = starts(sheets)
    var told: [String: Any] = [
      "document": [
        "id": id.hasPrefix("mail-") ? id : isLetter(id) ? "letter.txt" : "manual",
        "document": isLetter(id) ? "Letter.txt" : "Boiler manual.pdf",
        "title": isLetter(id) ? "A letter" : "Boiler manual", "kind": isLetter(id) ? "text" : "pdf",
        "pages": isLetter(id) ? NSNull() : sheets.count as Any, "collection": "documents",
      ] as [String: Any],
      "sheets": sheets.indices.map { place -> [String: Any] in
        isLetter(id)
          ? ["number": 0, "start": 0]
          : ["number": place + 1, "start": starts[place], "width": 400, "height": 520]
      },
      "headings": isLetter(id)
        ? []
        : stride(from: 1, through: 450, by: 10).map {
          ["title": "Chapter \($0 / 10 + 1)", "level": 1, "page": $0, "start": starts[$0 - 1]] as [String: Any]
        },
    ]
    if var citation = citations.first(where: { $0["id"] as? String == id }) {
      let page = citation["page"] as? Int
      let first = page.map { starts[$0 - 1] } ?? 0
      citation["start"] = first + (citation["start"] as? Int ?? 0)
      citation["end"] = first + (citation["end"] as? Int ?? 0)
      told["citation"] = citation
    }
    if id.hasPrefix("mail-") { told["thread"] = thread }
    return line(told)
  }

  private static var thread: [[String: Any]] {
    ["Ann", "Bob", "Cid"].enumerated().map { place, name in
      [
        "id": "mail-\(place + 1).txt", "document": "mail-\(place + 1).txt", "title": "Boiler",
        "sender": "\(name) <\(name.lowercased())@example.org>", "sent": "2026-06-0\(place + 1)T09:30:00Z",
      ]
    }
  }

  static func sheet(_ given: Given, in folder: URL) throws -> Data {
    let sheets = sheets(of: given["id"] ?? "")
    let number = given.object["page"] as? Int ?? 1
    guard sheets.indices.contains(max(0, number - 1)) else {
      throw RemoteError(code: "page_not_found", message: "There is no page “\(number)”.")
    }
    let text = sheets[max(0, number - 1)]
    var told: [String: Any] = [
      "page": number, "start": starts(sheets)[max(0, number - 1)], "text": text, "words": [[Double]](),
    ]
    guard number > 0 else { return line(told) }
    var at = 0
    told["words"] = text.split(separator: " ").enumerated().map { place, word -> [Double] in
      defer { at += word.utf8.count + 1 }
      let (x, y) = (Double(60 + place % 6 * 50), Double(120 + place / 6 * 20))
      return [Double(at), Double(at + word.utf8.count), x, y, x + 44, y + 12]
    }
    told["width"] = 400
    told["height"] = 520
    if given.object["scale"] != nil {
      told["picture"] = try Data(contentsOf: folder.appending(path: "page.png")).base64EncodedString()
    }
    return line(told)
  }
}

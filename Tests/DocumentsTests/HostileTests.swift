import Core
import Documents
import Foundation
import TestSupport
import Testing

@Suite("Malformed files")
struct HostileTests {
  @Test("300 truncated and altered files of every type end in text or in an error that explains itself")
  func malformed() throws {
    let parser = InProcess()
    var pdf = PDFWriter()
    pdf.add(lines: ["Some words on a page.", "And some more words."])
    pdf.add(lines: ["A second page."])
    let png = try parser.render(pdf.data, RenderRequest(page: 1, scale: 0.3)).bytes
    let html = Data(
      "<!doctype html><body><h1>A</h1><table><tr><th>x</th><td>y</td></tr></table><ul><li>z</li></ul>".utf8)
    let seeds: [Data] = [
      pdf.data, png, html, Package.docx("<w:p><w:r><w:t>Text</w:t></w:r></w:p>"), Package.odt("<text:p>Text</text:p>"),
      Package.epub(["<html><body><p>Text</p></body></html>"]),
      Data("# T\n\n- a\n- b\n\n|a|b|\n|-|-|\n|c|d|\n\n```\nx\n```\n".utf8),
      Data("a,b,c\n1,2,3\n4,\"5\n6\",7\n8,9,10\n".utf8),
      Data("{\"_id\":\"1\",\"text\":\"x\"}\n{\"_id\":\"2\",\"text\":\"y\"}\n".utf8),
      Data("func a() {\n  let x = 1;\n  return x;\n}\n".utf8), try #require(TextTests.german.data(using: .utf16)),
      try #require(TextTests.plainGerman.data(using: .windowsCP1252)),
    ]
    var dice = Dice(42)
    var (read, refused) = (0, 0)
    for index in 0..<300 {
      var file = seeds[index % seeds.count]
      if index / seeds.count % 3 == 0 { file = file.prefix(Int.random(in: 0..<file.count, using: &dice)) }
      if index / seeds.count % 3 != 0 || Bool.random(using: &dice) {
        for _ in 0..<Int.random(in: 1...20, using: &dice) where !file.isEmpty {
          let at = file.startIndex + Int.random(in: 0..<file.count, using: &dice)
          switch Int.random(in: 0..<3, using: &dice) {
          case 0: file[at] = UInt8.random(in: 0...255, using: &dice)
          case 1: file.remove(at: at)
          default:
            file.insert(contentsOf: [UInt8](repeating: file[at], count: Int.random(in: 1...40, using: &dice)), at: at)
          }
        }
      }
      do {
        let sink = try parser.collect(Data(file), "seed-\(index)") { $0.recognise = index % 24 == 1 }
        for document in sink.documents {
          #expect(document.text.utf8.count == (document.pageRanges.map(\.upperBound).max() ?? 0))
          _ = document.marks(for: 0..<document.text.utf8.count)
        }
        read += 1
      } catch {
        #expect(error is any Explained, "\(error)")
        refused += 1
      }
    }
    #expect(read + refused == 300)
    #expect(read > 50 && refused > 50)
  }
}

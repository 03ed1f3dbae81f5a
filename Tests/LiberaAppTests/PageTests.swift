import Foundation
import LiberaDoors
import LiberaKit
import LiberaScreens
import PDFKit
import SwiftUI
import Synchronization
import Testing

@testable import LiberaApp

/// A cited page from the file through the library to the system's reader, which is brought to the passage.
@Suite("The page behind a citation", .serialized, .timeLimit(.minutes(5)))
@MainActor
struct PageTests {
  @Test(
    "Where the marks are is told in shares of the page, and the reader is brought there, from the lower left corner")
  func place() async throws {
    try await KitHome(withPacks: false).during(leased: true) { libera in
      let answer = try await libera.answer("How long is the notice period?")
      let citation = try #require(answer.citations.first { $0.text.contains("notice period") })
      let page = try await libera.page(of: citation, scale: 3)
      let place = try #require(page.passage)
      // Both lines of page two are set at 82 and 102 points from the upper edge of 842, from 72 of 595 on.
      #expect(abs(place.left - 72.0 / 595) < 0.02 && place.right > place.left && place.right < 1)
      #expect(place.top > 60.0 / 842 && place.bottom < 112.0 / 842 && place.bottom > 100.0 / 842, "\(place)")
      #expect(page.width == 1785 && page.height == 2526)

      PageRoom.shared.shown.withLock { $0 = nil }
      let stage = Stage(CitedPageView(page: .success(page))) { $0.words = Words("en") }
      #expect(complaints(of: stage.tree).isEmpty)
      #expect(try stage.find("page.picture").kind == .picture)
      while PageRoom.shared.shown.withLock({ $0?.brought }) == nil { try await Task.sleep(for: .milliseconds(5)) }
      let shown = try #require(PageRoom.shared.shown.withLock { $0 })
      let brought = try #require(shown.brought)
      #expect(shown.fits && shown.page == CGRect(x: 0, y: 0, width: 1785, height: 2526))
      #expect(
        abs(brought.minX - place.left * 1785) < 0.01 && abs(brought.width - (place.right - place.left) * 1785) < 0.01)
      #expect(abs(brought.minY - (1 - place.bottom) * 2526) < 0.01, "the page's upper edge has the largest number")
      #expect(brought.maxY > 0.85 * 2526)
    }
  }

  @Test(
    "A document without pages shows its words alone; what is no picture is no page, and its words still stand there")
  func without() async throws {
    let home = try KitHome(withPacks: false)
    try await home.during { libera in
      let note = try home.write(Data("# Note\n\nThe notice period is three months.\n".utf8), to: "note.md")
      _ = try await collected(libera.import([note]))
      let answer = try await libera.answer("How long is the notice period?")
      var page = try await libera.page(of: try #require(answer.citations.first))
      #expect(page.picture == nil && page.passage == nil)
      let stage = Stage(CitedPageView(page: .success(page))) { $0.words = Words("en") }
      #expect(!stage.has("page.picture") && stage.has("page.passage") && complaints(of: stage.tree).isEmpty)
      page.picture = Data("no picture".utf8)
      let broken = Stage(CitedPageView(page: .success(page))) { $0.words = Words("en") }
      #expect(broken.has("page.passage") && complaints(of: broken.tree).isEmpty)
    }
  }
}

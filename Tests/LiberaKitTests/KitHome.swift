import Core
import Foundation
import TestSupport
import Testing

@testable import LiberaKit

/// A home of its own for each test, with the packs that the test run has prepared.
struct KitHome {
  private let scratch: Scratch
  var base: URL { scratch.folder }
  var home: URL { base.appending(path: "home", directoryHint: .isDirectory) }
  var caches: URL { base.appending(path: "caches", directoryHint: .isDirectory) }

  init(withPacks: Bool = true) throws {
    scratch = try Scratch("kit")
    try Folders.make(home)
    guard withPacks else { return }
    let prepared = try #require(Self.preparedPacks)
    for pack in try FileManager.default.contentsOfDirectory(atPath: prepared.path) where !pack.hasPrefix(".") {
      let (from, to) = (prepared.appending(path: pack), home.appending(path: "packs/\(pack)"))
      try Folders.make(to)
      for file in try FileManager.default.contentsOfDirectory(atPath: from.path) {
        try FileManager.default.linkItem(at: from.appending(path: file), to: to.appending(path: file))
      }
    }
    // Measuring threads anew in each home would only cost time.
    try Data(#"{"threads": 2}"#.utf8).write(to: home.appending(path: "settings.json"))
  }

  /// Where `./libera test` has put the default packs; nil when the tests are run without it.
  static var preparedPacks: URL? { Prepared.packs }
  static let needsPacks: Comment = "the default packs are not prepared; ./libera test does that"

  /// Spoken commands that lie beside the checkout.
  static let recordings = Checkout.data.appending(path: "speech/piper")
  static var hasRecordings: Bool { FileManager.default.fileExists(atPath: recordings.appending(path: "01.wav").path) }
  /// "Remind me tomorrow at seven to call John."
  static var reminder: URL { recordings.appending(path: "01.wav") }

  func open() async throws -> Libera { try await Libera(home: home, caches: caches) }

  /// A library while it is open; with a lease in it where the test needs a document.
  func during(
    _ platform: (any PlatformModel)? = nil, leased: Bool = false, isolation: isolated (any Actor)? = #isolation,
    _ work: (Libera) async throws -> Void
  ) async throws {
    let libera = try await Libera(home: home, caches: caches, platform: platform)
    do {
      if leased { _ = try await collected(libera.import([lease()])) }
      try await work(libera)
    } catch {
      await libera.close()
      throw error
    }
    await libera.close()
  }

  func write(_ data: Data, to name: String) throws -> URL { try scratch.file(name, data) }

  /// Two pages of a lease.
  func lease() throws -> URL {
    let pages = [
      ["Lease of a flat", "The tenant is Anna Berger and the landlord is Paul Stein."],
      ["The rent is 840 euros a month and is due on the third working day.", "The notice period is three months."],
    ]
    return try write(PlainPDF(pages: pages).data, to: "lease.pdf")
  }
}

/// A PDF of plain lines.
struct PlainPDF {
  var pages: [[String]]

  var data: Data {
    let kids = pages.indices.map { "\(4 + $0 * 2) 0 R" }.joined(separator: " ")
    var objects = [
      "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [\(kids)] /Count \(pages.count) >>",
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for (index, lines) in pages.enumerated() {
      let shown = lines.enumerated().map { "BT /F1 12 Tf 72 \(760 - $0 * 20) Td (\($1)) Tj ET\n" }.joined()
      objects.append(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> "
          + "/Contents \(5 + index * 2) 0 R >>")
      objects.append("<< /Length \(shown.utf8.count) >>\nstream\n\(shown)\nendstream")
    }
    var file = "%PDF-1.4\n"
    var table = "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n"
    for (index, object) in objects.enumerated() {
      table += String(format: "%010d", file.utf8.count) + " 00000 n \n"
      file += "\(index + 1) 0 obj\n\(object)\nendobj\n"
    }
    let start = file.utf8.count
    return Data(
      (file + table + "trailer << /Size \(objects.count + 1) /Root 1 0 R >>\nstartxref\n\(start)\n%%EOF\n").utf8)
  }
}

/// Everything a stream tells.
func collected<Event: Sendable>(_ stream: AsyncThrowingStream<Event, any Error>) async throws -> [Event] {
  var all: [Event] = []
  for try await event in stream { all.append(event) }
  return all
}

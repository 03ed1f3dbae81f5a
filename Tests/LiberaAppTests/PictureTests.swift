import CLeptonica
import Foundation
import LiberaKit
import SwiftUI
import Synchronization
import TestSupport
import Testing

@testable import LiberaApp
@testable import LiberaScreens
@testable import VisionKit

@Suite("Pictures on their way in", .serialized, .timeLimit(.minutes(10)))
@MainActor
struct PictureTests {
  private struct Given: ChosenPicture {
    var data: Data?
    func file() async throws -> Data {
      guard let data else { throw LiberaError(code: "x", message: "It lies elsewhere.") }
      return data
    }
  }

  /// The head of a JPEG of so many pixels and colours.
  private static func head(width: Int, height: Int, colours: UInt8, frame: UInt8 = 0xC0) -> Data {
    let size = [height >> 8, height & 255, width >> 8, width & 255].map { UInt8($0) }
    return Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xFF, frame, 0, 11, 8] + size + [colours, 1, 2, 3])
  }

  @Test("A JPEG's size is read from its frame; what has none, or other colours, is no page")
  func sizes() {
    let good = JPEGSize(Self.head(width: 3024, height: 4032, colours: 3))
    #expect(good?.width == 3024 && good?.height == 4032 && good?.isGrey == false)
    #expect(JPEGSize(Self.head(width: 10, height: 20, colours: 1, frame: 0xC2))?.isGrey == true)
    let whole = Self.head(width: 300, height: 400, colours: 3)
    for length in 0..<(whole.count - 3) { #expect(JPEGSize(whole.prefix(length)) == nil, "\(length)") }
    for bad in [
      Self.head(width: 0, height: 20, colours: 3), Self.head(width: 10, height: 20, colours: 4),
      Self.head(width: 10, height: 20, colours: 3, frame: 0xDA), Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 0, 0, 0]),
      Data(repeating: 0xFF, count: 1000), Data("GIF89a".utf8),
    ] { #expect(JPEGSize(bad) == nil) }
  }

  @Test("What is no picture is left out with a reason, names are safe, and no scan is without pages")
  func refused() async throws {
    let scratch = try Scratch("pictures")
    let folder = PictureFolder(in: scratch.folder)
    let png = Data([0x89, 0x50, 0x4E, 0x47, 1])
    let moment = try #require(
      Calendar.current.date(from: DateComponents(year: 2026, month: 6, day: 1, hour: 7, minute: 5, second: 9)))
    let (files, missing) = try await folder.keep(
      [Given(data: png), Given(data: Data("%PDF".utf8)), Given(data: nil)], called: "../Photo", at: moment)
    #expect(files.map(\.lastPathComponent) == ["..-Photo 2026-06-01 07.05.09 1.png"])
    #expect(files.first?.deletingLastPathComponent().path == folder.folder.path)
    #expect(missing == [PictureFolder.notAPicture.message, "It lies elsewhere."])
    #expect(throws: LiberaError.self) { try folder.keep([], called: "Scan", at: moment) }
    #expect(throws: LiberaError.self) { try folder.keep([ScannedPage(jpeg: png)], called: "Scan", at: moment) }
    try folder.clear()
    #expect(!FileManager.default.fileExists(atPath: folder.folder.path))
  }

  @Test("Pictures of an import that ended with the app get one more chance, and no third")
  func leftOver() throws {
    let scratch = try Scratch("pictures")
    let folder = PictureFolder(in: scratch.folder)
    try #expect(folder.leftOver() == nil)
    _ = try folder.keep(
      [ScannedPage(jpeg: Self.head(width: 9, height: 9, colours: 3))], called: "Scan",
      at: Date(timeIntervalSince1970: 0))
    let left = try #require(try folder.leftOver())
    try #expect(FileManager.default.contentsOfDirectory(atPath: left.path).count == 1)
    let error = #expect(throws: LiberaError.self) { try folder.leftOver() }
    #expect(error?.code == "pictures_given_up")
    try #expect(folder.leftOver() == nil)
  }

  /// The second page of the lease as a picture, and the same as the camera gives it: a JPEG, here turned by quarters.
  private func page(_ libera: Libera, _ home: KitHome) async throws -> Data {
    _ = try await collected(libera.import([try home.lease()]))
    let answer = try await libera.answer("How long is the notice period?")
    let citation = try #require(answer.citations.first { $0.text.contains("three months") })
    return try #require(try await libera.page(of: citation, scale: 3).picture)
  }

  private func jpeg(_ png: Data, quarters: Int32) throws -> Data {
    var read = png.withUnsafeBytes { pixReadMem($0.bindMemory(to: UInt8.self).baseAddress, $0.count) }
    defer { pixDestroy(&read) }
    var picture = quarters > 0 ? pixRotateOrth(read, quarters) : pixClone(read)
    defer { pixDestroy(&picture) }
    var (bytes, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
    #expect(pixWriteMemJpeg(&bytes, &count, picture, 85, 0) == 0)
    defer { lept_free(bytes) }
    return Data(bytes: try #require(bytes), count: count)
  }

  @Test(
    "Photos become a document each and the pages of a scan one; nothing of them stays outside the library",
    .enabled(if: KitHome.preparedPacks != nil, KitHome.needsPacks))
  func walk() async throws {
    let home = try KitHome()
    try await home.during { libera in
      let png = try await page(libera, home)
      let place = home.base.appending(path: "on their way")
      let visit = Visit(libera, doors: Doors(place: place))
      let stage = visit.stage
      try await visit.until("chat.draft")
      try stage.tap("tab.library")
      try stage.tap("library.photos")
      try stage.give([try home.write(png, to: "a.heic"), try home.write(Data("no picture".utf8), to: "b.png")])
      try await visit.until("import.summary")
      try await visit.until { (try? stage.find("library.photos").isEnabled) == true }
      visit.check("a photo that was taken in and one that was none")
      #expect(stage.has("problem") && stage.text.contains("1 of 2"), "\(stage.text)")
      try stage.tap("problem.dismiss")
      try stage.tap("library.scan")
      let upright = try home.write(try jpeg(png, quarters: 0), to: "1.jpg")
      try stage.give([upright, try home.write(try jpeg(png, quarters: 2), to: "2.jpg")])
      #expect(!stage.tree.all.contains { $0.kind == .importer }, "the camera is taken away")
      try await visit.until { (try? stage.find("library.scan").isEnabled) == true }
      visit.check("a scan that was taken in")
      #expect(!stage.has("problem"), "\(stage.text)")
      let documents = try await libera.documents()
      let scan = try #require(documents.first { $0.name.hasPrefix("Scan ") })
      let photo = try #require(documents.first { $0.name.hasPrefix("Photo ") && $0.name.hasSuffix(".png") })
      #expect(documents.count == 3 && scan.pages == 2 && scan.kind == "pdf" && photo.sourceIsMissing)
      #expect(!stage.text.contains(stage.words(.sourceMissing)), "its file was ours")
      #expect(!FileManager.default.fileExists(atPath: place.appending(path: "LiberaGPT.pictures").path))
      try await libera.remove(documents: documents.filter { $0.name == "lease.pdf" || $0.id == photo.id }.map(\.id))
      let answer = try await libera.answer("How long is the notice period?")
      #expect(answer.citations.contains { $0.text.contains("three months") && $0.document == scan.name })
    }
  }

  @Test("Photos and a scan are attached to the conversation, asked there, and leave nothing beside the library")
  func attached() async throws {
    let home = try KitHome(withPacks: false)
    try await home.during { libera in
      let png = try await page(libera, home)
      try await libera.remove(documents: try await libera.documents().map(\.id))
      let place = home.base.appending(path: "on their way")
      let visit = try await Visit.entered(libera, doors: Doors(place: place))
      let stage = visit.stage
      try stage.tap("chat.photos")
      visit.check("the photo picker over a conversation")
      try stage.give([try home.write(png, to: "a.heic"), try home.write(Data("no picture".utf8), to: "b.png")])
      try await visit.until { stage.has("chat.attached") && (try? stage.find("chat.photos").isEnabled) == true }
      visit.check("a photo that was attached and one that was none")
      #expect(stage.has("problem") && stage.text.contains("1 of 2"), "\(stage.text)")
      try stage.tap("problem.dismiss")
      try stage.tap("chat.scan")
      try stage.give([try home.write(try jpeg(png, quarters: 0), to: "1.jpg")])
      #expect(stage.has("chat.attaching"))
      visit.check("a scan that is being attached")
      try await visit.until { (try? stage.find("chat.scan").isEnabled) == true }
      let shown = try stage.find("chat.attached").spoken
      #expect(shown.contains("Photo ") && shown.contains("Scan ") && !stage.has("problem"), "\(stage.text)")
      let left = FileManager.default.enumerator(at: place, includingPropertiesForKeys: nil)?.allObjects ?? []
      #expect(left.allSatisfy { ($0 as? URL)?.hasDirectoryPath == true }, "\(left)")
      try stage.write("How long is the notice period?", into: "chat.draft")
      try stage.tap("chat.send")
      try await visit.until { visit.rooms?.chat.turns.last?.stage == .done }
      let answer = try #require(visit.rooms?.chat.turns.last?.answer)
      #expect(answer.citations.contains { $0.text.contains("three months") }, "\(answer.answer)")
      for (act, problem) in [("cancel", false), ("fail", true)] {
        try stage.tap("chat.scan")
        let camera = try #require(stage.tree.reachable.acts[act])
        camera()
        #expect(stage.has("chat.scan") && stage.has("problem") == problem)
      }
      stage.leave()
    }
  }

  @Test("What an end of the app leaves of pictures on their way into a conversation is gone at its next start")
  func attachedLeftOver() async throws {
    try await KitHome(withPacks: false).during { libera in
      let scratch = try Scratch("pictures")
      let place = scratch.folder
      let left = PictureFolder.attached(in: place).appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: left, withIntermediateDirectories: true)
      LibraryScreen(libera, place: place).resume()
      #expect(!FileManager.default.fileExists(atPath: PictureFolder.attached(in: place).path))
    }
  }

  @Test("A page that lies on its side in the picture stands upright in the document")
  func turned() async throws {
    let home = try KitHome(withPacks: false)
    try await home.during { libera in
      let png = try await page(libera, home)
      let library = LibraryScreen(libera, place: home.base)
      await library.remove(try await libera.documents().map(\.id))
      // Turned to the left by a quarter, so to be turned back to the right.
      library.take(scan: [ScannedPage(jpeg: try jpeg(png, quarters: 3), turn: .right)], called: "Scan")
      await library.settled()
      let answer = try await libera.answer("How long is the notice period?")
      let found = try #require(answer.citations.first { $0.text.contains("three months") })
      let shown = try await libera.page(of: found, scale: 1)
      #expect((shown.height ?? 0) > (shown.width ?? 0), "it stands")
    }
  }

  @Test("The camera is left, or fails with its reason, and where there is none its button is not there")
  func camera() async throws {
    try await KitHome(withPacks: false).during { libera in
      let visit = try await Visit.entered(libera)
      let stage = visit.stage
      try stage.tap("tab.library")
      for (act, problem) in [("cancel", false), ("fail", true)] {
        try stage.tap("library.scan")
        let camera = try #require(stage.tree.reachable.kind == .importer ? stage.tree.reachable : nil)
        let tap = try #require(camera.acts[act])
        tap()
        #expect(stage.has("library.scan") && stage.has("problem") == problem)
      }
      CameraRoom.shared.isSupported.withLock { $0 = false }
      defer { CameraRoom.shared.isSupported.withLock { $0 = true } }
      #expect(!stage.has("library.scan") && stage.has("library.photos"))
    }
  }
}

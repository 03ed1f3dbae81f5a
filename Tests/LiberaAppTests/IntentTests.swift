import Foundation
import LiberaKit
import LiberaScreens
import SwiftUI
import Synchronization
import Testing

@testable import AppIntents
@testable import LiberaApp
@testable import LiberaIntents

/// What the system can have done by the app, done: the intents as the system performs them, over a real home.
@Suite("Intents", .serialized, .timeLimit(.minutes(10)))
@MainActor
struct IntentTests {
  private func app(_ libera: Libera, _ home: KitHome, microphone: (any Microphone)? = nil) -> AppScreen {
    let app = AppScreen(doors: Doors(microphone: microphone, place: home.base.appending(path: "place"))) { libera }
    let errands = Errands(app)
    AppDependencyManager.shared.add(dependency: errands)
    return app
  }

  private func left(in home: KitHome) throws -> [String] {
    let handed = home.base.appending(path: "place/LiberaGPT.handed").path
    return FileManager.default.fileExists(atPath: handed)
      ? try FileManager.default.contentsOfDirectory(atPath: handed) : []
  }

  @Test(
    "A name that another program gives stays a plain name",
    arguments: [
      ("lease.pdf", "lease.pdf"), ("../../etc/passwd", "passwd"), ("..", "file"), ("", "file"), ("/", "file"),
      (".hidden", "hidden"), ("a\u{0}b\n.txt", "ab.txt"), ("C:\\Users\\a.doc", "a.doc"),
      ("\u{202E}fdp.exe", "fdp.exe"), ("Prüfung 1.pdf", "Prüfung 1.pdf"), ("   ", "file"),
    ])
  func names(given: String, kept: String) { #expect(HandedFile.safeName(given) == kept) }

  @Test("A long name is cut and keeps what it ends in", arguments: ["x", "ü", "🦊"])
  func longNames(sign: String) {
    let name = HandedFile.safeName(String(repeating: sign, count: 5_000) + ".pdf")
    #expect(name.hasSuffix(".pdf") && name.utf8.count <= 200 && name.hasPrefix(sign))
    #expect(HandedFile.safeName(String(repeating: "a.", count: 3_000)).utf8.count <= 200)
  }

  @Test(
    "A file is taken in under its plain name, a question is answered from it, and nothing is left beside the library")
  func importAndAsk() async throws {
    let home = try KitHome(withPacks: false)
    try await home.during { libera in
      let app = app(libera, home)
      let add = ImportIntent()
      add.file = IntentFile(data: try Data(contentsOf: home.lease()), filename: "../../lease.pdf")
      let taken = try await add.perform()
      #expect(taken.value == 1 && taken.dialog.text.contains("1"))
      try await #expect(libera.documents().map(\.name) == ["lease.pdf"])
      try await #expect(app.rooms().library.documents.count == 1, "its screen knows")
      let again = try await add.perform()
      #expect(again.value == 0 && again.dialog.text.contains("\n"), "it is said why not: \(again.dialog.text)")

      let ask = AskIntent()
      ask.question = " How long is the notice period? "
      let said = try await ask.perform()
      #expect(said.value?.contains("three months") == true)
      #expect(said.dialog.text.contains("three months") && said.dialog.text.contains("lease.pdf"))
      ask.question = "  "
      await #expect(throws: Told.self) { _ = try await ask.perform() }
      try #expect(left(in: home).isEmpty)
    }
  }

  @Test("What is a link, a folder or gone is refused with a reason and leaves nothing")
  func refused() async throws {
    let home = try KitHome(withPacks: false)
    try await home.during { libera in
      _ = app(libera, home)
      let link = home.base.appending(path: "link.pdf")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: home.lease())
      for file in [link, home.base, home.base.appending(path: "gone.pdf")] {
        let add = ImportIntent()
        add.file = IntentFile(fileURL: file)
        let told = await #expect(throws: Told.self) { _ = try await add.perform() }
        #expect(told?.localizedStringResource.key.isEmpty == false)
      }
      try await #expect(libera.documents().isEmpty)
      try #expect(left(in: home).isEmpty)
    }
  }

  @Test("A reminder is set at the time that was named, whatever its words sound like")
  func remind() async throws {
    let home = try KitHome(withPacks: false)
    try await home.during { libera in
      _ = app(libera, home)
      // The day after tomorrow: what lies years ahead is not listed.
      let moment = Calendar.current.startOfDay(for: Date()).addingTimeInterval(2 * 86_400 + 7.5 * 3_600)
      for what in ["call John", "stop all alarms", "send an email to Anna saying that I am late"] {
        let intent = RemindIntent()
        (intent.what, intent.when) = (what, moment)
        let done = try await intent.perform()
        #expect(done.value?.contains(what) == true && done.dialog.text == done.value)
      }
      let coming = try await libera.comingReminders()
      #expect(coming.map(\.due) == [moment, moment, moment] && coming.allSatisfy { $0.alarm == nil }, "\(coming)")
      let spoken = RemindIntent()
      (spoken.what, spoken.when) = ("water the plants tomorrow at nine", nil)
      _ = try await spoken.perform()
      let watering = try #require(try await libera.comingReminders().first { $0.title.contains("plants") })
      #expect(Calendar.current.component(.hour, from: watering.due) == 9)
    }
  }

  private struct OpenEar: Microphone {
    func open() async throws -> OpenMicrophone {
      OpenMicrophone(rate: 16_000, events: AsyncStream { _ in })
    }
  }

  @Test("Dictating shows the screen that listens; without a microphone it is refused")
  func dictate() async throws {
    let home = try KitHome(withPacks: false)
    try await home.during { libera in
      _ = app(libera, home)
      await #expect(throws: Told.self) { _ = try await DictateIntent().perform() }
      let visit = Visit(libera, doors: Doors(microphone: OpenEar()))
      try await visit.until("first.next")
      let errands = Errands(visit.app)
      AppDependencyManager.shared.add(dependency: errands)
      _ = try await DictateIntent().perform()
      try await visit.until("voice.state")
      #expect(visit.rooms?.voice.stage != .idle && visit.rooms?.wanted == nil)
      visit.rooms?.voice.cancel()
      visit.stage.leave()
    }
  }

  @Test(
    "A recording becomes its words",
    .enabled(if: KitHome.preparedPacks != nil && KitHome.hasRecordings, "packs or recordings are missing"))
  func transcribe() async throws {
    let home = try KitHome()
    try await home.during { libera in
      _ = app(libera, home)
      let intent = TranscribeIntent()
      intent.recording = IntentFile(fileURL: KitHome.reminder)
      let words = try await intent.perform()
      #expect(words.value?.lowercased().contains("call john") == true)
      try #expect(left(in: home).isEmpty)
    }
  }

  @Test("A home that two ask for at once is opened once, and one that cannot be opened is tried again")
  func once() async throws {
    let home = try KitHome(withPacks: false)
    let opened = Mutex(0)
    let fails = Mutex(true)
    let app = AppScreen {
      opened.withLock { $0 += 1 }
      if fails.withLock({ $0 }) { throw LiberaError(code: "x", message: "Not now.") }
      return try await home.open()
    }
    await #expect(throws: LiberaError.self) { _ = try await app.rooms() }
    fails.withLock { $0 = false }
    async let first = app.rooms()
    async let second = app.rooms()
    let (one, other) = try await (first, second)
    #expect(one === other && opened.withLock { $0 } == 2)
    await one.libera.close()
  }

  @Test("Every text of the intents and every phrase stands in the tables of all languages, and phrases name the app")
  func words() throws {
    let folder = WordsTests.tables.appending(path: "../../Intents").standardizedFileURL
    var titles: Set<String> = []
    for file in ["Intents.swift", "DictateIntent.swift", "Shortcuts.swift"] {
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      let plain = text.replacing(/"\\[^"]*"/, with: "")
      for match in plain.matches(of: /"([^"\\]+)"/) where !file.hasPrefix("Short") { titles.insert(String(match.1)) }
    }
    let phrases = Set(LiberaShortcuts.appShortcuts.flatMap(\.phrases))
    #expect(titles.count > 15 && LiberaShortcuts.appShortcuts.count <= 10)
    #expect(LiberaShortcuts.appShortcuts.allSatisfy { titles.contains($0.shortTitle.key) })
    #expect(phrases.allSatisfy { $0.contains("${applicationName}") })
    for language in Words.languages {
      for (name, wanted) in [("Localizable", titles), ("AppShortcuts", phrases)] {
        let table = try String(
          contentsOf: folder.appending(path: "Words/\(language).lproj/\(name).strings"), encoding: .utf8)
        let lines = table.matches(of: /"([^"]+)" = "([^"]+)";/)
        #expect(Set(lines.map { String($0.1) }) == wanted, "\(name) in \(language)")
        if name == "AppShortcuts" { #expect(lines.allSatisfy { $0.2.contains("${applicationName}") }) }
      }
    }
  }
}

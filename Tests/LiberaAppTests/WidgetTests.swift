import Foundation
import LiberaKit
import LiberaScreens
import SwiftUI
import Testing

@testable import AppIntents
@testable import LiberaApp
@testable import LiberaIntents
@testable import LiberaWidget
@testable import WidgetKit

/// The widget and the control: what they show, and that both open the app listening. What the system makes of them is not seen here.
@Suite("Widget and control", .serialized)
@MainActor
struct WidgetTests {
  private struct OpenEar: Microphone {
    func open() async throws -> OpenMicrophone {
      OpenMicrophone(rate: 16_000, events: AsyncStream { _ in })
    }
  }

  private func offered() throws -> Offered { try #require(ListenWidgets().body as? Offered) }

  private func widget() throws -> Shown {
    let widget = try #require(try offered().widgets.first)
    return try #require((widget.body as Any as? any Showing)?.shown)
  }

  private func control() throws -> ShownControl {
    let control = try #require(try offered().controls.first)
    return try #require((control.body as Any as? any ShowingControl)?.shown)
  }

  @Test("In every size and place the widget says what it does, and a tap opens the app by its link")
  func face() throws {
    let widget = try widget()
    try #expect(offered().widgets.count == 1 && offered().controls.count == 1)
    #expect(!widget.name.isEmpty && !widget.description.isEmpty && !widget.families.isEmpty)
    for family in widget.families {
      for isPreview in [true, false] {
        let views = widget.views(TimelineProviderContext(family: family, isPreview: isPreview))
        #expect(views.count == 3, "a placeholder, a snapshot and a timeline")
        for view in views {
          WidgetRoom.shared.opened = []
          let stage = Stage(AnyView(view))
          #expect(complaints(of: stage.tree).isEmpty, "\(complaints(of: stage.tree))")
          #expect(try stage.find("widget.listen").spoken == widget.name)
          #expect(try stage.find("widget.listen").hint == widget.description)
          try stage.tap("widget.listen")
          #expect(WidgetRoom.shared.opened.map(\.absoluteString) == [Errands.listenLink])
        }
      }
    }
  }

  @Test("The control has words and does what the shortcut for dictating does")
  func button() throws {
    let (control, widget) = try (control(), widget())
    #expect(control.kind != widget.kind && control.name == widget.name && control.description == widget.description)
    let stage = Stage(AnyView(control.label))
    #expect(stage.text == control.name)
    #expect(control.intent is DictateIntent && DictateIntent.openAppWhenRun)
  }

  @Test("Opened by the widget or by the control the app shows the screen that listens, also on its first day")
  func listens() async throws {
    for byControl in [false, true] {
      try await KitHome(withPacks: false).during { libera in
        let visit = Visit(libera, doors: Doors(microphone: OpenEar()))
        try await visit.until("first.next")
        if byControl {
          let errands = Errands(visit.app)
          AppDependencyManager.shared.add(dependency: errands)
          _ = try await control().intent.perform()
        } else {
          try visit.stage.open(try #require(URL(string: "libera-widget://something")))
          try visit.stage.open(try #require(ListenLink.url))
        }
        try await visit.until("voice.state")
        visit.check("opened listening")
        #expect(visit.rooms?.voice.stage != .idle && visit.rooms?.wanted == nil)
        visit.rooms?.voice.cancel()
        visit.stage.leave()
      }
    }
  }

  @Test("Another link changes nothing; without a microphone the screen says that there is none")
  func nothing() async throws {
    try await KitHome(withPacks: false).during { libera in
      let visit = try await Visit.entered(libera)
      await Errands(visit.app).follow(try #require(URL(string: "libera-widget://else")))
      await Errands(visit.app).follow(try #require(URL(string: "https://listen")))
      #expect(visit.rooms?.wanted == nil && visit.stage.has("chat.draft"))
      try visit.stage.open(try #require(ListenLink.url))
      try await visit.until("voice.none")
      visit.check("a widget without a microphone")
      #expect(visit.rooms?.voice.stage == .idle)
    }
  }

  @Test("Every text of the extension stands in the tables of all languages, and is said as the intent says it")
  func words() throws {
    let folder = WordsTests.tables.appending(path: "../../Widget").standardizedFileURL
    let text = try String(contentsOf: folder.appending(path: "ListenWidget.swift"), encoding: .utf8)
    let called = try Regex(#"(?:Label|Name|description|Hint)\("([^"]+)"|\.displayName\("([^"]+)""#)
    var wanted: Set<String> = [DictateIntent.title.key]
    for match in text.matches(of: called) { wanted.insert(String(match[1].substring ?? match[2].substring ?? "")) }
    #expect(wanted.count == 2)
    for language in Words.languages {
      func table(_ place: String) throws -> [String: String] {
        let file = folder.appending(path: "../\(place)/Words/\(language).lproj/Localizable.strings")
        let lines = try String(contentsOf: file, encoding: .utf8).matches(of: /"([^"]+)" = "([^"]+)";/)
        return Dictionary(uniqueKeysWithValues: lines.map { (String($0.1), String($0.2)) })
      }
      let (ours, intents) = (try table("Widget"), try table("Intents"))
      #expect(Set(ours.keys) == wanted, "\(language)")
      for (key, value) in ours { #expect(intents[key] == value, "\(key) in \(language)") }
    }
  }
}

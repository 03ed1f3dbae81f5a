import Foundation
import Observation
import SwiftUI
import Testing

/// What our declarations do with views, since every other test here stands on it.
@Suite("The stage")
@MainActor
struct StageTests {
  @Observable final class Model {
    var items = ["a", "b"]
    var text = ""
    var log: [String] = []
  }

  struct Counter: View {
    let name: String
    @State private var count = 0
    var body: some View {
      Button("\(name) \(count)") { count += 1 }.accessibilityIdentifier(name)
    }
  }

  struct Rows: View {
    @Bindable var model: Model
    @State private var isOpen = false
    var body: some View {
      VStack {
        ForEach(model.items, id: \.self) { Counter(name: $0) }
        TextField("Text", text: $model.text).accessibilityIdentifier("text")
        Toggle("Open", isOn: $isOpen).accessibilityIdentifier("open")
        if isOpen {
          Text("opened")
            .task { model.log.append("begun") }
            .onDisappear { model.log.append("gone") }
        }
      }
      .onChange(of: model.text) { old, new in model.log.append("\(old)>\(new)") }
      .disabled(model.text == "off")
    }
  }

  @Test("State belongs to its place: rows keep theirs when others come and go")
  func state() throws {
    let model = Model()
    let stage = Stage(Rows(model: model))
    try stage.tap("b")
    try stage.tap("b")
    try stage.tap("a")
    model.items.insert("c", at: 0)
    #expect(["a 1", "b 2", "c 0"].allSatisfy(stage.text.contains))
    model.items = ["b"]
    #expect(stage.text.contains("b 2") && !stage.has("a"))
  }

  @Test("What appears begins, what goes ends, a change is told once, and what is disabled cannot be done")
  func life() async throws {
    let model = Model()
    let stage = Stage(Rows(model: model))
    try stage.tap("open")
    #expect(stage.text.contains("opened"))
    while model.log.isEmpty { try await Task.sleep(for: .milliseconds(2)) }
    #expect(model.log == ["begun"])
    try stage.tap("open")
    #expect(!stage.text.contains("opened") && model.log == ["begun", "gone"])
    try stage.write("x", into: "text")
    _ = stage.tree
    _ = stage.tree
    #expect(model.log.last == ">x" && model.log.count == 3)
    model.text = "off"
    #expect(throws: Stage.Miss.self) { try stage.tap("b") }
    #expect(throws: Stage.Miss.self) { try stage.tap("not there") }
  }

  struct Covered: View {
    @State private var shows = false
    @Environment(\.locale) private var locale
    var body: some View {
      Button("below") { shows = true }.accessibilityIdentifier("below")
        .sheet(isPresented: $shows) { Above() }
      Text(locale.identifier)
    }
  }

  struct Above: View {
    @Environment(\.dismiss) private var dismiss
    var body: some View { Button("above") { dismiss() }.accessibilityIdentifier("above") }
  }

  @Test("A sheet covers what is below it until it is dismissed; the environment reaches every view")
  func sheet() throws {
    let stage = Stage(Covered()) { $0.locale = Locale(identifier: "fr") }
    #expect(stage.text.contains("fr"))
    try stage.tap("below")
    #expect(throws: Stage.Miss.self) { try stage.tap("below") }
    try stage.tap("above")
    #expect(!stage.has("above") && stage.has("below"))
  }
}

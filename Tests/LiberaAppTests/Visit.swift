import Foundation
import LiberaKit
import LiberaScreens
import SwiftUI
import Testing

@testable import LiberaApp

/// The app on a stage, as a person meets it.
@MainActor
struct Visit {
  let app: AppScreen
  let stage: Stage

  init(app: AppScreen, stage: Stage) { (self.app, self.stage) = (app, stage) }

  init(_ libera: Libera, language: String = "en", doors: Doors = Doors()) {
    app = AppScreen(doors: doors) { libera }
    stage = Stage(AppView(app)) { $0.words = Words(language) }
  }

  /// Past the first steps already.
  static func entered(_ libera: Libera, language: String = "en", doors: Doors = Doors()) async throws -> Visit {
    let visit = Visit(libera, language: language, doors: doors)
    try await visit.enter()
    return visit
  }

  var rooms: Rooms? {
    if case .open(let rooms) = app.stage { rooms } else { nil }
  }

  /// Waits until something is shown; a wait that is in vain ends with what is shown instead.
  func until(_ identifier: String) async throws { try await until { stage.has(identifier) } }

  func until(_ condition: () -> Bool) async throws {
    let began = ContinuousClock.now
    while !condition() {
      guard ContinuousClock.now - began < .seconds(180) else { throw Stage.Miss.notThere("change", shown: stage.text) }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  /// Into the tabs, past the first steps.
  func enter() async throws {
    try await until { stage.has("first.later") || stage.has("chat.draft") }
    if stage.has("first.later") { try stage.tap("first.later") }
    try await until("chat.draft")
  }

  /// Everything on the screen that somebody could not use, read or name.
  func check(_ screen: Comment, sourceLocation: SourceLocation = #_sourceLocation) {
    let found = complaints(of: stage.tree)
    #expect(found.isEmpty, "\(screen): \(found.joined(separator: "; "))\n\(stage.text)", sourceLocation: sourceLocation)
  }
}

/// What is wrong with a screen for whoever sees, hears or drives it.
@MainActor
func complaints(of tree: Node) -> [String] {
  let screen = tree.reachable
  var found = twice(in: screen)
  if screen.allWords.isEmpty, screen.kind != .importer { found.append("a screen without words") }
  for node in screen.all {
    let name = node.identifier ?? node.spoken
    if node.kind.isControl {
      if node.spoken.isEmpty { found.append("\(node.kind) \(name) is not labelled") }
      if node.identifier == nil { found.append("\(node.kind) \(name) has no identifier") }
      if node.acts.isEmpty, node.write == nil, node.kind != .menu { found.append("\(node.kind) \(name) does nothing") }
    }
    if node.kind == .picture, node.label == nil { found.append("a picture without words") }
    if node.kind == .image, !node.isHidden, node.label == nil { found.append("the image \(node.words) without words") }
    if node.kind == .progress, node.spoken.isEmpty { found.append("progress without words") }
    if node.isHidden, node.all.contains(where: { $0.kind.isControl }) { found.append("a hidden control in \(name)") }
    for text in [node.words, node.label, node.hint, node.value].compactMap(\.self) where text.contains("{0}") {
      found.append("a gap in \(text)")
    }
  }
  return found
}

/// The names that several controls of one container have; what lies in a container with a name of its own is found in that.
@MainActor
private func twice(in whole: Node) -> [String] {
  var (names, inner) = ([String: Int](), [Node]())
  func count(_ node: Node) {
    let isContainer = node.isContainer && node.identifier != nil
    if node.kind.isControl || isContainer { names[node.identifier ?? node.spoken, default: 0] += 1 }
    if isContainer { inner.append(node) } else { node.children.forEach(count) }
  }
  whole.children.forEach(count)
  return names.filter { $0.value > 1 }.map { "\($0.value) controls are called \($0.key)" } + inner.flatMap(twice)
}

package import Foundation

/// Where a view stands while its body is evaluated.
@MainActor struct Context {
  let stage: Stage
  var environment = EnvironmentValues()
  var path = ""
  /// Where the state of the navigation around it is kept.
  var navigation: String?

  func under(_ name: String) -> Context { at(path + "/" + name) }

  func at(_ path: String) -> Context {
    var inner = self
    inner.path = path
    return inner
  }
}

@MainActor func evaluate(_ view: some View, _ context: Context) -> [Node] {
  if let drawn = view as? any Drawn { return drawn.nodes(context) }
  let inner = context.under("\(type(of: view))")
  for child in Mirror(reflecting: view).children {
    if let property = child.value as? any Installed { property.install(inner, as: child.label ?? "") }
  }
  return evaluate(view.body, inner)
}

/// A screen without a screen: evaluates views into a tree, keeps their state, begins and ends their tasks, and does what a person does.
@MainActor package final class Stage {
  package enum Miss: Error, CustomStringConvertible {
    case notThere(String, shown: String)
    case disabled(String)
    case cannot(String, String)
    package var description: String {
      switch self {
      case .notThere(let name, let shown): "There is no \(name) on this screen:\n\(shown)"
      case .disabled(let name): "\(name) is disabled."
      case .cannot(let name, let act): "\(name) does nothing on \(act)."
      }
    }
  }

  private let root: any View
  package private(set) var environment: EnvironmentValues
  private var locations: [String: AnyObject] = [:]
  /// What has appeared, with what ends it.
  private var lives: [String: Life] = [:]
  private var seen: [String: Appearing] = [:]
  /// Who takes the link that opens the app.
  var opensURL: ((URL) -> Void)?

  /// What the hand that holds the device has felt.
  package internal(set) var felt: [SensoryFeedback] = []

  struct Appearing {
    var id: AnyHashable
    var begin: @MainActor () -> Task<Void, Never>?
    var end: @MainActor () -> Void = {}
    /// What another id does, in place of an end and a beginning.
    var change: (@MainActor (AnyHashable) -> Void)?
  }
  private struct Life {
    var what: Appearing
    var task: Task<Void, Never>?
  }

  package init(_ root: some View, _ change: (inout EnvironmentValues) -> Void = { _ in }) {
    self.root = root
    environment = EnvironmentValues()
    change(&environment)
  }

  /// Another size of type, another language, the app in the background.
  package func change(_ change: (inout EnvironmentValues) -> Void) { change(&environment) }

  func kept<Kept: AnyObject>(_ path: String, _ first: () -> Kept) -> Kept {
    if let kept = locations[path] as? Kept { return kept }
    let new = first()
    locations[path] = new
    return new
  }

  func flag(_ path: String) -> Location<Bool> { kept(path) { Location(false) } }

  func appears(_ path: String, _ what: Appearing) { seen[path] = what }

  /// The screen as it is now. What appears with it begins, what has gone ends.
  package var tree: Node {
    for _ in 0..<20 {
      (seen, opensURL) = ([:], nil)
      var whole = Node(.group)
      whole.children = evaluate(root, Context(stage: self, environment: environment))
      if !live() { return whole }
    }
    preconditionFailure("This screen changes itself without an end.")
  }

  private func live() -> Bool {
    var changed = false
    let now = seen
    for (path, life) in lives where now[path] == nil {
      lives[path] = nil
      life.task?.cancel()
      life.what.end()
      changed = true
    }
    for (path, what) in now.sorted(by: { $0.key < $1.key }) {
      let before = lives[path]
      lives[path] = Life(what: what, task: before?.task)
      if let before {
        guard before.what.id != what.id else { continue }
        if let change = what.change {
          change(before.what.id)
        } else {
          before.task?.cancel()
          lives[path]?.task = what.begin()
        }
      } else {
        lives[path]?.task = what.begin()
      }
      changed = true
    }
    return changed
  }

  /// Takes the screen away: all tasks of its views end.
  package func leave() {
    for life in lives.values {
      life.task?.cancel()
      life.what.end()
    }
    lives = [:]
  }

  // MARK: What a person does

  package func find(_ identifier: String) throws -> Node {
    let screen = tree.reachable
    guard let node = screen.first({ $0.identifier == identifier }) else {
      throw Miss.notThere(identifier, shown: printed(screen))
    }
    return node
  }

  package func has(_ identifier: String) -> Bool { tree.reachable.first { $0.identifier == identifier } != nil }

  private func enabled(_ identifier: String) throws -> Node {
    let node = try find(identifier)
    guard node.isEnabled else { throw Miss.disabled(identifier) }
    return node
  }

  package func tap(_ identifier: String) throws { try act("tap", on: identifier) }

  package func act(_ name: String, on identifier: String) throws {
    let node = try enabled(identifier)
    guard let act = node.acts[name] else { throw Miss.cannot(identifier, name) }
    act()
  }

  package func write(_ words: String, into identifier: String) throws {
    guard let write = try enabled(identifier).write else { throw Miss.cannot(identifier, "writing") }
    write(words)
  }

  /// Presses Return in a field.
  package func submit(_ identifier: String) throws { try act("submit", on: identifier) }

  /// Answers the system's dialogue that asks for files.
  package func give(_ files: [URL]) throws {
    let screen = tree.reachable
    guard let give = screen.give else { throw Miss.notThere("file importer", shown: printed(screen)) }
    give(files)
  }

  /// The system opens the app with a link, as from its widget.
  package func open(_ link: URL) throws {
    let screen = tree
    guard let opensURL else { throw Miss.notThere("reader of links", shown: printed(screen)) }
    opensURL(link)
  }

  package var text: String { printed(tree) }
}

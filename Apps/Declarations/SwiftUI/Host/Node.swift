package import Foundation

/// One thing on a screen, as a person and their assistive technology meet it.
@MainActor package struct Node {
  package enum Kind: String {
    case text, image, picture, button, toggle, field, picker, menu, link, stepper, progress, disclosure
    case row, column, layers, list, section, scroll, form, group, divider, element
    case navigation, pushed, tabs, tab, toolbar, search
    case sheet, dialog, alert, importer, exporter

    /// What a person acts on.
    package var isControl: Bool {
      switch self {
      case .button, .toggle, .field, .picker, .menu, .link, .stepper, .disclosure, .tab, .search: true
      default: false
      }
    }
    /// What covers everything else.
    var isModal: Bool {
      switch self {
      case .sheet, .dialog, .alert, .importer, .exporter: true
      default: false
      }
    }
  }

  package var kind: Kind
  /// What is shown, or written in a field.
  package var words = ""
  package var label: String?
  package var value: String?
  package var hint: String?
  package var identifier: String?
  package var traits: AccessibilityTraits = []
  package var isEnabled = true
  /// Not there for assistive technology.
  package var isHidden = false
  package var isSelected = false
  /// An element that has its parts as elements inside it.
  package var isContainer = false
  /// What a picker or a row of tabs knows it by.
  var tag: AnyHashable?
  /// A tap, and what else can be done, by name.
  package var acts: [String: @MainActor () -> Void] = [:]
  package var write: (@MainActor (String) -> Void)?
  /// The files that a person chose, or nil.
  package var give: (@MainActor ([URL]) -> Void)?
  package var children: [Node] = []

  package init(_ kind: Kind, _ words: String = "", children: [Node] = []) {
    (self.kind, self.words, self.children) = (kind, words, children)
  }

  /// All words that are shown in it.
  package var allWords: String {
    ([words] + children.filter { !$0.kind.isModal }.map(\.allWords)).filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// What is said of it.
  package var spoken: String { label ?? (isHidden ? "" : ([words] + children.map(\.spoken)).joined(words: " ")) }

  /// It and everything in it, from the outside inwards.
  package var all: [Node] { [self] + children.flatMap(\.all) }

  /// The part that a person can reach now: what covers the rest, or everything.
  package var reachable: Node {
    for child in children.reversed() {
      let inner = child.reachable
      if inner.kind.isModal { return inner }
    }
    return self
  }

  package func first(_ matches: (Node) -> Bool) -> Node? {
    if matches(self) { return self }
    for child in children { if let found = child.first(matches) { return found } }
    return nil
  }
}

extension [String] {
  func joined(words separator: String) -> String { filter { !$0.isEmpty }.joined(separator: separator) }
}

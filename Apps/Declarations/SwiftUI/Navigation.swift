public import Foundation

/// https://developer.apple.com/documentation/swiftui/navigationstack
public struct NavigationStack<Data, Root: View>: View, Drawn {
  public typealias Body = Never
  private let root: Root

  /// What was pushed covers what is below it.
  func nodes(_ context: Context) -> [Node] {
    let pushed: Pushed = context.stage.kept(context.path + "#pushed") { Pushed() }
    var inner = context.under("root")
    inner.environment.navigation = pushed
    var node = Node(.navigation, children: evaluate(root, inner))
    for (place, view) in pushed.views.enumerated() {
      var above = context.under("pushed \(place)")
      above.environment.navigation = pushed
      above.environment.dismissing = { pushed.views.removeLast(max(0, pushed.views.count - place)) }
      var covering = Node(.pushed, children: evaluate(view(), above))
      covering.acts["back"] = above.environment.dismissing
      node.children = [covering]
    }
    return [node]
  }
}

extension NavigationStack where Data == NavigationPath {
  public init(@ViewBuilder root: () -> Root) { self.root = root() }
}

/// https://developer.apple.com/documentation/swiftui/navigationpath
public struct NavigationPath { public init() {} }

/// What a stack of screens has above its root.
@MainActor final class Pushed {
  var views: [@MainActor () -> any View] = []
}

private struct PushedKey: EnvironmentKey { static var defaultValue: Pushed? { nil } }
private struct SubmitKey: EnvironmentKey { static var defaultValue: (@MainActor () -> Void)? { nil } }

extension EnvironmentValues {
  var navigation: Pushed? {
    get { self[PushedKey.self] }
    set { self[PushedKey.self] = newValue }
  }
  var submitting: (@MainActor () -> Void)? {
    get { self[SubmitKey.self] }
    set { self[SubmitKey.self] = newValue }
  }
}

/// https://developer.apple.com/documentation/swiftui/navigationlink
public struct NavigationLink<Label: View, Destination: View>: View, Drawn {
  public typealias Body = Never
  private let destination: () -> Destination
  private let label: Label

  public init(@ViewBuilder destination: @escaping () -> Destination, @ViewBuilder label: () -> Label) {
    (self.destination, self.label) = (destination, label())
  }

  func nodes(_ context: Context) -> [Node] {
    var node = Node(.link, children: evaluate(label, context.under("label")))
    let pushed = context.environment.navigation
    let destination = destination
    if let pushed { node.acts["tap"] = { pushed.views.append { destination() } } }
    node.isEnabled = context.environment.isEnabled && pushed != nil
    return [node]
  }
}

extension NavigationLink where Label == Text {
  public init<S: StringProtocol>(_ title: S, @ViewBuilder destination: @escaping () -> Destination) {
    self.init(destination: destination) { Text(title) }
  }
}

/// https://developer.apple.com/documentation/swiftui/link
public struct Link<Label: View>: View, Drawn {
  public typealias Body = Never
  private let destination: URL
  private let label: Label

  public init(destination: URL, @ViewBuilder label: () -> Label) {
    (self.destination, self.label) = (destination, label())
  }

  func nodes(_ context: Context) -> [Node] {
    var node = Node(.link, children: evaluate(label, context.under("label")))
    let (destination, open) = (destination, context.environment.openURL)
    node.acts["tap"] = { open(destination) { _ in } }
    node.isEnabled = context.environment.isEnabled
    return [node]
  }
}

extension Link where Label == Text {
  public init<S: StringProtocol>(_ title: S, destination: URL) { self.init(destination: destination) { Text(title) } }
}

/// https://developer.apple.com/documentation/swiftui/tabcontent
@MainActor @preconcurrency public protocol TabContent<TabValue> {
  associatedtype TabValue: Hashable
}

@MainActor protocol DrawnTab {
  func button(_ context: Context) -> Node
  func content(_ context: Context) -> [Node]
}

/// https://developer.apple.com/documentation/swiftui/defaulttablabel
public struct DefaultTabLabel: View {
  let title: String
  public var body: some View { Text(title) }
}

/// https://developer.apple.com/documentation/swiftui/tab
public struct Tab<Value, Content, Label> {
  let value: Value
  let inside: Content
  let label: Label
  let name: String
}

extension Tab: TabContent, DrawnTab where Value: Hashable, Content: View, Label: View {
  public typealias TabValue = Value
  func button(_ context: Context) -> Node {
    var node = Node(.tab, children: evaluate(label, context.under("label")))
    node.tag = AnyHashable(value)
    node.identifier = "tab.\(value)"
    return node
  }
  func content(_ context: Context) -> [Node] { evaluate(inside, context.under("\(value)")) }
}

extension Tab where Value: Hashable, Content: View, Label == DefaultTabLabel {
  /// https://developer.apple.com/documentation/swiftui/tab/init(_:systemimage:value:content:)
  public init<S: StringProtocol>(
    _ title: S, systemImage: String, value: Value, @ViewBuilder content: () -> Content
  ) {
    (self.value, inside, label, name) = (value, content(), DefaultTabLabel(title: String(title)), systemImage)
  }
}

/// https://developer.apple.com/documentation/swiftui/tabcontentbuilder
@resultBuilder public struct TabContentBuilder<TabValue: Hashable> {
  /// The tabs of a tab view. https://developer.apple.com/documentation/swiftui/tabcontentbuilder/content
  public struct Content<C> {
    let tabs: C
  }
  public static func buildExpression<C: TabContent>(_ content: C) -> C where C.TabValue == TabValue { content }
  public static func buildBlock<C: TabContent>(_ content: C) -> C where C.TabValue == TabValue { content }
  @MainActor
  public static func buildBlock<C0: TabContent, C1: TabContent, C2: TabContent, C3: TabContent, C4: TabContent>(
    _ c0: C0, _ c1: C1, _ c2: C2, _ c3: C3, _ c4: C4
  ) -> some TabContent<TabValue>
  where
    C0.TabValue == TabValue, C1.TabValue == TabValue, C2.TabValue == TabValue, C3.TabValue == TabValue,
    C4.TabValue == TabValue
  { Tabs<TabValue>(all: [c0, c1, c2, c3, c4]) }
}

/// Several tabs, one after the other.
struct Tabs<TabValue: Hashable>: TabContent {
  let all: [Any]
}

extension TabContentBuilder.Content: View, Drawn where C: TabContent {
  public typealias Body = Never
  func nodes(_ context: Context) -> [Node] { [] }
  @MainActor var all: [any DrawnTab] {
    ((tabs as? Tabs<C.TabValue>)?.all ?? [tabs]).compactMap { $0 as? any DrawnTab }
  }
}

/// https://developer.apple.com/documentation/swiftui/tabview
public struct TabView<SelectionValue: Hashable, Content: View>: View, Drawn {
  public typealias Body = Never
  private let selection: Binding<SelectionValue>
  private let tabs: [any DrawnTab]

  public init<C: TabContent>(
    selection: Binding<SelectionValue>, @TabContentBuilder<SelectionValue> content: () -> C
  ) where Content == TabContentBuilder<SelectionValue>.Content<C>, C.TabValue == SelectionValue {
    self.selection = selection
    tabs = Content(tabs: content()).all
  }

  func nodes(_ context: Context) -> [Node] {
    let selection = selection
    var bar: [Node] = []
    var shown: [Node] = []
    for tab in tabs {
      var button = tab.button(context)
      guard let value = button.tag?.base as? SelectionValue else { continue }
      button.isSelected = value == selection.wrappedValue
      button.acts["tap"] = { selection.wrappedValue = value }
      bar.append(button)
      if button.isSelected { shown = tab.content(context) }
    }
    return [Node(.tabs, children: shown + bar)]
  }
}

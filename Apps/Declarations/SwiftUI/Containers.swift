public import Foundation

/// https://developer.apple.com/documentation/swiftui/alignment and its parts
public struct HorizontalAlignment: Equatable, Sendable {
  let name: String
  public static let leading = HorizontalAlignment(name: "leading")
  public static let center = HorizontalAlignment(name: "center")
  public static let trailing = HorizontalAlignment(name: "trailing")
}

public struct VerticalAlignment: Equatable, Sendable {
  let name: String
  public static let top = VerticalAlignment(name: "top")
  public static let center = VerticalAlignment(name: "center")
  public static let bottom = VerticalAlignment(name: "bottom")
  public static let firstTextBaseline = VerticalAlignment(name: "first baseline")
}

public struct Alignment: Equatable, Sendable {
  let name: String
  public static let center = Alignment(name: "center")
  public static let leading = Alignment(name: "leading")
  public static let trailing = Alignment(name: "trailing")
  public static let topLeading = Alignment(name: "top leading")
  public static let bottom = Alignment(name: "bottom")
}

/// https://developer.apple.com/documentation/swiftui/axis
public enum Axis: Int8, CaseIterable, Sendable { case horizontal, vertical }

/// https://developer.apple.com/documentation/swiftui/hstack
public struct HStack<Content: View>: View, Drawn {
  public typealias Body = Never
  private let content: Content
  public init(alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {
    self.content = content()
  }
  func nodes(_ context: Context) -> [Node] { [Node(.row, children: evaluate(content, context.under("row")))] }
}

/// https://developer.apple.com/documentation/swiftui/vstack
public struct VStack<Content: View>: View, Drawn {
  public typealias Body = Never
  private let content: Content
  public init(alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {
    self.content = content()
  }
  func nodes(_ context: Context) -> [Node] { [Node(.column, children: evaluate(content, context.under("column")))] }
}

/// https://developer.apple.com/documentation/swiftui/lazyvstack
public struct LazyVStack<Content: View>: View, Drawn {
  public typealias Body = Never
  private let content: Content
  public init(alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {
    self.content = content()
  }
  func nodes(_ context: Context) -> [Node] { [Node(.column, children: evaluate(content, context.under("column")))] }
}

/// https://developer.apple.com/documentation/swiftui/scrollview
public struct ScrollView<Content: View>: View, Drawn {
  public typealias Body = Never
  public var content: Content
  public init(@ViewBuilder content: () -> Content) { self.content = content() }
  func nodes(_ context: Context) -> [Node] { [Node(.scroll, children: evaluate(content, context.under("scroll")))] }
}

/// https://developer.apple.com/documentation/swiftui/list
public struct List<SelectionValue: Hashable, Content: View>: View, Drawn {
  public typealias Body = Never
  private let content: Content
  func nodes(_ context: Context) -> [Node] { [Node(.list, children: evaluate(content, context.under("list")))] }
}

extension List where SelectionValue == Never {
  public init(@ViewBuilder content: () -> Content) { self.content = content() }
}

/// https://developer.apple.com/documentation/swiftui/form
public struct Form<Content: View>: View, Drawn {
  public typealias Body = Never
  private let content: Content
  public init(@ViewBuilder content: () -> Content) { self.content = content() }
  func nodes(_ context: Context) -> [Node] { [Node(.form, children: evaluate(content, context.under("form")))] }
}

/// https://developer.apple.com/documentation/swiftui/section
public struct Section<Parent, Content, Footer> {
  let header: Parent
  let content: Content
  let footer: Footer
}

extension Section: View, Drawn where Parent: View, Content: View, Footer: View {
  public typealias Body = Never
  public init(
    @ViewBuilder content: () -> Content, @ViewBuilder header: () -> Parent, @ViewBuilder footer: () -> Footer
  ) { (self.header, self.content, self.footer) = (header(), content(), footer()) }

  func nodes(_ context: Context) -> [Node] {
    let top = evaluate(header, context.under("header")).map { node in
      var heading = node
      heading.traits.insert(.isHeader)
      return heading
    }
    let rest = evaluate(content, context.under("content")) + evaluate(footer, context.under("footer"))
    return [Node(.section, children: top + rest)]
  }
}

extension Section where Parent == Text, Content: View, Footer == EmptyView {
  public init<S: StringProtocol>(_ title: S, @ViewBuilder content: () -> Content) {
    (header, self.content, footer) = (Text(title), content(), EmptyView())
  }
}

extension Section where Parent == EmptyView, Content: View, Footer: View {
  public init(@ViewBuilder content: () -> Content, @ViewBuilder footer: () -> Footer) {
    (header, self.content, self.footer) = (EmptyView(), content(), footer())
  }
}

extension Section where Parent == EmptyView, Content: View, Footer == EmptyView {
  public init(@ViewBuilder content: () -> Content) {
    (header, self.content, footer) = (EmptyView(), content(), EmptyView())
  }
}

/// https://developer.apple.com/documentation/swiftui/disclosuregroup
public struct DisclosureGroup<Label: View, Content: View>: View, Drawn {
  public typealias Body = Never
  private let label: Label
  private let content: () -> Content

  public init(@ViewBuilder content: @escaping () -> Content, @ViewBuilder label: () -> Label) {
    (self.content, self.label) = (content, label())
  }

  func nodes(_ context: Context) -> [Node] {
    let isOpen = context.stage.flag(context.path + "#open")
    let title = evaluate(label, context.under("label"))
    var node = Node(.disclosure, children: isOpen.value ? evaluate(content(), context.under("content")) : [])
    node.label = title.map(\.spoken).joined(words: " ")
    node.value = isOpen.value ? "open" : "closed"
    node.acts["tap"] = { isOpen.value.toggle() }
    node.isEnabled = context.environment.isEnabled
    return [node]
  }
}

extension DisclosureGroup where Label == Text {
  public init<S: StringProtocol>(_ label: S, @ViewBuilder content: @escaping () -> Content) {
    self.init(content: content) { Text(label) }
  }
}

/// https://developer.apple.com/documentation/swiftui/spacer
public struct Spacer: View, Drawn {
  public typealias Body = Never
  public init(minLength: CGFloat? = nil) {}
  func nodes(_ context: Context) -> [Node] { [] }
}

/// https://developer.apple.com/documentation/swiftui/divider
public struct Divider: View, Drawn {
  public typealias Body = Never
  public init() {}
  func nodes(_ context: Context) -> [Node] { [] }
}

/// https://developer.apple.com/documentation/swiftui/text
public struct Text: View, Drawn, Equatable, Sendable {
  public typealias Body = Never
  let words: String
  public nonisolated init(verbatim content: String) { words = content }
  public nonisolated init<S: StringProtocol>(_ content: S) { words = String(content) }
  public nonisolated static func == (left: Text, right: Text) -> Bool { left.words == right.words }
  func nodes(_ context: Context) -> [Node] { [Node(.text, words)] }
}

/// https://developer.apple.com/documentation/swiftui/image
public struct Image: View, Drawn, Equatable, Sendable {
  public enum Scale: Hashable, Sendable { case small, medium, large }
  enum Source: Equatable, Sendable {
    case symbol(String)
    case picture(bytes: Int)
  }
  let source: Source
  let isDecorative: Bool
  public nonisolated init(systemName: String) { (source, isDecorative) = (.symbol(systemName), false) }
  /// A picture of so many bytes, as UIKit's part of this framework makes one.
  package nonisolated init(pictureOf bytes: Int) { (source, isDecorative) = (.picture(bytes: bytes), false) }
  public func resizable() -> Image { self }
  public nonisolated static func == (left: Image, right: Image) -> Bool { left.source == right.source }
  func nodes(_ context: Context) -> [Node] {
    switch source {
    case .symbol(let name): [Node(.image, name)]
    case .picture(let bytes): [Node(.picture, "\(bytes) bytes")]
    }
  }
}

/// https://developer.apple.com/documentation/swiftui/label
public struct Label<Title, Icon> {
  let title: Title
  let icon: Icon
}

extension Label: View, Drawn where Title: View, Icon: View {
  public typealias Body = Never
  public init(@ViewBuilder title: () -> Title, @ViewBuilder icon: () -> Icon) {
    (self.title, self.icon) = (title(), icon())
  }
  /// A label is read by its title; its icon adds nothing to that.
  func nodes(_ context: Context) -> [Node] { evaluate(title, context.under("title")) }
}

extension Label where Title == Text, Icon == Image {
  public init<S: StringProtocol>(_ title: S, systemImage name: String) {
    (self.title, icon) = (Text(title), Image(systemName: name))
  }
}

/// https://developer.apple.com/documentation/swiftui/labeledcontent
public struct LabeledContent<Label, Content> {
  let label: Label
  let content: Content
}

extension LabeledContent: View, Drawn where Label: View, Content: View {
  public typealias Body = Never
  public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label) {
    (self.label, self.content) = (label(), content())
  }
  func nodes(_ context: Context) -> [Node] {
    let parts = evaluate(label, context.under("label")) + evaluate(content, context.under("content"))
    return [Node(.row, children: parts)]
  }
}

extension LabeledContent where Label == Text, Content == Text {
  public init<S1: StringProtocol, S2: StringProtocol>(_ title: S1, value: S2) {
    (label, content) = (Text(title), Text(value))
  }
}

extension LabeledContent where Label == Text, Content: View {
  public init<S: StringProtocol>(_ title: S, @ViewBuilder content: () -> Content) {
    (label, self.content) = (Text(title), content())
  }
}

/// https://developer.apple.com/documentation/swiftui/contentunavailableview
public struct ContentUnavailableView<Label, Description, Actions>: View, Drawn
where Label: View, Description: View, Actions: View {
  public typealias Body = Never
  private let label: Label
  private let description: Description
  private let actions: Actions

  public init(
    @ViewBuilder label: () -> Label, @ViewBuilder description: () -> Description = { EmptyView() },
    @ViewBuilder actions: () -> Actions = { EmptyView() }
  ) { (self.label, self.description, self.actions) = (label(), description(), actions()) }

  func nodes(_ context: Context) -> [Node] {
    let parts =
      evaluate(label, context.under("label")) + evaluate(description, context.under("description"))
      + evaluate(actions, context.under("actions"))
    return [Node(.column, children: parts)]
  }
}

extension ContentUnavailableView
where Label == SwiftUI.Label<Text, Image>, Description == Text?, Actions == EmptyView {
  public init<S: StringProtocol>(_ title: S, systemImage name: String, description: Text? = nil) {
    self.init(
      label: { SwiftUI.Label(title, systemImage: name) }, description: { description }, actions: { EmptyView() })
  }
}

/// https://developer.apple.com/documentation/swiftui/progressview
public struct ProgressView<Label, CurrentValueLabel> {
  let share: Double?
  let label: Label?
}

extension ProgressView: View, Drawn where Label: View, CurrentValueLabel: View {
  public typealias Body = Never
  func nodes(_ context: Context) -> [Node] {
    var node = Node(.progress, children: label.map { evaluate($0, context.under("label")) } ?? [])
    node.value = share.map { "\(Int(($0 * 100).rounded())) %" }
    return [node]
  }
}

extension ProgressView where Label == Text, CurrentValueLabel == EmptyView {
  public init<S: StringProtocol>(_ title: S) { (share, label) = (nil, Text(title)) }
  public init<S: StringProtocol, V: BinaryFloatingPoint>(_ title: S, value: V?, total: V = 1.0) {
    (share, label) = (value.map { Double($0 / total) }, Text(title))
  }
}

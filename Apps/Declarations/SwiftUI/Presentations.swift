public import Foundation
public import UniformTypeIdentifiers

extension View {
  /// https://developer.apple.com/documentation/swiftui/view/sheet(ispresented:ondismiss:content:)
  public func sheet<Content: View>(
    isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> Content
  ) -> some View {
    Presenting(content: self, isPresented: isPresented) { context, dismiss in
      var inner = context.under("sheet")
      inner.environment.dismissing = dismiss
      var node = Node(.sheet, children: evaluate(content(), inner))
      node.acts["dismiss"] = dismiss
      return node
    }
  }

  /// Not there on the Mac. https://developer.apple.com/documentation/swiftui/view/fullscreencover(ispresented:ondismiss:content:)
  public func fullScreenCover<Content: View>(
    isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> Content
  ) -> some View {
    sheet(isPresented: isPresented, onDismiss: onDismiss, content: content)
  }

  /// https://developer.apple.com/documentation/swiftui/view/alert(_:ispresented:presenting:actions:message:)
  public func alert<S: StringProtocol, A: View, M: View, T>(
    _ title: S, isPresented: Binding<Bool>, presenting data: T?, @ViewBuilder actions: (T) -> A,
    @ViewBuilder message: (T) -> M
  ) -> some View {
    dialogue(.alert, String(title), isPresented, data.map(actions), data.map(message))
  }

  /// https://developer.apple.com/documentation/swiftui/view/confirmationdialog(_:ispresented:titlevisibility:presenting:actions:message:)
  public func confirmationDialog<S: StringProtocol, A: View, M: View, T>(
    _ title: S, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic, presenting data: T?,
    @ViewBuilder actions: (T) -> A, @ViewBuilder message: (T) -> M
  ) -> some View {
    dialogue(.dialog, String(title), isPresented, data.map(actions), data.map(message))
  }

  /// Every button of a dialogue also closes it.
  private func dialogue(
    _ kind: Node.Kind, _ title: String, _ isPresented: Binding<Bool>, _ actions: some View, _ message: some View
  ) -> some View {
    Presenting(content: self, isPresented: isPresented) { context, dismiss in
      let buttons = evaluate(actions, context.under("actions")).map { button in
        var button = button
        if let tap = button.acts["tap"] {
          button.acts["tap"] = {
            dismiss()
            tap()
          }
        }
        return button
      }
      return Node(kind, title, children: evaluate(message, context.under("message")) + buttons)
    }
  }

  /// https://developer.apple.com/documentation/swiftui/view/fileimporter(ispresented:allowedcontenttypes:allowsmultipleselection:oncompletion:)
  public func fileImporter(
    isPresented: Binding<Bool>, allowedContentTypes: [UTType], allowsMultipleSelection: Bool,
    onCompletion: @escaping (Result<[URL], any Error>) -> Void
  ) -> some View {
    Presenting(content: self, isPresented: isPresented) { _, dismiss in
      var node = Node(.importer, allowedContentTypes.map(\.identifier).joined(separator: " "))
      node.give = { files in
        dismiss()
        onCompletion(.success(files))
      }
      node.acts["dismiss"] = dismiss
      return node
    }
  }
}

/// https://developer.apple.com/documentation/swiftui/visibility
public enum Visibility: Hashable, CaseIterable, Sendable { case automatic, visible, hidden }

/// A view with something above it while a binding is true.
struct Presenting<Content: View>: Drawn {
  let content: Content
  let isPresented: Binding<Bool>
  let above: @MainActor (Context, @escaping @MainActor () -> Void) -> Node

  func nodes(_ context: Context) -> [Node] {
    let below = evaluate(content, context.under("below"))
    guard isPresented.wrappedValue else { return below }
    let isPresented = isPresented
    return below + [above(context.under("above")) { isPresented.wrappedValue = false }]
  }
}

/// https://developer.apple.com/documentation/swiftui/toolbaritemplacement
public struct ToolbarItemPlacement: Sendable {
  public static let automatic = ToolbarItemPlacement()
  public static let primaryAction = ToolbarItemPlacement()
  public static let confirmationAction = ToolbarItemPlacement()
  public static let cancellationAction = ToolbarItemPlacement()
}

/// https://developer.apple.com/documentation/swiftui/toolbarcontent
@MainActor @preconcurrency public protocol ToolbarContent {}

@MainActor protocol DrawnToolbar: ToolbarContent {
  func items(_ context: Context) -> [Node]
}

/// https://developer.apple.com/documentation/swiftui/toolbaritem
public struct ToolbarItem<ID, Content: View>: ToolbarContent, DrawnToolbar {
  private let content: Content
  func items(_ context: Context) -> [Node] { evaluate(content, context) }
}

extension ToolbarItem where ID == () {
  public init(placement: ToolbarItemPlacement = .automatic, @ViewBuilder content: () -> Content) {
    self.content = content()
  }
}

/// https://developer.apple.com/documentation/swiftui/toolbarcontentbuilder
@resultBuilder public struct ToolbarContentBuilder {
  public struct Items: ToolbarContent, DrawnToolbar {
    let all: [any DrawnToolbar]
    func items(_ context: Context) -> [Node] {
      all.enumerated().flatMap { $0.element.items(context.under("\($0.offset)")) }
    }
  }
  public static func buildExpression<Content: ToolbarContent>(_ content: Content) -> Content { content }
  @MainActor public static func buildBlock<each Content: ToolbarContent>(_ content: repeat each Content) -> Items {
    var all: [any DrawnToolbar] = []
    for item in repeat each content { if let item = item as? any DrawnToolbar { all.append(item) } }
    return Items(all: all)
  }
}

extension View {
  /// https://developer.apple.com/documentation/swiftui/view/toolbar(content:)
  public func toolbar<Content: ToolbarContent>(@ToolbarContentBuilder content: () -> Content) -> some View {
    Beside(content: self, kind: .toolbar, comesFirst: true) { [content = content()] context in
      (content as? any DrawnToolbar)?.items(context) ?? []
    }
  }

  /// https://developer.apple.com/documentation/swiftui/view/swipeactions(edge:allowsfullswipe:content:)
  public func swipeActions<T: View>(
    edge: HorizontalEdge = .trailing, allowsFullSwipe: Bool = true, @ViewBuilder content: () -> T
  ) -> some View {
    Beside(content: self, kind: .group, comesFirst: false) { [content = content()] in evaluate(content, $0) }
  }

  /// https://developer.apple.com/documentation/swiftui/view/safeareainset(edge:alignment:spacing:content:)
  public func safeAreaInset<V: View>(
    edge: VerticalEdge, alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil,
    @ViewBuilder content: () -> V
  ) -> some View {
    Beside(content: self, kind: .group, comesFirst: edge == .top) { [content = content()] in evaluate(content, $0) }
  }

  /// https://developer.apple.com/documentation/swiftui/view/searchable(text:placement:prompt:)
  public func searchable<S: StringProtocol>(
    text: Binding<String>, placement: SearchFieldPlacement = .automatic, prompt: S
  ) -> some View {
    Beside(content: self, kind: .group, comesFirst: true) { context in
      var node = TextField<Text>.field(.search, String(prompt), text, context)
      node.identifier = "search"
      return [node]
    }
  }
}

/// https://developer.apple.com/documentation/swiftui/searchfieldplacement
public struct SearchFieldPlacement: Sendable {
  public static let automatic = SearchFieldPlacement()
}

/// https://developer.apple.com/documentation/swiftui/horizontaledge and verticaledge
public enum HorizontalEdge: Int8, Sendable { case leading, trailing }
public enum VerticalEdge: Int8, Sendable { case top, bottom }

/// A view with something around it.
struct Beside<Content: View>: Drawn {
  let content: Content
  let kind: Node.Kind
  let comesFirst: Bool
  let other: @MainActor (Context) -> [Node]

  func nodes(_ context: Context) -> [Node] {
    let (inner, outer) = (evaluate(content, context.under("main")), other(context.under("beside")))
    guard !outer.isEmpty else { return inner }
    return comesFirst ? [Node(kind, children: outer)] + inner : inner + [Node(kind, children: outer)]
  }
}

/// A part of what a screen shows. https://developer.apple.com/documentation/swiftui/view
@MainActor @preconcurrency public protocol View {
  associatedtype Body: View
  @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
  public var body: Never { fatalError("A view of the system has no body.") }
}

/// A view of the system: here it says itself what it comes to.
@MainActor protocol Drawn: View where Body == Never {
  func nodes(_ context: Context) -> [Node]
}

extension View where Body == Never {
  public var body: Never { fatalError("A view of the system has no body.") }
}

/// https://developer.apple.com/documentation/swiftui/emptyview
public struct EmptyView: View, Drawn {
  public nonisolated init() {}
  func nodes(_ context: Context) -> [Node] { [] }
}

/// https://developer.apple.com/documentation/swiftui/anyview
public struct AnyView: View, Drawn {
  private let view: any View
  public init(_ view: some View) { self.view = view }
  func nodes(_ context: Context) -> [Node] { evaluate(view, context.under("any")) }
}

/// https://developer.apple.com/documentation/swiftui/tupleview
public struct TupleView<T>: View, Drawn {
  public var value: T
  let views: [any View]
  func nodes(_ context: Context) -> [Node] {
    var all: [Node] = []
    for (place, view) in views.enumerated() { all += evaluate(view, context.under("\(place)")) }
    return all
  }
}

public struct _ConditionalContent<TrueContent, FalseContent> {
  enum Storage {
    case first(TrueContent)
    case second(FalseContent)
  }
  let storage: Storage
}

extension _ConditionalContent: View, Drawn where TrueContent: View, FalseContent: View {
  public typealias Body = Never
  func nodes(_ context: Context) -> [Node] {
    switch storage {
    case .first(let view): evaluate(view, context.under("yes"))
    case .second(let view): evaluate(view, context.under("no"))
    }
  }
}

extension Optional: View where Wrapped: View {
  public typealias Body = Never
}

extension Optional: Drawn where Wrapped: View {
  func nodes(_ context: Context) -> [Node] { map { evaluate($0, context.under("some")) } ?? [] }
}

/// https://developer.apple.com/documentation/swiftui/viewbuilder
@resultBuilder public struct ViewBuilder {
  public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock() -> EmptyView { EmptyView() }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  @MainActor public static func buildBlock<each Content: View>(
    _ content: repeat each Content
  ) -> TupleView<(repeat each Content)> {
    var views: [any View] = []
    for view in repeat each content { views.append(view) }
    return TupleView(value: (repeat each content), views: views)
  }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
  public static func buildEither<TrueContent: View, FalseContent: View>(
    first: TrueContent
  ) -> _ConditionalContent<TrueContent, FalseContent> { _ConditionalContent(storage: .first(first)) }
  public static func buildEither<TrueContent: View, FalseContent: View>(
    second: FalseContent
  ) -> _ConditionalContent<TrueContent, FalseContent> { _ConditionalContent(storage: .second(second)) }
  @MainActor public static func buildLimitedAvailability<Content: View>(_ content: Content) -> AnyView {
    AnyView(content)
  }
}

/// https://developer.apple.com/documentation/swiftui/group
public struct Group<Content> {
  let content: Content
}

extension Group: View, Drawn where Content: View {
  public typealias Body = Never
  public init(@ViewBuilder content: () -> Content) { self.content = content() }
  func nodes(_ context: Context) -> [Node] { evaluate(content, context.under("group")) }
}

/// https://developer.apple.com/documentation/swiftui/foreach
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {
  public var data: Data
  public var content: (Data.Element) -> Content
  let id: (Data.Element) -> ID
}

extension ForEach: View, Drawn where Content: View {
  public typealias Body = Never
  public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content)
  where Data.Element: Identifiable, ID == Data.Element.ID {
    self.init(data: data, content: content, id: { $0.id })
  }
  public init(_ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content) {
    self.init(data: data, content: content, id: { $0[keyPath: id] })
  }
  func nodes(_ context: Context) -> [Node] {
    data.flatMap { evaluate(content($0), context.under("\(id($0))")) }
  }
}

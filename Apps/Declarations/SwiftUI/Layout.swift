public import Foundation

/// How views are arranged: here only whether side by side or one below the other. Apple's also measures and places.
/// https://developer.apple.com/documentation/swiftui/layout
public protocol Layout: Sendable {
  @MainActor static func _kind(of layout: Self) -> _LayoutKind
}

/// Not Apple's: which node a layout makes.
public enum _LayoutKind: Sendable { case row, column }

/// https://developer.apple.com/documentation/swiftui/hstacklayout
public struct HStackLayout: Layout {
  public init(alignment: VerticalAlignment = .center, spacing: CGFloat? = nil) {}
  public static func _kind(of layout: HStackLayout) -> _LayoutKind { .row }
}

/// https://developer.apple.com/documentation/swiftui/vstacklayout
public struct VStackLayout: Layout {
  public init(alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil) {}
  public static func _kind(of layout: VStackLayout) -> _LayoutKind { .column }
}

/// Views keep their state while one layout takes the place of another. https://developer.apple.com/documentation/swiftui/anylayout
public struct AnyLayout: Layout {
  private let kind: @MainActor @Sendable () -> _LayoutKind
  public init<L: Layout>(_ layout: L) { kind = { L._kind(of: layout) } }
  public static func _kind(of layout: AnyLayout) -> _LayoutKind { layout.kind() }
}

extension Layout {
  /// https://developer.apple.com/documentation/swiftui/layout/callasfunction(_:)
  @MainActor public func callAsFunction<V: View>(@ViewBuilder _ content: () -> V) -> some View {
    Arranged(kind: Self._kind(of: self), content: content())
  }
}

private struct Arranged<Content: View>: View, Drawn {
  typealias Body = Never
  let kind: _LayoutKind
  let content: Content
  func nodes(_ context: Context) -> [Node] {
    [Node(kind == .row ? .row : .column, children: evaluate(content, context.under("arranged")))]
  }
}

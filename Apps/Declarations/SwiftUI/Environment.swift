public import Foundation
public import Observation

/// https://developer.apple.com/documentation/swiftui/environmentkey
public protocol EnvironmentKey {
  associatedtype Value
  static var defaultValue: Value { get }
}

/// https://developer.apple.com/documentation/swiftui/environmentvalues
public struct EnvironmentValues {
  private var values: [ObjectIdentifier: Any] = [:]

  public init() {}

  public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
    get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
    set { values[ObjectIdentifier(key)] = newValue }
  }

  subscript<Object: AnyObject>(object type: Object.Type) -> Object? {
    get { values[ObjectIdentifier(type)] as? Object }
    set { values[ObjectIdentifier(type)] = newValue }
  }
}

/// https://developer.apple.com/documentation/swiftui/environment
@propertyWrapper public struct Environment<Value>: DynamicProperty, Installed {
  private final class Slot {
    var value: Value?
  }
  private let slot = Slot()
  private let read: (EnvironmentValues) -> Value

  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { read = { $0[keyPath: keyPath] } }

  public init(_ objectType: Value.Type) where Value: AnyObject, Value: Observable {
    read = { values in
      guard let object = values[object: objectType] else {
        preconditionFailure("No \(objectType) stands in the environment of this view.")
      }
      return object
    }
  }

  @MainActor public var wrappedValue: Value { slot.value ?? read(EnvironmentValues()) }

  func install(_ context: Context, as name: String) { slot.value = read(context.environment) }
}

extension View {
  /// https://developer.apple.com/documentation/swiftui/view/environment(_:_:)
  public func environment<V>(_ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V) -> some View {
    Surrounded(content: self) { $0.environment[keyPath: keyPath] = value }
  }

  /// https://developer.apple.com/documentation/swiftui/view/environment(_:)
  public func environment<T: AnyObject & Observable>(_ object: T?) -> some View {
    Surrounded(content: self) { $0.environment[object: T.self] = object }
  }
}

/// A view in another context: with other values in its environment.
struct Surrounded<Content: View>: Drawn {
  let content: Content
  let change: @MainActor (inout Context) -> Void

  func nodes(_ context: Context) -> [Node] {
    var inner = context.under("in")
    change(&inner)
    return evaluate(content, inner)
  }
}

// MARK: Values that the system sets

/// https://developer.apple.com/documentation/swiftui/scenephase
public enum ScenePhase: Comparable, Hashable, Sendable { case background, inactive, active }

/// https://developer.apple.com/documentation/swiftui/dismissaction
@MainActor @preconcurrency public struct DismissAction {
  private let dismiss: @MainActor () -> Void
  nonisolated init(_ dismiss: @escaping @MainActor () -> Void) { self.dismiss = dismiss }
  public func callAsFunction() { dismiss() }
}

/// https://developer.apple.com/documentation/swiftui/openurlaction
@MainActor @preconcurrency public struct OpenURLAction {
  public struct Result: Equatable, Sendable {
    let isHandled: Bool
    public static let handled = Result(isHandled: true)
    public static let discarded = Result(isHandled: false)
  }
  private let handler: @MainActor (URL) -> Result
  public nonisolated init(handler: @escaping @MainActor (URL) -> Result) { self.handler = handler }
  public func callAsFunction(_ url: URL, completion: @escaping (_ accepted: Bool) -> Void) {
    completion(handler(url) == .handled)
  }
}

/// https://developer.apple.com/documentation/swiftui/dynamictypesize
public enum DynamicTypeSize: Hashable, Comparable, CaseIterable, Sendable {
  case xSmall, small, medium, large, xLarge, xxLarge, xxxLarge
  case accessibility1, accessibility2, accessibility3, accessibility4, accessibility5
  public var isAccessibilitySize: Bool { self >= .accessibility1 }
}

private struct LocaleKey: EnvironmentKey { static var defaultValue: Locale { Locale(identifier: "en") } }
private struct PhaseKey: EnvironmentKey { static var defaultValue: ScenePhase { .active } }
private struct MotionKey: EnvironmentKey { static var defaultValue: Bool { false } }
private struct EnabledKey: EnvironmentKey { static var defaultValue: Bool { true } }
private struct TypeSizeKey: EnvironmentKey { static var defaultValue: DynamicTypeSize { .large } }
private struct OpenURLKey: EnvironmentKey {
  static var defaultValue: OpenURLAction { OpenURLAction { _ in .discarded } }
}
private struct DismissKey: EnvironmentKey {
  static var defaultValue: @MainActor () -> Void { {} }
}

extension EnvironmentValues {
  public var locale: Locale {
    get { self[LocaleKey.self] }
    set { self[LocaleKey.self] = newValue }
  }
  public var scenePhase: ScenePhase {
    get { self[PhaseKey.self] }
    set { self[PhaseKey.self] = newValue }
  }
  public var isEnabled: Bool {
    get { self[EnabledKey.self] }
    set { self[EnabledKey.self] = newValue }
  }
  public var dynamicTypeSize: DynamicTypeSize {
    get { self[TypeSizeKey.self] }
    set { self[TypeSizeKey.self] = newValue }
  }
  /// Read only, as the person has set it; a stage sets what stands behind it.
  public var accessibilityReduceMotion: Bool { reducesMotion }
  package var reducesMotion: Bool {
    get { self[MotionKey.self] }
    set { self[MotionKey.self] = newValue }
  }
  public var openURL: OpenURLAction {
    get { self[OpenURLKey.self] }
    set { self[OpenURLKey.self] = newValue }
  }
  public var dismiss: DismissAction { DismissAction(dismissing) }
  var dismissing: @MainActor () -> Void {
    get { self[DismissKey.self] }
    set { self[DismissKey.self] = newValue }
  }
}

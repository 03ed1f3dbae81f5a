public import Foundation
public import Observation

/// What a view keeps between two evaluations of its body. https://developer.apple.com/documentation/swiftui/dynamicproperty
public protocol DynamicProperty {}

/// What a stage hands to a view's properties before it evaluates the body.
@MainActor protocol Installed {
  func install(_ context: Context, as name: String)
}

/// Where a value lives, for as long as its view is on the stage.
final class Location<Value> {
  var value: Value
  init(_ value: Value) { self.value = value }
}

/// https://developer.apple.com/documentation/swiftui/state
@propertyWrapper public struct State<Value>: DynamicProperty, Installed {
  private final class Slot {
    var location: Location<Value>
    init(_ value: Value) { location = Location(value) }
  }
  private let slot: Slot

  public init(wrappedValue value: Value) { slot = Slot(value) }
  public init(initialValue value: Value) { slot = Slot(value) }

  @MainActor public var wrappedValue: Value {
    get { slot.location.value }
    nonmutating set { slot.location.value = newValue }
  }

  @MainActor public var projectedValue: Binding<Value> {
    let slot = slot
    return Binding(reading: { slot.location.value }, writing: { slot.location.value = $0 })
  }

  func install(_ context: Context, as name: String) {
    slot.location = context.stage.kept("\(context.path).\(name)") { slot.location }
  }
}

extension State where Value: ExpressibleByNilLiteral {
  public init() { self.init(wrappedValue: nil) }
}

/// https://developer.apple.com/documentation/swiftui/binding
@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
  private let read: @MainActor () -> Value
  private let write: @MainActor (Value) -> Void

  /// Apple's parameters are `@escaping @isolated(any) @Sendable`; closures of a view's body are both.
  public init(get: @escaping @MainActor @Sendable () -> Value, set: @escaping @MainActor @Sendable (Value) -> Void) {
    (read, write) = (get, set)
  }

  init(reading: @escaping @MainActor () -> Value, writing: @escaping @MainActor (Value) -> Void) {
    (read, write) = (reading, writing)
  }

  @MainActor public static func constant(_ value: Value) -> Binding<Value> {
    Binding(reading: { value }, writing: { _ in })
  }

  @MainActor public var wrappedValue: Value {
    get { read() }
    nonmutating set { write(newValue) }
  }
  public var projectedValue: Binding<Value> { self }

  @MainActor public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
    Binding<Subject>(
      reading: { self.wrappedValue[keyPath: keyPath] }, writing: { self.wrappedValue[keyPath: keyPath] = $0 })
  }
}

/// https://developer.apple.com/documentation/swiftui/bindable
@propertyWrapper @dynamicMemberLookup public struct Bindable<Value> {
  public var wrappedValue: Value
  public var projectedValue: Bindable<Value> { self }

  private init(of object: Value) { wrappedValue = object }

  @available(*, unavailable, message: "The wrapped value must be an object that is Observable.")
  public init(wrappedValue: Value) { self.init(of: wrappedValue) }

  @MainActor
  public subscript<Subject>(
    dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>
  ) -> Binding<Subject> where Value: AnyObject {
    let object = wrappedValue
    return Binding<Subject>(reading: { object[keyPath: keyPath] }, writing: { object[keyPath: keyPath] = $0 })
  }
}

extension Bindable where Value: AnyObject, Value: Observable {
  public init(wrappedValue: Value) { self.init(of: wrappedValue) }
  public init(_ wrappedValue: Value) { self.init(of: wrappedValue) }
}

/// https://developer.apple.com/documentation/swiftui/focusstate
@propertyWrapper public struct FocusState<Value: Hashable>: DynamicProperty, Installed {
  @propertyWrapper public struct Binding {
    let focus: SwiftUI.Binding<Value>
    @MainActor public var wrappedValue: Value {
      get { focus.wrappedValue }
      nonmutating set { focus.wrappedValue = newValue }
    }
    public var projectedValue: FocusState<Value>.Binding { self }
  }
  private let state: State<Value>

  public init() where Value == Bool { state = State(wrappedValue: false) }

  @MainActor public var wrappedValue: Value {
    get { state.wrappedValue }
    nonmutating set { state.wrappedValue = newValue }
  }
  @MainActor public var projectedValue: FocusState<Value>.Binding { Binding(focus: state.projectedValue) }
  func install(_ context: Context, as name: String) { state.install(context, as: name) }
}

/// A preference of the app. On the stage it lasts as long as the stage. https://developer.apple.com/documentation/swiftui/appstorage
@propertyWrapper public struct AppStorage<Value>: DynamicProperty, Installed {
  private let key: String
  private let state: State<Value>

  public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil) where Value == Bool {
    (self.key, state) = (key, State(wrappedValue: wrappedValue))
  }

  @MainActor public var wrappedValue: Value {
    get { state.wrappedValue }
    nonmutating set { state.wrappedValue = newValue }
  }
  @MainActor public var projectedValue: Binding<Value> { state.projectedValue }
  func install(_ context: Context, as name: String) { state.install(context.at("preferences"), as: key) }
}

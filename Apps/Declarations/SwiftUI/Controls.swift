/// https://developer.apple.com/documentation/swiftui/buttonrole
public struct ButtonRole: Equatable, Sendable {
  let name: String
  public static let destructive = ButtonRole(name: "destructive")
  public static let cancel = ButtonRole(name: "cancel")
}

/// https://developer.apple.com/documentation/swiftui/button
public struct Button<Label: View>: View, Drawn {
  public typealias Body = Never
  private let role: ButtonRole?
  private let action: @MainActor () -> Void
  private let label: Label

  public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
    (role, self.action, self.label) = (nil, action, label())
  }
  public init(role: ButtonRole?, action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
    (self.role, self.action, self.label) = (role, action, label())
  }

  func nodes(_ context: Context) -> [Node] {
    var node = Node(.button, children: evaluate(label, context.under("label")))
    node.traits = .isButton
    node.acts["tap"] = action
    node.isEnabled = context.environment.isEnabled
    return [node]
  }
}

extension Button where Label == Text {
  public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {
    self.init(action: action) { Text(title) }
  }
  public init<S: StringProtocol>(_ title: S, role: ButtonRole?, action: @escaping @MainActor () -> Void) {
    self.init(role: role, action: action) { Text(title) }
  }
}

extension Button where Label == SwiftUI.Label<Text, Image> {
  public init<S: StringProtocol>(_ title: S, systemImage: String, action: @escaping @MainActor () -> Void) {
    self.init(action: action) { SwiftUI.Label(title, systemImage: systemImage) }
  }
  public init<S: StringProtocol>(
    _ title: S, systemImage: String, role: ButtonRole?, action: @escaping @MainActor () -> Void
  ) {
    self.init(role: role, action: action) { SwiftUI.Label(title, systemImage: systemImage) }
  }
}

/// https://developer.apple.com/documentation/swiftui/toggle
public struct Toggle<Label: View>: View, Drawn {
  public typealias Body = Never
  private let isOn: Binding<Bool>
  private let label: Label

  public init(isOn: Binding<Bool>, @ViewBuilder label: () -> Label) { (self.isOn, self.label) = (isOn, label()) }

  func nodes(_ context: Context) -> [Node] {
    var node = Node(.toggle, children: evaluate(label, context.under("label")))
    let isOn = isOn
    node.value = isOn.wrappedValue ? "on" : "off"
    node.isSelected = isOn.wrappedValue
    node.acts["tap"] = { isOn.wrappedValue.toggle() }
    node.isEnabled = context.environment.isEnabled
    return [node]
  }
}

extension Toggle where Label == Text {
  public init<S: StringProtocol>(_ title: S, isOn: Binding<Bool>) { self.init(isOn: isOn) { Text(title) } }
}

/// https://developer.apple.com/documentation/swiftui/textfield
public struct TextField<Label: View>: View, Drawn {
  public typealias Body = Never
  private let text: Binding<String>
  private let title: String
  fileprivate let label: Label

  func nodes(_ context: Context) -> [Node] { [Self.field(.field, title, text, context)] }

  static func field(_ kind: Node.Kind, _ title: String, _ text: Binding<String>, _ context: Context) -> Node {
    var node = Node(kind)
    (node.label, node.value) = (title, text.wrappedValue)
    node.write = { text.wrappedValue = $0 }
    node.isEnabled = context.environment.isEnabled
    if let submit = context.environment.submitting { node.acts["submit"] = submit }
    return node
  }
}

extension TextField where Label == Text {
  public init<S: StringProtocol>(_ title: S, text: Binding<String>) {
    (self.title, self.text, label) = (String(title), text, Text(title))
  }
  /// `axis`: the field grows that way with what is written.
  public init<S: StringProtocol>(_ title: S, text: Binding<String>, axis: Axis) { self.init(title, text: text) }
}

/// https://developer.apple.com/documentation/swiftui/picker
public struct Picker<Label: View, SelectionValue: Hashable, Content: View>: View, Drawn {
  public typealias Body = Never
  private let selection: Binding<SelectionValue>
  private let label: Label
  private let content: Content

  public init(
    selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label
  ) { (self.selection, self.content, self.label) = (selection, content(), label()) }

  func nodes(_ context: Context) -> [Node] {
    var node = Node(.picker)
    node.label = evaluate(label, context.under("label")).map(\.spoken).joined(separator: " ")
    let selection = selection
    for var option in evaluate(content, context.under("options")) {
      guard let tag = option.tag?.base as? SelectionValue else { continue }
      option.isSelected = tag == selection.wrappedValue
      if option.isSelected { node.value = option.spoken }
      node.acts["choose \(option.spoken)"] = { selection.wrappedValue = tag }
      node.children.append(option)
    }
    node.isEnabled = context.environment.isEnabled
    return [node]
  }
}

extension Picker where Label == Text {
  public init<S: StringProtocol>(
    _ title: S, selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content
  ) { self.init(selection: selection, content: content) { Text(title) } }
}

extension View {
  /// https://developer.apple.com/documentation/swiftui/view/tag(_:includeoptional:)
  public func tag<V: Hashable>(_ tag: V, includeOptional: Bool = true) -> some View {
    Changed(content: self) { $0.tag = AnyHashable(tag) }
  }
}

/// https://developer.apple.com/documentation/swiftui/stepper
public struct Stepper<Label: View>: View, Drawn {
  public typealias Body = Never
  private let label: Label
  private let value: @MainActor () -> String
  private let more: @MainActor () -> Void
  private let less: @MainActor () -> Void

  func nodes(_ context: Context) -> [Node] {
    var node = Node(.stepper, children: evaluate(label, context.under("label")))
    node.value = value()
    (node.acts["more"], node.acts["less"]) = (more, less)
    node.isEnabled = context.environment.isEnabled
    return [node]
  }
}

extension Stepper where Label == Text {
  public init<S: StringProtocol, V: Strideable>(
    _ title: S, value: Binding<V>, in bounds: ClosedRange<V>, step: V.Stride = 1
  ) {
    label = Text(title)
    self.value = { "\(value.wrappedValue)" }
    more = { value.wrappedValue = min(bounds.upperBound, value.wrappedValue.advanced(by: step)) }
    less = { value.wrappedValue = max(bounds.lowerBound, value.wrappedValue.advanced(by: -step)) }
  }
}

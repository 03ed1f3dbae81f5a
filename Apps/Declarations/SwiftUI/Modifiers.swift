public import Foundation

/// https://developer.apple.com/documentation/swiftui/font
public struct Font: Hashable, Sendable {
  let name: String
  public static let largeTitle = Font(name: "largeTitle")
  public static let title2 = Font(name: "title2")
  public static let headline = Font(name: "headline")
  public static let body = Font(name: "body")
  public static let callout = Font(name: "callout")
  public static let subheadline = Font(name: "subheadline")
  public static let footnote = Font(name: "footnote")
  public static let caption = Font(name: "caption")
}

/// https://developer.apple.com/documentation/swiftui/shapestyle
public protocol ShapeStyle: Sendable {}

/// https://developer.apple.com/documentation/swiftui/color
public struct Color: ShapeStyle, Hashable {
  let name: String
  public static let primary = Color(name: "primary")
}

/// https://developer.apple.com/documentation/swiftui/hierarchicalshapestyle
public struct HierarchicalShapeStyle: ShapeStyle { init() {} }

/// https://developer.apple.com/documentation/swiftui/material
public struct Material: ShapeStyle { init() {} }

extension ShapeStyle where Self == Color {
  public static var red: Color { Color(name: "red") }
  public static var orange: Color { Color(name: "orange") }
  public static var green: Color { Color(name: "green") }
}
extension ShapeStyle where Self == HierarchicalShapeStyle {
  public static var primary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
  public static var secondary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
  public static var quaternary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
}
extension ShapeStyle where Self == Material {
  public static var bar: Material { Material() }
}

/// https://developer.apple.com/documentation/swiftui/shape
public protocol Shape: Sendable, View {}

/// A shape is no part of the tree: it has no words. https://developer.apple.com/documentation/swiftui/rectangle
public struct Rectangle: Shape, Drawn {
  public typealias Body = Never
  public nonisolated init() {}
  func nodes(_ context: Context) -> [Node] { [] }
}

/// https://developer.apple.com/documentation/swiftui/roundedrectangle
public struct RoundedRectangle: Shape, Drawn {
  public typealias Body = Never
  public nonisolated init(cornerRadius: CGFloat) {}
  func nodes(_ context: Context) -> [Node] { [] }
}

/// https://developer.apple.com/documentation/swiftui/edge/set
public enum Edge: Int8, CaseIterable, Sendable {
  case top, leading, bottom, trailing
  public struct Set: OptionSet, Sendable {
    public let rawValue: Int8
    public init(rawValue: Int8) { self.rawValue = rawValue }
    public static let top = Set(rawValue: 1)
    public static let leading = Set(rawValue: 2)
    public static let bottom = Set(rawValue: 4)
    public static let trailing = Set(rawValue: 8)
    public static let all = Set(rawValue: 15)
    public static let horizontal = Set(rawValue: 10)
    public static let vertical = Set(rawValue: 5)
  }
}

/// How things look changes nothing of the tree. https://developer.apple.com/documentation/swiftui/view-modifiers
extension View {
  public func font(_ font: Font?) -> some View { self }
  public func bold(_ isActive: Bool = true) -> some View { self }
  public func monospacedDigit() -> some View { self }
  public func foregroundStyle<S: ShapeStyle>(_ style: S) -> some View { self }
  public func background<S: ShapeStyle>(_ style: S, ignoresSafeAreaEdges edges: Edge.Set = .all) -> some View { self }
  public func background<S: ShapeStyle, T: Shape>(_ style: S, in shape: T) -> some View { self }
  public func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View { self }
  public func padding(_ length: CGFloat) -> some View { self }
  public func frame(width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center) -> some View { self }
  public func frame(
    minWidth: CGFloat? = nil, idealWidth: CGFloat? = nil, maxWidth: CGFloat? = nil, minHeight: CGFloat? = nil,
    idealHeight: CGFloat? = nil, maxHeight: CGFloat? = nil, alignment: Alignment = .center
  ) -> some View { self }
  public func lineLimit(_ limits: ClosedRange<Int>) -> some View { self }
  public func scaledToFit() -> some View { self }
  public func textSelection(_ selectability: EnabledTextSelectability) -> some View { self }
  public func buttonStyle<S: PrimitiveButtonStyle>(_ style: S) -> some View { self }
  public func pickerStyle<S: PickerStyle>(_ style: S) -> some View { self }
  /// https://developer.apple.com/documentation/swiftui/view/labelstyle(_:)
  public func labelStyle<S: LabelStyle>(_ style: S) -> some View { self }
  public func textFieldStyle<S: TextFieldStyle>(_ style: S) -> some View { self }
  public func interactiveDismissDisabled(_ isDisabled: Bool = true) -> some View { self }

  /// https://developer.apple.com/documentation/swiftui/view/navigationtitle(_:)
  public func navigationTitle<S: StringProtocol>(_ title: S) -> some View {
    Beside(content: self, kind: .group, comesFirst: true) { _ in
      var heading = Node(.text, String(title))
      heading.traits = .isHeader
      return [heading]
    }
  }

  /// https://developer.apple.com/documentation/swiftui/view/disabled(_:)
  public func disabled(_ disabled: Bool) -> some View {
    Surrounded(content: self) { if disabled { $0.environment.isEnabled = false } }
  }

  /// https://developer.apple.com/documentation/swiftui/view/onsubmit(of:_:)
  public func onSubmit(of triggers: SubmitTriggers = .text, _ action: @escaping () -> Void) -> some View {
    Surrounded(content: self) { $0.environment.submitting = { action() } }
  }

  /// https://developer.apple.com/documentation/swiftui/view/focused(_:)
  public func focused(_ condition: FocusState<Bool>.Binding) -> some View { self }

  /// https://developer.apple.com/documentation/swiftui/view/refreshable(action:)
  public func refreshable(action: @escaping @Sendable () async -> Void) -> some View { self }

  /// https://developer.apple.com/documentation/swiftui/view/onlongpressgesture(minimumduration:maximumdistance:perform:onpressingchanged:)
  public func onLongPressGesture(
    minimumDuration: Double = 0.5, maximumDistance: CGFloat = 10, perform action: @escaping () -> Void,
    onPressingChanged: ((Bool) -> Void)? = nil
  ) -> some View {
    Changed(content: self) { node in
      node.acts["press"] = {
        onPressingChanged?(true)
        action()
      }
      node.acts["release"] = { onPressingChanged?(false) }
    }
  }

  /// https://developer.apple.com/documentation/swiftui/view/sensoryfeedback(trigger:_:)
  public func sensoryFeedback<T: Equatable & Hashable>(
    trigger: T, _ feedback: @escaping (T, T) -> SensoryFeedback?
  ) -> some View {
    Felt(content: self, trigger: trigger, feedback: feedback)
  }

  /// https://developer.apple.com/documentation/swiftui/view/animation(_:value:)
  public func animation<V: Equatable>(_ animation: Animation?, value: V) -> some View { self }
}

/// https://developer.apple.com/documentation/swiftui/sensoryfeedback
public struct SensoryFeedback: Equatable, Sendable {
  let name: String
  public static let success = SensoryFeedback(name: "success")
  public static let warning = SensoryFeedback(name: "warning")
  public static let error = SensoryFeedback(name: "error")

  /// https://developer.apple.com/documentation/swiftui/sensoryfeedback/weight
  public struct Weight: Equatable, Sendable {
    let name: String
    public static let light = Weight(name: "light")
    public static let medium = Weight(name: "medium")
  }
  /// https://developer.apple.com/documentation/swiftui/sensoryfeedback/impact(weight:intensity:)
  public static func impact(weight: Weight = .medium, intensity: Double = 1) -> SensoryFeedback {
    SensoryFeedback(name: "\(weight.name) impact")
  }
}

/// A view that is felt: its stage keeps what was.
private struct Felt<Content: View, Trigger: Equatable & Hashable>: Drawn {
  let content: Content
  let trigger: Trigger
  let feedback: (Trigger, Trigger) -> SensoryFeedback?

  func nodes(_ context: Context) -> [Node] {
    evaluate(
      content.onChange(of: trigger) { [stage = context.stage] old, new in
        if let felt = feedback(old, new) { stage.felt.append(felt) }
      }, context)
  }
}

/// https://developer.apple.com/documentation/swiftui/animation
public struct Animation: Equatable, Sendable {
  public static let `default` = Animation()
}

/// https://developer.apple.com/documentation/swiftui/submittriggers
public struct SubmitTriggers: OptionSet, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }
  public static let text = SubmitTriggers(rawValue: 1)
  public static let search = SubmitTriggers(rawValue: 2)
}

/// https://developer.apple.com/documentation/swiftui/textselectability
public struct EnabledTextSelectability { init() {} }
extension EnabledTextSelectability {
  public static var enabled: EnabledTextSelectability { EnabledTextSelectability() }
}

/// https://developer.apple.com/documentation/swiftui/view-styles
public protocol PrimitiveButtonStyle {}
public struct BorderedButtonStyle: PrimitiveButtonStyle {}
public struct BorderedProminentButtonStyle: PrimitiveButtonStyle {}
public struct PlainButtonStyle: PrimitiveButtonStyle {}
extension PrimitiveButtonStyle where Self == BorderedButtonStyle {
  public static var bordered: BorderedButtonStyle { BorderedButtonStyle() }
}
extension PrimitiveButtonStyle where Self == BorderedProminentButtonStyle {
  public static var borderedProminent: BorderedProminentButtonStyle { BorderedProminentButtonStyle() }
}
extension PrimitiveButtonStyle where Self == PlainButtonStyle {
  public static var plain: PlainButtonStyle { PlainButtonStyle() }
}
public protocol PickerStyle {}
public struct SegmentedPickerStyle: PickerStyle {}
extension PickerStyle where Self == SegmentedPickerStyle {
  public static var segmented: SegmentedPickerStyle { SegmentedPickerStyle() }
}
/// A label without its title is still read by it. https://developer.apple.com/documentation/swiftui/icononlylabelstyle
public protocol LabelStyle {}
public struct IconOnlyLabelStyle: LabelStyle {}
extension LabelStyle where Self == IconOnlyLabelStyle {
  public static var iconOnly: IconOnlyLabelStyle { IconOnlyLabelStyle() }
}
public protocol TextFieldStyle {}
public struct RoundedBorderTextFieldStyle: TextFieldStyle {}
extension TextFieldStyle where Self == RoundedBorderTextFieldStyle {
  public static var roundedBorder: RoundedBorderTextFieldStyle { RoundedBorderTextFieldStyle() }
}

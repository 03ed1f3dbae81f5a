/// A view whose nodes are changed.
struct Changed<Content: View>: Drawn {
  let content: Content
  let change: @MainActor (inout Node) -> Void

  func nodes(_ context: Context) -> [Node] {
    evaluate(content, context.under("of")).map { node in
      var node = node
      if !node.kind.isModal { change(&node) }
      return node
    }
  }
}

/// https://developer.apple.com/documentation/swiftui/accessibilitytraits
public struct AccessibilityTraits: SetAlgebra, Sendable {
  private var names: Set<String>
  public typealias Element = AccessibilityTraits
  public init() { names = [] }
  private init(_ name: String) { names = [name] }

  public static let isButton = AccessibilityTraits("button")
  public static let isHeader = AccessibilityTraits("heading")
  public static let isSelected = AccessibilityTraits("selected")
  public static let updatesFrequently = AccessibilityTraits("updates frequently")
  public static let isModal = AccessibilityTraits("modal")

  public func contains(_ member: AccessibilityTraits) -> Bool { member.names.isSubset(of: names) }
  @discardableResult
  public mutating func insert(_ new: AccessibilityTraits) -> (inserted: Bool, memberAfterInsert: AccessibilityTraits) {
    let isNew = !contains(new)
    names.formUnion(new.names)
    return (isNew, new)
  }
  @discardableResult
  public mutating func remove(_ member: AccessibilityTraits) -> AccessibilityTraits? {
    let had = contains(member)
    names.subtract(member.names)
    return had ? member : nil
  }
  @discardableResult
  public mutating func update(with new: AccessibilityTraits) -> AccessibilityTraits? {
    insert(new).inserted ? nil : new
  }
  public mutating func formUnion(_ other: AccessibilityTraits) { names.formUnion(other.names) }
  public mutating func formIntersection(_ other: AccessibilityTraits) { names.formIntersection(other.names) }
  public mutating func formSymmetricDifference(_ other: AccessibilityTraits) {
    names.formSymmetricDifference(other.names)
  }
  public func union(_ other: AccessibilityTraits) -> AccessibilityTraits {
    var both = self
    both.formUnion(other)
    return both
  }
  public func intersection(_ other: AccessibilityTraits) -> AccessibilityTraits {
    var both = self
    both.formIntersection(other)
    return both
  }
  public func symmetricDifference(_ other: AccessibilityTraits) -> AccessibilityTraits {
    var both = self
    both.formSymmetricDifference(other)
    return both
  }
}

/// https://developer.apple.com/documentation/swiftui/accessibilitychildbehavior
public struct AccessibilityChildBehavior: Hashable, Sendable {
  let name: String
  public static let combine = AccessibilityChildBehavior(name: "combine")
  public static let contain = AccessibilityChildBehavior(name: "contain")
  public static let ignore = AccessibilityChildBehavior(name: "ignore")
}

/// https://developer.apple.com/documentation/swiftui/view-accessibility
extension View {
  public func accessibilityLabel<S: StringProtocol>(_ label: S) -> some View {
    Changed(content: self) { $0.label = String(label) }
  }
  public func accessibilityValue<S: StringProtocol>(_ value: S) -> some View {
    Changed(content: self) { $0.value = String(value) }
  }
  public func accessibilityHint<S: StringProtocol>(_ hint: S) -> some View {
    Changed(content: self) { $0.hint = String(hint) }
  }
  public func accessibilityIdentifier(_ identifier: String) -> some View {
    Changed(content: self) { $0.identifier = identifier }
  }
  public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View {
    Changed(content: self) { $0.traits.formUnion(traits) }
  }
  public func accessibilityHidden(_ hidden: Bool) -> some View {
    Changed(content: self) { $0.isHidden = hidden }
  }
  public func accessibilityElement(children: AccessibilityChildBehavior = .ignore) -> some View {
    Changed(content: self) { node in
      switch children {
      case .combine: node.label = node.spoken
      case .ignore: node.isHidden = false
      case .contain: node.isContainer = true
      default: break
      }
    }
  }
  public func accessibilityAction<S: StringProtocol>(
    named name: S, _ handler: @escaping () -> Void
  ) -> some View {
    Changed(content: self) { $0.acts["action \(name)"] = { handler() } }
  }
}

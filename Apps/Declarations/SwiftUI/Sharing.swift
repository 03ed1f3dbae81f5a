package import Synchronization

/// What stands here for the system's share sheet: what was handed to it.
package final class SharedRoom: Sendable {
  package static let shared = SharedRoom()
  package let items = Mutex([String]())
}

/// https://developer.apple.com/documentation/swiftui/defaultsharelinklabel
public struct DefaultShareLinkLabel: View {
  let title: String
  public var body: some View { Text(title) }
}

/// A button that opens the share sheet. https://developer.apple.com/documentation/swiftui/sharelink
public struct ShareLink<Data, PreviewImage, PreviewIcon, Label: View>: View, Drawn {
  public typealias Body = Never
  private let item: String
  private let label: Label

  func nodes(_ context: Context) -> [Node] {
    var node = Node(.button, children: evaluate(label, context.under("label")))
    let item = item
    node.traits = .isButton
    node.acts["tap"] = { SharedRoom.shared.items.withLock { $0.append(item) } }
    node.isEnabled = context.environment.isEnabled
    return [node]
  }
}

extension ShareLink where Data == CollectionOfOne<String>, PreviewImage == Never, PreviewIcon == Never {
  /// https://developer.apple.com/documentation/swiftui/sharelink/init(item:subject:message:label:)
  public init(item: String, subject: Text? = nil, message: Text? = nil, @ViewBuilder label: () -> Label) {
    (self.item, self.label) = (item, label())
  }
}

extension ShareLink
where Data == CollectionOfOne<String>, PreviewImage == Never, PreviewIcon == Never, Label == DefaultShareLinkLabel {
  /// https://developer.apple.com/documentation/swiftui/sharelink/init(_:item:subject:message:)
  public init<S: StringProtocol>(_ title: S, item: String, subject: Text? = nil, message: Text? = nil) {
    (self.item, label) = (item, DefaultShareLinkLabel(title: String(title)))
  }
}

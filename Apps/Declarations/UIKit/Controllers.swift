public import Foundation
public import SwiftUI

/// https://developer.apple.com/documentation/uikit/uiviewcontroller
@MainActor open class UIViewController: NSObject {
  public override nonisolated init() {}
  open func viewDidLoad() {}
  /// What an extension was asked to do; nil in an app.
  open var extensionContext: NSExtensionContext?
}

/// https://developer.apple.com/documentation/uikit/uiview
@MainActor open class UIView: NSObject {
  public override nonisolated init() {}
}

/// A controller or a view of the system that a stage can play: what a person meets in it.
@MainActor package protocol Played {
  func node() -> Node
}

/// https://developer.apple.com/documentation/swiftui/uiviewcontrollerrepresentablecontext
@MainActor @preconcurrency
public struct UIViewControllerRepresentableContext<
  Representable: UIViewControllerRepresentable
> {
  public let coordinator: Representable.Coordinator
}

/// https://developer.apple.com/documentation/swiftui/uiviewcontrollerrepresentable, which is SwiftUI's on iOS
@MainActor @preconcurrency public protocol UIViewControllerRepresentable: View {
  associatedtype UIViewControllerType: UIViewController
  associatedtype Coordinator = Void
  typealias Context = UIViewControllerRepresentableContext<Self>
  func makeUIViewController(context: Context) -> UIViewControllerType
  func updateUIViewController(_ uiViewController: UIViewControllerType, context: Context)
  func makeCoordinator() -> Coordinator
}

extension UIViewControllerRepresentable where Coordinator == Void {
  public func makeCoordinator() {}
}

extension UIViewControllerRepresentable {
  /// The system keeps coordinator and controller while they are shown; here what a person can do holds them.
  public var body: some View {
    Surface {
      let context = Context(coordinator: makeCoordinator())
      let controller = makeUIViewController(context: context)
      updateUIViewController(controller, context: context)
      guard var node = (controller as? any Played)?.node() else { return Node(.group) }
      for (name, act) in node.acts {
        node.acts[name] = {
          act()
          withExtendedLifetime((controller, context.coordinator)) {}
        }
      }
      if let give = node.give {
        node.give = { files in
          give(files)
          withExtendedLifetime((controller, context.coordinator)) {}
        }
      }
      return node
    }
  }
}

/// https://developer.apple.com/documentation/swiftui/uiviewrepresentablecontext
@MainActor @preconcurrency
public struct UIViewRepresentableContext<Representable: UIViewRepresentable> {
  public let coordinator: Representable.Coordinator
}

/// https://developer.apple.com/documentation/swiftui/uiviewrepresentable, which is SwiftUI's on iOS
@MainActor @preconcurrency public protocol UIViewRepresentable: View {
  associatedtype UIViewType: UIView
  associatedtype Coordinator = Void
  typealias Context = UIViewRepresentableContext<Self>
  func makeUIView(context: Context) -> UIViewType
  func updateUIView(_ uiView: UIViewType, context: Context)
  func makeCoordinator() -> Coordinator
}

extension UIViewRepresentable where Coordinator == Void {
  public func makeCoordinator() {}
}

extension UIViewRepresentable {
  /// The system makes the view once and keeps it; here it is made anew for each look at the screen.
  public var body: some View {
    Surface {
      let context = Context(coordinator: makeCoordinator())
      let view = makeUIView(context: context)
      updateUIView(view, context: context)
      return (view as? any Played)?.node() ?? Node(.group)
    }
  }
}

extension UIImage {
  /// https://developer.apple.com/documentation/uikit/uiimage/orientation
  public enum Orientation: Int, Sendable {
    case up, down, left, right, upMirrored, downMirrored, leftMirrored, rightMirrored
  }
  /// How its pixels must be turned to be seen as they were taken.
  public var imageOrientation: Orientation { .up }
  /// https://developer.apple.com/documentation/uikit/uiimage/jpegdata(compressionquality:)
  public func jpegData(compressionQuality: CGFloat) -> Data? { data.starts(with: [0xFF, 0xD8, 0xFF]) ? data : nil }
}

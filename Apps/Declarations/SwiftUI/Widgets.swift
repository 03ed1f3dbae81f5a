public import Foundation

/// https://developer.apple.com/documentation/swiftui/widgetconfiguration
@MainActor @preconcurrency public protocol WidgetConfiguration {
  associatedtype Body: WidgetConfiguration
  @MainActor @preconcurrency var body: Body { get }
}

/// https://developer.apple.com/documentation/swiftui/widget
@MainActor @preconcurrency public protocol Widget {
  associatedtype Body: WidgetConfiguration
  @MainActor @preconcurrency init()
  @MainActor @preconcurrency var body: Body { get }
}

/// https://developer.apple.com/documentation/swiftui/controlwidgettemplate
@MainActor @preconcurrency public protocol ControlWidgetTemplate {
  associatedtype Body: ControlWidgetTemplate
  @ControlWidgetTemplateBuilder @MainActor @preconcurrency var body: Body { get }
}

/// https://developer.apple.com/documentation/swiftui/controlwidgettemplatebuilder
@resultBuilder public struct ControlWidgetTemplateBuilder {
  public static func buildBlock<Content: ControlWidgetTemplate>(_ content: Content) -> Content { content }
}

/// https://developer.apple.com/documentation/swiftui/controlwidgetconfiguration
@MainActor @preconcurrency public protocol ControlWidgetConfiguration {
  associatedtype Body: ControlWidgetConfiguration
  @ControlWidgetConfigurationBuilder @MainActor @preconcurrency var body: Body { get }
}

/// https://developer.apple.com/documentation/swiftui/controlwidgetconfigurationbuilder
@resultBuilder public struct ControlWidgetConfigurationBuilder {
  public static func buildBlock<Content: ControlWidgetConfiguration>(_ content: Content) -> Content { content }
}

/// https://developer.apple.com/documentation/swiftui/controlwidget
@MainActor @preconcurrency public protocol ControlWidget {
  associatedtype Body: ControlWidgetConfiguration
  @MainActor @preconcurrency init()
  @ControlWidgetConfigurationBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: WidgetConfiguration, ControlWidgetConfiguration, ControlWidgetTemplate {}

extension WidgetConfiguration where Body == Never {
  public var body: Never { fatalError("A configuration of the system has no body.") }
}
extension ControlWidgetConfiguration where Body == Never {
  public var body: Never { fatalError("A configuration of the system has no body.") }
}
extension ControlWidgetTemplate where Body == Never {
  public var body: Never { fatalError("A template of the system has no body.") }
}

/// What a bundle offers, as the system lists it.
@MainActor package struct Offered: Widget {
  package struct Configuration: WidgetConfiguration { package typealias Body = Never }
  package var widgets: [any Widget] = []
  package var controls: [any ControlWidget] = []
  package init() {}
  package var body: Configuration { Configuration() }
}

/// Widgets and controls side by side. https://developer.apple.com/documentation/swiftui/widgetbundlebuilder
@MainActor @resultBuilder public struct WidgetBundleBuilder {
  public static func buildExpression<Content: Widget>(_ content: Content) -> some Widget {
    var offered = Offered()
    offered.widgets = [content]
    return offered
  }
  public static func buildExpression<Content: ControlWidget>(_ content: Content) -> some Widget {
    var offered = Offered()
    offered.controls = [content]
    return offered
  }
  public static func buildBlock<each C: Widget>(_ c: repeat each C) -> some Widget {
    var all = Offered()
    for one in repeat each c {
      guard let one = one as? Offered else { continue }
      all.widgets += one.widgets
      all.controls += one.controls
    }
    return all
  }
}

/// https://developer.apple.com/documentation/swiftui/widgetbundle
@MainActor @preconcurrency public protocol WidgetBundle {
  associatedtype Body: Widget
  @MainActor @preconcurrency init()
  @WidgetBundleBuilder @MainActor @preconcurrency var body: Body { get }
}

/// https://developer.apple.com/documentation/swiftui/containerbackgroundplacement
public struct ContainerBackgroundPlacement: Sendable {
  package init() {}
}

extension View {
  /// https://developer.apple.com/documentation/swiftui/view/containerbackground(_:for:)
  public func containerBackground<S: ShapeStyle>(_ style: S, for container: ContainerBackgroundPlacement) -> some View {
    self
  }

  /// What a tap anywhere on a view does, as another framework has it.
  package func tapped(_ act: @escaping @MainActor () -> Void) -> some View {
    Changed(content: self) { $0.acts["tap"] = act }
  }

  /// https://developer.apple.com/documentation/swiftui/view/onopenurl(perform:)
  public func onOpenURL(perform action: @escaping (URL) -> Void) -> some View {
    Opening(content: self, action: action)
  }
}

/// A view that takes the links with which the system opens an app.
private struct Opening<Content: View>: View, Drawn {
  typealias Body = Never
  let content: Content
  let action: (URL) -> Void

  func nodes(_ context: Context) -> [Node] {
    context.stage.opensURL = action
    return evaluate(content, context.under("opening"))
  }
}

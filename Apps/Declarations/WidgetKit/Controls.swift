public import AppIntents
public import SwiftUI

/// What a control says of itself, and its one button.
@MainActor package struct ShownControl {
  package var kind: String
  package var name = ""
  package var description = ""
  package var label: any View
  package var intent: any AppIntent
}

@MainActor package protocol ShowingControl {
  var shown: ShownControl { get }
}

/// https://developer.apple.com/documentation/widgetkit/controlwidgetbuttondefaultactionlabel
public struct ControlWidgetButtonDefaultActionLabel: View {
  public var body: some View { EmptyView() }
}

/// https://developer.apple.com/documentation/widgetkit/controlwidgetbutton
@MainActor @preconcurrency
public struct ControlWidgetButton<Label: View, ActionLabel: View, Action>:
  ControlWidgetTemplate
{
  public typealias Body = Never
  let label: Label
  let action: any AppIntent

  /// https://developer.apple.com/documentation/widgetkit/controlwidgetbutton/init(action:label:)-77p8j
  public init(action: Action, @ViewBuilder label: @escaping () -> Label)
  where ActionLabel == ControlWidgetButtonDefaultActionLabel, Action: AppIntent {
    (self.label, self.action) = (label(), action)
  }
}

@MainActor protocol OneButton {
  var face: any View { get }
  var does: any AppIntent { get }
}

extension ControlWidgetButton: OneButton {
  var face: any View { label }
  var does: any AppIntent { action }
}

/// https://developer.apple.com/documentation/widgetkit/staticcontrolconfiguration
@MainActor @preconcurrency
public struct StaticControlConfiguration<Content: ControlWidgetTemplate>:
  ControlWidgetConfiguration, ShowingControl
{
  public typealias Body = Never
  private let kind: String
  private let content: () -> Content

  /// https://developer.apple.com/documentation/widgetkit/staticcontrolconfiguration/init(kind:content:)
  public init(kind: String, @ControlWidgetTemplateBuilder content: @escaping () -> Content) {
    (self.kind, self.content) = (kind, content)
  }

  package var shown: ShownControl {
    guard let button = content() as? any OneButton else { preconditionFailure("\(kind) has no button.") }
    return ShownControl(kind: kind, label: button.face, intent: button.does)
  }
}

private struct DescribedControl: ControlWidgetConfiguration, ShowingControl {
  typealias Body = Never
  let shown: ShownControl
}

extension ControlWidgetConfiguration {
  private func changed(_ change: (inout ShownControl) -> Void) -> some ControlWidgetConfiguration {
    guard var shown = (self as? any ShowingControl)?.shown else { preconditionFailure("\(self) shows nothing.") }
    change(&shown)
    return DescribedControl(shown: shown)
  }

  /// https://developer.apple.com/documentation/swiftui/controlwidgetconfiguration/displayname(_:)
  public func displayName(_ displayName: LocalizedStringResource) -> some ControlWidgetConfiguration {
    changed { $0.name = displayName.key }
  }
  /// https://developer.apple.com/documentation/swiftui/controlwidgetconfiguration/description(_:)
  public func description(_ description: LocalizedStringResource) -> some ControlWidgetConfiguration {
    changed { $0.description = description.key }
  }
}

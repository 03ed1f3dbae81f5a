public import Foundation
public import SwiftUI

/// https://developer.apple.com/documentation/widgetkit/widgetfamily
public enum WidgetFamily: Int, Hashable, Sendable, CaseIterable {
  case systemSmall, systemMedium, systemLarge, systemExtraLarge, accessoryCircular, accessoryRectangular,
    accessoryInline
}

/// https://developer.apple.com/documentation/widgetkit/timelineentry
public protocol TimelineEntry {
  var date: Date { get }
}

/// https://developer.apple.com/documentation/widgetkit/timelinereloadpolicy
public struct TimelineReloadPolicy: Equatable, Sendable {
  private let name: String
  public static let atEnd = TimelineReloadPolicy(name: "atEnd")
  public static let never = TimelineReloadPolicy(name: "never")
}

/// https://developer.apple.com/documentation/widgetkit/timeline
public struct Timeline<EntryType: TimelineEntry> {
  public let entries: [EntryType]
  public let policy: TimelineReloadPolicy
  public init(entries: [EntryType], policy: TimelineReloadPolicy) { (self.entries, self.policy) = (entries, policy) }
}

/// https://developer.apple.com/documentation/widgetkit/timelineprovidercontext
public struct TimelineProviderContext {
  public let family: WidgetFamily
  public let isPreview: Bool
  package init(family: WidgetFamily, isPreview: Bool) { (self.family, self.isPreview) = (family, isPreview) }
}

/// https://developer.apple.com/documentation/widgetkit/timelineprovider
public protocol TimelineProvider {
  associatedtype Entry: TimelineEntry
  typealias Context = TimelineProviderContext
  func placeholder(in context: Context) -> Entry
  func getSnapshot(in context: Context, completion: @escaping @Sendable (Entry) -> Void)
  func getTimeline(in context: Context, completion: @escaping @Sendable (Timeline<Entry>) -> Void)
}

/// What a widget says of itself, and what it shows, for each size and in the places where the system shows it.
@MainActor package struct Shown {
  package var kind: String
  package var name = ""
  package var description = ""
  package var families: [WidgetFamily] = WidgetFamily.allCases
  package var views: @MainActor (TimelineProviderContext) -> [any View]
}

/// A configuration that says what it comes to.
@MainActor package protocol Showing {
  var shown: Shown { get }
}

/// https://developer.apple.com/documentation/widgetkit/staticconfiguration
@MainActor @preconcurrency public struct StaticConfiguration<Content: View>: WidgetConfiguration, Showing {
  public typealias Body = Never
  package let shown: Shown

  /// Apple's asks less of an entry. https://developer.apple.com/documentation/widgetkit/staticconfiguration/init(kind:provider:content:)
  public init<Provider: TimelineProvider>(
    kind: String, provider: Provider, @ViewBuilder content: @escaping (Provider.Entry) -> Content
  ) where Provider.Entry: Sendable {
    shown = Shown(kind: kind) { context in entries(of: provider, in: context).map(content) }
  }
}

/// The placeholder, the snapshot and the timeline; here a provider hands them over before it returns.
private func entries<Provider: TimelineProvider>(
  of provider: Provider, in context: TimelineProviderContext
) -> [Provider.Entry] where Provider.Entry: Sendable {
  let kept = Kept<Provider.Entry>()
  provider.getSnapshot(in: context) { kept.entries.append($0) }
  provider.getTimeline(in: context) { kept.entries += $0.entries }
  return [provider.placeholder(in: context)] + kept.entries
}

private final class Kept<Entry: Sendable>: @unchecked Sendable {
  var entries: [Entry] = []
}

private struct Described: WidgetConfiguration, Showing {
  typealias Body = Never
  let shown: Shown
}

extension WidgetConfiguration {
  private func changed(_ change: (inout Shown) -> Void) -> some WidgetConfiguration {
    guard var shown = (self as? any Showing)?.shown else { preconditionFailure("Nothing is shown by \(self).") }
    change(&shown)
    return Described(shown: shown)
  }

  /// https://developer.apple.com/documentation/swiftui/widgetconfiguration/configurationdisplayname(_:)-2c3zv
  public func configurationDisplayName<S: StringProtocol>(_ displayName: S) -> some WidgetConfiguration {
    changed { $0.name = String(displayName) }
  }
  /// https://developer.apple.com/documentation/swiftui/widgetconfiguration/description(_:)-6pdse
  public func description<S: StringProtocol>(_ description: S) -> some WidgetConfiguration {
    changed { $0.description = String(description) }
  }
  /// https://developer.apple.com/documentation/swiftui/widgetconfiguration/supportedfamilies(_:)
  public func supportedFamilies(_ families: [WidgetFamily]) -> some WidgetConfiguration {
    changed { $0.families = families }
  }
}

extension ContainerBackgroundPlacement {
  /// https://developer.apple.com/documentation/swiftui/containerbackgroundplacement/widget
  public static let widget = ContainerBackgroundPlacement()
}

/// What stands here for the system that opens an app from a widget.
@MainActor package final class WidgetRoom {
  package static let shared = WidgetRoom()
  package var opened: [URL] = []
}

extension View {
  /// https://developer.apple.com/documentation/swiftui/view/widgeturl(_:)
  public func widgetURL(_ url: URL?) -> some View {
    tapped { if let url { WidgetRoom.shared.opened.append(url) } }
  }
}

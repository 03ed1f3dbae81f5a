import AppIntents
public import Foundation
public import SwiftUI
import WidgetKit

#if os(Linux)
  // In Xcode its file belongs to this extension too: the system asks that of an intent that a control performs.
  import LiberaIntents
#endif

/// What the extension offers: both open the app, which then listens. It links nothing of the app, and shows nothing that is kept there.
public struct ListenWidgets: WidgetBundle {
  public init() {}
  public var body: some Widget {
    ListenWidget()
    ListenControl()
  }
}

/// The link by which the widget opens the app. No other app can: the scheme is registered nowhere, and the system hands a widget's link to
/// its own app alone.
public enum ListenLink {
  public static let url = URL(string: "libera-widget://listen")
}

/// It never changes.
struct ListenEntry: TimelineEntry {
  var date: Date
}

struct ListenProvider: TimelineProvider {
  func placeholder(in context: Context) -> ListenEntry { ListenEntry(date: .now) }
  func getSnapshot(in context: Context, completion: @escaping @Sendable (ListenEntry) -> Void) {
    completion(ListenEntry(date: .now))
  }
  func getTimeline(in context: Context, completion: @escaping @Sendable (Timeline<ListenEntry>) -> Void) {
    completion(Timeline(entries: [ListenEntry(date: .now)], policy: .never))
  }
}

/// On the home screen and on the lock screen.
struct ListenWidget: Widget {
  init() {}
  var body: some WidgetConfiguration {
    StaticConfiguration(kind: "org.libera.LiberaGPT.listen", provider: ListenProvider()) { _ in ListenFace() }
      .configurationDisplayName("Dictate")
      .description("Opens the app and listens.")
      .supportedFamilies([.systemSmall, .accessoryCircular, .accessoryRectangular])
  }
}

struct ListenFace: View {
  var body: some View {
    Label("Dictate", systemImage: "mic.fill")
      .font(.headline)
      .containerBackground(.quaternary, for: .widget)
      .widgetURL(ListenLink.url)
      .accessibilityHint("Opens the app and listens.")
      .accessibilityIdentifier("widget.listen")
  }
}

/// In Control Center, on the lock screen and on the Action button.
struct ListenControl: ControlWidget {
  init() {}
  var body: some ControlWidgetConfiguration {
    StaticControlConfiguration(kind: "org.libera.LiberaGPT.listen.control") {
      ControlWidgetButton(action: DictateIntent()) { Label("Dictate", systemImage: "mic.fill") }
    }
    .displayName("Dictate")
    .description("Opens the app and listens.")
  }
}

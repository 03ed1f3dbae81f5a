import SwiftUI
import WidgetKit

@main @MainActor enum WidgetMain {
  static func main() { ListenWidgets.main() }
}

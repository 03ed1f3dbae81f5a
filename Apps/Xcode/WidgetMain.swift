import SwiftUI
import WidgetKit

@main enum WidgetMain {
  static func main() { ListenWidgets.main() }
}

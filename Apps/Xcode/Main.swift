import LiberaApp
import SwiftUI

@main @MainActor enum Main {
  static func main() { LiberaGPT.main() }
}

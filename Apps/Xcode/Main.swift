import LiberaApp
import SwiftUI

@main enum Main {
  static func main() { LiberaGPT.main() }
}

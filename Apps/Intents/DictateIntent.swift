public import AppIntents

#if !LIBERA_WIDGET
  import LiberaScreens
#endif

/// Opens the app and listens. The one intent that the widget's extension compiles as well, because its control performs it: the system
/// does so in the app, which it opens first, so that the extension has nothing of the app to link.
public struct DictateIntent: AppIntent {
  public static let title: LocalizedStringResource = "Dictate"
  public static let description: IntentDescription? = IntentDescription("Opens the app and listens.")
  public static let openAppWhenRun = true

  #if !LIBERA_WIDGET
    @Dependency private var errands: Errands
  #endif

  public init() {}

  public func perform() async throws -> some IntentResult {
    #if !LIBERA_WIDGET
      try await Told.of { try await errands.listen() }
    #endif
    return .result()
  }
}

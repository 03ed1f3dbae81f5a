/// A phrase must name the app. https://developer.apple.com/documentation/appintents/appshortcutphrase
public struct AppShortcutPhrase<Intent: AppIntent>: Sendable, ExpressibleByStringInterpolation {
  /// https://developer.apple.com/documentation/appintents/appshortcutphrasetoken
  public enum Token: Sendable { case applicationName }

  public struct StringInterpolation: StringInterpolationProtocol {
    var text = ""
    public init(literalCapacity: Int, interpolationCount: Int) {}
    public mutating func appendLiteral(_ literal: String) { text += literal }
    public mutating func appendInterpolation(_ token: Token) { text += "${applicationName}" }
  }

  package let text: String
  public init(stringLiteral value: String) { text = value }
  public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }
}

/// https://developer.apple.com/documentation/appintents/appshortcut
public struct AppShortcut: Sendable {
  package let intent: any AppIntent
  package let phrases: [String]
  package let shortTitle: LocalizedStringResource
  package let systemImageName: String

  public init<Intent: AppIntent>(
    intent: Intent, phrases: [AppShortcutPhrase<Intent>], shortTitle: LocalizedStringResource, systemImageName: String
  ) {
    (self.intent, self.phrases, self.shortTitle) = (intent, phrases.map(\.text), shortTitle)
    self.systemImageName = systemImageName
  }
}

/// https://developer.apple.com/documentation/appintents/appshortcutsbuilder
@resultBuilder public struct AppShortcutsBuilder {
  public static func buildBlock(_ components: AppShortcut...) -> [AppShortcut] { components }
}

/// At most ten. https://developer.apple.com/documentation/appintents/appshortcutsprovider
public protocol AppShortcutsProvider {
  @AppShortcutsBuilder static var appShortcuts: [AppShortcut] { get }
}

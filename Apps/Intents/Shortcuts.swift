import AppIntents

/// What can be said to the system without having been set up. Each phrase is said with the app's name.
struct LiberaShortcuts: AppShortcutsProvider {
  static var appShortcuts: [AppShortcut] {
    AppShortcut(
      intent: AskIntent(), phrases: ["Ask \(.applicationName)", "Ask my documents with \(.applicationName)"],
      shortTitle: "Ask my documents", systemImageName: "bubble.left.and.text.bubble.right")
    AppShortcut(
      intent: DictateIntent(), phrases: ["Dictate with \(.applicationName)", "Talk to \(.applicationName)"],
      shortTitle: "Dictate", systemImageName: "mic")
    AppShortcut(
      intent: RemindIntent(), phrases: ["Remind me with \(.applicationName)"], shortTitle: "Add a reminder",
      systemImageName: "bell")
    AppShortcut(
      intent: ImportIntent(), phrases: ["Add a document to \(.applicationName)"], shortTitle: "Add a document",
      systemImageName: "plus")
  }
}

/// Links that a browser or a reading list wrote into a file: of them the address is what matters. On other pages it is left out.
enum Bookmarks {
  /// Whether links of this page say when they were kept, as Netscape's form of such files and its heirs have it.
  static func hold(_ root: Markup.Node) -> Bool {
    root.isBookmarkFile
      || root.first { node in node.name == "a" && dates.contains { node.attribute($0) != nil } } != nil
  }

  private static let dates = ["add_date", "time_added"]

  /// The address beside the name: "(https://a.example)"; the address alone where the link has no name, or is named by it.
  static func address(_ link: Markup.Node) -> String? {
    guard let address = link.attribute("href")?.trimmed(), !address.isEmpty, !isProgram(address) else { return nil }
    let name = link.text.collapsed()
    return name.isEmpty ? address : name == address ? nil : "(\(address))"
  }

  /// Small programs, pictures and queries that browsers keep as bookmarks lead nowhere.
  private static func isProgram(_ address: String) -> Bool {
    let scheme = address.prefix { $0 != ":" }.lowercased()
    return ["javascript", "data", "place", "blob"].contains(scheme)
  }
}

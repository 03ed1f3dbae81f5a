/// What a setting may be, as the page draws its control, `settings describe` prints it and docs/cli.md lists it.
package struct SettingDescription: Codable, Sendable, Equatable {
  /// What it takes, by which its control is chosen.
  package enum Form: String, Codable, Sendable {
    case choice, flag, number, pack, language, text
    /// A list: of words, of those that are offered, of texts with lines of their own.
    case lines, some, paragraphs
    /// One text with lines, of at most `most` characters.
    case prose
  }

  package var name: String
  package var form: Form
  package var choices: [String]?
  package var least: Double?
  package var most: Double?
  /// Whether it takes whole numbers alone.
  package var whole: Bool?
  package var nullable: Bool
  package var standard: JSONNode
  /// The end of "it is …".
  package var allowed: String
  package var setBy: SettingRule.SetBy
  package var group: SettingRule.Group
  package var isForTheCurious: Bool

  package static func all() throws -> [SettingDescription] {
    let standards = try JSONNode.fields(of: Settings())
    return SettingRule.all.map { SettingDescription($0, standard: standards[$0.name] ?? .null) }
  }

  private init(_ rule: SettingRule, standard: JSONNode) {
    (name, setBy, group) = (rule.name, rule.setBy, rule.group)
    allowed = rule.allowed + (setBy == .terminal ? "; in a terminal only" : "")
    (nullable, isForTheCurious) = (rule.isOptional, rule.isForTheCurious)
    self.standard = standard
    switch rule.kind {
    case .choice(let choices): (form, self.choices) = (.choice, choices)
    case .flag: form = .flag
    case .whole(let range):
      (form, least, most, whole) = (.number, Double(range.lowerBound), Double(range.upperBound), true)
    case .number(let range): (form, least, most) = (.number, range.lowerBound, range.upperBound)
    case .name: form = .pack
    case .language: form = .language
    case .some(let choices): (form, self.choices) = (.some, choices)
    case .words, .aliases, .origins, .repositories: form = .lines
    case .templates: form = .paragraphs
    case .prose(let most): (form, self.most) = (.prose, Double(most))
    case .folder, .sender, .mailProgram: form = .text
    }
  }
}

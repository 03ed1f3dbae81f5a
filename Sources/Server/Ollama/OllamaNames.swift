import Assistant
import Core
import Foundation

/// `/api/copy` and `/api/delete`. A copy is another name for the same pack, in the setting `aliases`; what is deleted is such a name, or
/// the pack itself. Both go over the operations by which a person does the same.
struct OllamaNames: Sendable {
  let services: [Service]
  let source: any CompletionSource

  private struct Copied: Decodable {
    var source: String
    var destination: String
  }

  /// What names a model and says little else.
  struct Wanted: Decodable {
    private var model: String?
    /// Older clients.
    private var name: String?
    var stream: Bool?

    var named: String {
      get throws {
        guard let name = model ?? name else { throw ServerError.unreadable("model is missing") }
        return name
      }
    }
  }

  func copy(_ request: Request) async throws -> Response {
    let asked = try request.decode(Copied.self)
    let (old, new) = (Asked.plain(asked.source), Asked.plain(asked.destination))
    let models = try await source.models()
    guard let model = models.first(where: { $0.id == old && $0.kind != .speech }) else {
      throw ServerError.unknownModel(old)
    }
    if new == old { return .empty(200) }
    guard new != TextDesk.house, !models.contains(where: { $0.id == new && $0.alias == nil }) else {
      throw ServerError.refused("\(new) is a model of its own.")
    }
    let alias = "\(new)=\(model.pack)"
    guard SettingRule.alias(alias) != nil else {
      throw ServerError.unreadable(
        "destination is a name of letters, digits and . _ : / -, with a letter or digit first")
    }
    let desk = ServiceDesk(services: services, caller: request.caller)
    try await set(names(desk).filter { name(of: $0) != new } + [alias], desk)
    return .empty(200)
  }

  func delete(_ request: Request) async throws -> Response {
    let name = Asked.plain(try request.decode(Wanted.self).named)
    if name == TextDesk.house { throw ServerError.refused("\(name) is no pack: it answers from the documents.") }
    let desk = ServiceDesk(services: services, caller: request.caller)
    let names = try await names(desk)
    guard try await source.models().contains(where: { $0.id == name && $0.alias == nil && $0.kind != .speech }) else {
      let left = names.filter { self.name(of: $0) != name }
      guard left.count < names.count else { throw ServerError.unknownModel(name) }
      try await set(left, desk)
      return .empty(200)
    }
    // A copy is to outlive what it was made of, and is nothing without it.
    let others = names.compactMap(SettingRule.alias).filter { $0.pack == name }.map(\.name)
    guard others.isEmpty else {
      throw ServerError.refused(
        "\(name) goes by other names as well, which go first: \(others.joined(separator: ", ")).")
    }
    for try await _ in desk.call(RemovePack.self, PackInput(id: name)) {}
    return .empty(200)
  }

  private func name(of alias: String) -> String? { SettingRule.alias(alias)?.name }

  /// All of them, those of packs that are not installed as well.
  private func names(_ desk: ServiceDesk) async throws -> [String] {
    var names: [String] = []
    for try await settings in desk.call(ShowSettings.self, Nothing()) { names = settings.aliases }
    return names
  }

  private func set(_ names: [String], _ desk: ServiceDesk) async throws {
    let value = String(decoding: try JSON.encode(names), as: UTF8.self)
    for try await _ in desk.call(ChangeSetting.self, .init(name: "aliases", value: value)) {}
  }
}

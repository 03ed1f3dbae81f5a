package import Assistant
import Core
import Models
import Resources

/// The house behind the routes for other programs: its installed packs, under the same governor as everything else.
extension Completions: CompletionSource {
  package func models() async throws -> [CompletionModel] {
    var models: [CompletionModel] = []
    for record in try house.packs.installed() {
      let kind: CompletionModel.Kind? =
        switch record.pack.kind {
        case .chat: .chat
        case .embed: .embed
        case .speech: .speech
        case .vad: nil
        }
      guard let kind else { continue }
      let details = CompletionModel.Details(
        family: record.pack.family, parameters: record.pack.parameters, quantization: record.pack.quantization,
        licence: record.pack.licence, context: record.pack.context, dimensions: record.pack.shape?.embedding,
        bytes: record.bytes, sha256: record.sha256, installed: record.installed,
        isLoaded: await house.governor.isLoaded(record.pack.id))
      models.append(CompletionModel(id: record.pack.id, kind: kind, details: details))
    }
    let aliases = house.settings.aliases.compactMap(SettingRule.alias)
    return models
      + aliases.compactMap { alias in
        // A pack's own name stays its own; of one that is not installed there is no other name either.
        guard !models.contains(where: { $0.id == alias.name }) else { return nil }
        return models.first { $0.id == alias.pack && $0.kind != .speech }?.named(alias.name)
      }
  }
}

import Core
import Foundation

/// What Ollama's clients learn of the models: `/api/tags`, `/api/ps`, `/api/show`.
enum OllamaModels {
  struct Details: Encodable, Sendable {
    var parent = ""
    var format = "gguf"
    var family: String
    var families: [String]
    var size: String
    var quantization: String
    enum CodingKeys: String, CodingKey {
      case format, family, families
      case parent = "parent_model"
      case size = "parameter_size"
      case quantization = "quantization_level"
    }
  }

  struct Entry: Encodable, Sendable {
    var name: String
    var model: String
    var modified: String?
    var size: Int64
    var digest: String
    var details: Details
    /// Of one in memory.
    var expires: String?
    var graphics: Int?
    var context: Int?
    enum CodingKeys: String, CodingKey {
      case name, model, size, digest, details
      case modified = "modified_at"
      case expires = "expires_at"
      case graphics = "size_vram"
      case context = "context_length"
    }
  }

  struct List: Encodable, Sendable {
    var models: [Entry]
  }

  struct Shown: Encodable, Sendable {
    var modelfile: String
    var parameters = ""
    var template = ""
    var license: String
    var details: Details
    var info: [String: JSONNode]
    var capabilities: [String]
    var modified: String
    enum CodingKeys: String, CodingKey {
      case modelfile, parameters, template, license, details, capabilities
      case info = "model_info"
      case modified = "modified_at"
    }
  }

  /// `house`: the model that answers from the documents is there too.
  static func list(_ models: [CompletionModel], house: Bool) -> List {
    let packs = models.filter { $0.kind != .speech }.map { model in
      var entry = entry(model)
      entry.modified = time(model.details.installed)
      return entry
    }
    return List(models: packs + (house ? [self.house] : []))
  }

  static func inMemory(_ models: [CompletionModel]) -> List {
    List(
      models: models.filter { $0.kind != .speech && $0.details.isLoaded }.map { model in
        var entry = entry(model)
        // The device decides when it goes; that it is wanted for some minutes is what its clients expect to read.
        (entry.expires, entry.graphics) = (time(Date().addingTimeInterval(300)), 0)
        entry.context = model.details.context
        return entry
      })
  }

  static func shown(_ model: CompletionModel) -> Shown {
    let details = model.details
    var info: [String: JSONNode] = [
      "general.architecture": .text(details.family), "general.parameter_count": .whole(Int(details.parameters)),
      "\(details.family).context_length": .whole(details.context),
    ]
    if let dimensions = details.dimensions { info["\(details.family).embedding_length"] = .whole(dimensions) }
    return Shown(
      modelfile: "FROM \(model.id)\n", license: details.licence, details: described(details), info: info,
      capabilities: model.kind == .embed ? ["embedding"] : ["completion", "tools"], modified: time(details.installed))
  }

  static var shownHouse: Shown {
    Shown(
      modelfile: "FROM \(TextDesk.house)\n", license: "", details: house.details, info: [:],
      capabilities: ["completion"], modified: house.modified ?? "")
  }

  private static var house: Entry {
    Entry(
      name: TextDesk.house, model: TextDesk.house, modified: time(.distantPast), size: 0,
      digest: String(repeating: "0", count: 64),
      details: Details(family: "libera", families: ["libera"], size: "", quantization: ""))
  }

  private static func entry(_ model: CompletionModel) -> Entry {
    Entry(
      name: model.id, model: model.id, size: model.details.bytes, digest: model.details.sha256,
      details: described(model.details))
  }

  private static func described(_ details: CompletionModel.Details) -> Details {
    Details(
      family: details.family, families: [details.family], size: size(details.parameters),
      quantization: details.quantization)
  }

  /// As in "1.5B" and "135M".
  static func size(_ parameters: Int64) -> String {
    let (number, unit) = parameters >= 1_000_000_000 ? (Double(parameters) / 1e9, "B") : (Double(parameters) / 1e6, "M")
    let text = number >= 100 ? "\(Int(number.rounded()))" : "\((number * 10).rounded() / 10)"
    return text.replacing(/\.0$/, with: "") + unit
  }

  private static func time(_ date: Date) -> String { date.ISO8601Format() }
}

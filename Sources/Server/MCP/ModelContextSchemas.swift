/// How the tools describe themselves to a model.
extension ModelContextTools {
  struct List: Encodable, Sendable {
    var tools = Tool.allCases.map(Description.init)
  }

  struct Description: Encodable, Sendable {
    struct Hints: Encodable, Sendable {
      var readOnlyHint = true
      var openWorldHint = false
    }
    var name: String
    var title: String
    var description: String
    var inputSchema: Schema
    /// What `structuredContent` holds; more fields may come.
    var outputSchema: Shape
    var annotations = Hints()
  }

  /// A schema of values, as far as clients need to know them.
  indirect enum Shape: Encodable, Sendable {
    case text, number, whole, flag
    case orNull(Shape)
    case list(Shape)
    case object([String: Shape])

    private enum Keys: CodingKey { case type, properties, required, items }
    private var type: String {
      switch self {
      case .text: "string"
      case .number: "number"
      case .whole: "integer"
      case .flag: "boolean"
      case .list: "array"
      case .object: "object"
      case .orNull(let shape): shape.type
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      switch self {
      case .orNull(let shape): try container.encode([shape.type, "null"], forKey: .type)
      case .list(let item):
        try container.encode(type, forKey: .type)
        try container.encode(item, forKey: .items)
      case .object(let properties):
        try container.encode(type, forKey: .type)
        try container.encode(properties, forKey: .properties)
        let required = properties.filter { if case .orNull = $0.value { false } else { true } }
        try container.encode(required.keys.sorted(), forKey: .required)
      default: try container.encode(type, forKey: .type)
      }
    }
  }

  struct Schema: Encodable, Sendable {
    struct Property: Encodable, Sendable {
      var type: String
      var description: String
      var choices: [String]?
      enum CodingKeys: String, CodingKey {
        case type, description
        case choices = "enum"
      }
    }
    var type = "object"
    var properties: [String: Property]
    var required: [String]
  }
}

extension ModelContextTools.Description {
  private typealias Property = ModelContextTools.Schema.Property

  init(_ tool: ModelContextTools.Tool) {
    let collection = Property(type: "string", description: "Only the documents of this collection.")
    name = tool.rawValue
    switch tool {
    case .search:
      title = "Search the documents"
      description =
        "Finds the passages of the person's documents that fit best, with their pages."
      inputSchema = .init(
        properties: [
          "query": Property(type: "string", description: "What to look for."),
          "limit": Property(type: "integer", description: "How many passages, 1 to 50; 8 if not given."),
          "collection": collection,
        ], required: ["query"])
      outputSchema = .object([
        "passages": .list(.object(["document": .text, "page": .orNull(.whole), "text": .text, "score": .number]))
      ])
    case .ask:
      title = "Ask the documents"
      description =
        "Answers a question from the person's documents; every sentence is tied to a page, or the answer says that the "
        + "documents do not hold it. Runs a local model."
      inputSchema = .init(
        properties: [
          "question": Property(type: "string", description: "The question, complete in itself."),
          "mode": Property(type: "string", description: "fast, or deep to read more.", choices: ["fast", "deep"]),
          "collection": collection,
        ], required: ["question"])
      outputSchema = .object([
        "answer": .text, "abstained": .flag, "mode": .text, "provider": .text, "pack": .orNull(.text),
        "sentences": .list(.object(["text": .text, "supported": .flag, "support": .list(.whole)])),
        "citations": .list(
          .object([
            "id": .text, "document": .text, "title": .text, "page": .orNull(.whole), "text": .text, "score": .number,
          ])),
      ])
    case .listDocuments:
      title = "List the documents"
      description = "Names, titles, collections and pages of the documents."
      inputSchema = .init(properties: ["collection": collection], required: [])
      outputSchema = .object([
        "documents": .list(
          .object(["id": .text, "document": .text, "title": .text, "collection": .text, "pages": .orNull(.whole)]))
      ])
    case .readDocument:
      title = "Read a document"
      description = "The text of one document, or a part of it."
      inputSchema = .init(
        properties: [
          "document": Property(type: "string", description: "Its name, as search and list_documents give it."),
          "collection": collection,
          "offset": Property(type: "integer", description: "Where to begin, in bytes of UTF-8; 0 if not given."),
          "length": Property(type: "integer", description: "How many bytes, at most 100000; 20000 if not given."),
        ], required: ["document"])
      outputSchema = .object(["document": .text, "text": .text, "offset": .whole, "total": .whole])
    }
  }
}

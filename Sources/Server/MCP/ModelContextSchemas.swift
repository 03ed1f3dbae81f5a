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
    var annotations = Hints()
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
    case .listDocuments:
      title = "List the documents"
      description = "Names, titles, collections and pages of the documents."
      inputSchema = .init(properties: ["collection": collection], required: [])
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
    }
  }
}

import Core
package import Foundation

/// What a tool server offers to be read, as it describes it. All of its words are a stranger's.
package struct OutsideResource: Codable, Sendable, Equatable {
  package static let most = 256

  package var uri: String
  package var name: String
  package var title: String?
  package var description: String?
  package var mimeType: String?

  package var label: String { title ?? name }
}

/// A question that a tool server has prepared, with what is to be filled in.
package struct OutsidePrompt: Codable, Sendable, Equatable {
  package static let most = 256
  package static let longestText = 20_000

  package struct Argument: Codable, Sendable, Equatable {
    package var name: String
    package var description: String?
    package var required: Bool
  }

  package var name: String
  package var title: String?
  package var description: String?
  package var arguments: [Argument]

  /// The values for it of those that were given; which are needed and missing.
  func values(of given: [String: String]) -> (values: [String: JSONNode], missing: [String]) {
    var values: [String: JSONNode] = [:]
    for argument in arguments {
      if let text = given[argument.name], !text.isEmpty { values[argument.name] = .text(text) }
    }
    return (values, arguments.filter { $0.required && values[$0.name] == nil }.map(\.name))
  }
}

/// What a resource came to: texts and files.
package struct ResourceContents: Sendable {
  package struct Part: Sendable {
    package var uri: String
    package var mimeType: String?
    package var bytes: Data
    package var isText: Bool
  }

  static let mostParts = 32
  package var parts: [Part]

  init(_ read: ToolMessages.ResourceRead) {
    parts = read.contents.prefix(Self.mostParts).compactMap { one in
      if let text = one.text {
        return Part(uri: one.uri ?? "", mimeType: one.mimeType, bytes: Data(text.utf8), isText: true)
      }
      guard let blob = one.blob.flatMap({ Data(base64Encoded: $0) }) else { return nil }
      return Part(uri: one.uri ?? "", mimeType: one.mimeType, bytes: blob, isText: false)
    }
  }

  /// As what a tool says is shown.
  package var outcome: ToolOutcome {
    let texts = parts.filter(\.isText).map { String(decoding: $0.bytes, as: UTF8.self) }
    let others = parts.filter { !$0.isText }.map { "\($0.mimeType ?? "file"), \($0.bytes.count / 1000) kB" }
    return ToolOutcome(text: texts.joined(separator: "\n\n"), others: others, failed: false)
  }
}

/// What a resource is called as a file: no path, nothing hidden, and an end that says what it is.
package enum ResourceFile {
  private static let longest = 80
  private static let mostBytes = 200
  private static let ends = [
    "text/plain": "txt", "text/markdown": "md", "text/html": "html", "text/csv": "csv", "application/pdf": "pdf",
    "application/json": "json", "application/rtf": "rtf", "application/epub+zip": "epub", "message/rfc822": "eml",
  ]

  package static func name(of uri: String, mimeType: String?, isText: Bool) -> String {
    let path = String(uri.prefix { $0 != "?" && $0 != "#" })
    let last = path.utf8.split(whereSeparator: Set("/\\:".utf8).contains).last.map { String(Substring($0)) } ?? ""
    // Sign by sign: what joins several into one letter must hide none of them.
    let decoded = (last.removingPercentEncoding ?? last).precomposedStringWithCanonicalMapping
    let plain = decoded.unicodeScalars.map { scalar -> Character in
      let properties = scalar.properties
      let isPlain = properties.isAlphabetic || properties.numericType != nil || "-_. ".unicodeScalars.contains(scalar)
      return isPlain ? Character(scalar) : "_"
    }
    // By bytes as well: a letter can have any number of marks.
    var trimmed = String(String(plain).drop { $0 == "." || $0 == " " }.prefix(longest))
    while trimmed.utf8.count > mostBytes { trimmed.unicodeScalars.removeLast() }
    let name = trimmed.isEmpty ? "resource" : trimmed
    let type = mimeType?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    let end = (name as NSString).pathExtension
    if !end.isEmpty, end.count <= 5, type == nil || ends[type ?? ""] == nil || ends[type ?? ""] == end.lowercased() {
      return name
    }
    guard let known = type.flatMap({ ends[$0] }) ?? (isText ? "txt" : nil) else { return name }
    return "\(name).\(known)"
  }
}

/// All that a server offers, as it says when it is greeted.
package struct ToolOffers: Sendable {
  package var tools: [OutsideTool] = []
  package var resources: [OutsideResource] = []
  package var prompts: [OutsidePrompt] = []
}

extension OutsideTool {
  init(_ tool: ToolMessages.ToolList.Tool) {
    let schema = tool.inputSchema ?? .object([:])
    self.init(
      name: tool.name.letters(128), title: tool.title.map { $0.letters(200) },
      description: (tool.description ?? "").letters(Self.longestDescription), fields: ToolField.all(in: schema),
      schema: schema)
  }
}

extension OutsideResource {
  init(_ resource: ToolMessages.ResourceList.Resource) {
    self.init(
      uri: resource.uri, name: (resource.name ?? resource.uri).letters(200),
      title: resource.title.map { $0.letters(200) },
      description: resource.description.map { $0.letters(1000) },
      mimeType: resource.mimeType.map { $0.letters(100) })
  }
}

extension OutsidePrompt {
  init(_ prompt: ToolMessages.PromptList.Prompt) {
    self.init(
      name: prompt.name.letters(128), title: prompt.title.map { $0.letters(200) },
      description: prompt.description.map { $0.letters(1000) },
      arguments: (prompt.arguments ?? []).prefix(50).map {
        Argument(
          name: $0.name.letters(128), description: $0.description.map { $0.letters(1000) },
          required: $0.required ?? false)
      })
  }
}

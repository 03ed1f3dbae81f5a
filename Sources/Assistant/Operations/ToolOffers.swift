package import Core
import Foundation
import Storage
import Workers

/// Reads what a tool server offers, for a person, into a conversation where one is named: as what a program said.
package enum ReadToolResource: Operation {
  package struct Input: Codable, Sendable {
    package var server: String
    package var uri: String
    /// As in `CallTool.Input`.
    package var conversation: String?
    package init(server: String, uri: String, conversation: String? = nil) {
      (self.server, self.uri, self.conversation) = (server, uri, conversation)
    }
  }

  package static let name = "tools-read"

  package static func check(_ input: Input, from caller: Caller) throws {
    if case .key = caller { throw CallerError.personOnly("Reading what a tool server offers") }
  }

  package static func run(_ input: Input, in house: House, emit: @escaping Emit<CallTool.Event>) async throws {
    let server = try ToolServers.read(house.folders).named(input.server)
    var wasThere = false
    if let conversation = input.conversation { wasThere = try await house.conversing.isThere(conversation) }
    let outcome = try await house.tools.read(input.uri, of: server).outcome
    emit(CallTool.Event(outcome: outcome))
    guard let conversation = input.conversation else { return }
    let title = try await house.tools.offers(of: server).resources.first { $0.uri == input.uri }?.label
    let kept = try await house.conversing.keep(
      KeptCall(reading: input.uri, title, of: server.name, outcome), KeptCall.text(of: outcome),
      asked: "@\(server.name) /\(input.uri)", in: conversation, wasThere: wasThere)
    if let kept { emit(CallTool.Event(kept: kept)) }
  }
}

/// Takes what a tool server offers into the library, once a person has agreed.
package enum ImportToolResource: Operation {
  package struct Input: Codable, Sendable {
    package var server: String
    package var uri: String
    package var collection: String?
    package var confirmed: Bool
    package init(server: String, uri: String, collection: String? = nil, confirmed: Bool = false) {
      (self.server, self.uri, self.collection, self.confirmed) = (server, uri, collection, confirmed)
    }
  }

  package static let name = "tools-import"

  package static func check(_ input: Input, from caller: Caller) throws {
    if case .key = caller { throw CallerError.personOnly("Taking in what a tool server offers") }
    guard input.confirmed else { throw ToolError.notTaken }
  }

  package static func run(_ input: Input, in house: House, emit: @escaping Emit<ImportStep>) async throws {
    let server = try ToolServers.read(house.folders).named(input.server)
    let parts = try await house.tools.read(input.uri, of: server).parts
    guard !parts.isEmpty else { throw ToolError.noResource(server.name, input.uri) }
    // Whatever lies in the cache is no place that a document remembers.
    let folder = house.folders.scratch.appending(path: "resource-\(UUID().uuidString)", directoryHint: .isDirectory)
    try Folders.make(folder)
    let lock = try OwnerLock.take(folder.appending(path: "lock"))
    try await finishing {
      let paths = try write(parts, of: input.uri, to: folder)
      try await house.importing.run(Import.Input(paths: paths, collection: input.collection), emit: emit)
    } then: {
      try withExtendedLifetime(lock) { try FileManager.default.removeItem(at: folder) }
    }
  }

  private static func write(_ parts: [ResourceContents.Part], of uri: String, to folder: URL) throws -> [String] {
    try parts.enumerated().map { place, part in
      let uri = part.uri.isEmpty ? uri : part.uri
      let name = ResourceFile.name(of: uri, mimeType: part.mimeType, isText: part.isText)
      let inner = folder.appending(path: "\(place + 1)", directoryHint: .isDirectory)
      try Folders.make(inner)
      try part.bytes.write(to: inner.appending(path: name))
      return inner.appending(path: name).path
    }
  }
}

/// The text of a question that a tool server has prepared, for a person to look at, change and ask.
package enum FillToolPrompt: Operation {
  package struct Input: Codable, Sendable {
    package var server: String
    package var prompt: String
    package var values: [String: String]?
    package init(server: String, prompt: String, values: [String: String]? = nil) {
      (self.server, self.prompt, self.values) = (server, prompt, values)
    }
  }
  package struct Event: Codable, Sendable {
    package var text: String
    /// It was longer.
    package var cut: Bool
  }

  package static let name = "tools-prompt"

  package static func check(_ input: Input, from caller: Caller) throws {
    if case .key = caller { throw CallerError.personOnly("Filling in what a tool server has prepared") }
  }

  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Event>) async throws {
    let server = try ToolServers.read(house.folders).named(input.server)
    let prompts = try await house.tools.offers(of: server).prompts
    guard let prompt = prompts.first(where: { $0.name == input.prompt }) else {
      throw ToolError.noPrompt(server.name, input.prompt, prompts.map(\.name))
    }
    let (values, missing) = prompt.values(of: input.values ?? [:])
    guard missing.isEmpty else { throw ToolError.missing(missing) }
    let whole = try await house.tools.prompt(prompt.name, values, of: server)
    let text = whole.letters(OutsidePrompt.longestText)
    emit(Event(text: text, cut: text.utf8.count < whole.utf8.count))
  }
}

import Core

/// What can go wrong with the tools of others.
enum ToolError: Explained, Equatable {
  case silent(String)
  case garbled(String)
  case version(String, String)
  case refused(String, String)
  case unreached(String, String)
  case notHere
  case noTools(String)
  case noTool(String, String, [String])
  case whichServer([String])
  case noResource(String, String)
  case noPrompt(String, String, [String])
  case notTaken
  case noCard
  case missing([String])
  case notConfirmed

  var code: String {
    switch self {
    case .noTool, .noTools, .noCard, .noResource, .noPrompt: "tool_not_found"
    case .missing, .whichServer: "input_unreadable"
    case .notConfirmed, .notTaken: "tool_refused"
    case .notHere: "tools_missing"
    default: "tool_failed"
    }
  }

  var message: String {
    switch self {
    case .silent(let name): "The tool server \(name) did not answer, and was ended."
    case .garbled(let name): "The tool server \(name) answered with what cannot be understood."
    case .version(let name, let version): "The tool server \(name) speaks version \(version) of the protocol."
    case .refused(let name, let reason): "The tool server \(name) refused: \(reason)"
    case .unreached(let name, let reason): "The tool server \(name) gave no answer: \(reason)"
    case .notHere: "No tool server can be started here."
    case .noTools(let name): "The tool server \(name) offers no tools."
    case .noTool(let name, let tool, _): "The tool server \(name) has no tool \(tool)."
    case .whichServer: "Which tool server is meant is not said."
    case .noResource(let name, let uri): "The tool server \(name) offers no \(uri.prefix(200))."
    case .noPrompt(let name, let prompt, _): "The tool server \(name) has no prompt \(prompt.prefix(200))."
    case .notTaken: "Nothing is taken into the library before you have agreed."
    case .noCard: "This call is no longer known."
    case .missing(let fields): "These need a value that the tool takes: \(fields.joined(separator: ", "))."
    case .notConfirmed: "This tool is not called before you have agreed."
    }
  }

  var remedy: String? {
    switch self {
    case .silent: "Start it by hand to see what it waits for."
    case .version: "Understood are \(ToolMessages.versions.joined(separator: ", "))."
    case .noTool(_, _, let known): known.isEmpty ? nil : "It has: \(known.joined(separator: ", "))."
    case .noResource(let name, _): "What it offers: libera tools list \(name)"
    case .noPrompt(_, _, let known): known.isEmpty ? nil : "It has: \(known.joined(separator: ", "))."
    case .notTaken: "--yes, or the page's card, agrees."
    case .whichServer(let known):
      known.isEmpty
        ? "Add one in a terminal: libera tools add NAME -- PROGRAM." : "There are: \(known.joined(separator: ", "))."
    case .noCard: "Say again what you want."
    case .notConfirmed: "Agree to the card, or let it act unasked: libera tools allow SERVER TOOL."
    default: nil
    }
  }
}

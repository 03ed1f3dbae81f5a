import Core
package import Foundation
package import Models
package import Workers

/// What runs inside the fetch worker, the only process with a network: downloads into the packs' staging folder, and runs
/// the scripts of Packs/ over what was downloaded. Its messages stand in Models/FetchMessages.swift.
package final class FetchEngine: Engine {
  private let bounds: FetchBounds?

  /// nil: no bounds, for tests that bring addresses of their own.
  package init(_ bounds: FetchBounds?) { self.bounds = bounds }

  package func handle(_ call: Call, _ reply: some ReplySink) throws {
    switch call.operation {
    case "download": try download(call, call.decode(DownloadRequest.self), reply)
    case "published": try published(call, call.decode(PublishedRequest.self), reply)
    case "reach": try reach(call, call.decode(ReachRequest.self))
    case "script": try script(call, call.decode(ScriptRequest.self), reply)
    default:
      throw RemoteError(code: "unknown_operation", message: "The fetch worker does not know \"\(call.operation)\".")
    }
  }

  package func adjust(_ body: Data) {}

  private func download(_ call: Call, _ request: DownloadRequest, _ reply: some ReplySink) throws {
    try bounds?.check(request.url, request.package)
    try bounds?.check(request.tools)
    let url: String
    if let package = request.package {
      guard let tools = request.tools else { throw PackError.pythonMissing }
      url = try address(of: package, tools, call.cancelled)
    } else {
      url = request.url ?? ""
    }
    let download = try Download(request, url: url, cancelled: call.cancelled) { try reply.event($0) }
    try download.run()
  }

  private func published(_ call: Call, _ request: PublishedRequest, _ reply: some ReplySink) throws {
    try bounds?.check(request.url, nil)
    // Without following: the hub states hash and size on its own answer, and then redirects to where the bytes are.
    let answer = try Transfer.ask(request.url, cancelled: call.cancelled)
    let tag = answer["x-linked-etag"].map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "\"")) }
    guard let tag, SHA256.isHash(tag), let size = answer["x-linked-size"].flatMap({ Int64($0) }), size > 0 else {
      throw PackError.noPublishedHash(request.url)
    }
    try reply.event(FetchEvent.published(sha256: tag, bytes: size))
  }

  private func reach(_ call: Call, _ request: ReachRequest) throws {
    try bounds?.check(request.part.url, request.part.package)
    try bounds?.check(request.tools)
    if let package = request.part.package {
      guard let tools = request.tools else { throw PackError.pythonMissing }
      _ = try address(of: package, tools, call.cancelled)
    } else {
      _ = try Transfer.ask(request.part.url ?? "", cancelled: call.cancelled)
    }
  }

  private func script(_ call: Call, _ request: ScriptRequest, _ reply: some ReplySink) throws {
    try bounds?.check(request.tools)
    let (_, notes) = try run(request.script, request.arguments, request.tools, call.cancelled)
    for line in notes.split(separator: "\n") where line.hasPrefix("unsealed") {
      try reply.event(FetchEvent.notice("\(request.script) ran without its seal: \(line)"))
    }
  }

  /// Asks pip's own index where a package's file is; no index is named in this project.
  private func address(of package: Pack.PackageFile, _ tools: Tools, _ cancelled: CancelFlag) throws -> String {
    let (out, _) = try run("pypi.py", ["url", package.name, package.version, package.file], tools, cancelled)
    guard let line = out.split(separator: "\n").last else {
      throw PackError.script(name: "pypi.py", detail: "it named no address")
    }
    return String(line)
  }

  private func run(_ script: String, _ arguments: [String], _ tools: Tools, _ cancelled: CancelFlag) throws -> (
    out: String, notes: String
  ) {
    guard !script.contains("/") else { throw PackError.script(name: script, detail: "it does not lie in Packs/") }
    // -B writes no caches beside the scripts, which this process may only read.
    let child = try Child(tools.python, ["-B", "\(tools.scripts)/\(script)"] + arguments)
    let (status, out, notes) = try child.wait(cancelled)
    guard status == 0 else {
      let detail = notes.split(separator: "\n").last.map(String.init) ?? "it ended with status \(status)"
      throw PackError.script(name: script, detail: detail)
    }
    return (out, notes)
  }
}

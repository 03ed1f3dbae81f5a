import Core
import Foundation
import Inference
import Models
import Resources
import Safety
import Workers

/// Packs with their workers: fetching through the launcher, trying through a sealed chat worker.
extension House {
  func pull(_ id: String) async throws -> AsyncThrowingStream<PullEvent, any Error> {
    guard let launcher else { throw AssistantError.offline }
    try Folders.make(packs.staging)
    let worker = try await launcher.start(.fetch)
    let call: FetchCall = { operation, body in worker.call(operation, body: body, most: FetchEvent.most(operation)) }
    let convert = ConvertWorker(host: host).run
    let pulling = HubReference(id).map { packs.pull($0, call: call) } ?? packs.pull(id, call: call, convert: convert)
    let line = outgoing.begin(.fetched, id)
    return streaming { emit in
      var before: Int64?
      try await finishing {
        for try await event in pulling {
          self.outgoing.keep(line, event, &before)
          emit(event)
        }
      } then: {
        await worker.stop()
      }
    }
  }

  func smoke(_ id: String) async throws -> SmokePack.Event {
    let status = try packs.status(of: id)
    guard status.installed != nil else { throw PackError.notInstalled(id) }
    guard status.pack.kind == .chat else { throw AssistantError.smokeNeedsChat(id) }
    let limits = await governor.limits(.fast)
    let model = try await models.model(status, limits: limits)
    var request = GenerateRequest(.raw([.trusted(SmokePack.beginning)]))
    request.maximumTokens = 10
    var text = ""
    var report = GenerateReport()
    for try await event in model.generate(request) {
      switch event {
      case .piece(let piece): text += piece
      case .done(let done): report = done
      default: break
      }
    }
    let info = await model.info
    return SmokePack.Event(
      text: text, tokens: report.generatedTokens, loadMs: info?.loadMs ?? 0, tokensPerSecond: report.tokensPerSecond,
      backend: info?.backend ?? "")
  }
}

/// Takes apart and converts what was fetched, in a sealed worker of its own that sees those files and nothing else.
struct ConvertWorker {
  let host: WorkerHost

  @Sendable func run(_ operation: String, _ body: Data, _ inputs: [URL], _ output: URL) async throws {
    try Data().write(to: output)
    let files = try inputs.map(FileHandle.init(forReadingFrom:)) + [FileHandle(forUpdating: output)]
    defer { withExtendedLifetime(files) {} }
    // Mapped files do not count; a member is unpacked or a tensor converted at a time, torch's file at once.
    let read = inputs.reduce(0) { $0 + UInt64(max(0, Disk.size($1) ?? 0)) }
    let worker = try await host.start(.convert, seal: SealSpecification(memoryBytes: (1 << 30) + 2 * read))
    try await finishing {
      for try await _ in worker.call(operation, body: body, files: files.map(\.fileDescriptor)) {}
    } then: {
      await worker.stop()
    }
    try Task.checkCancellation()
  }
}

/// What speeds are measured for: the cache folder may be shared between machines.
enum Processor {
  static let features: String = {
    let text: String
    // Only Linux tells; elsewhere all processors of one machine count as the same.
    do { text = try String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8) } catch { return "unknown" }
    let flags = text.split(separator: "\n").first { $0.hasPrefix("flags") || $0.hasPrefix("Features") } ?? ""
    let wanted = ["avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_int8", "asimddp", "i8mm", "sve"]
    return flags.split(separator: " ").map(String.init).filter(wanted.contains).sorted().joined(separator: " ")
  }()
}

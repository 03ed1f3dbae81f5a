import Core
import Foundation
package import Models
package import Workers

/// What runs inside the fetch worker, the only process with a network: downloads into the packs' staging folder. Its messages
/// stand in Models/FetchMessages.swift.
package final class FetchEngine: Engine {
  private let bounds: FetchBounds?
  private let hub: String
  private let index: String?
  /// The files that the hub has named: they may be downloaded too. Touched by the one thread that handles calls.
  private var listed: Set<String> = []

  /// `bounds` nil: none, for tests that bring addresses of their own. `hub`: where listings are asked for; `index`: where Python
  /// packages are listed.
  package init(_ bounds: FetchBounds?, hub: String = FetchEngine.hub, index: String?) {
    (self.bounds, self.hub, self.index) = (bounds, hub, index)
  }

  /// Where most people publish models.
  package static let hub = "https://huggingface.co"

  package func handle(_ call: Call, _ reply: some ReplySink) throws {
    switch call.operation {
    case "download": try download(call, call.decode(DownloadRequest.self), reply)
    case "published": try published(call, call.decode(PublishedRequest.self), reply)
    case "listing": try listing(call, call.decode(ListingRequest.self), reply)
    case "release": try release(call, call.decode(ReleaseRequest.self), reply)
    case "reach": try reach(call, call.decode(ReachRequest.self))
    default:
      throw RemoteError(code: "unknown_operation", message: "The fetch worker does not know \"\(call.operation)\".")
    }
  }

  private func download(_ call: Call, _ request: DownloadRequest, _ reply: some ReplySink) throws {
    if request.package != nil || !listed.contains(request.url ?? "") {
      try bounds?.check(request.url, request.package)
    }
    let url = try request.package.map { try address(of: $0, call.cancelled) } ?? request.url ?? ""
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

  private func listing(_ call: Call, _ request: ListingRequest, _ reply: some ReplySink) throws {
    try bounds?.check(repository: request.repository)
    // A repository that was renamed leads on to its new name, at the same hub and nowhere else.
    var address = HubListing.address(request.repository, hub: hub)
    for _ in 0..<3 {
      var body = Data()
      let transfer = try Transfer(cancelled: call.cancelled)
      transfer.body = { bytes in
        guard body.count + bytes.count <= HubListing.mostBytes else {
          throw PackError.network("\(address) sends more than \(HubListing.mostBytes >> 20) MB")
        }
        body.append(contentsOf: bytes)
      }
      switch try transfer.run(address, headers: ["Accept: application/json"], patience: 30) {
      case .redirect(let next):
        guard next.hasPrefix(hub + "/api/models/") else { throw PackError.insecure(next) }
        address = next
      case .complete:
        let found = try HubListing(body, repository: request.repository, hub: hub)
        listed.formUnion(found.files.map(\.url))
        return try reply.event(FetchEvent.listed(found))
      }
    }
    throw PackError.redirects(address)
  }

  private func release(_ call: Call, _ request: ReleaseRequest, _ reply: some ReplySink) throws {
    try bounds?.check(release: request.url)
    let folder = String(request.url.prefix(through: request.url.lastIndex(of: "/") ?? request.url.startIndex))
    func beside(_ name: String) throws -> String? {
      do {
        return try Transfer.read(folder + name, most: 1 << 20, cancelled: call.cancelled).text
      } catch PackError.status(404, _) {
        return nil
      }
    }
    let (sums, signature) = (try beside("SHA256SUMS"), try beside("SHA256SUMS.minisig"))
    let bytes = try Transfer.length(request.url, cancelled: call.cancelled)
    try reply.event(FetchEvent.release(.init(sums: sums.map { Data($0.utf8) }, signature: signature, bytes: bytes)))
  }

  private func reach(_ call: Call, _ request: ReachRequest) throws {
    try bounds?.check(request.part.url, request.part.package)
    if let package = request.part.package {
      _ = try address(of: package, call.cancelled)
    } else {
      _ = try Transfer.ask(request.part.url ?? "", cancelled: call.cancelled)
    }
  }

  /// Asks the index where a package's file is.
  private func address(of package: Pack.PackageFile, _ cancelled: CancelFlag) throws -> String {
    guard let index else { throw PackError.noIndex }
    let page = try Transfer.read(
      PackageIndex.page(of: package.name, on: index), accept: PackageIndex.accepted, most: Self.mostPage,
      cancelled: cancelled)
    guard let address = PackageIndex.address(of: package.file, in: page.text, at: page.address) else {
      throw PackError.notListed(file: package.file, page: page.address)
    }
    return address
  }

  /// The longest list of a package's files; those of models are short.
  private static let mostPage = 16 << 20
}

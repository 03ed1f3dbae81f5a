import Core
import Foundation
import Models
import Workers

/// The best pack that fits this device and writes better than what is installed: proposed once per data folder and whenever
/// somebody asks, fetched only when the person says so.
package enum ProposePack: Operation {
  package struct Input: Codable, Sendable {
    /// The person has seen the proposal: it is not made again.
    package var seen: Bool?
    /// A person asks for it now: it is made however often it was made before.
    package var asked: Bool?
    package init(seen: Bool? = nil, asked: Bool? = nil) { (self.seen, self.asked) = (seen, asked) }
  }

  package static let name = "packs-proposal"
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<Proposal>) async throws {
    if input.seen == true {
      try house.rememberProposal()
    } else if let proposal = try await house.proposal(asked: input.asked ?? false) {
      emit(proposal)
    }
  }
}

package struct Proposal: Codable, Sendable, Equatable {
  package var id: String
  package var name: String
  package var bytes: Int64
  package var parameters: Int64
  /// What answers now; nil where nothing does.
  package var insteadOf: String?
  package var insteadOfParameters: Int64?
  package var tokensPerSecond: Double
  /// Tokens per second were measured on a device like this one, not estimated from the size.
  package var measured: Bool
  package var source: String

  init(_ pack: Pack, from source: Pack.Source, insteadOf now: Pack?) {
    let speed = Autopilot.expectedSpeed(pack)
    (id, name, bytes, parameters) = (pack.id, pack.name, pack.bytes, pack.parameters)
    (insteadOf, insteadOfParameters) = (now?.name, now?.parameters)
    (tokensPerSecond, measured, self.source) = (speed.generate, speed.measured, source.name)
  }

  enum CodingKeys: String, CodingKey {
    case id, name, bytes, parameters, measured, source
    case insteadOf = "instead_of"
    case insteadOfParameters = "instead_of_parameters"
    case tokensPerSecond = "tokens_per_s"
  }
}

extension House {
  private var proposalFile: URL { folders.data.appending(path: "proposed-pack") }

  func rememberProposal() throws { try Data().write(to: proposalFile) }

  /// The best candidate. Where a person asks, the places that packs come from are asked whether they answer, best first, until
  /// one does; unasked, nothing goes out and the catalogue alone is looked at.
  func proposal(asked: Bool) async throws -> Proposal? {
    guard asked || !FileManager.default.fileExists(atPath: proposalFile.path), !settings.offline else { return nil }
    let statuses = try packs.list()
    let now = statuses.filter { $0.pack.kind == .chat && $0.installed != nil }
      .max { $0.pack.parameters < $1.pack.parameters }?.pack
    let absent = Set(statuses.filter { $0.installed == nil }.map(\.pack.id))
    let candidates = packs.catalogue.packs
      .filter { absent.contains($0.id) && $0.kind == .chat && $0.parameters > now?.parameters ?? 0 }
      .map { Autopilot.Candidate(pack: $0, footprint: Footprint($0)) }
    guard asked else {
      guard let best = Autopilot.proposal(candidates, context: packs.context, available: packs.availableMemory()),
        let source = best.pack.sources.first
      else { return nil }
      return Proposal(best.pack, from: source, insteadOf: now)
    }
    return candidates.isEmpty ? nil : try await reachable(candidates, insteadOf: now)
  }

  private func reachable(_ all: [Autopilot.Candidate], insteadOf now: Pack?) async throws -> Proposal? {
    guard let launcher else { return nil }
    var candidates = all
    try Folders.make(packs.staging)
    let worker = try await launcher.start(.fetch)
    var answers: [String: Bool] = [:]
    var found: Proposal?
    while found == nil,
      let choice = Autopilot.proposal(candidates, context: packs.context, available: packs.availableMemory())
    {
      let line = outgoing.begin(.asked, choice.pack.id)
      var before: Int64?
      for source in choice.pack.sources where found == nil {
        outgoing.keep(line, .source(source.name), &before)
        guard await reaches(source, with: worker, &answers) else { continue }
        found = Proposal(choice.pack, from: source, insteadOf: now)
      }
      candidates.removeAll { $0.pack.id == choice.pack.id }
    }
    await worker.stop()
    return found
  }

  /// One question per host or package: a host that is away is away for all of its packs.
  private func reaches(
    _ source: Pack.Source, with worker: Worker, _ answers: inout [String: Bool]
  ) async -> Bool {
    guard let part = source.files.first?.parts.first else { return false }
    let place = part.package?.name ?? part.url.flatMap { URL(string: $0)?.host() } ?? ""
    if let known = answers[place] { return known }
    var isThere = false
    do {
      try await worker.finish("reach", ReachRequest(part: part))
      isThere = true
    } catch { isThere = false }  // not reached, for whatever reason: not proposed
    answers[place] = isThere
    return isThere
  }
}

import Commands
package import Core
import Foundation
import Inference
import Models
import Resources
import Retrieval
import Safety
import Workers

/// What is present, what is sealed, what fits, what is slow, and how to mend it. Every field is looked up now.
package enum Doctor: Operation {
  package struct Check: Codable, Sendable {
    package enum State: String, Codable, Sendable { case ok, warning, problem }
    package var name: String
    package var state: State
    package var detail: String
    package var remedy: String?
  }

  package struct Report: Codable, Sendable {
    package struct Sealed: Codable, Sendable {
      package var main: Bool
      package var workers: Bool
    }
    package var checks: [Check]
    package var sealed: Sealed
    /// Processes with a network since the start, and how many of these were handed mail.
    package var connectionsOpened: Int
    package var mailSent: Int
    /// What went over the network, line by line.
    package var outgoing: [Outgoing]
    /// nil when it cannot be told.
    @OrNull package var volumeEncrypted: Bool?

    enum CodingKeys: String, CodingKey {
      case checks, sealed, outgoing
      case connectionsOpened = "connections_opened"
      case mailSent = "mail_sent"
      case volumeEncrypted = "volume_encrypted"
    }
  }

  package static let name = "doctor"
  package static func run(_ input: Nothing, in house: House, emit: @escaping Emit<Report>) async throws {
    emit(await examine(house))
  }

  private static func examine(_ house: House) async -> Report {
    let card = card(await house.cards.look())
    let (worker, workerSeal) = await tryWorker(house.host)
    let count = await launcherCount(house)
    let encrypted = Volume.isEncrypted(house.folders.data)
    var checks =
      packs(house) + [
        await providers(house), memory(await house.governor.state), disk(house), worker, card,
        vectors(EncoderWay.chosen()),
      ]
    if let speed = await speed(house) { checks.append(speed) }
    checks.append(seal("main process", house.seal))
    if let workerSeal { checks.append(seal("workers", workerSeal)) }
    checks += [count.check, await written(house), sensors(await house.governor.state), volume(encrypted), languages()]
    return Report(
      checks: checks, sealed: .init(main: house.seal.isSealed, workers: workerSeal?.isSealed ?? false),
      connectionsOpened: count.connections, mailSent: count.mail, outgoing: house.outgoing.all,
      volumeEncrypted: encrypted)
  }

  private static func packs(_ house: House) -> [Check] {
    do {
      let installed = try house.packs.list().filter { $0.installed != nil }
      let kinds = [Pack.Kind.chat, .embed].map { kind in
        let of = installed.filter { $0.pack.kind == kind }
        let what = kind == .chat ? "chat pack" : "embedding pack"
        guard let best = of.first(where: \.fit.fits) ?? of.first else {
          return Check(
            name: what, state: .problem, detail: "none is installed", remedy: "libera packs pull --defaults")
        }
        if !best.fit.fits {
          return Check(name: what, state: .problem, detail: best.fit.reason, remedy: "Install a smaller pack.")
        }
        if let bad = of.first(where: { !$0.verified }) {
          return Check(
            name: what, state: .warning, detail: "\(bad.pack.id) changed since it was verified",
            remedy: "libera packs verify \(bad.pack.id)")
        }
        return Check(name: what, state: .ok, detail: "\(of.map(\.pack.id).joined(separator: ", ")): \(best.fit.reason)")
      }
      let others = try house.packs.others()
      guard !others.isEmpty else { return kinds }
      let named = others.prefix(5).map { String($0.onOneLine.prefix(100)) }.joined(separator: ", ")
      return kinds + [
        Check(
          name: "other files", state: .warning, detail: "lie among the packs, and nothing uses them: \(named)",
          remedy: "Take a model in with libera packs import FILE; the rest can be moved or deleted.")
      ]
    } catch {
      return [
        Check(name: "packs", state: .problem, detail: RemoteError(error).message, remedy: RemoteError(error).remedy)
      ]
    }
  }

  private static func providers(_ house: House) async -> Check {
    let settings = house.settings
    let limits = await house.governor.limits(settings.mode)
    let chain = await house.candidates(nil, limits).chain(quoting: .extractive(passages: nil))
    let choice = ProviderChoice.choose(chain, pinned: settings.provider)
    let missing = chain.first { !$0.available && $0.provider == (settings.provider ?? .local) }
    let reason = chain.first { $0.provider == choice.provider }?.reason ?? ""
    return Check(
      name: "answers", state: missing == nil ? .ok : .warning,
      detail: "come from \(choice.provider.rawValue): \(reason)"
        + (missing.map { "; \($0.provider.rawValue) cannot: \($0.reason)" } ?? ""), remedy: missing?.remedy)
  }

  private static func memory(_ state: Governor.State) -> Check {
    let tier = state.tiers.memory
    return Check(
      name: "memory", state: tier.level == .normal ? .ok : .warning, detail: tier.reason,
      remedy: tier.level == .normal ? nil : "Close other programs, or choose a smaller pack.")
  }

  private static func disk(_ house: House) -> Check {
    do {
      let values = try FileManager.default.attributesOfFileSystem(forPath: house.folders.data.path)
      let free = (values[.systemFreeSize] as? NSNumber)?.int64Value ?? 0
      return Check(
        name: "disk", state: free < 1 << 30 ? .warning : .ok,
        detail: "\(Bytes.text(free)) free in the data folder's volume",
        remedy: free < 1 << 30 ? "Make room: documents and packs need it." : nil)
    } catch { return Check(name: "disk", state: .problem, detail: "\(error.localizedDescription)", remedy: nil) }
  }

  static let engine =
    "a worker with llama.cpp (as in \(Version.engine)\(Version.engineIsMended ? "" : ", without our patches"))"

  /// Really starts one, as an answer would.
  private static func tryWorker(_ host: WorkerHost) async -> (Check, SealReport?) {
    do {
      let began = ContinuousClock.now
      let worker = try await host.start(.chat, seal: SealSpecification())
      let seal = worker.seal
      await worker.stop()
      return (
        Check(name: "engine", state: .ok, detail: "\(engine) starts in \(Int(began.msUntilNow)) ms"), seal
      )
    } catch {
      let remote = RemoteError(error)
      return (Check(name: "engine", state: .problem, detail: remote.message, remedy: remote.remedy), nil)
    }
  }

  /// Whether a graphics card computes, and if not why not. None is no fault of a device.
  static func card(_ state: GraphicsCards.State) -> Check {
    switch state {
    case .used(let card):
      Check(
        name: "graphics card", state: .ok,
        detail: "\(card.name) is used, with \(Bytes.text(card.freeBytes)) free of \(Bytes.text(card.totalBytes))"
          + (card.sharesMemory ? " of the memory that programs share" : ""))
    case .absent(let reason): Check(name: "graphics card", state: .ok, detail: "none is used: \(reason)")
    case .failed(let reason):
      Check(
        name: "graphics card", state: .warning,
        detail: "it failed, and is not used until the program starts again: \(reason)",
        remedy: "libera settings set compute cpu leaves it alone for good.")
    }
  }

  static func vectors(_ way: (taken: String?, asked: String?)) -> Check {
    let made = "are made " + EncoderWay.words(way.taken)
    guard let asked = way.asked, asked != way.taken else { return Check(name: "vectors", state: .ok, detail: made) }
    return Check(
      name: "vectors", state: .warning, detail: "\(made); \(EncoderWay.variable) asks for \(asked), which is not here",
      remedy: "\(EncoderWay.variable) may be one of \(EncoderWay.names.joined(separator: ", ")), or unset")
  }

  private static func seal(_ what: String, _ report: SealReport) -> Check {
    Check(
      name: "seal of the \(what)", state: report.isSealed ? .ok : .warning, detail: report.summary,
      remedy: report.isSealed ? nil : "A Linux kernel of 5.13 or newer with seccomp and Landlock seals it.")
  }

  private static func launcherCount(_ house: House) async -> (check: Check, connections: Int, mail: Int) {
    guard let launcher = house.launcher else {
      return (Check(name: "network", state: .ok, detail: "nothing can be started that has a network"), 0, 0)
    }
    do {
      let count = try await launcher.count()
      var told: [String] = []
      if count.connected > 0 { told.append("\(count.connected) times a worker was started for packs") }
      if count.sent > 0 { told.append("\(count.sent) times a message was handed to the mail program") }
      var detail =
        told.isEmpty ? "no process with a network was started" : told.joined(separator: ", ") + " since the start"
      if count.offline { detail = "offline is set: nothing with a network is started now; \(detail)" }
      return (Check(name: "network", state: .ok, detail: detail), count.connected + count.sent, count.sent)
    } catch {
      return (Check(name: "network", state: .problem, detail: RemoteError(error).message, remedy: "Start again."), 0, 0)
    }
  }

  /// What the settings file says and could not be taken.
  private static func written(_ house: House) async -> Check {
    let refused = house.currentSettings.refused
    let known = SettingRule.all.count
    guard !refused.isEmpty else {
      return Check(name: "settings", state: .ok, detail: "all \(known) are what they may be")
    }
    return Check(
      name: "settings", state: .warning, detail: refused.map(\.message).joined(separator: " "),
      remedy: refused.compactMap(\.remedy).joined(separator: " "))
  }

  private static func sensors(_ state: Governor.State) -> Check {
    let unknown = state.reading.unknown.keys.sorted()
    return Check(
      name: "sensors", state: .ok,
      detail: unknown.isEmpty ? "all are read" : "not on this device: \(unknown.joined(separator: ", "))")
  }

  /// Which languages each ability speaks. The tables come with the program: one that cannot be read is a damaged installation.
  private static func languages() -> Check {
    let spoken = Language.abilities.map { "\($0.ability): \($0.codes.joined(separator: ", "))" }.joined(separator: "; ")
    do {
      try Language.check()
      try WordList.check()
    } catch {
      return Check(name: "languages", state: .problem, detail: "\(error)", remedy: "Install LiberaGPT again.")
    }
    return Check(name: "languages", state: .ok, detail: spoken, remedy: nil)
  }

  private static func volume(_ encrypted: Bool?) -> Check {
    switch encrypted {
    case true?: Check(name: "volume", state: .ok, detail: "the data folder lies on an encrypted volume")
    case false?:
      Check(
        name: "volume", state: .warning, detail: "the data folder lies on a volume that is not encrypted",
        remedy: "Encrypt the disk with your system's own means, or keep the data folder on an encrypted one.")
    case nil:
      Check(name: "volume", state: .warning, detail: "whether the volume is encrypted cannot be told here", remedy: nil)
    }
  }
}

/// What the block device under a folder says about itself.
enum Volume {
  static func isEncrypted(_ folder: URL, sys: URL = URL(filePath: "/sys")) -> Bool? {
    #if os(Linux)
      var status = stat()
      guard stat(folder.path, &status) == 0 else { return nil }
      let device = status.st_dev
      let (major, minor) = ((device >> 8) & 0xFFF, (device & 0xFF) | ((device >> 12) & 0xFFF00))
      guard major != 0 else { return nil }  // a file system without a block device of its own
      return isEncrypted(block: sys.appending(path: "dev/block/\(major):\(minor)"))
    #else
      return nil
    #endif
  }

  /// A mapped device is encrypted itself or lies on ones that are.
  private static func isEncrypted(block: URL) -> Bool? {
    let place = block.resolvingSymlinksInPath()
    guard FileManager.default.fileExists(atPath: place.path) else { return nil }
    if let uuid = FileManager.default.contents(atPath: place.appending(path: "dm/uuid").path),
      String(decoding: uuid, as: UTF8.self).hasPrefix("CRYPT-")
    {
      return true
    }
    let slaves = place.appending(path: "slaves")
    guard FileManager.default.fileExists(atPath: slaves.path) else { return false }
    do {
      let below = try FileManager.default.contentsOfDirectory(atPath: slaves.path)
      return !below.isEmpty && below.allSatisfy { isEncrypted(block: slaves.appending(path: $0)) == true }
    } catch { return nil }  // not known, which the doctor says
  }
}

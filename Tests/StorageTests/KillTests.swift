import Commands
import Core
import Foundation
import TestSupport
import Testing

@testable import Storage

/// LIBERA_KILLS says how often; a handful of each kind otherwise.
@Suite("Ended at any moment")
struct KillTests {
  enum Kind: String, CaseIterable {
    case importing = "import"
    case importingTogether = "import together"
    case chat, actions, purge, migration, upgrade, restore, backup
  }

  private static let kills = ProcessInfo.processInfo.environment["LIBERA_KILLS"].flatMap(Int.init) ?? 80
  private static var share: Int { (kills + 2 * Kind.allCases.count - 1) / (2 * Kind.allCases.count) }

  @Test("Killed, nothing promised is lost, nothing is there twice, and it goes on", arguments: Kind.allCases)
  func killed(kind: Kind) async throws {
    var done = 0
    while done < Self.share {
      let ordeal = try await Ordeal(kind)
      while done < Self.share, try await ordeal.run(dying: .killed(lines: .random(in: 0...5))) {
        done += 1
        try await ordeal.check()
      }
      try await ordeal.complete()
    }
  }

  @Test(
    "Without power, what was synced is enough: nothing promised is lost, nothing is there twice, and it goes on",
    .enabled(if: Shim.isPossible, "\(PowerLoss.needs)"), arguments: Kind.allCases)
  func powerless(kind: Kind) async throws {
    var done = 0
    while done < Self.share {
      let ordeal = try await Ordeal(kind)
      let power = try PowerLoss(root: ordeal.folders.data)
      while done < Self.share, try await ordeal.run(dying: .powerless(power, sync: .random(in: 1...40))) {
        let manner = PowerLoss.Manner.allCases[done % PowerLoss.Manner.allCases.count]
        done += 1
        try power.cut(manner)
        try await ordeal.check("\(manner)")
      }
      try await ordeal.complete()
      try power.remove()
    }
  }
}

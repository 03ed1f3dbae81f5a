import Foundation
import LiberaDoors
import LiberaKit
import Synchronization
import Testing

@testable import os

/// A listener of the house's own, which only remembers.
private final class Remembered: AnswerSignposts {
  let told = Mutex<[[String]]>([])
  func begin() -> any AnswerSignpost {
    let place = told.withLock { all in
      all.append([])
      return all.count - 1
    }
    return One(self, place)
  }

  private final class One: AnswerSignpost {
    private let all: Remembered
    private let place: Int
    init(_ all: Remembered, _ place: Int) { (self.all, self.place) = (all, place) }
    func ended(_ part: String) { all.told.withLock { $0[place].append(part) } }
    func over(_ facts: [String: String]) {
      all.told.withLock { $0[place].append("over " + facts.keys.sorted().joined(separator: " ")) }
    }
  }
}

/// One side of the door, and what it was told of each answer: its parts, then that it is over with the names of the facts.
struct SignpostSide: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var signposts: any AnswerSignposts
  var told: @Sendable () -> [[String]]

  static var ours: SignpostSide {
    let remembered = Remembered()
    return SignpostSide(testDescription: "remembered", signposts: remembered) { remembered.told.withLock(\.self) }
  }

  static let apple = SignpostSide(testDescription: "OSLog", signposts: AppleSignposts()) {
    let intervals = SignpostRoom.shared.state.withLock(\.intervals)
    return intervals.filter { $0.name == "answer" }.map { answer in
      var told = intervals.filter { $0.name == "part" && $0.id == answer.id }.compactMap(\.message)
      if told.last == "what came last" { told.removeLast() }
      guard let facts = answer.message else { return told }
      let names = facts.split(separator: ", ").map { $0.prefix { $0 != ":" } }
      return told + ["over " + names.joined(separator: " ")]
    }
  }
}

/// What the library tells of an answer while it is made, by both sides of the door: a plain listener, and the system's log as we
/// declare it.
@Suite("Signposts", .serialized)
struct SignpostTests {
  init() { SignpostRoom.shared.state.withLock { $0 = SignpostRoom.State() } }
  static var sides: [SignpostSide] { [.ours, .apple] }

  private func opened(_ home: KitHome, _ side: SignpostSide) async throws -> Libera {
    try await Libera(home: home.home, caches: home.caches, signposts: side.signposts)
  }

  private func close(_ libera: Libera) async throws {
    await libera.close()
    #expect(SignpostRoom.shared.state.withLock(\.faults).isEmpty)
    func open() -> [SignpostRoom.Interval] {
      SignpostRoom.shared.state.withLock { $0.intervals.filter { $0.message == nil } }
    }
    // Whoever asked has the answer a moment before it is over.
    for _ in 0..<6_000 where !open().isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    #expect(open().isEmpty, "every interval is ended")
  }

  /// What was told once all that was begun is over: whoever asked has the answer a moment before that.
  private func told(_ side: SignpostSide) async throws -> [[String]] {
    for _ in 0..<6_000 where !side.told().allSatisfy({ $0.last?.hasPrefix("over") == true }) {
      try await Task.sleep(for: .milliseconds(10))
    }
    return side.told()
  }

  @Test("The parts are told in their order and as the trace keeps them, then that the answer is over", arguments: sides)
  func order(side: SignpostSide) async throws {
    let home = try KitHome(withPacks: false)
    let libera = try await opened(home, side)
    _ = try await collected(libera.import([home.lease()]))
    _ = try await libera.answer("How long is the notice period?")
    let trace = try #require(try await libera.traces().last)
    let all = try await told(side)
    let told = try #require(all.first)
    #expect(all.count == 1 && told.count > 2)
    #expect(told.dropLast() == ArraySlice(trace.phases.map(\.name)))
    #expect(told.last == "over " + trace.names.keys.sorted().joined(separator: " "))
    try await close(libera)
  }

  @Test("Answers at once are told apart, and one that fails or is stopped is over too", arguments: sides)
  func ends(side: SignpostSide) async throws {
    let home = try KitHome(withPacks: false)
    let libera = try await opened(home, side)
    _ = try await collected(libera.import([home.lease()]))
    async let first = libera.answer("How long is the notice period?")
    async let second = libera.answer("Who is the tenant?")
    _ = try await (first, second)
    let two = try await told(side)
    #expect(two.count == 2)
    #expect(two.allSatisfy { $0.count > 2 && $0.last?.hasPrefix("over kind") == true }, "\(two)")
    let stopped = Task { try await libera.answer("When is the rent due?") }
    stopped.cancel()
    _ = await stopped.result
    let odd = Task { try await libera.answer("What?", AskOptions(collection: "nothing", task: .wholeDocument)) }
    _ = await odd.result
    try await close(libera)
    let told = side.told()
    #expect(told.allSatisfy { $0.filter { $0.hasPrefix("over") }.count == 1 && $0.last?.hasPrefix("over") == true })
  }

  @Test("Nothing that a person wrote or keeps is told, and what is told can be read in Instruments")
  func privacy() async throws {
    let home = try KitHome(withPacks: false)
    let libera = try await opened(home, .apple)
    _ = try await collected(libera.import([home.lease()]))
    _ = try await libera.answer("How long is the notice period?")
    let intervals = SignpostRoom.shared.state.withLock(\.intervals)
    #expect(!intervals.isEmpty && intervals.allSatisfy { !$0.hides && $0.category == "answers" })
    let told = intervals.compactMap(\.message).joined(separator: " ")
    for word in ["notice", "period", "lease", "tenant", "Berger"] { #expect(!told.contains(word), "\(told)") }
    try await close(libera)
  }
}

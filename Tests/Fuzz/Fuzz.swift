import Foundation

private let usage = """
  fuzz [TARGET...] [--seconds S | --count N] [--seed N] [--from N] [--patience S]
                                           feeds hostile inputs to each target, two targets at a time
  fuzz TARGET --seed N --only N [--write FILE]
                                           one of them again, in this process, or into a file
  fuzz TARGET --input FILE                 a file that was kept
  targets: \(Targets.all.map { $0.name }.joined(separator: ", "))
  """

// Each target runs in a process of its own; one that crashes, or is silent for too long, has its input written to a file.

/// What was asked for on the command line.
private struct Words {
  var names: [String] = []
  var values: [String: String] = [:]
  private static let known = [
    "--seconds", "--count", "--seed", "--from", "--patience", "--only", "--write", "--input", "--progress",
  ]

  /// Nil where a word is none that is known.
  init?(_ words: [String]) {
    var rest = words[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("--") else {
        names.append(word)
        continue
      }
      if word == "--child" {
        values[word] = ""
      } else {
        guard Self.known.contains(word), let value = rest.popFirst() else { return nil }
        values[word] = value
      }
    }
  }

  func number(_ name: String) -> Int? { values[name].flatMap { Int($0) } }
  func file(_ name: String) -> URL? { values[name].map { URL(filePath: $0) } }
}

@main
enum Fuzz {
  static func main() async throws {
    guard let words = Words(Array(CommandLine.arguments.dropFirst())) else { return refuse() }
    let isAlone = ["--child", "--only", "--input"].contains { words.values[$0] != nil }
    var chosen: [any Target.Type] = Targets.all
    if !words.names.isEmpty { chosen = Targets.all.filter { words.names.contains($0.name) } }
    if chosen.count != max(words.names.count, isAlone ? 1 : chosen.count) {
      return refuse()
    }
    let seed = UInt64(words.number("--seed") ?? 1)
    let first = words.number("--from") ?? 0
    let count = words.number("--count")
    if isAlone {
      try await alone(Runner(target: chosen[0], seed: seed), words, first, count)
      return
    }
    let seconds = words.number("--seconds").map { Double($0) } ?? (count == nil ? 60 : nil)
    let bound = Watcher.Bound(
      seconds: seconds, count: count, patience: words.number("--patience").map(Double.init) ?? 20)
    exit(Watcher.run(chosen.map { $0.name }, seed: seed, from: first, bound) == 0 ? 0 : 1)
  }

  private static func refuse() {
    say(usage)
    exit(64)
  }

  private static func alone(_ runner: Runner, _ words: Words, _ first: Int, _ count: Int?) async throws {
    if let file = words.file("--input") { return try await runner.run(Data(contentsOf: file)) }
    guard let only = words.number("--only") else {
      return try await runner.run(
        from: first, count: count ?? .max, progress: words.values["--progress"] ?? "/dev/null")
    }
    guard let file = words.file("--write") else {
      return try await runner.run(from: only, count: 1, progress: "/dev/null")
    }
    try await runner.keep(only, in: file)
  }
}

import Core
import Foundation
import Retrieval
import Storage

// Retrieval quality on a collection in BEIR's layout, and speed and recall of the vector search.
//   bench-memory --beir FOLDER [--vectors FILE [--missing FILE]] [--tune]
//   bench-memory --speed COUNT [--vectors FILE]

var options: [String: String] = [:]
var words = CommandLine.arguments.dropFirst()
while let word = words.popFirst() {
  guard word.hasPrefix("--") else { continue }
  options[String(word.dropFirst(2))] = words.first.map { !$0.hasPrefix("--") } == true ? words.popFirst()! : ""
}

guard let vectors = options["vectors"] else {
  print("bench-memory: give --vectors FILE")
  exit(2)
}
let embedder = try StoredVectors(file: URL(filePath: vectors))
let home = FileManager.default.temporaryDirectory.appending(path: "bench-memory-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: home) }

if let folder = options["beir"] {
  let beir = try Beir(folder: URL(filePath: folder))
  let vault = try Vault(Folders(home: home))
  var chunker = Chunker { StoredVectors.estimate($0) }
  if let target = options["target"].flatMap(Int.init) { chunker.target = target }
  try await Corpus.fill(vault, with: beir.corpus, chunker: chunker, embedder: embedder)
  if let list = options["missing"], !embedder.absent.isEmpty {
    let lines = try embedder.absent.map { try JSON.line(["text": $0]) }
    try (lines.joined(separator: "\n") + "\n").write(to: URL(filePath: list), atomically: true, encoding: .utf8)
    print("\(embedder.absent.count) texts have no vector yet; they are listed in \(list)")
  }
  let quality = Quality(beir: beir, vault: vault, embedder: embedder)
  if options["tune"] != nil { try await quality.tune() } else { try await quality.report() }
} else if let count = options["speed"].flatMap(Int.init) {
  try await Speed(sample: embedder.all, folder: home).report(count)
}

import Core
import Foundation
import Inference
import Retrieval
import Storage

// Retrieval quality on a collection in BEIR's layout, and speed and recall of the vector search.
//   ./libera bench memory --beir FOLDER (--pack FILE | --vectors FILE [--missing FILE]) [--target TOKENS] [--tune]
//   ./libera bench memory --speed COUNT --vectors FILE

var options: [String: String] = [:]
var words = CommandLine.arguments.dropFirst()
while let word = words.popFirst() {
  guard word.hasPrefix("--") else { continue }
  options[String(word.dropFirst(2))] = words.first.map { !$0.hasPrefix("--") } == true ? words.popFirst()! : ""
}

guard options["vectors"] != nil || options["pack"] != nil else {
  print("bench-memory: give --pack FILE (an embedder's GGUF) or --vectors FILE")
  exit(64)
}
let stored = try options["vectors"].map { try StoredVectors(file: URL(filePath: $0)) }
var embedder: any Embedder
var counter: TokenCounter = { StoredVectors.estimate($0) }
if let stored {
  embedder = stored
} else {
  let file = URL(filePath: options["pack"] ?? "")
  var request = LoadRequest(contextTokens: 256)
  request.embeddings = true
  let pack = PackEmbedder(
    TextModel(pack: file, request: request), identity: try SHA256.of(file: file), dimensions: 384)
  embedder = pack
  counter = pack.counter
}
let home = FileManager.default.temporaryDirectory.appending(path: "bench-memory-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: home) }

if let folder = options["beir"] {
  let beir = try Beir(folder: URL(filePath: folder))
  let vault = try Vault(Folders(home: home))
  var chunker = Chunker(count: counter)
  if let target = options["target"].flatMap(Int.init) { chunker.target = target }
  try await Corpus.fill(vault, with: beir.corpus, chunker: chunker, embedder: embedder)
  if let list = options["missing"], let absent = stored?.absent, !absent.isEmpty {
    let lines = try absent.map { try JSON.line(["text": $0]) }
    try (lines.joined(separator: "\n") + "\n").write(to: URL(filePath: list), atomically: true, encoding: .utf8)
    print("\(absent.count) texts have no vector yet; they are listed in \(list)")
  }
  let quality = Quality(beir: beir, vault: vault, embedder: embedder)
  if options["tune"] != nil { try await quality.tune() } else { try await quality.report() }
} else if let count = options["speed"].flatMap(Int.init), let stored {
  try await Speed(sample: stored.all, folder: home).report(count)
}

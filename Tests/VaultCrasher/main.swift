import Core
import Foundation
import Storage

// Imports documents into the vault of the folder given, over and over where it left off, and says what it has been promised:
// a line "done NAME" is written only after the last commit of that document. The test kills it at any moment.

let vault = try Vault(Folders(home: URL(filePath: CommandLine.arguments[1])))
let count = Int(CommandLine.arguments[2]) ?? 0

func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

say("open")
for number in 0..<count {
  let name = "document \(number)"
  let hash = try vault.blobs.keep(Data(name.utf8))
  let new = NewDocument(name: name, hash: hash, title: name, kind: "text", bytes: name.utf8.count)
  // A document whose text is complete may still lack vectors: that is gone on with too.
  let document: Document
  switch try await vault.documents.begin(new) {
  case .known(let known): document = known
  case .proceed(let begun):
    document = begun
    for page in document.pagesDone..<4 {
      let text = "page \(page) of number\(number)"
      let chunk = ChunkText(
        pageFrom: page + 1, pageTo: page + 1, start: page * 40, end: page * 40 + text.utf8.count, heading: name,
        text: text, tokens: 5)
      try await vault.documents.append(
        to: document.id, pages: [Page(number: page + 1, start: page * 40, text: text)], chunks: [chunk],
        pagesDone: page + 1)
    }
    try await vault.documents.finish(document.id)
  }
  let shelf = vault.vectors(embedder: "test", dimensions: 64)
  let pending = try await shelf.pending(limit: 100)
  try await shelf.add(
    pending.map { pending in
      var vector = [Float](repeating: 0.01, count: 64)
      vector[Int(pending.chunk % 64)] = 1
      return (pending.chunk, vector)
    })
  say("done \(name)")
}
say("end")

// A question to a document and a command, in one program: swift run example-ask HOME PDF QUESTION COMMAND
//
// COMMAND is words ("remind me tomorrow at nine to call John") or a sound file (.wav) in which somebody says them.
import Foundation
import LiberaKit

func ask(_ libera: Libera, _ document: URL, _ question: String, _ command: String) async throws {
  for try await event in libera.import([document]) {
    if case .failed(let document, let reason) = event { print("\(document): \(reason)") }
  }

  for try await event in libera.ask(question) {
    switch event {
    case .piece(let piece): print(piece, terminator: "")
    case .replaced(let answer): print("\n\(answer)", terminator: "")
    case .done(let answer):
      print()
      for passage in answer.citations {
        print("  \(passage.title), page \(passage.page ?? 1): \(passage.text)")
      }
    default: break
    }
  }

  var (command, recognition) = (command, Double?.none)
  if command.hasSuffix(".wav") {
    let heard = try await libera.transcribe(URL(filePath: command))
    (command, recognition) = (heard.text, heard.allRight)
    print("heard: \(command)")
  }
  var performed = try await libera.perform(command, recognition: recognition)
  if performed.action == nil, performed.decision != .none {
    // Here a person would be shown the card and say yes.
    print("asked: \(performed.card.words)")
    performed = try await libera.perform(command, confirmed: true, recognition: recognition)
  }
  if let action = performed.action {
    print("done: \(action.summary)")
    print("taken back: \(try await libera.undo(action.id).state == .undone)")
  }
}

let words = CommandLine.arguments.dropFirst().map(\.self)
guard words.count == 4 else {
  print("example-ask HOME PDF QUESTION COMMAND")
  exit(2)
}
do {
  let libera = try await Libera(home: URL(filePath: words[0]))
  try await ask(libera, URL(filePath: words[1]), words[2], words[3])
  await libera.close()
} catch {
  print(error)
  exit(1)
}

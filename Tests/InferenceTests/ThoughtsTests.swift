import Foundation
import Inference
import Testing

@testable import TextEngine

@Suite("What a model thinks before it answers")
struct ThoughtsTests {
  static let cases: [(isOpen: Bool, text: String, thought: String, answer: String)] = [
    (false, "<think>\nTwo and two.\n</think>\n\nFour.", "\nTwo and two.\n", "Four."),
    (false, "\n <think></think>Four.", "", "Four."),
    (true, "\nTwo and two.\n</think>\n\nFour.", "\nTwo and two.\n", "Four."),
    (true, "It never ends", "It never ends", ""),
    (true, "half </thin", "half </thin", ""),
    (false, "Four.", "", "Four."),
    (false, "  Four.", "", "  Four."),
    (false, "Write <think>so</think> in it.", "", "Write <think>so</think> in it."),
    (false, "<think>a</think>b <think>c</think>", "a", "b <think>c</think>"),
    (false, "<thin ice", "", "<thin ice"), (false, "<thi", "", "<thi"), (false, "", "", ""),
    (false, "<think>日本</think>😀", "日本", "😀"),
  ]

  @Test("Cut at any two bytes, thoughts and answer are told apart alike", arguments: cases.indices)
  func anyCut(index: Int) throws {
    let wanted = Self.cases[index]
    let marks = try #require(Thoughts.Marks.known(to: "{{ '</think>' }}"))
    let bytes = Array(wanted.text.utf8)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        var thoughts = Thoughts(marks, isOpen: wanted.isOpen)
        var (thought, answer): ([UInt8], [UInt8]) = ([], [])
        for piece in [bytes[..<first], bytes[first..<second], bytes[second...]] {
          let told = thoughts.read(Array(piece))
          (thought, answer) = (thought + told.thought, answer + told.answer)
        }
        let rest = thoughts.finish()
        #expect(String(decoding: thought + rest.thought, as: UTF8.self) == wanted.thought)
        #expect(String(decoding: answer + rest.answer, as: UTF8.self) == wanted.answer)
      }
    }
  }

  @Test("A template that speaks of no thoughts has no marks")
  func none() {
    #expect(Thoughts.Marks.known(to: "{{ messages }} <think> of it") == nil)
    #expect(Thoughts.Marks.known(to: "a </thought> b")?.opening == "<thought>")
  }

  @Test(
    "A template that opens the thoughts itself has all that follows thought, one that closes them has it answered",
    .needsChatPack, arguments: [true, false])
  func templates(isOpen: Bool) async throws {
    let turns =
      "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>\\n' }}{% endfor %}"
    let pack = try ForeignPack(
      template: turns + "<|im_start|>assistant\\n".replacing("\\n", with: "\n")
        + (isOpen ? "<think>\n{# </think> #}" : "<think>\n</think>\n"))
    let model = TextModel(pack: pack.file, request: LoadRequest(contextTokens: 512, threads: 1))
    var request = GenerateRequest(.chat([Message(.user, untrusted: "Name the capital of France.")]))
    request.maximumTokens = 12
    func written(_ request: GenerateRequest) async throws -> (thought: String, answer: String, thoughtTokens: Int) {
      var result = (thought: "", answer: "", thoughtTokens: 0)
      for try await event in model.generate(request) {
        switch event {
        case .thought(let text): result.thought += text
        case .piece(let text): result.answer += text
        case .done(let report): result.thoughtTokens = report.thoughtTokens
        default: break
        }
      }
      return result
    }
    let told = try await written(request)
    #expect(told.thought.isEmpty != isOpen && told.answer.isEmpty == isOpen, "\(told)")
    #expect((told.thoughtTokens > 0) == isOpen)
    // Where a grammar holds the first word there are no thoughts, whatever the template has opened.
    request.grammar = #"root ::= "yes" | "no""#
    let held = try await written(request)
    #expect(held.thought.isEmpty && ["yes", "no"].contains(held.answer), "\(held)")
    await model.unload()
  }
}

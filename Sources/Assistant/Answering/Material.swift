import Core
import Models
import Resources

/// What a turn answers from. The kinds of turn differ in this and in nothing else: what is read, what can be said of it without a
/// model, what a model is asked, and how its words are checked. `Turn` runs them all the same way.
protocol Material: Sendable {
  /// What can be cited.
  var evidence: Evidence { get }
  /// Whether there is an answer without a model.
  var quoting: Availability { get }
  /// False where this model's words would add nothing.
  func wants(_ pack: Pack?) -> Bool
  /// The answer without a model; nil where there is none.
  func quoted(_ mode: Mode) -> Quoted?
  /// Has the model write. What is lost in the middle is noted; `WriterLost` where that is everything.
  func write(with writer: Writer, _ limits: Limits, _ draft: inout Draft) async throws
  /// Holds what was written to what was read. Runs to its end also where a person has stopped the answer.
  func check(_ draft: inout Draft) async throws
}

extension Material {
  func wants(_ pack: Pack?) -> Bool { true }
}

/// What reading comes to.
enum Findings {
  case material(any Material)
  /// The answer that is plain already, such as that there is none.
  case answer(String)
}

/// An answer that no model wrote.
struct Quoted: Sendable {
  var parts: [AnswerPart] = []
  var text: String
  /// The words that answer, with which the text then begins.
  var short: String?
}

/// An answer on its way: its record, what its prompt held, what a model wrote and of what parts it consists.
struct Draft: Sendable {
  var record: AnswerRecord
  var prompt: Prompt.Turn
  var written = Written()
  var parts: [AnswerPart] = []

  init(_ record: AnswerRecord, question: String) {
    self.record = record
    prompt = Prompt.Turn(question: question)
  }

  /// The answer is this text, as far as it goes; why it goes no further is noted.
  mutating func take(_ written: Written) {
    self.written = written
    (record.answer, record.stopped) = (written.text, written.stopped)
    record.dropped += written.notes
  }
}

import AppIntents
import Foundation
import LiberaApp
import LiberaKit
import LiberaScreens

// In Xcode these files belong to the app's own target: the system finds intents where the app's code is, not in a package.

/// An error of ours in words, for the system to say.
struct Told: Error, CustomLocalizedStringResourceConvertible {
  let localizedStringResource: LocalizedStringResource

  static func of<Value: Sendable>(_ work: @MainActor () async throws -> Value) async throws -> Value {
    do { return try await work() } catch is CancellationError { throw CancellationError() } catch {
      throw Told(localizedStringResource: LocalizedStringResource(stringLiteral: ErrandWords.of(error)))
    }
  }
}

extension HandedFile {
  init(_ file: IntentFile) {
    self.init(name: file.filename, content: file.fileURL.map { .file($0) } ?? .bytes(file.data))
  }
}

struct AskIntent: AppIntent {
  static let title: LocalizedStringResource = "Ask my documents"
  static let description: IntentDescription? = IntentDescription(
    "Answers a question from your documents, on this device.")
  /// Answers are read out of private documents.
  static let authenticationPolicy = IntentAuthenticationPolicy.requiresAuthentication

  @Parameter(title: "Question", requestValueDialog: "What do you want to know?")
  var question: String
  @Dependency private var errands: Errands

  init() {}

  func perform() async throws -> some ReturnsValue<String> & ProvidesDialog {
    let said = try await Told.of { try await errands.ask(question) }
    return .result(value: said.answer, dialog: "\(ErrandWords.of(said))")
  }
}

struct ImportIntent: AppIntent {
  static let title: LocalizedStringResource = "Add a document"
  static let description: IntentDescription? = IntentDescription("Takes a file into your library.")
  static let authenticationPolicy = IntentAuthenticationPolicy.requiresAuthentication

  @Parameter(title: "File", requestValueDialog: "Which file?")
  var file: IntentFile
  @Dependency private var errands: Errands

  init() {}

  func perform() async throws -> some ReturnsValue<Int> & ProvidesDialog {
    let taken = try await Told.of { try await errands.take([HandedFile(file)]) }
    return .result(value: taken.imported, dialog: "\(ErrandWords.of(taken))")
  }
}

struct TranscribeIntent: AppIntent {
  static let title: LocalizedStringResource = "Write down a recording"
  static let description: IntentDescription? = IntentDescription("The words of a sound file.")
  static let authenticationPolicy = IntentAuthenticationPolicy.requiresAuthentication

  @Parameter(title: "Recording", requestValueDialog: "Which recording?")
  var recording: IntentFile
  @Dependency private var errands: Errands

  init() {}

  func perform() async throws -> some ReturnsValue<String> & ProvidesDialog {
    let words = try await Told.of { try await errands.words(of: HandedFile(recording)) }
    return .result(value: words, dialog: "\(words)")
  }
}

struct RemindIntent: AppIntent {
  static let title: LocalizedStringResource = "Add a reminder"
  static let description: IntentDescription? = IntentDescription(
    "Reminds you at a time that you name, or that its words name.")
  static let authenticationPolicy = IntentAuthenticationPolicy.requiresAuthentication

  @Parameter(title: "What", requestValueDialog: "What shall I remind you of?")
  var what: String
  @Parameter(title: "When")
  var when: Date?
  @Dependency private var errands: Errands

  init() {}

  func perform() async throws -> some ReturnsValue<String> & ProvidesDialog {
    let action = try await Told.of { try await errands.remind(of: what, at: when) }
    return .result(value: action.summary, dialog: "\(action.summary)")
  }
}

import Core

/// What can go wrong in the text engine, in words a person can act on.
package enum EngineError: Explained, Equatable {
  case unknownOperation(String)
  case badRequest(String)
  case missingFile(String)
  case notLoaded
  case wrongKind(needed: String)
  case packRefused(reason: String)
  case contextRefused(reason: String)
  case adapterRefused(reason: String)
  case templateMissing
  case templateRefused(reason: String)
  case grammarRefused(reason: String)
  case contextOverflow(promptTokens: Int, maximumTokens: Int, contextTokens: Int)
  case textTooLong(index: Int, tokens: Int, window: Int)
  case tokenRefused(Int32, reason: String)
  case evaluationFailed(reason: String)
  case stateRefused(reason: String)

  package var code: String {
    switch self {
    case .unknownOperation: "operation_unknown"
    case .badRequest: "request_unreadable"
    case .missingFile: "file_missing"
    case .notLoaded: "model_not_loaded"
    case .wrongKind: "model_of_other_kind"
    case .packRefused: "pack_refused"
    case .contextRefused: "context_refused"
    case .adapterRefused: "adapter_refused"
    case .templateMissing: "template_missing"
    case .templateRefused: "template_refused"
    case .grammarRefused: "grammar_refused"
    case .contextOverflow: "context_overflow"
    case .textTooLong: "text_too_long"
    case .tokenRefused: "token_refused"
    case .evaluationFailed: "evaluation_failed"
    case .stateRefused: "prompt_state_refused"
    }
  }

  package var message: String {
    switch self {
    case .unknownOperation(let name): "The text engine knows no operation named \(name)."
    case .badRequest(let reason): "The text engine could not read the request: \(reason)"
    case .missingFile(let what): "The call came without \(what)."
    case .notLoaded: "No model is loaded."
    case .wrongKind(let needed): "The loaded model was not loaded as \(needed)."
    case .packRefused(let reason): "The model could not be loaded: \(reason)"
    case .contextRefused(let reason): "No working memory could be made for the model: \(reason)"
    case .adapterRefused(let reason): "The adapter could not be used: \(reason)"
    case .templateMissing: "The model carries no chat template."
    case .templateRefused(let reason): "The model's chat template cannot be used: \(reason)"
    case .grammarRefused(let reason): "The grammar cannot be used: \(reason)"
    case .contextOverflow(let prompt, let maximum, let context):
      "The prompt has \(prompt) tokens and the answer may have \(maximum); the context holds \(context)."
    case .textTooLong(let index, let tokens, let window):
      "Text \(index + 1) has \(tokens) tokens; the embedding model sees \(window)."
    case .tokenRefused(let token, let reason): "There is no token \(token) to be written: \(reason)."
    case .evaluationFailed(let reason): "The model could not be evaluated: \(reason)"
    case .stateRefused(let reason): "What had been read of a conversation could not be kept or taken up: \(reason)"
    }
  }

  package var remedy: String? {
    switch self {
    case .packRefused: "Verify the pack, or fetch it again."
    case .contextRefused: "Choose a smaller context or a smaller pack."
    case .adapterRefused: "Use an adapter made for this very model."
    case .templateMissing, .templateRefused: "Choose a pack that was made for conversation."
    case .contextOverflow: "Shorten the request, allow a shorter answer, or choose a larger context."
    case .textTooLong: "Split the text, or allow it to be cut."
    case .tokenRefused: "Numbers are those of this very model's vocabulary; send the text instead."
    default: nil
    }
  }
}

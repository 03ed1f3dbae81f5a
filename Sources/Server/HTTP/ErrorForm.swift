import Core
import Foundation

/// How a dialect words a refusal: its clients look for theirs.
enum ErrorForm: Sendable, Equatable {
  case house
  /// The parameter that holds the text of a request, which is named where there is too much of it.
  case openAI(parameter: String)
  case anthropic
  case ollama

  static func of(_ path: String) -> ErrorForm {
    switch path {
    case "/v1/messages", "/v1/messages/count_tokens": .anthropic
    case "/v1/completions", LlamaPath.completion.path, LlamaPath.props.path: .openAI(parameter: "prompt")
    case "/v1/embeddings", "/v1/responses", "/v1/audio/speech": .openAI(parameter: "input")
    case _ where path.hasPrefix("/v1/"): .openAI(parameter: "messages")
    case _ where OllamaPath.has(path): .ollama
    default: .house
    }
  }

  private struct OpenAI: Encodable {
    struct Told: Encodable {
      var code: String
      var message: String
      var remedy: String?
      var type: String
      // Clients expect it to be there.
      @OrNull var param: String?
    }
    var error: Told
  }

  private struct Anthropic: Encodable {
    struct Told: Encodable {
      var type: String
      var message: String
    }
    var type = "error"
    var error: Told
  }

  /// The whole body, on one line.
  func line(_ error: any Error) -> Data {
    let (status, told) = Response.describe(error)
    let words = [told.message, told.remedy].compactMap(\.self).joined(separator: " ")
    do {
      switch self {
      case .house: return Response.errorLine(told)
      case .openAI(let parameter):
        let about: String? =
          switch told.code {
          case "context_length_exceeded": parameter
          case "previous_response_not_found": "previous_response_id"
          default: nil
          }
        return try JSON.encode(
          OpenAI(
            error: .init(
              code: told.code, message: told.message, remedy: told.remedy, type: Self.type(status),
              param: about)))
      case .anthropic: return try JSON.encode(Anthropic(error: .init(type: Self.type(status), message: words)))
      case .ollama: return try JSON.encode(["error": words])
      }
    } catch { return Response.errorLine(told) }
  }

  /// The kinds that OpenAI's and Anthropic's clients know.
  private static func type(_ status: Int) -> String {
    switch status {
    case 401: "authentication_error"
    case 403: "permission_error"
    case 404: "not_found_error"
    case 413: "request_too_large"
    case 429: "rate_limit_error"
    case 500...: "api_error"
    default: "invalid_request_error"
    }
  }
}

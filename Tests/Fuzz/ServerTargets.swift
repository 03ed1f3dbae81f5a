import Assistant
import Core
import Foundation
import Inference
import Server
import Synchronization
import TestSupport

/// The real daemon on a port of its own, spoken to over a socket.
private final class Door: Sendable {
  let server: Server
  let token: String
  let scratch: Scratch
  private let fed = Atomic(0)

  init() async throws {
    scratch = try Scratch()
    let web = scratch.folder.appending(path: "web")
    try FileManager.default.createDirectory(at: web, withIntermediateDirectories: true)
    try Data("<!doctype html><title>page</title>".utf8).write(to: web.appending(path: "index.html"))
    let home = scratch.folder.appending(path: "home")
    try Folders.make(home)
    let folders = Folders(home: home, environment: ["HOME": home.path, "XDG_CACHE_HOME": home.path])
    let echo = Service("echo", needs: .ask) { body in
      AsyncThrowingStream { continuation in
        continuation.yield(body)
        continuation.finish()
      }
    }
    func told(_ name: String, _ event: String) -> Service {
      Service(name, needs: .ask) { _ in
        AsyncThrowingStream { continuation in
          continuation.yield(Data(event.utf8))
          continuation.finish()
        }
      }
    }
    let library = [told("documents", document), told("documents-text", #"{"document":"a.md","text":"ä one\ntwo"}"#)]
    let desk = TextDesk(Parrot(), ask: echo)
    server = try Server(
      LoopbackSockets.open(port: 0), folders: folders, services: [echo] + library,
      routes: desk.completionRoutes + desk.responsesRoutes + desk.anthropicRoutes + desk.llamaRoutes
        + OllamaRoutes(desk, [echo]).routes + ModelContextRoutes([echo] + library).routes, web: web)
    token = try Keys(folder: folders.data).add("fuzz", Set(Right.allCases))
    try server.start()
  }

  func end() async {
    await server.stop()
    scratch.remove()
  }

  /// Sends the bytes and reads to the end. From time to time the server has to answer a plain question.
  func feed(_ bytes: Data) throws {
    // A request that is not whole is waited for in vain.
    _ = try send(bytes, milliseconds: 25)
    guard fed.add(1, ordering: .relaxed).newValue % 256 == 0 else { return }
    let plain = "GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nConnection: close\r\n\r\n"
    let answer = String(decoding: try send(Data(plain.utf8)), as: UTF8.self)
    guard answer.hasPrefix("HTTP/1.1 401") else { throw Violation(what: "the server answers no more: \(answer)") }
  }

  private func send(_ bytes: Data, milliseconds: Int = 10_000) throws -> Data {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw Violation(what: "no socket: \(errno)") }
    defer { close(descriptor) }
    guard Sockets.connect(descriptor, toPort: server.port) else {
      throw Violation(what: "the server takes no connection: \(errno)")
    }
    bytes.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = Foundation.send(
          descriptor, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
        guard count > 0 else { return }
        sent += count
      }
    }
    shutdown(descriptor, Int32(SHUT_WR))
    var answer = Data()
    var wait = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
    var buffer = [UInt8](repeating: 0, count: 65536)
    while answer.count < 1 << 20 {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      answer.append(contentsOf: buffer[..<count])
    }
    return answer
  }

  func request(_ method: String, _ path: String, _ headers: [String] = [], body: String = "") -> Data {
    var lines = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(server.port)", "Authorization: Bearer \(token)"]
    lines += ["Connection: close"] + headers
    if !body.isEmpty { lines += ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"] }
    return Data((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
  }
}

/// Says back what it is told.
private struct Parrot: CompletionSource {
  func models() async throws -> [CompletionModel] {
    let details = CompletionModel.Details(
      family: "f", parameters: 1, quantization: "q", licence: "l", context: 1, dimensions: 2, bytes: 1, sha256: "",
      installed: .distantPast, isLoaded: true)
    return [
      CompletionModel(id: "a", kind: .chat, details: details), CompletionModel(id: "b", kind: .embed, details: details),
    ]
  }
  func generate(_ request: GenerateRequest, model: String) -> AsyncThrowingStream<GenerationEvent, any Error> {
    streaming { emit in
      emit(.prompt(PromptReport()))
      emit(.piece("<tool_call> {\"name\": \"f\", \"arguments\": {}} </tool_call>"))
      emit(.done(GenerateReport()))
    }
  }
  func usual() async throws -> String { "a" }
  func count(_ request: GenerateRequest, model: String) async throws -> Int { 1 }
  func embed(_ input: EmbedInput, model: String, long: EmbedRequest.Long) async throws -> (
    vectors: [[Float]], report: EmbedReport
  ) { ((0..<input.count).map { _ in [0.5, -1] }, EmbedReport()) }
  func load(_ model: String) async throws {}
  func unload(_ model: String) async throws {}
}

private let document =
  #"{"bytes":5,"collection":"c","created":"2026-11-25T20:11:55Z","document":"a.md","id":"1","kind":"markdown","missing":false,"pages_done":1,"source":"/x","state":"ready","text_bytes":9,"title":"A"}"#

private let questions: [String] = [
  #"{"model":"a","messages":[{"role":"system","content":"x"},{"role":"user","content":[{"type":"text","text":"é"}]}],"stream":true,"stream_options":{"include_usage":true},"stop":["a","b"],"seed":4,"temperature":0.5,"top_p":0.9,"max_tokens":5,"logprobs":true,"top_logprobs":3}"#,
  #"{"model":"a","messages":[{"role":"user","content":"x"},{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\":[1,{}]}"}}]},{"role":"tool","tool_call_id":"1","content":"y"}],"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","properties":{"a":{"type":"integer"}}}}}],"tool_choice":{"type":"function","function":{"name":"f"}}}"#,
  #"{"model":"a","messages":[{"role":"user","content":"x"}],"response_format":{"type":"json_schema","json_schema":{"schema":{"type":"object","properties":{"a":{"type":"array","items":{"enum":[1,null,"b",1.5,true]},"maxItems":3},"c":{"type":"string","pattern":"^a{1,3}$"}},"required":["a"]}}},"logit_bias":{},"n":1}"#,
  #"{"model":"libera","messages":[{"role":"user","content":"x"}],"libera":{"collection":"c","mode":"fast"}}"#,
  #"{"model":"a","prompt":["x"],"logprobs":2,"frequency_penalty":-1,"presence_penalty":2,"echo":false}"#,
  #"{"prompt":"x","n_predict":3,"n_probs":2,"grammar":"root ::= (\"a\" | [b-d\\]]){2,5} # \"("}"#,
  #"{"model":"b","input":[[1,2],[3]],"truncate":true}"#, #"{"model":"a","prompt":[4,5,6],"max_tokens":1}"#,
  #"{"model":"b","input":["a","b"],"encoding_format":"base64","dimensions":2}"#,
  #"{"model":"a","max_tokens":5,"system":[{"type":"text","text":"s"}],"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{"a":[1,{"é":"\u00e9"}]}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"y"}]}]}],"tools":[{"name":"f","input_schema":{"type":"object","properties":{"b":{},"a":{}}}}],"tool_choice":{"type":"tool","name":"f"},"stop_sequences":["z"],"stream":true}"#,
  #"{"model":"a:latest","messages":[{"role":"user","content":"x"},{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]},{"role":"tool","content":"y"}],"format":{"type":"object"},"options":{"temperature":0.5,"num_predict":-1,"stop":["a"],"mirostat":0},"keep_alive":"5m","stream":false}"#,
  #"{"model":"a","input":[{"role":"user","content":[{"type":"input_text","text":"x"}]},{"type":"function_call","name":"f","arguments":"{}","call_id":"1"},{"type":"function_call_output","call_id":"1","output":"y"}],"instructions":"i","tools":[{"type":"function","name":"f","parameters":{"type":"object"}}],"text":{"format":{"type":"text"}},"stream":true}"#,
  #"{"jsonrpc":"2.0","id":2,"method":"resources/list","params":{"cursor":"500"}}"#,
  #"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"read_document","arguments":{"document":"a.md","offset":1,"length":4}}}"#,
  #"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"list_documents","arguments":{}}}"#,
  #"{"jsonrpc":"2.0","id":5,"method":"prompts/get","params":{"name":"summarise_document","arguments":{"document":"a.md"}}}"#,
  #"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"libera://documents/1","_meta":{"progressToken":"p"}}}"#,
]

/// Whole requests: line, headers and body.
final class Requests: Target {
  static let name = "requests"
  private let door: Door
  let seeds: [Seed]

  init() async throws {
    door = try await Door()
    seeds =
      [
        door.request("GET", "/"), door.request("GET", "/v1/models"), door.request("HEAD", "/index.html"),
        door.request("GET", "/api/operations?after=3&x=%41%zz", ["Accept-Encoding: gzip", "Cookie: a=b; libera=c"]),
        door.request(
          "POST", "/api/echo", ["Origin: http://127.0.0.1", "Idempotency-Key: abcdefgh"], body: #"{"a":1}"#),
        door.request(
          "POST", "/api/echo",
          ["Transfer-Encoding: chunked", "Content-Type: application/json", "Expect: 100-continue"])
          + Data("3\r\n{\"a\r\n4;x=y\r\n\":1}\r\n0\r\nT: x\r\n\r\n".utf8),
        door.request("DELETE", "/api/operations/abcdefgh-1234"), door.request("OPTIONS", "*"),
        door.request("POST", "/v1/embeddings", body: questions[5]) + door.request("GET", "/v1/models/a"),
      ].map { Seed($0) }
  }

  func feed(_ input: Data) async throws { try door.feed(input) }
  func end() async { await door.end() }
}

/// The bodies of the API for programs, in requests that are otherwise sound.
final class Questions: Target {
  static let name = "questions"
  private let door: Door
  let seeds = questions.map { Seed($0) }

  private static let paths = [
    "/v1/chat/completions", "/v1/completions", "/v1/embeddings", "/v1/responses", "/v1/messages", "/api/chat",
    "/api/generate", "/api/embed", "/api/show", "/api/copy", "/api/echo", "/completion", "/mcp",
  ]
  /// Where a body goes that still has the mark of its seed.
  private static let marks: [(mark: String, path: String)] = [
    ("jsonrpc", "/mcp"), ("stop_sequences", "/v1/messages"), ("keep_alive", "/api/chat"),
    ("instructions", "/v1/responses"), ("n_predict", "/completion"), ("prompt", "/v1/completions"),
    ("input", "/v1/embeddings"),
  ]

  init() async throws { door = try await Door() }

  func feed(_ input: Data) async throws {
    let path = Self.paths[input.count % Self.paths.count]
    let known = Self.marks.first { input.range(of: Data("\"\($0.mark)\"".utf8)) != nil }?.path ?? "/v1/chat/completions"
    let headers = [
      "POST \(input.first == UInt8(ascii: "{") ? known : path) HTTP/1.1", "Host: 127.0.0.1:\(door.server.port)",
      "Authorization: Bearer \(door.token)", "Connection: close", "Content-Type: application/json",
      "Content-Length: \(input.count)",
    ]
    try door.feed(Data((headers.joined(separator: "\r\n") + "\r\n\r\n").utf8) + input)
  }

  func end() async { await door.end() }
}

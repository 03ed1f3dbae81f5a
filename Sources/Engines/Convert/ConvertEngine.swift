import Core
import Foundation
import Models
package import Workers

/// What runs inside the convert worker, which has no network and sees no file but those handed over: takes archives apart and
/// turns published weights into what the engines read, the same bytes every time. Its messages stand in Models/ConvertMessages.swift.
package final class ConvertEngine: Engine {
  package init() {}

  package func handle(_ call: Call, _ reply: some ReplySink) throws {
    guard let last = call.files.last else { throw PackError.malformed("nothing was handed over") }
    let inputs = try call.files.dropLast().map(MappedFile.init)
    switch call.operation {
    case "unpack": try unpack(call.decode(UnpackRequest.self), inputs, WrittenFile(last, call.cancelled))
    case "inflate": try inflate(call.decode(InflateRequest.self), inputs, WrittenFile(last, call.cancelled))
    case "convert": try convert(call.decode(ConvertRequest.self), inputs, WrittenFile(last, call.cancelled))
    default:
      throw RemoteError(code: "unknown_operation", message: "The convert worker does not know \"\(call.operation)\".")
    }
  }

  private func unpack(_ request: UnpackRequest, _ inputs: [MappedFile], _ out: WrittenFile) throws {
    guard let archive = inputs.first else { throw PackError.malformed("no archive was handed over") }
    let names = request.member.split(separator: "!", maxSplits: 1).map(String.init)
    guard let outer = names.first else { throw PackError.malformed("the catalogue names no member") }
    guard names.count == 2 else { return try write(outer, of: archive.bytes, request.most, to: out) }
    // An archive in an archive is no larger than what it is packed in, give or take.
    var inner: [UInt8] = []
    let most = archive.bytes.count * 2
    try PackedParts(archive.bytes).member(outer) { piece in
      guard inner.count + piece.count <= most else { throw PackError.malformed("\(outer) unpacks to too much") }
      inner.append(contentsOf: piece)
      try out.checkCancelled()
    }
    try inner.withUnsafeBytes { try write(names[1], of: $0, request.most, to: out) }
  }

  private func inflate(_ request: InflateRequest, _ inputs: [MappedFile], _ out: WrittenFile) throws {
    guard let packed = inputs.first else { throw PackError.malformed("no archive was handed over") }
    try PackedParts(packed.bytes).inflated { piece in
      guard Int64(out.written + piece.count) <= request.most else {
        throw PackError.malformed("it unpacks to too much")
      }
      try out.append(piece)
    }
    try out.finish()
  }

  private func write(_ member: String, of archive: UnsafeRawBufferPointer, _ most: Int64, to out: WrittenFile) throws {
    try PackedParts(archive).member(member) { piece in
      guard Int64(out.written + piece.count) <= most else { throw PackError.malformed("\(member) unpacks to too much") }
      try out.append(piece)
    }
    try out.finish()
  }

  private func convert(_ request: ConvertRequest, _ inputs: [MappedFile], _ out: WrittenFile) throws {
    guard request.files.count == inputs.count else { throw PackError.malformed("files are missing") }
    let files = Dictionary(zip(request.files, inputs)) { first, _ in first }
    func file(_ name: String) throws -> UnsafeRawBufferPointer {
      guard let file = files[name] else { throw PackError.malformed("the catalogue names no \(name)") }
      return file.bytes
    }
    switch request.form {
    case .bert:
      let model = try BertModel(
        config: file("config"), tokenizer: file("tokenizer"), pooling: file("pooling"), name: request.name)
      try model.write(weights: Safetensors(file("weights")), to: out)
    case .sentences:
      try SentenceModel(weights: file("weights"), pieces: file("pieces"), name: request.name).write(to: out)
    case .whisper, .whisperInBlocks:
      let weights = try file("weights")
      let model =
        try weights.starts(with: Array("PK\u{3}\u{4}".utf8))
        ? TorchFile(weights).whisper() : CTranslate2File(weights).whisper()
      try model.write(
        filters: file("filters"), vocabulary: file("vocabulary"), inBlocks: request.form == .whisperInBlocks, to: out)
    }
    try out.finish()
  }
}

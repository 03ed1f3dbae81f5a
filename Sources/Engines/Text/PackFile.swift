import Core
import Foundation
import Models

/// A pack as it reaches a sealed worker: an open descriptor, no path.
struct PackFile {
  let descriptor: CInt

  /// The one place where a file is judged before llama.cpp reads it.
  @discardableResult
  func checkHeader() throws -> GGUFHeader {
    do { return try GGUFHeader(descriptor: descriptor) } catch let error as PackError {
      throw EngineError.packRefused(reason: error.message)
    }
  }

  /// Opens the descriptor as a stream of its own; llama.cpp maps the file, so it outlives the stream.
  func withStream<Result>(_ body: (UnsafeMutablePointer<FILE>) throws -> Result) throws -> Result {
    let copy = dup(descriptor)
    guard copy >= 0, let stream = fdopen(copy, "rb") else {
      if copy >= 0 { close(copy) }
      throw EngineError.packRefused(reason: systemReason())
    }
    defer { fclose(stream) }
    rewind(stream)  // a duplicate shares its offset with whoever read the file before
    return try body(stream)
  }
}

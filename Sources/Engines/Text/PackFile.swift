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

/// The bytes of a pack, for as long as this lives: what is computed with is read where it lies.
final class MappedPack {
  let bytes: UnsafeRawBufferPointer

  init?(_ pack: PackFile, _ header: GGUFHeader) {
    let count = Int(header.fileBytes)
    guard count > 0, let address = mmap(nil, count, PROT_READ, MAP_PRIVATE, pack.descriptor, 0), address != MAP_FAILED
    else { return nil }
    bytes = UnsafeRawBufferPointer(start: address, count: count)
  }

  deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }

  /// Where its header says that it lies, which was held against the file's size.
  func address(of tensor: GGUFHeader.Tensor) -> UnsafeRawPointer { bytes.baseAddress! + Int(tensor.offset) }
}

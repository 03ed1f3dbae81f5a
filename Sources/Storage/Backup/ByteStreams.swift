import Core
import Foundation

/// Where a backup is written to, piece by piece.
protocol ByteSink: AnyObject {
  func write(_ data: Data) throws
  func finish() throws
}

/// Where a backup is read from. `read` returns exactly `count` bytes, or fewer at the end.
protocol ByteInput: AnyObject {
  func read(_ count: Int) throws -> Data
}

final class FileSink: ByteSink {
  private let handle: FileHandle

  /// There must be no such file yet.
  init(_ file: URL) throws { handle = try PrivateFile.make(file) }

  func write(_ data: Data) throws {
    do { try handle.write(contentsOf: data) } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
      throw StorageError.full
    }
  }

  func finish() throws { try handle.synchronize() }
}

final class FileSource: ByteInput {
  private let source: RegularFile
  private var place = 0

  init(_ file: URL) throws {
    do { source = try RegularFile(file.path) } catch let error as FileError {
      throw StorageError.unreadable(path: file.path, reason: String(error.message.dropLast()))
    }
  }

  func read(_ count: Int) throws -> Data {
    var data = Data()
    while data.count < count, let piece = try source.piece(at: place, upTo: min(count - data.count, 1 << 20)) {
      data.append(piece)
      place += piece.count
    }
    return data
  }
}

/// Tells how far another source was read, before each piece of it.
final class WatchedSource: ByteInput {
  private let source: any ByteInput
  private let watch: (Int) throws -> Void
  private var place = 0

  init(_ source: any ByteInput, _ watch: @escaping (Int) throws -> Void) {
    (self.source, self.watch) = (source, watch)
  }

  func read(_ count: Int) throws -> Data {
    try watch(place)
    let data = try source.read(count)
    place += data.count
    return data
  }
}

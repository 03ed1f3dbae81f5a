import Core
public import Foundation
import LiberaKit

/// A picture that the person chose, fetched only when its turn has come: many together may be more than memory holds.
public protocol ChosenPicture: Sendable {
  /// The bytes of a picture file.
  func file() async throws -> Data
}

/// A page as the camera took it.
public struct ScannedPage: Sendable, Equatable {
  public enum Turn: Int, Sendable, CaseIterable { case none = 0, right = 90, around = 180, left = 270 }
  public var jpeg: Data
  /// How it is turned, clockwise, to stand upright.
  public var turn: Turn

  public init(jpeg: Data, turn: Turn = .none) { (self.jpeg, self.turn) = (jpeg, turn) }
}

/// Where pictures lie as files while they are taken in. The library keeps its own copy, so nothing stays here.
public struct PictureFolder: Sendable {
  private static let (name, again) = ("LiberaGPT.pictures", "LiberaGPT.pictures-again")
  private static let maximumBytes = 200 << 20
  let folder: URL
  /// Where they lie at their second chance.
  private let second: URL

  /// - Parameter place: A folder of the app's own.
  init(in place: URL) {
    folder = place.appending(path: Self.name, directoryHint: .isDirectory)
    second = place.appending(path: Self.again, directoryHint: .isDirectory)
  }

  /// Whether a document came from such a folder: that its file is gone is then as it should be.
  static func held(_ document: Document) -> Bool {
    guard let source = document.source else { return false }
    return !Set(URL(filePath: source).pathComponents).isDisjoint(with: [name, again, HandedFile.folder])
  }

  /// Where the pictures of conversations lie while they are attached. What an end of the app leaves there goes at its next start.
  static func attached(in place: URL) -> URL {
    place.appending(path: "LiberaGPT.attached", directoryHint: .isDirectory)
  }

  /// The folder and the place it was made in.
  func remove() throws {
    let place = folder.deletingLastPathComponent()
    if FileManager.default.fileExists(atPath: place.path) { try FileManager.default.removeItem(at: place) }
  }

  func clear() throws {
    for folder in [folder, second] where FileManager.default.fileExists(atPath: folder.path) {
      try FileManager.default.removeItem(at: folder)
    }
  }

  /// The folder of an import that was ended together with the app, to be taken in now; nil where there is none. Pictures that end
  /// the app twice are given up, or it would never start again. Files of other programs are handed over again by them.
  func leftOver() throws -> URL? {
    let handed = folder.deletingLastPathComponent().appending(path: HandedFile.folder)
    for place in [handed, Self.attached(in: folder.deletingLastPathComponent())]
    where FileManager.default.fileExists(atPath: place.path) { try FileManager.default.removeItem(at: place) }
    if FileManager.default.fileExists(atPath: second.path) {
      try clear()
      throw LiberaError(
        code: "pictures_given_up", message: "Pictures that could not be read at two starts were given up.",
        remedy: "Take them in again one by one.")
    }
    guard FileManager.default.fileExists(atPath: folder.path) else { return nil }
    try FileManager.default.moveItem(at: folder, to: second)
    return second
  }

  /// Photos, each a file and a document of its own.
  /// - Returns: The files, and why each of the others is none.
  func keep(_ photos: [any ChosenPicture], called name: String, at moment: Date) async throws -> ([URL], [String]) {
    var (files, missing): ([URL], [String]) = ([], [])
    for (place, photo) in photos.enumerated() {
      try Task.checkCancellation()
      do {
        let data = try await photo.file()
        guard let kind = PictureKind(data), data.count <= Self.maximumBytes else { throw Self.notAPicture }
        let number = photos.count > 1 ? " \(place + 1)" : ""
        files.append(try write(data, "\(name) \(Self.stamp(moment))\(number).\(kind.rawValue)"))
      } catch is CancellationError {
        throw CancellationError()
      } catch { missing.append(LiberaError(telling: error).message) }
    }
    return (files, missing)
  }

  /// Pages of one scan, as one document.
  func keep(_ scan: [ScannedPage], called name: String, at moment: Date) throws -> URL {
    try write(try ScannedDocument(scan).pdf, "\(name) \(Self.stamp(moment)).pdf")
  }

  static let notAPicture = LiberaError(
    code: "picture_not_read", message: "This is no picture that can be read.",
    remedy: "PNG, JPEG, TIFF, GIF, BMP and WebP are.")

  private func write(_ data: Data, _ name: String) throws -> URL {
    try Folders.make(folder)
    let file = folder.appending(path: name.replacing("/", with: "-"))
    try data.write(to: file, options: .atomic)
    return file
  }

  /// As in `2026-06-11 07.00.00`, which every file system takes.
  private static func stamp(_ moment: Date) -> String {
    LocalMoment.text(moment).replacing("T", with: " ").replacing(":", with: ".")
  }
}

extension LiberaError {
  static func pictures(_ missing: Int, of all: Int, _ reason: String) -> LiberaError {
    LiberaError(
      code: "picture_not_read", message: "\(missing) of \(all) pictures could not be read: \(reason)")
  }
}

/// What a picture is by its first bytes; its raw value is what its name ends in.
enum PictureKind: String, CaseIterable {
  case png, jpg, tiff, gif, bmp, webp

  init?(_ data: Data) {
    let start = [UInt8](data.prefix(12))
    func begins(_ bytes: [UInt8]) -> Bool { start.starts(with: bytes) }
    if begins([0x89, 0x50, 0x4E, 0x47]) {
      self = .png
    } else if begins([0xFF, 0xD8, 0xFF]) {
      self = .jpg
    } else if begins([0x49, 0x49, 0x2A, 0x00]) || begins([0x4D, 0x4D, 0x00, 0x2A]) {
      self = .tiff
    } else if begins(Array("GIF8".utf8)) {
      self = .gif
    } else if begins(Array("BM".utf8)) {
      self = .bmp
    } else if begins(Array("RIFF".utf8)), start.dropFirst(8).elementsEqual("WEBP".utf8) {
      self = .webp
    } else {
      return nil
    }
  }
}

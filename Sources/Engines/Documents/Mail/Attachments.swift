import Core
import Documents

/// Reads what is attached to messages, each file through the reader that files of its kind have.
///
/// What a message may cost is bounded for all of its files together, however deep they lie; what is not read is named with the
/// reason.
final class Attachments {
  struct File {
    var name: String
    /// Decoded only when its turn comes.
    var bytes: () -> [UInt8]
    /// A picture that only decorates the page of a message, a signature: named and not read.
    var isRead: Bool
  }

  typealias Reading = (ByteSource, _ name: String, ParseOutput, Attachments) throws -> Void

  struct Bounds {
    var files = 100
    var bytes = 128 << 20
    var pages = 500
    var textBytes = 16 << 20
    /// A message attached to a message attached to a message.
    var depth = 3
  }

  private let output: ParseOutput
  private let bounds: Bounds
  private let read: Reading
  private var (depth, files, bytes, pages, textBytes) = (0, 0, 0, 0, 0)
  /// Those whose reading has ended a worker, of the message at hand.
  private var unread: [DocumentError] = []
  /// Told again whenever a page of an attachment was read, so that whoever waits sees life.
  private var place: (done: Int, of: Int?) = (0, nil)

  init(_ output: ParseOutput, _ bounds: Bounds = Bounds(), read: @escaping Reading) {
    (self.output, self.bounds, self.read) = (output, bounds, read)
  }

  /// Each message of a mailbox has the whole of what is allowed.
  func begin(message: Int, of count: Int) {
    // A mailbox that is itself attached shares what its message has.
    guard depth == 0 else { return }
    place = (message, count)
    (files, bytes, pages, textBytes, unread) = (0, 0, 0, 0, [])
  }

  /// Names those that ended a worker. Said behind the message, since with a page's problem the page counts as done.
  func tellUnread() throws {
    guard depth == 0 else { return }
    for problem in unread { try output.problem(place.done + 1, problem) }
  }

  /// What the file says, under its name; its name alone where it says nothing.
  func blocks(_ file: File) throws -> [Block] {
    let named = [Block(.listItem(level: 1), "- \(file.name)")]
    guard file.isRead else { return named }
    do {
      let found = try text(of: file)
      return found.isEmpty ? named : [Block(.heading(level: 2), "Attachment: \(file.name)")] + found
    } catch DocumentError.empty {
      return named
    } catch let error as RemoteError {
      unread.append(.attachmentUnread(file.name, error.message))
      return [Block(.listItem(level: 1), "- \(file.name) (not read: \(error.message))")]
    } catch let error as DocumentError {
      return [Block(.listItem(level: 1), "- \(file.name) (not read: \(error.message))")]
    }
  }

  private func text(of file: File) throws -> [Block] {
    guard depth < bounds.depth else {
      throw DocumentError.unsupported("attached to a message within messages, deeper than \(bounds.depth)")
    }
    files += 1
    guard files <= bounds.files else { throw DocumentError.unsupported("one of more than \(bounds.files) files") }
    let attached = AttachedFile(message: place.done + 1, number: files)
    if let why = output.request.leavingAllAttached ?? output.request.leavingAttached[attached] { throw why }
    try output.reading(attached)
    let content = file.bytes()
    bytes += content.count
    guard bytes <= bounds.bytes else { throw DocumentError.tooLarge(bytes: bytes, limit: bounds.bytes) }
    var request = ParseRequest(name: file.name)
    (request.languages, request.recognise) = (output.request.languages, output.request.recognise)
    request.limits = output.limits
    request.limits.pages = bounds.pages - pages
    request.limits.textBytes = bounds.textBytes
    request.limits.unpackedBytes = min(request.limits.unpackedBytes, bounds.bytes)
    var found: [Block] = []
    var info: DocumentInfo?
    let inner = ParseOutput(request, cancelled: output.cancelled) { [self] event in
      try output.progress(place.done, of: place.of)
      switch event {
      case .document(let begun): info = begun
      case .page(let page): try take(page, of: info, into: &found)
      case .problem, .reading, .readingAttached, .progress, .done: break
      }
    }
    depth += 1
    defer { depth -= 1 }
    try read(ByteSource(content), file.name, inner, self)
    if inner.report.problems > 0 {
      found.append(Block(.paragraph, "(\(inner.report.problems) of its pages could not be read)"))
    }
    return found
  }

  private func take(_ page: Page, of info: DocumentInfo?, into found: inout [Block]) throws {
    // What is seen in a photograph without writing is no text.
    if info?.kind == .image, page.recognised ?? 0 < 0.6 { return }
    if info?.pages != nil { pages += 1 }
    for var block in page.blocks where block.kind != .furniture {
      textBytes += block.text.utf8.count
      guard textBytes <= bounds.textBytes else { throw DocumentError.tooMuchText(limit: bounds.textBytes) }
      // Places and lines are those of the attached file, not of this one.
      (block.geometry, block.line) = (nil, nil)
      if case .heading(let level) = block.kind { block.kind = .heading(level: min(6, level + 2)) }
      found.append(block)
    }
  }
}

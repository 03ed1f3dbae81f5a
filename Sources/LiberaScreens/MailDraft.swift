import Core
public import Foundation
public import LiberaKit

/// Mail that a command has drafted, for the system's own mail program: only there the person sends it.
public struct MailDraft: Sendable, Equatable {
  /// Addresses alone: a name is left for the person to fill in.
  public var recipients: [String]
  public var subject: String
  public var body: String

  /// What the mail program made of it.
  public enum End: Sendable, Equatable {
    /// It was handed over to be sent; whether it arrives nobody here knows.
    case sent
    /// It is kept there as a draft.
    case saved
    /// The person has left it.
    case left
    /// It was opened in another program, which tells nothing more.
    case opened
    case failed(String)
  }

  /// nil for a card that is no mail.
  public init?(_ card: CommandCard) {
    guard card.kind == .sendMail else { return nil }
    recipients = card.recipients.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.filter(Self.isAddress)
    // A line break in a subject would begin another field of the message.
    subject = (card.subject ?? "").onOneLine
    body = card.body ?? ""
  }

  private static func isAddress(_ text: String) -> Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
      && !text.contains { $0.isWhitespace || $0.isNewline || ",;<>\"?&".contains($0) }
  }

  /// The draft as a link, for a device whose mail is not the system's.
  public var link: URL? {
    var parts = URLComponents()
    parts.scheme = "mailto"
    parts.path = recipients.joined(separator: ",")
    let fields = [("subject", subject), ("body", body.replacing("\n", with: "\r\n"))].filter { !$0.1.isEmpty }
    parts.percentEncodedQuery = fields.isEmpty ? nil : fields.map { "\($0)=\(Self.escaped($1))" }.joined(separator: "&")
    return parts.url
  }

  /// Everything that is no letter and no digit; a plus would be read as itself, not as a space.
  private static func escaped(_ text: String) -> String {
    text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        String(UnicodeScalar(byte))
      default: "%" + [byte].hex.uppercased()
      }
    }.joined()
  }
}

import Core
import Documents
import Foundation

/// Which messages belong together, by the ids that they carry. Ids come from strangers and may be of any length and of any bytes, so
/// nothing but a hash of one is handed on.
enum MailIds {
  private static let digits = 32

  static func place(of headers: [String: String]) -> DocumentInfo.Mail {
    var mail = DocumentInfo.Mail()
    mail.message = first(in: headers["message-id"])
    // The thread begins with the first that is referred to; programs that leave references out name what they answer.
    mail.thread = first(in: headers["references"]) ?? first(in: headers["in-reply-to"]) ?? mail.message
    mail.sent = headers["date"].flatMap(MailDate.read)
    return mail
  }

  /// `<id@host>`, or one without the brackets where nothing else stands there.
  private static func first(in text: String?) -> String? {
    guard let text else { return nil }
    let words = text.unicodeScalars.split { $0.properties.isWhitespace }
    // What was folded in the middle of an id is one again.
    let whole = String(String.UnicodeScalarView(words.joined()))
    if let open = whole.unicodeScalars.firstIndex(of: "<"),
      let close = whole.unicodeScalars[open...].firstIndex(of: ">"), whole.unicodeScalars.index(after: open) < close
    {
      return hash(whole.unicodeScalars[whole.unicodeScalars.index(after: open)..<close])
    }
    guard words.count == 1, whole.unicodeScalars.contains("@") else { return nil }
    return hash(whole.unicodeScalars[...].filter { $0 != "<" && $0 != ">" })
  }

  private static func hash(_ id: some Sequence<Unicode.Scalar>) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: id)
    return String(SHA256.of(Data(String(text).utf8)).prefix(digits))
  }
}

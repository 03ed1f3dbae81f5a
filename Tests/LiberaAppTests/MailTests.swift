import Foundation
import LiberaKit
import SwiftUI
import Synchronization
import Testing

@testable import LiberaApp
@testable import LiberaScreens
@testable import MessageUI

@Suite("A mail draft in the system's mail", .serialized, .timeLimit(.minutes(10)))
@MainActor
struct MailTests {
  private func card(_ to: [String], subject: String? = nil, body: String? = nil, kind: String = "send_email") throws
    -> CommandCard
  {
    var card = try JSONDecoder().decode(
      CommandCard.self, from: Data(#"{"kind": "\#(kind)", "words": "w", "recipients": []}"#.utf8))
    (card.recipients, card.subject, card.body) = (to, subject, body)
    return card
  }

  @Test(
    "Only addresses are handed over; a name is left for the person",
    arguments: [
      (["anna@x.org"], ["anna@x.org"]), (["Anna"], []), (["Anna", " paul@x.org\n"], ["paul@x.org"]), (["a@b@c"], []),
      (["@x.org"], []), (["anna@"], []), (["a@x.org,b@x.org"], []), (["a@x.org?bcc=b@y.org"], []),
      (["a@x.org\r\nBcc: b@y.org"], []), (["Anna <a@x.org>"], []),
    ])
  func addresses(given: [String], kept: [String]) throws {
    #expect(try MailDraft(card(given))?.recipients == kept)
  }

  @Test("A subject is one line, and a link carries every sign of the text and no field of its own")
  func link() throws {
    let draft = try #require(
      try MailDraft(card(["a@x.org"], subject: "One\r\nBcc: b@y.org", body: "50 % & more = 1 + 1?\nGrüße #1")))
    #expect(draft.subject == "One Bcc: b@y.org")
    let link = try #require(draft.link)
    #expect(
      link.absoluteString
        == "mailto:a@x.org?subject=One%20Bcc%3A%20b%40y%2Eorg"
        + "&body=50%20%25%20%26%20more%20%3D%201%20%2B%201%3F%0D%0AGr%C3%BC%C3%9Fe%20%231")
    #expect(try MailDraft(card([]))?.link?.absoluteString == "mailto:")
    #expect(try MailDraft(card(["a@x.org"], kind: "create_note")) == nil)
  }

  /// A card whose mail is drafted.
  private func drafted(_ visit: Visit) async throws {
    try await visit.enter()
    try visit.stage.tap("tab.voice")
    try visit.stage.write("send an email to anna@example.org saying that I am late", into: "command.text")
    try visit.stage.tap("command.hear")
    try await visit.until("card.confirm")
    try visit.stage.tap("card.confirm")
    try await visit.until("mail.open")
  }

  @Test("The sheet has what the card says, and the card tells what the person did there", arguments: Words.languages)
  func sheet(language: String) async throws {
    try await KitHome(withPacks: false).during { libera in
      let visit = Visit(libera, language: language)
      let stage = visit.stage
      try await drafted(visit)
      visit.check("a draft")
      let ends: [(String, Word, Bool)] = [
        ("cancel", .mailLeft, true), ("save", .mailSaved, true), ("send", .mailSent, false),
      ]
      for (act, word, canOpenAgain) in ends {
        try stage.tap("mail.open")
        let sheet = stage.tree.reachable
        #expect(sheet.words.hasPrefix("anna@example.org |") && sheet.words.contains("late"), "\(sheet.words)")
        let tap = try #require(sheet.acts[act])
        tap()
        #expect(try stage.find("mail.end").words == stage.words(word))
        #expect(stage.has("mail.open") == canOpenAgain)
        visit.check("a draft after \(act)")
      }
      try stage.tap("command.undo")
      try await visit.until("command.undone")
      #expect(!stage.has("mail.end"))
    }
  }

  @Test("Without an account the draft is a link, and it is said when nobody takes it")
  func withoutAccount() async throws {
    try await KitHome(withPacks: false).during { libera in
      MailRoom.shared.hasAccount.withLock { $0 = false }
      defer { MailRoom.shared.hasAccount.withLock { $0 = true } }
      let visit = Visit(libera)
      let stage = visit.stage
      let opened = Mutex<[URL]>([])
      try await drafted(visit)
      try stage.tap("mail.open")
      #expect(try stage.find("mail.end").words.hasPrefix("It could not be handed over"))
      stage.change {
        $0.openURL = OpenURLAction { url in
          opened.withLock { $0.append(url) }
          return .handled
        }
      }
      try stage.tap("mail.open")
      #expect(try stage.find("mail.end").words == stage.words(.mailOpened))
      #expect(opened.withLock { $0.map(\.scheme) } == ["mailto"])
    }
  }
}

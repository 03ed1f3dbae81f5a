import Foundation

/// Drafts into a Maildir, and messages read from it.
package struct MailConnector: Connector {
  package let intents: Set<Intent> = [.sendEmail, .readEmail]
  package init() {}

  package func plan(_ order: Order, in places: Places) throws -> Deed {
    order.frame.intent == .sendEmail ? try draft(order, places) : try reading(order, places)
  }

  private func draft(_ order: Order, _ places: Places) throws -> Deed {
    let slots = order.frame.slots
    guard !slots.emailTo.isEmpty else { throw CommandError.incomplete("to whom") }
    let text = MailMessage.draft(
      id: order.id, from: places.sender, to: slots.emailTo, subject: slots.emailSubject, body: slots.emailBody ?? "",
      date: order.now,
      offset: order.zone.secondsFromGMT(for: order.now))
    let nameless = slots.emailTo.filter { !MailMessage.isAddress($0) }
    // Only whole messages go out: to addresses, from somebody, with something to say.
    let goes = places.sendsAfter != nil && nameless.isEmpty && slots.emailBody != nil
    let folder = places.mail.appending(path: goes ? ".Outbox" : ".Drafts")
    let about = slots.emailSubject ?? slots.emailBody
    return Deed(
      summary: "Mail \(goes ? "" : "draft ")to \(slots.emailTo.joined(separator: ", "))"
        + (about.map { ": \($0.prefix(60))" } ?? ""),
      file: folder.appending(path: "cur").appending(path: "\(order.id).libera:2,\(goes ? "S" : "DS")"),
      contents: Data(text.utf8), staging: folder.appending(path: "tmp"),
      // A Maildir is one by these three.
      beside: [places.mail, folder].flatMap { box in ["cur", "new", "tmp"].map { box.appending(path: $0) } },
      sendAt: goes ? order.now.addingTimeInterval(places.sendsAfter ?? 0) : nil,
      remark: goes
        ? nil
        : places.sendsAfter == nil
          ? "It stays a draft: no program that sends mail is named in the settings."
          : nameless.isEmpty
            ? "It stays a draft: there is no message in it yet."
            : "It stays a draft: no address is known for \(nameless.joined(separator: ", ")).")
  }

  /// Unread messages first, newest first; by sender and time where the command names them.
  private func reading(_ order: Order, _ places: Places) throws -> Deed {
    var found: [MailSummary] = []
    for folder in ["new", "cur"] {
      let place = places.mail.appending(path: folder)
      guard FileManager.default.fileExists(atPath: place.path) else { continue }
      let names: [String]
      do {
        names = try FileManager.default.contentsOfDirectory(atPath: place.path)
      } catch {
        throw CommandError.placeUnusable(place.path, error.localizedDescription)
      }
      // The newest by their Maildir names; a mailbox of a hundred thousand messages is not read through for one command.
      for name in names.filter({ !$0.hasPrefix(".") }).sorted(by: >).prefix(500) {
        let file = place.appending(path: name)
        let handle = try FileHandle(forReadingFrom: file)
        defer { handle.closeFile() }
        let flags = name.split(separator: ":2,").last ?? ""
        let isUnread = folder == "new" || !name.contains(":2,") || !flags.contains("S")
        found.append(MailMessage.summary(try handle.read(upToCount: 64_000) ?? Data(), file: file, unread: isUnread))
      }
    }
    if let from = order.emailFrom?.lowercased() { found = found.filter { $0.from.lowercased().contains(from) } }
    if let about = order.emailAbout?.lowercased() {
      let words = about.split(separator: " ").filter { $0.count > 2 }
      found = found.filter { mail in
        let text = (mail.subject + " " + mail.excerpt).lowercased()
        return words.allSatisfy { text.contains($0) }
      }
    }
    if let window = window(order) { found = found.filter { $0.date.map(window.contains) ?? false } }
    found.sort { ($0.unread ? 1 : 0, $0.date ?? .distantPast) > ($1.unread ? 1 : 0, $1.date ?? .distantPast) }
    let unread = found.count { $0.unread }
    let summary =
      found.first.map { "\(unread) unread of \(found.count); latest from \($0.from): \($0.subject)" } ?? "No such mail"
    return Deed(
      summary: summary, messages: Array(found.prefix(20)),
      remark: found.isEmpty ? "No mail that fits was found." : nil)
  }

  private func window(_ order: Order) -> ClosedRange<Date>? {
    let walls = Walls(zone: order.zone)
    func date(_ local: Int) -> Date { Date(timeIntervalSince1970: Double(walls.instant(local))) }
    let slots = order.frame.slots
    if let point = slots.datetimePoint.flatMap(Civil.parse) {
      // A day is that day; a time means since then.
      return point % 86_400 == 0 ? date(point)...date(point + 86_399) : date(point)...max(order.now, date(point))
    }
    let ends = slots.datetimeRange?.split(separator: "/").compactMap { Civil.parse(String($0)) } ?? []
    return ends.count == 2 && ends[0] <= ends[1] ? date(ends[0])...date(ends[1]) : nil
  }
}

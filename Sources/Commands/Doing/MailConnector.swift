import Core
package import Documents
import Foundation

/// Drafts into a Maildir, and messages read from it.
package struct MailConnector: Connector {
  package let intents: Set<Intent> = [.sendEmail, .readEmail]
  private let reader: ForeignFiles
  package init(_ reader: ForeignFiles) { self.reader = reader }

  package func plan(_ order: Order, in places: Places) async throws -> PlannedWrite {
    order.frame.intent == .sendEmail ? try draft(order, places) : try await reading(order, places)
  }

  private func draft(_ order: Order, _ places: Places) throws -> PlannedWrite {
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
    return PlannedWrite(
      summary: "Mail \(goes ? "" : "draft ")to \(slots.emailTo.joined(separator: ", "))"
        + (about.map { ": \($0.prefix(60))" } ?? ""),
      file: folder.appending(path: "cur").appending(path: "\(order.id).libera:2,\(goes ? "S" : "DS")"),
      contents: Data(text.utf8), staging: folder.appending(path: "tmp"),
      // A Maildir is one by these three.
      beside: [places.mail, folder].flatMap { box in Maildir.parts.map { box.appending(path: $0) } },
      sendAt: goes ? order.now.addingTimeInterval(places.sendsAfter ?? 0) : nil,
      remark: goes
        ? nil
        : places.sendsAfter == nil
          ? "It stays a draft: no program that sends mail is named in the settings."
          : nameless.isEmpty
            ? "It stays a draft: there is no message in it yet."
            : "It stays a draft: no address is known for \(nameless.joined(separator: ", ")).")
  }

  /// Of each folder the newest are read: a mailbox of a hundred thousand messages is not read through for one command.
  private static let mostRead = 500
  /// So many messages may break the worker that reads them before the rest is left.
  private static let mostUnreadable = 8

  /// Unread messages first, newest first; by sender and time where the command names them.
  private func reading(_ order: Order, _ places: Places) async throws -> PlannedWrite {
    var found: [MailSummary] = []
    var remarks: [String] = []
    var unreadable = 0
    for folder in ["new", "cur"] {
      for name in try names(in: places.mail.appending(path: folder)) {
        let file = places.mail.appending(path: folder).appending(path: name)
        guard unreadable < Self.mostUnreadable else {
          remarks.append("The rest of \(folder) was not read, because too many messages could not be.")
          break
        }
        do {
          let reading = try await reader.mail("\(folder)/\(name)", below: places.mail)
          let flags = name.split(separator: ":2,").last ?? ""
          let isUnread = folder == "new" || !name.contains(":2,") || !flags.contains("S")
          found.append(
            MailSummary(
              from: reading.from, subject: reading.subject,
              date: reading.date.map { Date(timeIntervalSince1970: Double($0)) }, unread: isUnread,
              excerpt: reading.excerpt, file: file.path))
        } catch FileError.missing {
          // Another program has filed it away meanwhile.
          continue
        } catch let error as any Explained where error is FileError || error is DocumentError {
          unreadable += 1
          remarks.append("\(file.path): \(error.message)")
        }
      }
    }
    found = fitting(found, order)
    found.sort { ($0.unread ? 1 : 0, $0.date ?? .distantPast) > ($1.unread ? 1 : 0, $1.date ?? .distantPast) }
    let unread = found.count { $0.unread }
    let summary =
      found.first.map { "\(unread) unread of \(found.count); latest from \($0.from): \($0.subject)" } ?? "No such mail"
    if found.isEmpty { remarks.insert("No mail that fits was found.", at: 0) }
    return PlannedWrite(
      summary: summary, messages: Array(found.prefix(20)),
      remark: remarks.isEmpty ? nil : remarks.joined(separator: " "))
  }

  /// The newest by their Maildir names.
  private func names(in folder: URL) throws -> [String] {
    guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
        .sorted(by: >).prefix(Self.mostRead).map { $0 }
    } catch { throw CommandError.placeUnusable(folder.path, error.localizedDescription) }
  }

  private func fitting(_ messages: [MailSummary], _ order: Order) -> [MailSummary] {
    var found = messages
    if let from = order.emailFrom?.lowercased() { found = found.filter { $0.from.lowercased().holds(from) } }
    if let about = order.emailAbout?.lowercased() {
      let words = about.split(separator: " ").filter { $0.count > 2 }
      found = found.filter { mail in
        let text = (mail.subject + " " + mail.excerpt).lowercased()
        return words.allSatisfy { text.contains($0) }
      }
    }
    if let window = window(order) { found = found.filter { $0.date.map(window.contains) ?? false } }
    return found
  }

  private func window(_ order: Order) -> ClosedRange<Date>? {
    let walls = Walls(zone: order.zone)
    let slots = order.frame.slots
    if let point = slots.datetimePoint.flatMap(Civil.parse) {
      // A day is that day; a time means since then.
      let since = walls.date(point)
      let isDay = point % Civil.secondsPerDay == 0
      return since...(isDay ? walls.date(point + Civil.secondsPerDay - 1) : max(order.now, since))
    }
    let ends = slots.datetimeRange?.split(separator: "/").compactMap { Civil.parse(String($0)) } ?? []
    return ends.count == 2 && ends[0] <= ends[1] ? walls.date(ends[0])...walls.date(ends[1]) : nil
  }
}

import Core

/// What goes wrong in this room, and what to do about it.
package enum CommandError: Explained, Equatable {
  case modelUnreadable(String)
  case placeUnusable(String, String)
  case lineUnreadable(String, Int)
  case unknownAction(String)
  case nothingToUndo(String)
  case changedSince(String)
  case incomplete(String)
  case notPermitted(String)
  case sendingFailed(String)
  case reminderUnreadable(String)
  /// What repeats was moved to a day that is none of its days.
  case otherDay

  package var code: String {
    switch self {
    case .modelUnreadable: "intent_model_unreadable"
    case .placeUnusable: "place_unusable"
    case .lineUnreadable: "record_unreadable"
    case .unknownAction: "unknown_action"
    case .nothingToUndo: "nothing_to_undo"
    case .changedSince: "changed_since"
    case .incomplete: "incomplete_command"
    case .notPermitted: "connector_off"
    case .sendingFailed: "sending_failed"
    case .reminderUnreadable: "reminder_unreadable"
    case .otherDay: "repeats_otherwise"
    }
  }

  package var message: String {
    switch self {
    case .modelUnreadable(let file): "The table of the command classifier, \(file), is missing or damaged."
    case .placeUnusable(let place, let reason): "\(place) cannot be used: \(reason)."
    case .lineUnreadable(let file, let line): "Line \(line) of \(file) cannot be read."
    case .unknownAction(let id): "There is no action \(id)."
    case .nothingToUndo(let id): "Action \(id) left nothing that could be taken back."
    case .changedSince(let file): "\(file) was changed by something else since it was written, so it stays."
    case .incomplete(let what): "The command does not say \(what)."
    case .notPermitted(let what): "\(what) is switched off."
    case .sendingFailed(let reason): "The message was not sent: \(reason)."
    case .reminderUnreadable(let what): "A reminder cannot be read and does not ring: \(what)"
    case .otherDay: "It does not repeat on that day."
    }
  }

  package var remedy: String? {
    switch self {
    case .modelUnreadable: "Install the program again; in a checkout build it with ./libera build."
    case .placeUnusable: "Choose another folder in settings, or make this one writable."
    case .lineUnreadable:
      "It is damaged, or of a newer libera. Use that one, or move the file elsewhere: what it records is then not known."
    case .unknownAction: "See the list with `libera actions list`."
    case .nothingToUndo: nil
    case .changedSince: "Remove it there if it is no longer wanted."
    case .incomplete: "Say it again with what is missing, or fill it in on the card."
    case .notPermitted: "Allow it in settings under connectors."
    case .sendingFailed: "The message stays in the outbox; send it again from there."
    case .reminderUnreadable: "Mend or remove the file, and set the reminder anew."
    case .otherDay: "Choose how it repeats from that day on."
    }
  }
}

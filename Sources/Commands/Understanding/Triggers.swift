/// The words by which people ask for things, as tables.
enum Triggers {
  /// Openings of a command, by what they ask for. The longest that fits decides.
  static let openings = Phrases<Intent>(
    [
      (
        "remind me|reminder|reminders|set a reminder|set reminder|set up a reminder|add a reminder|add reminder|create a reminder|create reminder|make a reminder|new reminder|give me a reminder|set me a reminder|schedule a reminder|put a reminder|put in a reminder|place a reminder|start a reminder|i need a reminder|i would like a reminder|set an reminder|set the reminder|set my reminder|be reminded|don't let me forget|do not let me forget|don't forget to remind me|i don't want to forget|i do not want to forget|i must not forget|i mustn't forget|i can't forget|i cannot forget|don't forget to|make sure i|make sure that i|make sure i don't forget|make sure i do not forget|make sure i remember|make sure i remember to|make sure that i remember|hit me up|hit me up at|i have to remember|i have to remember to|give me a shout|make sure to remind me|be sure to remind me|remember to remind me|nudge me|ping me|notify me|alert me|give me an alert|give me a notification|send me a reminder|send me a notification|remember to|add a task|create a task|new task|add task|add a to do|add a todo|create a todo|todo|new todo|put it on my to do list|i need to remember to|remind|add to my reminders|add to my tasks|add to my to do list|add to my todo list|leave me a reminder|leave a reminder|alert me to|tell me to|tell me at|warn me|warn me at|buzz me|prompt me to|get me to|make sure we|be sure i|stick a reminder in|stick a reminder|pop a reminder|pop a reminder on my phone|quick reminder|quick reminder to|give me a nudge|set a remainder|remember me|i need to be reminded|i need reminding|i need reminding to|please be sure to remind me|can i get a reminder|could i have a reminder|get a reminder|set a weekly reminder|set a daily reminder|set a monthly reminder|set a recurring reminder|create a repeating reminder|make a repeating reminder|leave a note to remind me|set a notification|set notification|set a alert|set an alert|put down a reminder|do remind me",
        .addReminder
      ),
      (
        "schedule|schedule in|book|pencil in|block out|block off|block|reserve|arrange|plan|organise|organize|set up|slot in|save the date|mark my calendar|mark the calendar|mark calendar|mark on my calendar|new event|new appointment|new meeting|create an event|create event|create a event|create a new event|create new event|create a meeting|create meeting|create an appointment|create a calendar|create calendar|add an event|add event|add new event|add a new event|add a meeting|add meeting|add an appointment|add appointment|make an appointment|make appointment|make a meeting|make an event|make event|put in an appointment|set a meeting|set meeting|set an event|set event|set an appointment|set appointment|set a calendar|set calendar|set my calendar|set the calendar|fix a meeting|fix an appointment|start an event|start a new event|calendar|enter an event|enter event|insert an event|place an event|put an event|squeeze in|put me down for|put us down for|fit in|fit up|fix up|slot|mark down|plan in|set aside|sign me up on the calendar for|sign me up for|pop|stick|invite me to|keep|log a holiday|book in|pencil|note this event|schedule me|book me|get me an appointment|make a calendar|make calendar|make a new calendar|make a new event|add a calendar|add calendar|update my calendar with|update calendar with",
        .createEvent
      ),
      (
        "note|notes|note that|note down|note to self|make a note|make note|make a note to self|take a note|take note|take this down|take down|write down|write this down|write that down|write a note|write note|jot down|jot this down|jot|create a note|create note|create a new note|new note|add a note|add note|add to my notes|start a note|start a new note|save a note|save this|save this thought|capture this|capture this idea|capture this thought|remember that|remember this|keep in mind that|keep in mind|put in my notes|put this in my notes|memo|quick note|open a note|dictate a note|for the record|record a note|leave a note|note for later|make a memo|take a memo|log that|take a quick note|a quick note|make a quick note|make a note to self|keep a note|keep a note of|keep a note that|memo to self|record that|store this|bear in mind that|bear in mind|take note that|make note|write note|write something down|write in my notes|write yourself a note|put a note|put this in a note|put down in my notes|begin a note|type up a note|add this to my notes|make it a note|create a memo|save this as a note|take down the|note to myself|don't forget that|do not forget that",
        .createNote
      ),
      (
        "email|e-mail|e mail|send an email|send a email|send email|send an e-mail|send a mail|send mail|send an mail|write an email|write a email|write email|write an e-mail|write a mail|compose an email|compose a email|compose email|compose a mail|compose mail|compose a new email|compose new email|compose|draft an email|draft email|draft a mail|draft a message|draft|shoot an email|shoot an e-mail|shoot off an email|fire off an email|drop an email|new email|create an email|create email|create a new email|start an email|start a new email|start a email|make an email|reply|reply to|respond to|respond|answer|mail|send a reply|send reply|send out an email|send the email|send the following email|send this email|write to|write back to|send a new email|send new email|open a new email|open new email|prepare an email|type an email|send an electronic mail|send message to email|email to|forward this email to|forward the email to|forward this to|begin email|begin an email|send a quick email",
        .sendEmail
      ),
      (
        "read my email|read my mail|read my inbox|read email|read mail|read me|read out|read the email|read the mail|read the last email|read the latest email|read my latest email|read my last email|read my new email|read my unread|check email|check my email|check mail|check my mail|check inbox|check my inbox|check the inbox|check for email|check for new email|check for new mail|check for any|check if i have any|check for mail|any new email|any new mail|any email|any mail|any message|new email|do i have new email|do i have any new email|do i have any email|do i have email|do i have any mail|do i have mail|do i have any new mail|do i have new mail|do i have any unread|have i got any email|have i got mail|have i got any mail|have i received any email|did i get any email|did i get an email|did i receive any email|did i get any new email|show me my email|show my email|show me my inbox|show my inbox|show me my unread|show email|show me email|show me new email|show me the email|show the email|show unread|open my inbox|open inbox|open email|open my email|open the email|open the latest|what email|what new email|what is in my inbox|what's in my inbox|who emailed me|who email me|who sent me email|how many email|how many unread|how many new email|is there an email|is there any email|is there any new email|are there any email|are there any new email|list my unread|list my email|list email|list unread|get my email|get my mail|pull up my email|go through my email|summarise my unread|summarize my unread|fetch my email|look at my email|look for email|find the email|find email|search email|search my email|find me the email|display my email|display latest email|display email|tell me my recent email|tell me about my email|what are my email|what are the new email|what's new in my inbox|refresh my inbox|refresh email|refresh my email|update my inbox|tell me if i have any email|tell me if i have new email|let me know if i have any email|tell me any new email|has anyone emailed me|did anyone email me|what did the email from|what does the email from|what is the email from",
        .readEmail
      ),
    ], stemmed: true)

  /// Names that begin with a word that asks: a "book club" is not booked, a "block party" not blocked.
  private static let compounds: [String: Set<String>] = [
    "book": ["club", "group", "fair", "launch", "signing", "review", "swap", "sale", "festival", "release"],
    "block": ["party"], "pop": ["concert", "quiz"], "slot": ["machine", "car"], "note": ["taking"],
  ]

  static func isName(_ tokens: [Token], at index: Int) -> Bool {
    guard tokens.indices.contains(index), tokens.indices.contains(index + 1) else { return false }
    let next = tokens[index + 1]
    let names = compounds[tokens[index].text] ?? []
    return names.contains(next.text) || names.contains(next.stem)
  }

  /// Asking about something is not asking for something.
  static let questions: Set<String> = [
    "what", "whats", "when", "whens", "where", "wheres", "who", "whos", "whose", "why", "how", "hows", "which", "is",
    "are", "am",
    "do", "does", "did", "have", "has", "was", "were", "should", "shall", "isnt", "arent", "dont", "might", "may",
    "had", "whom",
  ]
  static let changes: Set<String> = [
    "move", "cancel", "delete", "remove", "reschedule", "postpone", "push", "bring", "change", "edit", "clear",
    "rename", "snooze",
    "undo", "shift", "invite", "erase", "forget", "stop", "archive", "unschedule", "empty", "swap", "extend", "shorten",
    "modify", "update",
    "replace", "rm", "wipe", "dismiss", "discard", "drop", "take", "trash", "adjust", "revise", "clean", "disable",
    "rid", "eliminate",
    "purge", "scrap", "scratch", "kill", "cut", "complete", "finish", "tick", "cross",
  ]
  static let reporters: Set<String> = [
    "said", "says", "told", "asked", "reminded", "wrote", "sent", "emailed", "scheduled", "mentioned", "thinks",
    "thought", "suggested",
    "wants", "wanted", "booked", "noted", "called",
  ]
  static let subjects: Set<String> = [
    "he", "she", "they", "we", "you", "it", "someone", "everyone", "everybody", "nobody",
  ]
}

import Foundation
import Testing

@testable import Storage

@Suite("Conversations of other programs")
struct OthersConversationsTests {
  private static let chatGPT = #"""
    [{"title": "Knots", "create_time": 1700000000.5, "update_time": 1700000100, "current_node": "d2",
      "mapping": {
        "root": {"id": "root", "message": null, "parent": null, "children": ["s"]},
        "s": {"message": {"author": {"role": "system"}, "content": {"content_type": "text", "parts": [""]}}, "parent": "root"},
        "q": {"message": {"author": {"role": "user"}, "create_time": 1700000001,
          "content": {"content_type": "multimodal_text", "parts": [{"asset_pointer": "file://1"}, "How is a bowline tied?"]}}, "parent": "s"},
        "t": {"message": {"author": {"role": "assistant"}, "create_time": 1700000002,
          "content": {"content_type": "thoughts", "thoughts": [{"content": "Hm"}]}}, "parent": "q"},
        "a": {"message": {"author": {"role": "assistant"}, "create_time": 1700000003,
          "content": {"content_type": "text", "parts": ["A loop.\ue200cite\ue202turn0search0\ue201"]}}, "parent": "t"},
        "tool": {"message": {"author": {"role": "tool"}, "content": {"content_type": "execution_output", "text": "42"}}, "parent": "a"},
        "b": {"message": {"author": {"role": "assistant"}, "create_time": 1700000004,
          "content": {"content_type": "code", "text": "then through it"}}, "parent": "tool"},
        "c1": {"message": {"author": {"role": "user"}, "create_time": 1700000005,
          "content": {"content_type": "text", "parts": ["And a clove hitch?"]}}, "parent": "b"},
        "c2": {"message": {"author": {"role": "user"}, "create_time": 1700000006,
          "content": {"content_type": "text", "parts": ["And a reef knot?"]}}, "parent": "b"},
        "d2": {"message": {"author": {"role": "assistant"}, "create_time": 1700000007,
          "content": {"content_type": "text", "parts": ["Left over right."]}}, "parent": "c2"}}}]
    """#
  private static let openWebUI = #"""
    [{"id": "1", "title": "Bread", "updated_at": 1700000200, "created_at": 1700000000, "chat": {"title": "x", "history": {
      "currentId": "a2", "messages": {
        "q": {"id": "q", "parentId": null, "role": "user", "content": "How long does it bake?", "timestamp": 1700000001},
        "a1": {"id": "a1", "parentId": "q", "role": "assistant", "content": "An hour.", "timestamp": 1700000002},
        "a2": {"id": "a2", "parentId": "q", "role": "assistant", "timestamp": 1700000003,
          "content": "<details type=\"reasoning\" done=\"true\">Let me see</details>\nForty minutes."}}}}}]
    """#
  private static let claude = #"""
    [{"uuid": "1", "name": "", "created_at": "2024-05-28T10:00:00.123456Z", "updated_at": "2024-05-28T11:00:00Z", "chat_messages": [
      {"uuid": "m1", "sender": "human", "text": "old", "content": [{"type": "text", "text": "Name a tree."}], "created_at": "2024-05-28T10:00:00Z"},
      {"uuid": "m2", "sender": "assistant", "text": "An oak.", "content": [], "created_at": "never"}]}]
    """#
  private static let lmStudio = #"""
    {"name": "Tides", "pinned": false, "createdAt": 1735689600000, "tokenCount": 30, "messages": [
      {"currentlySelected": 0, "versions": [{"type": "singleStep", "role": "user", "content": [{"type": "text", "text": "What makes the tides?"},
        {"type": "file", "fileIdentifier": "1.png"}]}]},
      {"currentlySelected": 1, "versions": [
        {"type": "multiStep", "role": "assistant", "steps": [{"type": "contentBlock", "content": [{"type": "text", "text": "<think>Hm</think>The sun."}]}]},
        {"type": "multiStep", "role": "assistant", "steps": [
          {"type": "contentBlock", "style": {"type": "thinking"}, "content": [{"type": "text", "text": "Or the moon?"}]},
          {"type": "contentBlock", "content": [{"type": "text", "text": "The moon, "}, {"type": "text", "text": "mostly."}]},
          {"type": "debugInfoBlock", "debugInfo": "x"}]}]},
      {"currentlySelected": 7, "versions": [{"type": "singleStep", "role": "user", "content": "And twice a day?"}]},
      {"currentlySelected": 0, "versions": []}]}
    """#

  private func entries(_ json: String) throws -> [ConversationArchive.Entry] {
    try #require(try OthersConversations(Data(json.utf8))).archive.conversations
  }

  /// Each message with the place of the one that it follows.
  private func lines(_ entry: ConversationArchive.Entry) -> [String] {
    entry.messages.map { message in
      let parent = entry.messages.firstIndex { $0.id == message.parent }.map(String.init) ?? "-"
      return "\(parent) \(message.role): \(message.text)"
    }
  }

  @Test("ChatGPT's: what both sides said, in its branches; the system, tools, thoughts and pictures stay behind")
  func fromChatGPT() throws {
    let entry = try #require(try entries(Self.chatGPT).first)
    #expect(
      lines(entry) == [
        "- user: How is a bowline tied?", "0 assistant: A loop.\n\nthen through it", "1 user: And a clove hitch?",
        "1 user: And a reef knot?", "3 assistant: Left over right.",
      ])
    #expect(entry.conversation.title == "Knots" && entry.conversation.leaf == entry.messages[4].id)
    #expect(entry.conversation.created.timeIntervalSince1970 == 1_700_000_000.5)
  }

  @Test("A title is cut by its signs, for a letter may bear any number of marks", arguments: [true, false])
  func markedTitles(isNamed: Bool) throws {
    let marked = "a" + String(repeating: "\u{301}", count: 100_000)
    let json = Self.claude.replacing(
      isNamed ? #""name": """# : "Name a tree.", with: isNamed ? "\"name\": \"\(marked)\"" : marked)
    #expect(try entries(json).first?.conversation.title.unicodeScalars.count == 240)
  }

  @Test("Open WebUI's: two answers to one question are two branches, the shown one stays shown")
  func fromOpenWebUI() throws {
    let entry = try #require(try entries(Self.openWebUI).first)
    #expect(lines(entry) == ["- user: How long does it bake?", "0 assistant: An hour.", "0 assistant: Forty minutes."])
    #expect(entry.conversation.leaf == entry.messages[2].id && entry.conversation.title == "Bread")
  }

  @Test("Claude's: one after the other; without a name it is called by what was said first")
  func fromClaude() throws {
    let entry = try #require(try entries(Self.claude).first)
    #expect(lines(entry) == ["- user: Name a tree.", "0 assistant: An oak."])
    #expect(entry.conversation.title == "Name a tree.")
    #expect(entry.conversation.updated.timeIntervalSince1970 == 1_716_894_000)
  }

  @Test("LM Studio's: versions of an answer are branches, and what comes next follows the chosen one; no thoughts")
  func fromLMStudio() throws {
    let entry = try #require(try entries(Self.lmStudio).first)
    #expect(
      lines(entry) == [
        "- user: What makes the tides?", "0 assistant: The sun.", "0 assistant: The moon, mostly.",
        "2 user: And twice a day?",
      ])
    #expect(entry.conversation.title == "Tides")
    #expect(entry.conversation.created == Date(timeIntervalSince1970: 1_735_689_600))
    #expect(entry.conversation.leaf == entry.messages[3].id)
    #expect(try OthersConversations(Data(#"{"messages": [{"role": "user", "content": "Hi"}]}"#.utf8)) == nil)
  }

  @Test("They come to lie in the vault, are found, and go out again like any other")
  func stored() async throws {
    let rig = Rig()
    let vault = try rig.vault()
    for json in [Self.chatGPT, Self.openWebUI, Self.claude] {
      _ = try await vault.conversations.add(try #require(try OthersConversations(Data(json.utf8))).archive)
    }
    #expect(try await vault.conversations.list().count == 3)
    #expect(try await vault.conversations.search("bowline").count == 1)
    let again = try ConversationArchive(json: await vault.conversations.archive().json())
    #expect(again.conversations.flatMap(\.messages).count == 10)
  }

  @Test("What is none is left to others, what is partly one is counted")
  func partly() throws {
    for text in ["", "[]", "[1]", "{}", #"{"conversations": []}"#, "# Title", "[", #"[{"mapping": 3}]"#] {
      #expect(try OthersConversations(Data(text.utf8)) == nil, "\(text)")
    }
    let mixed = "[" + Self.claude.dropFirst().dropLast() + #", {"x": 1}, 7]"#
    let found = try #require(try OthersConversations(Data(mixed.utf8)))
    #expect(found.unread == 2 && found.archive.conversations.count == 1)
    // A list of a million other things is given up early, also where it begins with a conversation.
    let flood = String(repeating: ",0", count: 1_000_000) + "]"
    for start in ["[0", "[" + Self.claude.dropFirst().dropLast()] {
      #expect(try OthersConversations(Data((start + flood).utf8)) == nil)
    }
  }

  @Test("Circles, missing parents, dates of no calendar and marks without end cost only themselves")
  func hostile() throws {
    let circle = #"""
      [{"title": "a\nb", "create_time": 1e300, "current_node": "nowhere", "mapping": {
        "a": {"message": {"author": {"role": "user"}, "content": {"parts": ["one \ue200 open"]}, "create_time": -1e300}, "parent": "gone"},
        "b": {"message": {"author": {"role": "user"}, "content": {"parts": ["two"]}}, "parent": "c"},
        "c": {"message": {"author": {"role": "assistant"}, "content": {"parts": ["three"]}}, "parent": "b"},
        "self": {"message": {"author": {"role": "user"}, "content": {"parts": ["four"]}}, "parent": "self"}}}]
      """#
    let entry = try #require(try entries(circle).first)
    #expect(lines(entry) == ["- user: one \u{E200} open"] && entry.conversation.title == "a b")
    // A chain of twenty thousand is walked, not climbed.
    let chain = (0..<20_000).map { number in
      let role = number % 2 == 0 ? "user" : "assistant"
      let parent = number == 0 ? "null" : "\"\(number - 1)\""
      return #""\#(number)": {"parentId": \#(parent), "role": "\#(role)", "content": "x", "timestamp": \#(number)}"#
    }
    let long = #"[{"title": "", "chat": {"history": {"messages": {"# + chain.joined(separator: ",") + "}}}}]"
    #expect(try entries(long).first?.messages.count == 20_000)
  }

  @Test("What stands between marks is taken out in one pass, however many there are; an opening one alone is a word")
  func marks() {
    let text = String(repeating: "a\u{E200}b\u{E201}", count: 200_000)
    #expect(text.without(from: "\u{E200}", to: "\u{E201}") == String(repeating: "a", count: 200_000))
    #expect("<t>é</t>ü<t></t><t>c".without(from: "<t>", to: "</t>") == "ü<t>c")
    #expect("</t>a<t>".without(from: "<t>", to: "</t>") == "</t>a<t>" && "".without(from: "<t>", to: "</t>") == "")
  }
}

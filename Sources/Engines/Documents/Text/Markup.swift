import CXML
import Foundation

/// A tree from libxml2. Nothing outside the bytes is ever read: no network, no DTD, no entity is expanded.
final class Markup {
  private let document: xmlDocPtr

  /// HTML as it occurs, with every repair a browser would make.
  init?(html text: String) {
    xmlInitParser()
    let bytes = Array(text.utf8)
    let options =
      HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NOERROR.rawValue | HTML_PARSE_NOWARNING.rawValue
      | HTML_PARSE_NONET.rawValue | HTML_PARSE_COMPACT.rawValue | HTML_PARSE_IGNORE_ENC.rawValue
    guard bytes.count < Int(Int32.max), !TagSize.isTooLarge(bytes) else { return nil }
    let parsed = bytes.withUnsafeBytes { buffer -> xmlDocPtr? in
      guard
        let context = htmlCreateMemoryParserCtxt(buffer.bindMemory(to: CChar.self).baseAddress, CInt(bytes.count))
      else { return nil }
      defer { htmlFreeParserCtxt(context) }
      htmlCtxtUseOptions(context, CInt(options))
      xmlSwitchEncoding(context, XML_CHAR_ENCODING_UTF8)
      // Else everything after the 256th open element would be lost without a word.
      context.pointee.options |= CInt(XML_PARSE_HUGE.rawValue)
      htmlParseDocument(context)
      return context.pointee.myDoc
    }
    guard let parsed else { return nil }
    document = parsed
  }

  private static let xmlOptions = CInt(
    XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue | XML_PARSE_NONET.rawValue
      | XML_PARSE_NOCDATA.rawValue | XML_PARSE_COMPACT.rawValue)

  /// XML that is well formed; nil for anything else.
  init?(xml bytes: [UInt8]) {
    xmlInitParser()
    guard bytes.count < Int(Int32.max), !TagSize.isTooLarge(bytes) else { return nil }
    let parsed = bytes.withUnsafeBytes { buffer in
      xmlReadMemory(buffer.bindMemory(to: CChar.self).baseAddress, CInt(bytes.count), nil, nil, Self.xmlOptions)
    }
    guard let parsed else { return nil }
    document = parsed
  }

  /// Visits the elements of an XML text that are called so: those of `whole` with all that stands in them, those of `marks` as they begin.
  /// Nothing is kept of them, so there may be any number; false where the text is not well formed.
  static func each(
    _ whole: String, marks: String = "", in bytes: [UInt8], visit: (Node) throws -> Void
  ) rethrows -> Bool {
    xmlInitParser()
    guard bytes.count < Int(Int32.max), !TagSize.isTooLarge(bytes) else { return false }
    return try bytes.withUnsafeBytes { buffer in
      let text = buffer.bindMemory(to: CChar.self).baseAddress
      guard let reader = xmlReaderForMemory(text, CInt(bytes.count), nil, nil, xmlOptions) else { return false }
      defer { xmlFreeTextReader(reader) }
      var status = xmlTextReaderRead(reader)
      while status == 1 {
        var isWhole = false
        if xmlTextReaderNodeType(reader) == CInt(XML_READER_TYPE_ELEMENT.rawValue),
          let pointer = xmlTextReaderCurrentNode(reader)
        {
          let node = Node(pointer: pointer, tree: nil)
          let name = node.name
          isWhole = name == whole
          guard !isWhole || xmlTextReaderExpand(reader) != nil else { return false }
          if isWhole || name == marks { try visit(node) }
        }
        status = isWhole ? xmlTextReaderNext(reader) : xmlTextReaderRead(reader)
      }
      return status == 0
    }
  }

  deinit { xmlFreeDoc(document) }

  var root: Node? { xmlDocGetRootElement(document).map { Node(pointer: $0, tree: self) } }

  /// A node of the tree, which lives as long as any node of it is held.
  struct Node {
    let pointer: xmlNodePtr
    /// nil where nothing holds it beyond a visit.
    fileprivate let tree: Markup?

    var isElement: Bool { pointer.pointee.type == XML_ELEMENT_NODE }
    var isText: Bool { pointer.pointee.type == XML_TEXT_NODE || pointer.pointee.type == XML_CDATA_SECTION_NODE }

    /// Without its prefix, in small letters.
    var name: String { pointer.pointee.name.map { String(cString: $0).lowercased() } ?? "" }

    /// The text of a text node; of a named character (`&nbsp;` in XHTML without its DTD) the character.
    var content: String {
      if pointer.pointee.type == XML_ENTITY_REF_NODE {
        guard let name = pointer.pointee.name, let entity = htmlEntityLookup(name),
          let scalar = Unicode.Scalar(entity.pointee.value)
        else { return "" }
        return String(Character(scalar))
      }
      return isText ? pointer.pointee.content.map { String(cString: $0) } ?? "" : ""
    }

    /// The page says that it is a file of bookmarks.
    var isBookmarkFile: Bool {
      guard let tree, let declared = xmlGetIntSubset(tree.document), let name = declared.pointee.name else {
        return false
      }
      return String(cString: name).lowercased().hasPrefix("netscape-bookmark-file")
    }

    /// By name without prefix, as written.
    func attribute(_ name: String) -> String? {
      var property = pointer.pointee.type == XML_ELEMENT_NODE ? pointer.pointee.properties : nil
      while let current = property {
        if String(cString: current.pointee.name) == name {
          var value = ""
          var child = current.pointee.children
          while let part = child {
            if let content = part.pointee.content { value += String(cString: content) }
            child = part.pointee.next
          }
          return value
        }
        property = current.pointee.next
      }
      return nil
    }

    /// The `r:id` by which a part of an Office file names another, which is not the `id` beside it.
    var reference: String? {
      var property = pointer.pointee.type == XML_ELEMENT_NODE ? pointer.pointee.properties : nil
      while let current = property {
        if current.pointee.ns != nil, String(cString: current.pointee.name) == "id" {
          return current.pointee.children?.pointee.content.map { String(cString: $0) }
        }
        property = current.pointee.next
      }
      return nil
    }

    // The children of an entity reference are its declaration: never followed.
    var firstChild: Node? {
      guard pointer.pointee.type != XML_ENTITY_REF_NODE, pointer.pointee.type != XML_DTD_NODE else { return nil }
      return pointer.pointee.children.map { Node(pointer: $0, tree: tree) }
    }
    var next: Node? { pointer.pointee.next.map { Node(pointer: $0, tree: tree) } }
    var parent: Node? { pointer.pointee.parent.map { Node(pointer: $0, tree: tree) } }
  }
}

extension Markup.Node {
  enum Visit { case into, over }

  /// Visits all below this node in document order, without recursion: nesting may be as deep as an attacker likes.
  func walk(enter: (Markup.Node) throws -> Visit, leave: (Markup.Node) throws -> Void) rethrows {
    guard var node = firstChild else { return }
    while true {
      if try enter(node) == .into {
        if let child = node.firstChild {
          node = child
          continue
        }
        try leave(node)
      }
      while node.next == nil {
        guard let up = node.parent, up.pointer != pointer else { return }
        node = up
        try leave(node)
      }
      node = node.next!
    }
  }

  /// All text below, white space as it stands.
  var text: String {
    var text = content
    walk(
      enter: { node in
        text += node.content
        return .into
      }, leave: { _ in })
    return text
  }

  func first(where matches: (Markup.Node) -> Bool) -> Markup.Node? {
    var found: Markup.Node?
    walk(
      enter: { node in
        if found == nil, node.isElement, matches(node) { found = node }
        return found == nil ? .into : .over
      }, leave: { _ in })
    return found
  }

  func all(_ matches: (Markup.Node) -> Bool) -> [Markup.Node] {
    var found: [Markup.Node] = []
    walk(
      enter: { node in
        if node.isElement, matches(node) { found.append(node) }
        return .into
      }, leave: { _ in })
    return found
  }
}

/// A screen as text, for reviews: one line for each thing, what lies in it under it.
@MainActor package func printed(_ node: Node) -> String { lines(node, 0).joined(separator: "\n") }

@MainActor private func lines(_ node: Node, _ depth: Int) -> [String] {
  let silent: Set<Node.Kind> = [.group, .row, .column, .layers, .scroll, .divider]
  if silent.contains(node.kind), node.label == nil, node.identifier == nil {
    return node.children.flatMap { lines($0, depth) }
  }
  var line = String(repeating: "  ", count: depth)
  if node.kind == .text {
    line += node.words
  } else {
    line += "[\(node.kind.rawValue)] " + (node.kind.isControl ? node.spoken : node.words)
  }
  if node.kind != .text || node.label != nil { line += details(node) }
  guard !node.kind.isControl || [.menu, .picker, .disclosure].contains(node.kind) else { return [line] }
  return [line] + node.children.flatMap { lines($0, depth + 1) }
}

@MainActor private func details(_ node: Node) -> String {
  var parts: [String] = []
  if !node.kind.isControl, let label = node.label { parts.append("label: \(label)") }
  if let value = node.value { parts.append("value: \(value)") }
  if let hint = node.hint { parts.append("hint: \(hint)") }
  if let identifier = node.identifier { parts.append("#\(identifier)") }
  if node.traits.contains(.isHeader) { parts.append("heading") }
  if node.isSelected { parts.append("selected") }
  if !node.isEnabled { parts.append("disabled") }
  if node.isHidden { parts.append("hidden") }
  return parts.isEmpty ? "" : " (" + parts.joined(separator: ", ") + ")"
}

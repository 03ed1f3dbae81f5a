/// Joins the page's modules, so that the first screen takes a few requests and not one for each of them.
///
/// What `main.js` imports stands in it, each module in a function of its own, in the order in which a browser would run them and
/// with its names as they were written. Every other module stays a file, fetched when it is first needed, and takes what is joined
/// from there, so that nothing runs twice. So does whoever imports a joined module by its own name, as tests and a browser's
/// console do.
///
/// Imports and exports are understood as the page writes them, one to a line. A line of another form, and modules that import
/// each other in a circle, are refused: both would run otherwise than they do apart.
enum PageScripts {
  static let first = "main.js"

  /// `sources` and what comes back: text by the name of the module.
  static func joined(_ sources: [String: String]) throws -> [String: String] {
    guard sources[first] != nil else { return sources }
    let modules = try sources.reduce(into: [:]) { $0[$1.key] = try Module($1.key, $1.value) }
    var order: [String] = []
    try place(first, modules, &order, below: [])
    return modules.reduce(into: [:]) { all, one in
      let (name, module) = one
      if name == first {
        all[name] = order.map { modules[$0]?.part(named: $0) ?? "" }.reduce("export const $modules = {};\n", +)
      } else {
        all[name] = order.contains(name) ? module.door(to: name) : module.apart(from: order)
      }
    }
  }

  /// Files that take in whole others, with those: style sheets by a line of `@import`, tables by `export { default as name }`.
  static func whole(_ sources: [String: String]) -> [String: String] {
    let (style, table) = (/@import "(.+)";/, /export \{ default as (\w+) \} from '(.+)';/)
    return sources.mapValues { text in
      text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
        // Most lines are neither, and a pattern takes long to say so.
        guard line.hasPrefix("@") || line.hasPrefix("export") else { return String(line) }
        if let found = line.wholeMatch(of: style), let other = sources[String(found.1)] { return other }
        guard let found = line.wholeMatch(of: table), let other = sources[String(found.2)] else { return String(line) }
        return other.replacing("export default ", with: "export const \(found.1) = ", maxReplacements: 1)
      }.joined(separator: "\n")
    }
  }

  private static func place(_ name: String, _ modules: [String: Module], _ order: inout [String], below: [String])
    throws
  {
    if order.contains(name) { return }
    guard let module = modules[name], !below.contains(name) else {
      throw ServerError.pageBroken((below + [name]).joined(separator: " imports "))
    }
    for other in module.imports.map(\.from) { try place(other, modules, &order, below: below + [name]) }
    order.append(name)
  }

  private struct Module {
    /// As JavaScript writes what is taken from an object: `{ h, when: moment }`, or one name for all of it.
    var imports: [(taken: String, line: String, from: String)] = []
    var exports: [String] = []
    /// Without imports and comments; `export` still stands in it.
    var lines: [String] = []

    init(_ name: String, _ text: String) throws {
      let importing = /import (?:\* as (\w+)|\{ (.+) \}) from '\.\/([\w-]+\.js)';/
      let exporting = /export (?:const|class|(?:async )?function\*?) ([\w$]+)/
      var isComment = false
      for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        let words = line.drop { $0 == " " }
        // Comments of whole lines, which are a fifth of the bytes.
        if isComment || words.hasPrefix("//") || words.hasPrefix("/*") {
          isComment = !words.hasPrefix("//") && !words.hasSuffix("*/")
        } else if !line.hasPrefix("import ") && !line.hasPrefix("export ") {
          // Most lines; a pattern takes long to say so.
          lines.append(String(line))
        } else if let found = line.wholeMatch(of: importing) {
          let names = found.2.map { "{ \($0.replacing(" as ", with: ": ")) }" }
          imports.append((names ?? String(found.1 ?? ""), String(line), String(found.3)))
        } else if let found = line.prefixMatch(of: exporting) {
          exports.append(String(found.1))
          lines.append(String(line))
        } else {
          throw ServerError.pageBroken("\(name): \(line)")
        }
      }
    }

    private func taking(_ imports: [(taken: String, line: String, from: String)]) -> [String] {
      imports.map { "const \($0.taken) = $modules['\($0.from)'];" }
    }

    /// As a part of the first module.
    func part(named name: String) -> String {
      let body = lines.map { $0.hasPrefix("export ") ? String($0.dropFirst(7)) : $0 }
      return
        (["// \(name)", "$modules['\(name)'] = await (async () => {"] + taking(imports) + body
        + ["return { \(exports.joined(separator: ", ")) };", "})();", ""]).joined(separator: "\n")
    }

    /// As a file of its own, without the modules in `joined`.
    func apart(from joined: [String]) -> String {
      let there = imports.filter { joined.contains($0.from) }
      let here = imports.filter { !joined.contains($0.from) }.map(\.line)
      let opening = there.isEmpty ? [] : ["import { $modules } from './\(PageScripts.first)';"] + taking(there)
      return (here + opening + lines).joined(separator: "\n")
    }

    /// In the place of a module that is joined.
    func door(to name: String) -> String {
      """
      import { $modules } from './\(PageScripts.first)';
      export const { \(exports.joined(separator: ", ")) } = $modules['\(name)'];
      """
    }
  }
}

import Core
import Foundation
import Testing

@testable import Server

@Suite("The page's modules, joined")
struct PageScriptsTests {
  @Test("What the first screen needs is one script, in the order in which it runs; names and text stay as they are")
  func joined() throws {
    let joined = try PageScripts.joined([
      "main.js":
        "// The beginning.\nimport { b as other } from './b.js';\nimport * as a from './a.js';\nother(a.one);\n",
      "a.js": "/** One. */\nexport const one = 1; // kept\n",
      "b.js": "import { one } from './a.js';\n/**\n * Two lines.\n */\nexport function b() { return `// ${one}`; }\n",
    ])
    let text = try #require(joined["main.js"])
    #expect(
      text == """
        export const $modules = {};
        // a.js
        $modules['a.js'] = await (async () => {
        const one = 1; // kept

        return { one };
        })();
        // b.js
        $modules['b.js'] = await (async () => {
        const { one } = $modules['a.js'];
        function b() { return `// ${one}`; }

        return { b };
        })();
        // main.js
        $modules['main.js'] = await (async () => {
        const { b: other } = $modules['b.js'];
        const a = $modules['a.js'];
        other(a.one);

        return {  };
        })();

        """)
  }

  @Test(
    "What is needed later stays a file and takes what is joined from there; by its own name a joined module is the same one"
  )
  func apart() throws {
    let joined = try PageScripts.joined([
      "main.js": "import { a } from './a.js';\na(() => import('./late.js'));",
      "a.js": "export function a() {}\nexport class Kind {}\nexport const $ = 1, many = 2;",
      "late.js":
        "import { a } from './a.js';\nimport { later } from './later.js';\nexport async function late() { later(a); }",
      "later.js": "export const later = 1;",
    ])
    #expect(
      joined["late.js"] == """
        import { later } from './later.js';
        import { $modules } from './main.js';
        const { a } = $modules['a.js'];
        export async function late() { later(a); }
        """)
    #expect(joined["later.js"] == "export const later = 1;")
    #expect(
      joined["a.js"] == "import { $modules } from './main.js';\nexport const { a, Kind, $ } = $modules['a.js'];")
  }

  @Test(
    "A line that cannot be joined, a circle and a module that is not there are refused",
    arguments: [
      ["main.js": "export let changing = 1;"],
      ["main.js": "export { a } from './a.js';", "a.js": "export const a = 1;"],
      ["main.js": "export default 1;"], ["main.js": "import './a.js';", "a.js": ""],
      [
        "main.js": "import { a } from './a.js';", "a.js": "import { b } from './b.js';",
        "b.js": "import { a } from './a.js';",
      ],
      ["main.js": "import { a } from './gone.js';"], ["main.js": "import {\n  a } from './a.js';", "a.js": ""],
    ])
  func refused(sources: [String: String]) {
    #expect(throws: ServerError.self) { try PageScripts.joined(sources) }
  }

  @Test("The page's own modules are joined, and few are left for later")
  func page() throws {
    let folder = try Installation().web.appending(path: "js")
    let sources = try FileManager.default.contentsOfDirectory(atPath: folder.path).reduce(into: [:]) {
      $0[$1] = try String(contentsOf: folder.appending(path: $1), encoding: .utf8)
    }
    let joined = try PageScripts.joined(sources)
    #expect(Set(joined.keys) == Set(sources.keys))
    // One line of each module that is joined stands in its door; where it starts to import others it was not joined.
    let doors = joined.filter { $0.key != "main.js" && $0.value.split(separator: "\n").count == 2 }
    #expect(doors.count > 30)
    #expect(joined["main.js"]?.contains("\nimport ") == false)
  }
}

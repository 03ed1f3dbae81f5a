import Core
import Foundation
import Testing
import Workers

@testable import Models

@Suite("Where Python packages are listed")
struct PackageIndexTests {
  @Test(
    "What a person has set for pip holds here too",
    arguments: [
      ("[global]\nindex-url = https://mirror.example/simple/\n", "https://mirror.example/simple/"),
      ("[install]\nindex-url=https://other/\n[global]\n# none\nindex_url=https://mine/", "https://mine/"),
      ("[global]\ntimeout = 60\n", nil), ("index-url = https://nowhere/\n", nil), ("", nil),
    ] as [(String, String?)])
  func settings(text: String, index: String?) { #expect(PackageIndex.setting(in: text) == index) }

  @Test(
    "The variable goes before pip's files, the person's own before everybody's, and all before what is written down")
  func order() throws {
    let sandbox = try Sandbox()
    let home = sandbox.folder
    func locate(_ environment: [String: String] = [:], installed: Bool = true) -> String? {
      PackageIndex.locate(
        environment: environment, home: home, installed: installed ? home.appending(path: "Packs") : nil,
        system: home.appending(path: "etc"))
    }
    func write(_ text: String, to file: String) throws {
      let folder = home.appending(path: file).deletingLastPathComponent()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      _ = try sandbox.file(file, Data(text.utf8))
    }
    #expect(locate() == nil)
    try write("http://plain/\n", to: "Packs/index")
    #expect(locate() == nil)
    try write("https://written/\n", to: "Packs/index")
    #expect(locate() == "https://written/")
    #expect(locate(installed: false) == nil)
    for (file, address) in [
      ("etc/xdg/pip/pip.conf", "https://all/"), ("etc/pip.conf", "https://everybody/"),
      (".pip/pip.conf", "https://old/"), (".config/pip/pip.conf", "https://own/"),
    ] {
      try write("[global]\nindex-url = \(address)\n", to: file)
      #expect(locate() == address)
    }
    try write("[global]\nIndex-URL: https://elsewhere/\n", to: "config/pip/pip.conf")
    #expect(locate(["XDG_CONFIG_HOME": home.appending(path: "config").path]) == "https://elsewhere/")
    try write("[global]\nindex-url = https://named/\n", to: "named.conf")
    #expect(locate(["PIP_CONFIG_FILE": home.appending(path: "named.conf").path]) == "https://named/")
    #expect(locate(["PIP_CONFIG_FILE": home.appending(path: "none.conf").path]) == "https://own/")
    #expect(locate(["PIP_CONFIG_FILE": "/dev/null"]) == "https://written/")
    #expect(locate(["PIP_INDEX_URL": "https://set/", "PIP_CONFIG_FILE": "/dev/null"]) == "https://set/")
  }

  @Test(
    "A package's page is found by its name, however that is spelled",
    arguments: ["Some_Package", "some-package", "some.package", "SOME--package"])
  func page(name: String) {
    #expect(PackageIndex.page(of: name, on: "https://i/simple/") == "https://i/simple/some-package/")
  }

  @Test("The address of a file is taken from its page, relative or whole, and nothing else there")
  func address() {
    let page = "https://i/simple/p/"
    let html = """
      <a href="../../files/p-1.tar.gz#sha256=00">p-1.tar.gz</a><a class="x" href='https://f/a?b=1&amp;c=p-3.whl'>
      <a href="https://f/p-2.whl#p-4.whl">p-2.whl</a> p-5.whl <a href=p-6.whl>
      """
    func found(_ file: String) -> String? { PackageIndex.address(of: file, in: html, at: page) }
    #expect(found("p-1.tar.gz") == "https://i/files/p-1.tar.gz")
    #expect(found("p-2.whl") == "https://f/p-2.whl")
    for file in ["p-3.whl", "p-4.whl", "p-5.whl", "p-6.whl", ""] { #expect(found(file) == nil, "\(file)") }
  }

  @Test("A page in JSON names its files, wherever their addresses lead, and a damaged one lists nothing")
  func listed() {
    let page = "https://i/simple/p/"
    let json = """
       {"meta": {"api-version": "1.1"}, "name": "p", "files": [
        {"filename": "p-1.whl", "url": "../../files/p-1.whl#sha256=00", "hashes": {}, "yanked": false},
        {"filename": "p-2.whl", "url": "https://f/download?file=2", "size": 7}]}
      """
    func found(_ file: String, _ text: String) -> String? { PackageIndex.address(of: file, in: text, at: page) }
    #expect(found("p-1.whl", json) == "https://i/files/p-1.whl")
    #expect(found("p-2.whl", json) == "https://f/download?file=2")
    #expect(found("download", json) == nil)
    let nested = String(repeating: "{\"files\":[", count: 5000)
    for text in ["{", "{}", nested, String(json.dropLast(3)), "{<a href=\"p-1.whl\">"] {
      #expect(found("p-1.whl", text) == nil)
    }
  }
}

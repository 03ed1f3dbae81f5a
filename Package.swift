// swift-tools-version: 6.1
import PackageDescription

// The rooms stand here in the order of the house, top floor first. A room imports only what is below it;
// Tests/CoreTests/HouseTests.swift holds this file and the sources to that.

let manner: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func room(_ name: String, at path: String? = nil, imports: [String], resources: [Resource] = []) -> Target {
  .target(
    name: name, dependencies: imports.map { .byName(name: $0) }, path: path, resources: resources, swiftSettings: manner
  )
}

func program(_ name: String, at path: String? = nil, imports: [String], onLinux: [String] = []) -> Target {
  .executableTarget(
    name: name,
    dependencies: imports.map { .byName(name: $0) }
      + onLinux.map { .byName(name: $0, condition: .when(platforms: [.linux])) },
    path: path, swiftSettings: manner)
}

func library(_ name: String, pkgConfig: String, debian: String) -> Target {
  .systemLibrary(name: name, path: "SystemLibraries/\(name)", pkgConfig: pkgConfig, providers: [.apt([debian])])
}

func tests(_ name: String, of imports: [String], exclude: [String] = []) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: imports.map { .byName(name: $0) }, path: "Tests/\(name)Tests",
    exclude: exclude, swiftSettings: manner)
}

let package = Package(
  name: "libera",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .executable(name: "libera", targets: ["libera"]),
    .executable(name: "libera-worker", targets: ["libera-worker"]),
    .library(name: "LiberaKit", targets: ["Assistant", "TextEngine", "DocumentEngine", "SpeechEngine"]),
  ],
  targets: [
    // Programs
    program(
      "libera",
      imports: [
        "Server", "Assistant", "Commands", "Speech", "Retrieval", "Documents", "Inference",
        "Models", "Workers", "Safety", "Resources", "Storage", "Core", "CEdit",
      ], onLinux: ["CALSA"]),
    program(
      "libera-worker",
      imports: [
        "TextEngine", "SpeechEngine", "DocumentEngine", "FetchEngine", "Models", "Workers", "Safety",
        "Core", "CLinux", "CSeccomp",
      ]),
    program("train-commands", at: "Training/Commands", imports: ["Commands", "Core"]),

    program(
      "fuzz", at: "Tests/Fuzz",
      imports: [
        "Server", "Assistant", "Commands", "Documents", "DocumentEngine", "Inference", "Models", "Workers", "Safety",
        "Storage",
        "Core",
      ]),
    program("vault-crasher", at: "Tests/VaultCrasher", imports: ["Commands", "Documents", "Storage", "Core"]),
    program("bench-engine", at: "Benchmarks/engine", imports: ["Inference", "Workers", "Safety", "Core"]),
    program("bench-governor", at: "Benchmarks/governor", imports: ["Inference", "Workers", "Resources", "Core"]),
    program("bench-memory", at: "Benchmarks/memory", imports: ["Retrieval", "Inference", "Storage", "Core"]),

    // Rooms
    room(
      "Server",
      imports: [
        "Assistant", "Commands", "Speech", "Retrieval", "Documents", "Inference", "Models", "Workers",
        "Resources", "Storage", "Core", "CHTTP", "CZlib",
      ]),
    room(
      "Assistant",
      imports: [
        "Commands", "Speech", "Retrieval", "Documents", "Inference", "Models", "Workers",
        "Safety", "Resources", "Storage", "Core",
      ]),
    room(
      "Commands", imports: ["Documents", "Core"],
      resources: [.copy("intents.bin"), .copy("reader.gguf"), .copy("frame.gbnf"), .copy("Languages")]),
    room("Speech", imports: ["Workers", "Models", "Safety", "Core"]),
    room("Retrieval", imports: ["Inference", "Storage", "Core"], resources: [.copy("locator.gguf")]),
    room("Documents", imports: ["Workers", "Safety", "Core"]),
    room("Inference", imports: ["Models", "Workers", "Safety", "Core"]),
    room("Models", imports: ["Workers", "Core"]),
    room("Workers", imports: ["Safety", "Core", "CLinux"]),
    room("Safety", imports: ["Core", "CLinux", "CSeccomp"]),
    room("Resources", imports: ["Core", "CLinux"]),
    room("Storage", imports: ["Core", "CSQLite", "CSodium", "CVector"]),
    room("Core", imports: ["CSodium"]),

    // Engines: what runs inside a sealed worker, behind the messages of the room it serves
    room(
      "TextEngine", at: "Sources/Engines/Text",
      imports: ["Inference", "Models", "Workers", "Safety", "Core", "CLlama", "CEncoder"]),
    room("SpeechEngine", at: "Sources/Engines/Speech", imports: ["Speech", "Workers", "Core", "CWhisper", "CSndFile"]),
    room(
      "DocumentEngine", at: "Sources/Engines/Documents",
      imports: [
        "Documents", "Workers", "Core", "CPDFium", "CTesseract", "CLeptonica", "CArchive", "CXML", "CMarkdown", "CICal",
      ]),
    room("FetchEngine", at: "Sources/Engines/Fetch", imports: ["Models", "Workers", "Core", "CCurl"]),

    // C libraries
    library("CLlama", pkgConfig: "llama", debian: "cmake"),
    library("CWhisper", pkgConfig: "whisper", debian: "cmake"),
    library("CSndFile", pkgConfig: "sndfile", debian: "libsndfile1-dev"),
    library("CPDFium", pkgConfig: "pdfium", debian: "python3-pip"),
    library("CSQLite", pkgConfig: "sqlite3", debian: "libsqlite3-dev"),
    library("CTesseract", pkgConfig: "tesseract", debian: "libtesseract-dev"),
    library("CLeptonica", pkgConfig: "lept", debian: "libleptonica-dev"),
    library("CMarkdown", pkgConfig: "libcmark-gfm", debian: "libcmark-gfm-dev"),
    library("CHTTP", pkgConfig: "libmicrohttpd", debian: "libmicrohttpd-dev"),
    library("CZlib", pkgConfig: "zlib", debian: "zlib1g-dev"),
    library("CArchive", pkgConfig: "libarchive", debian: "libarchive-dev"),
    library("CXML", pkgConfig: "libxml-2.0", debian: "libxml2-dev"),
    library("CICal", pkgConfig: "libical", debian: "libical-dev"),
    library("CSodium", pkgConfig: "libsodium", debian: "libsodium-dev"),
    library("CSeccomp", pkgConfig: "libseccomp", debian: "libseccomp-dev"),
    library("CALSA", pkgConfig: "alsa", debian: "libasound2-dev"),
    library("CEdit", pkgConfig: "libedit", debian: "libedit-dev"),
    library("CCurl", pkgConfig: "libcurl", debian: "libcurl4-openssl-dev"),
    .target(name: "CLinux", path: "SystemLibraries/CLinux"),
    .target(name: "CVector", path: "SystemLibraries/CVector"),
    .target(name: "CEncoder", path: "SystemLibraries/CEncoder"),

    // Tests
    tests("Core", of: ["Core"]),
    tests("Storage", of: ["Commands", "Storage", "Core", "vault-crasher"]),
    tests("Resources", of: ["Resources", "Core"]),
    tests("Safety", of: ["Safety", "Core"]),
    tests("Workers", of: ["Workers", "Safety", "Core"]),
    tests("Models", of: ["Models", "FetchEngine", "Workers", "Core"], exclude: ["server.py"]),
    tests(
      "Inference",
      of: ["Commands", "Retrieval", "Inference", "TextEngine", "Models", "Workers", "Safety", "Core", "CEncoder"],
      exclude: ["parity.json", "locator-parity.json"]),
    tests(
      "Documents", of: ["Documents", "DocumentEngine", "Workers", "Safety", "Core", "CArchive"],
      exclude: ["calendars.json"]),
    tests("Retrieval", of: ["Retrieval", "Inference", "Storage", "Core"]),
    tests("Speech", of: ["Speech", "SpeechEngine", "Workers", "Safety", "Core", "CSndFile"]),
    tests("Commands", of: ["Commands", "Documents", "Inference", "Storage", "Workers", "Core"]),
    tests(
      "Assistant",
      of: [
        "Assistant", "Commands", "Speech", "Retrieval", "Documents", "Inference", "Models", "Workers", "Safety",
        "Resources", "Storage", "Core",
      ]),
    tests("Server", of: ["Server", "Assistant", "Documents", "Inference", "Storage", "Core"]),
    tests("Journey", of: ["Models", "Workers", "Core"]),
  ],
  swiftLanguageModes: [.v6]
)

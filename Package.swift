// swift-tools-version: 6.1
import PackageDescription

// The rooms stand here in the order of the house, top floor first. A room imports only what is below it;
// Tests/CoreTests/HouseTests.swift holds this file and the sources to that.

let manner: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// On Apple systems llama.cpp and whisper.cpp can come as the one XCFramework that Engine/apple.sh makes, which holds both modules:
/// where this names it, from this folder.
let framework = Context.environment["LIBERA_FRAMEWORK"]

func dependency(_ name: String) -> Target.Dependency {
  if name == "CSeccomp" { return .byName(name: name, condition: .when(platforms: [.linux])) }
  return .byName(name: framework != nil && ["CLlama", "CWhisper"].contains(name) ? "LiberaEngine" : name)
}

func room(
  _ name: String, at path: String? = nil, imports: [String], resources: [Resource] = [], also: [SwiftSetting] = []
) -> Target {
  .target(
    name: name, dependencies: imports.map(dependency), path: path, resources: resources,
    swiftSettings: manner + also)
}

/// Set-up builds the engine with our patches or, where this is set, without; Core tells everybody else.
let unmended: [SwiftSetting] = Context.environment["LIBERA_MENDS"] == "OFF" ? [.define("LIBERA_UNMENDED")] : []

func program(
  _ name: String, at path: String? = nil, imports: [String], resources: [Resource] = [], onLinux: [String] = []
) -> Target {
  .executableTarget(
    name: name,
    dependencies: imports.map { .byName(name: $0) }
      + onLinux.map { .byName(name: $0, condition: .when(platforms: [.linux])) },
    path: path, resources: resources, swiftSettings: manner)
}

func library(_ name: String, pkgConfig: String, debian: String) -> Target {
  .systemLibrary(name: name, path: "SystemLibraries/\(name)", pkgConfig: pkgConfig, providers: [.apt([debian])])
}

let engines: [Target] =
  if let framework {
    [.binaryTarget(name: "LiberaEngine", path: framework)]
  } else {
    [
      library("CLlama", pkgConfig: "llama", debian: "cmake"),
      library("CWhisper", pkgConfig: "whisper", debian: "cmake"),
    ]
  }

func tests(_ name: String, of imports: [String], exclude: [String] = []) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: imports.map(dependency), path: "Tests/\(name)Tests",
    exclude: exclude, swiftSettings: manner)
}

// The Apple app and its adapters. On Linux they are compiled against declarations of our own that stand for Apple's frameworks;
// on Apple systems the frameworks themselves are there (Apps/README.md).
#if os(Linux)
  let frameworks = [
    "SwiftUI", "UniformTypeIdentifiers", "UIKit", "PhotosUI", "VisionKit", "MessageUI", "AppIntents", "PDFKit",
    "Accessibility",
  ]
  let deviceFrameworks = [
    "AVFAudio", "BackgroundTasks", "EventKit", "FileRoom", "FoundationModels", "StoreKit", "UserNotifications",
    "Speech", "Vision", "os",
  ]
  let declarations: [Target] =
    [
      room("SwiftUI", at: "Apps/Declarations/SwiftUI", imports: ["UniformTypeIdentifiers"]),
      room("UniformTypeIdentifiers", at: "Apps/Declarations/UniformTypeIdentifiers", imports: []),
      room("UIKit", at: "Apps/Declarations/UIKit", imports: ["SwiftUI"]),
      room("Accessibility", at: "Apps/Declarations/Accessibility", imports: []),
      room("PhotosUI", at: "Apps/Declarations/PhotosUI", imports: ["SwiftUI"]),
      room("AppIntents", at: "Apps/Declarations/AppIntents", imports: ["UniformTypeIdentifiers"]),
      room(
        "LiberaIntents", at: "Apps/Intents", imports: ["LiberaApp", "LiberaScreens", "LiberaKit", "AppIntents"],
        resources: [.process("Words")]),
      room("LiberaShare", at: "Apps/Share", imports: ["UIKit"]),
      room("WidgetKit", at: "Apps/Declarations/WidgetKit", imports: ["SwiftUI", "AppIntents"]),
      room(
        "LiberaWidget", at: "Apps/Widget", imports: ["LiberaIntents", "WidgetKit", "SwiftUI", "AppIntents"],
        resources: [.process("Words")]),
      room("MessageUI", at: "Apps/Declarations/MessageUI", imports: ["SwiftUI", "UIKit"]),
      room("VisionKit", at: "Apps/Declarations/VisionKit", imports: ["SwiftUI", "UIKit"]),
      // The adapter to a device's sensors lies below the app; here it is compiled once more, as on an iPhone.
      room(
        "DeviceSensors", at: "Apps/Declarations/DeviceSensors", imports: ["Resources", "UIKit"],
        also: [.define("LIBERA_DECLARED")]),
      room("PDFKit", at: "Apps/Declarations/PDFKit", imports: ["SwiftUI", "UIKit"]),
      tests(
        "LiberaApp",
        of: [
          "LiberaApp", "LiberaIntents", "LiberaShare", "LiberaWidget", "LiberaDoors", "LiberaScreens", "LiberaKit",
          "Core", "CLeptonica", "WidgetKit", "Assistant", "Commands", "Documents", "Resources", "Workers",
          "DeviceSensors", "DocumentEngine", "TestSupport", "libera",
        ]
          + frameworks + deviceFrameworks),
    ]
    + deviceFrameworks.map {
      room($0, at: "Apps/Declarations/\($0)", imports: $0 == "Speech" ? ["AVFAudio"] : [])
    }
#else
  let frameworks: [String] = []
  let deviceFrameworks: [String] = []
  let declarations: [Target] = []
#endif

let package = Package(
  name: "libera",
  defaultLocalization: "en",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .executable(name: "libera", targets: ["libera"]),
    .executable(name: "libera-worker", targets: ["libera-worker"]),
    .library(name: "LiberaKit", targets: ["LiberaKit"]),
    .library(name: "LiberaScreens", targets: ["LiberaScreens"]),
    .library(name: "LiberaApp", targets: ["LiberaApp"]),
  ],
  targets: [
    // Programs
    program(
      "libera",
      imports: [
        "Server", "Assistant", "Commands", "Spoken", "Retrieval", "Documents", "Inference",
        "Models", "Releases", "Workers", "Safety", "Resources", "Storage", "Core", "CEdit",
      ], resources: [.copy("Languages")], onLinux: ["CALSA"]),
    program(
      "libera-worker",
      imports: [
        "TextEngine", "SpeechEngine", "DocumentEngine", "ConvertEngine", "FetchEngine", "Models", "Workers", "Safety",
        "Core",
      ]),
    program("example-ask", at: "Examples/Ask", imports: ["LiberaKit"]),
    program("train-commands", at: "Training/Commands", imports: ["Commands", "Core"]),

    program(
      "fuzz", at: "Tests/Fuzz",
      imports: [
        "Server", "Assistant", "Commands", "Documents", "DocumentEngine", "Inference", "Models", "Retrieval", "Workers",
        "Safety", "Storage", "Core", "TestSupport",
      ]),
    program("echo-worker", at: "Tests/EchoWorker", imports: ["Workers", "Safety", "Core", "CLinux", "CSeccomp"]),
    program("vault-crasher", at: "Tests/VaultCrasher", imports: ["Commands", "Documents", "Storage", "Core"]),
    program("bench-engine", at: "Benchmarks/engine", imports: ["Inference", "Workers", "Safety", "Core"]),
    program("bench-governor", at: "Benchmarks/governor", imports: ["Inference", "Workers", "Resources", "Core"]),
    program("bench-memory", at: "Benchmarks/memory", imports: ["Retrieval", "Inference", "Storage", "Core"]),

    // The app of iPhone, iPad and Mac
    room(
      "LiberaApp", at: "Apps/Libera", imports: ["LiberaDoors", "LiberaScreens", "LiberaKit"] + frameworks,
      resources: [.process("Words")]),
    room("LiberaDoors", at: "Apps/Doors", imports: ["LiberaScreens", "LiberaKit"] + frameworks + deviceFrameworks),

    // Rooms
    room("LiberaScreens", imports: ["LiberaKit", "Spoken", "Core"]),
    room(
      "LiberaKit",
      imports: [
        "TextEngine", "SpeechEngine", "DocumentEngine", "Assistant", "Commands", "Documents", "Models", "Workers",
        "Resources", "Storage", "Core",
      ]),
    room(
      "Server",
      imports: [
        "Assistant", "Commands", "Spoken", "Retrieval", "Documents", "Inference", "Models", "Workers",
        "Resources", "Storage", "Core", "CHTTP", "CZlib",
      ]),
    room(
      "Assistant",
      imports: [
        "Commands", "Spoken", "Retrieval", "Documents", "Inference", "Models", "Releases", "Workers",
        "Safety", "Resources", "Storage", "Core",
      ]),
    room(
      "Commands", imports: ["Documents", "Core"],
      resources: [.copy("intents.bin"), .copy("reader.gguf"), .copy("Languages")]),
    room("Spoken", imports: ["Workers", "Models", "Safety", "Core"]),
    room(
      "Retrieval", imports: ["Inference", "Storage", "Core"],
      resources: [.copy("judge.gguf"), .copy("question-map.gguf"), .copy("questions.gguf"), .copy("Languages")]),
    room("Documents", imports: ["Workers", "Safety", "Resources", "Core"]),
    room("Inference", imports: ["Models", "Workers", "Safety", "Core", "CEncoder"]),
    room("Models", imports: ["Workers", "Core"]),
    room("Releases", imports: ["Workers", "Core", "CSodium", "CLinux"]),
    room("Workers", imports: ["Safety", "Core", "CLinux"]),
    room("Safety", imports: ["Core", "CLinux", "CSeccomp"]),
    room("Resources", imports: ["Core", "CLinux"]),
    room("Storage", imports: ["Core", "CSQLite", "CSodium", "CVector"]),
    room("Core", imports: ["CSodium"], resources: [.embedInCode("pins")], also: unmended),

    // Engines: what runs inside a sealed worker, behind the messages of the room it serves
    room(
      "TextEngine", at: "Sources/Engines/Text",
      imports: ["Inference", "Models", "Workers", "Safety", "Core", "CLlama", "CLinux", "CEncoder"]),
    room(
      "SpeechEngine", at: "Sources/Engines/Speech",
      imports: ["Spoken", "Workers", "Core", "CWhisper", "CSndFile", "CFFmpeg"]),
    room(
      "DocumentEngine", at: "Sources/Engines/Documents",
      imports: [
        "Documents", "Workers", "Core", "CPDFium", "CTesseract", "CLeptonica", "CArchive", "CXML", "CMarkdown", "CICal",
      ]),
    room("ConvertEngine", at: "Sources/Engines/Convert", imports: ["Models", "Workers", "Core", "CArchive"]),
    room("FetchEngine", at: "Sources/Engines/Fetch", imports: ["Models", "Workers", "Core", "CCurl"]),

    // C libraries
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
    .target(name: "CFFmpeg", path: "SystemLibraries/CFFmpeg"),
    .target(name: "CLinux", path: "SystemLibraries/CLinux"),
    .target(name: "CVector", path: "SystemLibraries/CVector"),
    .target(name: "CEncoder", path: "SystemLibraries/CEncoder"),
    .target(name: "CEncoderWays", dependencies: ["CEncoder"], path: "Tests/Encoder", exclude: ["run.sh"]),
    .target(name: "CVectorWays", dependencies: ["CVector"], path: "Tests/Vectors"),

    // Tests
    room("TestSupport", at: "Tests/Support", imports: ["Workers", "Core"]),
    tests("Core", of: ["Core", "TestSupport"]),
    tests(
      "Storage", of: ["Commands", "Storage", "Core", "TestSupport", "vault-crasher", "CVectorWays"],
      exclude: ["vault-0.1.0.sql"]),
    tests("Resources", of: ["Resources", "Core"]),
    tests("Safety", of: ["Safety", "Core"]),
    tests("Workers", of: ["Workers", "Safety", "Core", "TestSupport"]),
    tests(
      "Models", of: ["Models", "ConvertEngine", "FetchEngine", "Workers", "Core", "TestSupport"],
      exclude: ["server.py", "weights.py"]),
    tests(
      "Inference",
      of: [
        "Commands", "Retrieval", "Inference", "TextEngine", "Models", "Workers", "Safety", "Core", "CEncoder",
        "CEncoderWays", "CLlama", "TestSupport",
      ],
      exclude: [
        "parity.json", "judge-parity.json", "question-map-parity.json", "questions-parity.json",
        "sentences-parity.json",
      ]),
    tests(
      "Documents",
      of: ["Documents", "DocumentEngine", "Workers", "Safety", "Core", "CArchive", "CLeptonica", "TestSupport"],
      exclude: ["calendars.json"]),
    tests("Releases", of: ["Releases", "Core", "CSodium", "TestSupport"]),
    tests("Retrieval", of: ["Retrieval", "Inference", "Storage", "Core", "TestSupport"]),
    tests("Speech", of: ["Spoken", "SpeechEngine", "Workers", "Safety", "Core", "CSndFile", "TestSupport"]),
    tests("Commands", of: ["Commands", "Documents", "Inference", "Storage", "Workers", "Core", "TestSupport"]),
    tests(
      "Assistant",
      of: [
        "Assistant", "Commands", "Spoken", "Retrieval", "Documents", "Inference", "Models", "Workers", "Safety",
        "Resources", "Storage", "Core", "TestSupport",
      ]),
    tests("Server", of: ["Server", "Assistant", "Documents", "Inference", "Storage", "Core", "TestSupport"]),
    tests(
      "LiberaKit",
      of: ["LiberaScreens", "LiberaKit", "Assistant", "Resources", "Workers", "Core", "TestSupport", "example-ask"]),
    tests("Journey", of: ["Models", "Releases", "Workers", "Core", "CSodium", "TestSupport"]),
  ] + engines + declarations,
  swiftLanguageModes: [.v6]
)

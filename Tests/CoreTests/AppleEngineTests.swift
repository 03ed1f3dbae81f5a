#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// What of Engine/apple.sh can run without a Mac: the patched sources, the plan of each build beside a folder that stands for an SDK,
  /// and what the app includes. What Apple's compilers make of it is not seen here.
  @Suite("The engine of Apple systems", .serialized)
  struct AppleEngineTests {
    /// What set-up has fetched; a machine whose engine came from elsewhere has no sources.
    static let hasSources = ["llama", "whisper"].allSatisfy { name in
      let environment = ProcessInfo.processInfo.environment
      let cache =
        environment["XDG_CACHE_HOME"].map { URL(filePath: $0) } ?? URL.homeDirectory.appending(path: ".cache")
      return FileManager.default.fileExists(atPath: cache.appending(path: "libera/downloads/\(name)").path)
    }
    static let needsSources: Comment = "the sources of the engines were not fetched on this machine"

    private typealias Ended = (status: Int32, output: String)

    /// What it runs gets all signals: CMake waits for one at the end of what it starts, and threads of this program block it.
    private static let unblocking = """
      import os, signal, sys
      signal.pthread_sigmask(signal.SIG_SETMASK, [])
      os.dup2(1, 2)
      os.chdir(sys.argv[1])
      os.execvp(sys.argv[2], sys.argv[2:])
      """

    private func run(_ words: [String], adding more: [String: String] = [:]) throws -> Ended {
      try Tool.run(
        ["python3", "-c", Self.unblocking, Checkout.root.path] + words,
        environment: ProcessInfo.processInfo.environment.merging(more) { $1 })
    }

    private func script(_ words: String..., adding more: [String: String] = [:]) throws -> Ended {
      try run([Checkout.root.appending(path: "Engine/apple.sh").path] + words, adding: more)
    }

    private func during(_ work: (URL) throws -> Void) throws {
      let scratch = try Scratch("apple")
      try work(scratch.folder)
    }

    private struct Build {
      var name: String
      var system: String
      var sdk: String
      var processor: String
      var oldest: String

      init(_ line: Substring) {
        let words = line.split(separator: " ").map(String.init)
        (name, system, sdk, processor, oldest) = (words[0], words[1], words[2], words[3], words[4])
      }

      /// As Apple's compilers name what they compile for.
      var target: String {
        let system = self.system == "iOS" ? "ios" : "macos"
        return "\(processor)-apple-\(system)\(oldest)\(sdk == "iphonesimulator" ? "-simulator" : "")"
      }
      var sdkFolder: String {
        ["iphoneos": "iPhoneOS", "iphonesimulator": "iPhoneSimulator"][sdk, default: "MacOSX"] + ".sdk"
      }
    }

    private func builds() throws -> [Build] {
      try script("builds").output.split(separator: "\n").map(Build.init)
    }

    @Test("It is built for device, simulator and Mac, for the versions that Package.swift names")
    func versions() throws {
      let builds = try builds()
      #expect(Set(builds.map(\.sdk)) == ["iphoneos", "iphonesimulator", "macosx"])
      let manifest = try Checkout.text("Package.swift")
      for build in builds {
        let system = build.system == "iOS" ? "iOS" : "macOS"
        #expect(manifest.contains(".\(system)(.v\(build.oldest.prefix { $0 != "." }))"), "\(build.name)")
      }
    }

    @Test("Without a Mac it says so, and an unknown build is refused")
    func refusals() throws {
      let everything = try script("/nonexistent/place")
      #expect(everything.status != 0 && everything.output.contains("on a Mac"))
      let unknown = try script("configure", "watch-arm64", "/nonexistent", "/nonexistent")
      #expect(unknown.status != 0 && unknown.output.contains("watch-arm64"))
    }

    @Test(
      "From the patched sources each build is planned with Metal for its processor; Swift reads the modules",
      .enabled(if: hasSources, needsSources))
    func plans() throws {
      try during { folder in
        let sources = folder.appending(path: "sources")
        let fetched = try script("source", sources.path)
        try #require(fetched.status == 0, "\(fetched.output)")
        let ggml = sources.appending(path: "llama/vendor/llama.cpp/ggml/src/ggml-cpu/ggml-cpu.c")
        #expect(try String(contentsOf: ggml, encoding: .utf8).contains("#include \"libera-products.h\""))
        for build in try builds() { try plan(build, of: sources, in: folder) }
        try modules(of: sources, in: folder)
      }
    }

    /// Swift's own compiler makes objects for these systems; the frameworks are empty folders.
    private func plan(_ build: Build, of sources: URL, in folder: URL) throws {
      let sdk = folder.appending(path: build.sdkFolder)
      for name in ["Accelerate", "Foundation", "Metal", "MetalKit"] {
        try FileManager.default.createDirectory(
          at: sdk.appending(path: "System/Library/Frameworks/\(name).framework"), withIntermediateDirectories: true)
      }
      let plan = folder.appending(path: build.name)
      let standing = [
        "CMAKE_OSX_SYSROOT=\(sdk.path)", "CMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY", "CMAKE_C_COMPILER_WORKS=1",
        "CMAKE_CXX_COMPILER_WORKS=1", "CMAKE_HAVE_LIBC_PTHREAD=1", "CMAKE_AR=/usr/bin/ar",
        "CMAKE_RANLIB=/usr/bin/ranlib",
        "CMAKE_INSTALL_NAME_TOOL=/bin/true", "CMAKE_C_COMPILER_TARGET=\(build.target)",
        "CMAKE_CXX_COMPILER_TARGET=\(build.target)", "CMAKE_ASM_COMPILER_TARGET=\(build.target)",
      ]
      let program = Checkout.root.appending(path: "Engine/apple.sh").path
      let configured = try run(
        [program, "configure", build.name, sources.path, plan.path] + standing.map { "-D\($0)" },
        adding: ["CC": "clang", "CXX": "clang++"])
      try #require(configured.status == 0, "\(build.name): \(configured.output.suffix(2000))")
      struct Command: Decodable { var file: String, command: String }
      let commands = try JSONDecoder().decode(
        [Command].self, from: Data(contentsOf: plan.appending(path: "compile_commands.json")))
      let files = Set(commands.map { $0.file.split(separator: "/").suffix(2).joined(separator: "/") })
      let wanted = [
        "ggml-metal/ggml-metal-device.m", "autogenerated/ggml-metal-embed-mul_mm.s", "ggml-cpu/ggml-cpu.c",
        "src/llama.cpp", "src/whisper.cpp", "Engine/templates.cpp", "common/chat.cpp", "ggml-blas/ggml-blas.cpp",
      ]
      for file in wanted { #expect(files.contains(file), "\(build.name) has no \(file)") }
      #expect(files.contains("arm/quants.c") == (build.processor == "arm64"), "\(build.name)")
      #expect(files.contains("x86/quants.c") == (build.processor == "x86_64"), "\(build.name)")
      for command in commands {
        #expect(!command.command.contains("native") && !command.command.contains("openmp"), "\(command.command)")
      }
      let steps = try run(["cmake", "--build", plan.path, "--target", "libera-shim", "--", "-n"])
      try #require(steps.status == 0, "\(steps.output.suffix(2000))")
      let linked = steps.output.split(separator: "\n").filter { $0.contains("Linking") }
      #expect(linked.allSatisfy { $0.hasSuffix(".a") }, "\(build.name): \(linked)")
      let archives = ["libera-shim", "llama", "llama-common", "whisper", "ggml", "ggml-base", "ggml-cpu", "ggml-metal"]
      for name in archives { #expect(linked.contains { $0.contains("lib\(name).a") }, "\(build.name): \(name)") }
    }

    /// What the engines call, as far as it has a name of its own in each header.
    private func modules(of sources: URL, in folder: URL) throws {
      let headers = folder.appending(path: "headers")
      let made = try script("headers", sources.path, headers.path)
      try #require(made.status == 0, "\(made.output)")
      let program = folder.appending(path: "calls.swift")
      let calls = """
        import CLlama
        import CWhisper
        let model = llama_model_default_params()
        let hearing = whisper_context_default_params()
        let file = gguf_init_empty
        let template = libera_template_open
        let products = libera_batches_from
        """
      try Data(calls.utf8).write(to: program)
      let read = try run(["swiftc", "-typecheck", "-I", headers.path, program.path])
      #expect(read.status == 0, "\(read.output)")
    }

    @Test("Where the XCFramework is named, the package takes both engines from it and from nowhere else")
    func manifest() throws {
      try during { folder in
        let framework = "Apps/Frameworks/LiberaEngine.xcframework"
        let dumped = try run(
          ["swift", "package", "--scratch-path", folder.path, "dump-package"], adding: ["LIBERA_FRAMEWORK": framework])
        try #require(dumped.status == 0, "\(dumped.output.suffix(2000))")
        #expect(dumped.output.contains("\"LiberaEngine\""))
        #expect(!dumped.output.contains("\"CLlama\"") && !dumped.output.contains("\"CWhisper\""))
        let script = try Checkout.text("Engine/apple.sh")
        let ignored = try Checkout.text(".gitignore")
        #expect(script.contains("LiberaEngine.xcframework") && script.contains("Apps/Frameworks"))
        #expect(ignored.contains("Apps/Frameworks"))
      }
    }
  }
#endif

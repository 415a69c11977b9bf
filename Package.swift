// swift-tools-version: 6.3

import PackageDescription

let package = Package(
    name: "Ferry",
    products: [
        .library(name: "Ferry", targets: ["Ferry"]),
        .executable(name: "ferry", targets: ["ferry"]),
        .executable(name: "ferryd", targets: ["ferryd"]),
    ],
    targets: [
        // MARK: C

        .systemLibrary(
            name: "CCurl",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]
        ),
        .systemLibrary(
            name: "COpenSSL",
            pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"])]
        ),
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]
        ),
        .systemLibrary(name: "CWslay", providers: [.apt(["libwslay-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CBrotli",
            pkgConfig: "libbrotlidec",
            providers: [.apt(["libbrotli-dev"])]
        ),
        .systemLibrary(
            name: "CZstd",
            pkgConfig: "libzstd",
            providers: [.apt(["libzstd-dev"])]
        ),
        .systemLibrary(
            name: "CNcurses",
            pkgConfig: "ncursesw",
            providers: [.apt(["libncurses-dev"])]
        ),
        .systemLibrary(
            name: "CExpat",
            pkgConfig: "expat",
            providers: [.apt(["libexpat1-dev"])]
        ),
        .target(name: "CFerryLinux", cSettings: [.define("_GNU_SOURCE")]),

        // MARK: Layers, bottom up

        .target(name: "FerrySystem", dependencies: ["CFerryLinux"]),
        .target(
            name: "FerryHTTP",
            dependencies: [
                "FerrySystem", "CCurl", "COpenSSL", "CWslay", "CZlib", "CBrotli", "CZstd",
            ]
        ),
        .target(name: "FerryTransfer", dependencies: ["FerryHTTP", "FerrySystem"]),
        .target(
            name: "FerryStore",
            dependencies: ["FerryTransfer", "FerryWire", "FerrySystem", "CSQLite"]
        ),
        .target(
            name: "FerryWire",
            dependencies: ["FerryTransfer", "FerryHTTP", "FerrySystem"],
            resources: [.embedInCode("io.ferry.Transfer.varlink")]
        ),
        .target(
            name: "FerryDaemon",
            dependencies: ["FerryTransfer", "FerryStore", "FerryWire", "FerryHTTP", "FerrySystem"]
        ),
        .target(
            name: "Ferry",
            dependencies: ["FerryTransfer", "FerryWire", "FerryHTTP", "FerrySystem"]
        ),

        // MARK: Programs

        .executableTarget(name: "ferryd", dependencies: ["FerryDaemon"]),
        .target(
            name: "FerryCommand",
            dependencies: [
                "Ferry", "FerryWire", "FerryTransfer", "FerrySystem", "CNcurses", "CExpat",
            ]
        ),
        .executableTarget(name: "ferry", dependencies: ["FerryCommand"]),

        // What `make demo` shows, built once for it and for the tests.
        .executableTarget(
            name: "BackgroundDownload",
            dependencies: ["Ferry"],
            path: "Examples/BackgroundDownload/Sources/BackgroundDownload"
        ),

        // MARK: Tests

        .target(
            name: "FerryWireTestSupport",
            dependencies: ["FerryWire", "FerrySystem"],
            path: "Tests/FerryWireTestSupport"
        ),
        .target(
            name: "FerryTestSupport",
            dependencies: ["FerrySystem", "CFerryLinux"],
            path: "Tests/FerryTestSupport",
            exclude: [
                "WebSocket/websocket_server.py", "Servers/HTTPBin/gunicorn_settings.py",
                "Servers/FakeLogind/logind.py", "Servers/MockedServices/mocked_services.py",
                "Servers/TLSRelay/tls_relay.py", "Servers/HTTP2Only/http2_only.py",
                "Servers/TusServer/tus_server.py",
                "Files/hanging-disk.py",
            ]
        ),
        .executableTarget(
            name: "connectivity-probe",
            dependencies: ["FerrySystem"],
            path: "Tests/ConnectivityProbe"
        ),
        .executableTarget(
            name: "conditions-probe",
            dependencies: ["FerrySystem"],
            path: "Tests/ConditionsProbe"
        ),
        .executableTarget(
            name: "download-probe",
            dependencies: ["FerryTransfer", "FerryHTTP", "FerrySystem"],
            path: "Tests/DownloadProbe"
        ),
        .testTarget(
            name: "FerrySystemTests",
            dependencies: ["FerrySystem", "FerryTestSupport", "connectivity-probe"]
        ),
        // What packs bodies for tests.
        .systemLibrary(name: "CBrotliEncoder", path: "Tests/CBrotliEncoder"),
        .testTarget(
            name: "FerryHTTPTests",
            dependencies: [
                "FerryHTTP", "FerrySystem", "FerryTestSupport", "CZlib", "CZstd", "CBrotliEncoder",
            ]
        ),
        .testTarget(
            name: "FerryTransferTests",
            dependencies: ["FerryTransfer", "FerryHTTP", "FerrySystem", "FerryTestSupport"]
        ),
        .testTarget(
            name: "FerryStoreTests",
            dependencies: [
                "FerryStore", "FerryTransfer", "FerryWire", "FerrySystem", "FerryTestSupport",
                "FerryWireTestSupport", "CSQLite",
            ]
        ),
        .testTarget(
            name: "FerryWireTests",
            dependencies: [
                "FerryWire", "FerryHTTP", "FerrySystem", "FerryTestSupport", "FerryWireTestSupport",
            ],
            exclude: ["conformance"]
        ),
        .testTarget(
            name: "FerryDaemonTests",
            dependencies: [
                "FerryDaemon", "FerryTransfer", "FerryStore", "FerryWire", "FerryHTTP",
                "FerrySystem", "FerryTestSupport", "FerryWireTestSupport",
            ]
        ),
        // Delegates of programs as they are written for Apple's systems, in the language mode that most have.
        .target(
            name: "PortedDelegates",
            dependencies: ["Ferry"],
            path: "Tests/PortedDelegates",
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        // A main.swift, in the same mode.
        .executableTarget(
            name: "ported-main",
            dependencies: ["Ferry"],
            path: "Tests/PortedMain",
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .testTarget(
            name: "FerryTests",
            dependencies: [
                "Ferry", "FerryTransfer", "FerryHTTP", "FerryWire", "FerrySystem",
                "FerryTestSupport", "FerryWireTestSupport", "PortedDelegates", "ferry", "ferryd",
                "waiting-app", "ported-main",
            ]
        ),
        .executableTarget(
            name: "waiting-app",
            dependencies: ["Ferry", "FerrySystem", "FerryTestSupport"],
            path: "Tests/WaitingApp"
        ),
        .testTarget(
            name: "FerryCommandTests",
            dependencies: [
                "FerryCommand", "Ferry", "FerryTransfer", "FerryWire", "FerryHTTP",
                "FerrySystem", "FerryTestSupport",
            ]
        ),
        .executableTarget(
            name: "ferry-test-app",
            dependencies: ["Ferry"],
            path: "Tests/FerryTestApp"
        ),
        .executableTarget(
            name: "readme-program",
            dependencies: ["Ferry"],
            path: "Tests/ReadmeProgram"
        ),
        .executableTarget(
            name: "system-call-tracer",
            path: "Tests/SystemCallTracer",
            cSettings: [.define("_GNU_SOURCE")]
        ),
        .testTarget(
            name: "FerryEndToEndTests",
            dependencies: [
                "FerryTestSupport", "FerryHTTP", "FerrySystem", "FerryTransfer", "FerryWire",
                "CSQLite", "conditions-probe", "ferry",
                "ferryd", "ferry-test-app", "readme-program", "system-call-tracer",
            ],
            exclude: ["Completions/typed_line.py"]
        ),
    ]
)

// What is fuzzed is a program with libFuzzer, and otherwise tests that go through what it has found.
if Context.environment["FERRY_FUZZING"] == nil {
    package.targets.append(
        .testTarget(
            name: "FuzzingTests",
            dependencies: [
                "Ferry", "FerryCommand", "FerryDaemon", "FerryTransfer", "FerryStore", "FerryWire",
                "FerryHTTP", "FerrySystem", "CBrotli", "CZlib", "CZstd",
            ],
            path: "Fuzzing",
            exclude: ["CLibFuzzer", "Corpora", "Dictionaries", "Program"]
        )
    )
} else {
    package.targets += [
        .systemLibrary(name: "CLibFuzzer", path: "Fuzzing/CLibFuzzer"),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "Ferry", "FerryCommand", "FerryDaemon", "FerryTransfer", "FerryStore", "FerryWire",
                "FerryHTTP", "FerrySystem", "CBrotli", "CZlib", "CZstd", "CLibFuzzer",
            ],
            path: "Fuzzing",
            exclude: ["CLibFuzzer", "Corpora", "Dictionaries", "Tests"]
        ),
    ]
    // libFuzzer looks at every counter after every run, which takes most of the time: where hardly anything
    // is parsed, there is one for each function in place of one for each branch.
    let parsers: Set = ["FerrySystem", "FerryHTTP", "FerryTransfer", "FerryWire", "fuzz"]
    for target in package.targets where target.type != .system {
        let kind = parsers.contains(target.name) ? "edge" : "func"
        let counters = "inline-8bit-counters,pc-table,trace-cmp,indirect-calls"
        target.swiftSettings = [
            .unsafeFlags(["-sanitize=fuzzer", "-sanitize-coverage=\(kind),\(counters)"])
        ]
    }
}

// FERRY_TESTS=FerryHTTPTests,FerryStoreTests: the tests of these targets alone, with what they need.
if let chosen = Context.environment["FERRY_TESTS"]?.split(separator: ",").map(String.init) {
    package.targets.removeAll { $0.type == .test && !chosen.contains($0.name) }
}

#if canImport(Darwin)
// Apple's systems have a URLSession of their own: there is no more of Ferry there than what re-exports it.
package.products = [.library(name: "Ferry", targets: ["Ferry"])]
package.targets = [.target(name: "Ferry", sources: ["Exports.swift"])]
#endif

// What is built as a stranger's package is: the README's first program, and delegates as Apple's library has them.
let foreign = ["readme-program", "PortedDelegates", "ported-main", "BackgroundDownload"]
for target in package.targets where !foreign.contains(target.name) {
    switch target.type {
    case .regular, .executable, .test:
        target.swiftSettings =
            (target.swiftSettings ?? []) + [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .enableUpcomingFeature("InferIsolatedConformances"),
                .enableUpcomingFeature("ImmutableWeakCaptures"),
                .treatAllWarnings(as: .error),
            ]
    default:
        break
    }
}

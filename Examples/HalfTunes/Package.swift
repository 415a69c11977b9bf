// swift-tools-version: 6.3

import PackageDescription

let ferry = Target.Dependency.product(name: "Ferry", package: "Ferry")
/// Started by the tests, and built with them for that reason.
let programs: [Target.Dependency] = [
    .product(name: "ferry", package: "Ferry"), .product(name: "ferryd", package: "Ferry"),
]

let package = Package(
    name: "HalfTunes",
    dependencies: [.package(name: "Ferry", path: "../..")],
    targets: [
        // MARK: C

        .systemLibrary(name: "CGettext"),
        .systemLibrary(
            name: "CAdwaita",
            pkgConfig: "libadwaita-1",
            providers: [.apt(["libadwaita-1-dev"])]
        ),
        .systemLibrary(
            name: "CGStreamer",
            pkgConfig: "gstreamer-1.0",
            providers: [.apt(["libgstreamer1.0-dev"])]
        ),
        .systemLibrary(
            name: "CGio",
            pkgConfig: "gio-2.0",
            providers: [.apt(["libglib2.0-dev"])]
        ),
        .systemLibrary(
            name: "CXCB",
            pkgConfig: "xcb-damage",
            providers: [.apt(["libxcb-damage0-dev"])]
        ),
        .target(name: "CToolkit", dependencies: ["CAdwaita"]),
        .target(name: "CHalfTunes", dependencies: ["CGStreamer"]),

        // MARK: What the apps share

        .target(
            name: "DesktopCore",
            dependencies: ["CGettext", ferry]
        ),
        .target(
            name: "Toolkit",
            dependencies: [
                "DesktopCore", "CAdwaita", "CGettext", "CToolkit",
                ferry,
            ]
        ),

        // MARK: Half Tunes

        .target(
            name: "HalfTunesCore",
            dependencies: ["DesktopCore", ferry]
        ),
        .target(
            name: "HalfTunesAudio",
            dependencies: ["DesktopCore", "HalfTunesCore", "CGStreamer", "CHalfTunes"]
        ),
        .target(
            name: "HalfTunesUI",
            dependencies: [
                "DesktopCore", "HalfTunesCore", "HalfTunesAudio", "Toolkit", "CAdwaita",
                "CToolkit", ferry,
            ],
            resources: [
                .embedInCode("Layouts/window.ui"), .embedInCode("Layouts/row.ui"),
                .embedInCode("Layouts/shortcuts.ui"),
            ]
        ),
        .executableTarget(name: "half-tunes", dependencies: ["HalfTunesUI"]),

        // MARK: Background Transfer

        .target(
            name: "BackgroundTransferCore",
            dependencies: ["DesktopCore", ferry]
        ),
        .executableTarget(
            name: "background-transfer",
            dependencies: [
                "BackgroundTransferCore", "DesktopCore", "Toolkit", "CAdwaita",
                ferry,
            ],
            resources: [.embedInCode("window.ui")]
        ),

        // MARK: Cancel and Resume

        .target(
            name: "CancelAndResumeCore",
            dependencies: ["DesktopCore", ferry]
        ),
        .executableTarget(
            name: "cancel-and-resume",
            dependencies: [
                "CancelAndResumeCore", "DesktopCore", "Toolkit", "CAdwaita", "CToolkit",
                ferry,
            ],
            resources: [.embedInCode("window.ui"), .embedInCode("row.ui")]
        ),

        // MARK: Tests

        .target(
            name: "HalfTunesTestSupport",
            dependencies: ["HalfTunesCore"],
            path: "Tests/HalfTunesTestSupport"
        ),
        .testTarget(
            name: "DesktopCoreTests",
            dependencies: ["DesktopCore", "HalfTunesTestSupport"]
        ),
        .testTarget(
            name: "HalfTunesUITests",
            dependencies: [
                "HalfTunesTestSupport", "CGio", "CXCB", "half-tunes", "background-transfer",
                "cancel-and-resume",
            ] + programs
        ),
        .testTarget(
            name: "HalfTunesCoreTests",
            dependencies: ["DesktopCore", "HalfTunesCore", "HalfTunesTestSupport", ferry] + programs
        ),
        .testTarget(
            name: "BackgroundTransferCoreTests",
            dependencies: ["BackgroundTransferCore", "DesktopCore", "HalfTunesTestSupport", ferry]
                + programs
        ),
        .testTarget(
            name: "CancelAndResumeCoreTests",
            dependencies: ["CancelAndResumeCore", "DesktopCore", "HalfTunesTestSupport", ferry]
                + programs
        ),
    ]
)

for target in package.targets {
    switch target.type {
    case .regular, .executable, .test:
        target.swiftSettings = [
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

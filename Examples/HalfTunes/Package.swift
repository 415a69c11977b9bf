// swift-tools-version: 6.3

import PackageDescription

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
        .target(name: "CHalfTunes", dependencies: ["CAdwaita", "CGStreamer"]),

        // MARK: Layers, bottom up

        .target(
            name: "HalfTunesCore",
            dependencies: ["CGettext", .product(name: "Ferry", package: "Ferry")]
        ),
        .target(
            name: "HalfTunesAudio",
            dependencies: ["HalfTunesCore", "CGStreamer", "CHalfTunes"]
        ),
        .target(
            name: "HalfTunesUI",
            dependencies: [
                "HalfTunesCore", "HalfTunesAudio", "CAdwaita", "CGettext", "CHalfTunes",
                .product(name: "Ferry", package: "Ferry"),
            ],
            resources: [.embedInCode("Layouts/window.ui"), .embedInCode("Layouts/row.ui")]
        ),
        .executableTarget(name: "half-tunes", dependencies: ["HalfTunesUI"]),

        // MARK: Tests

        .target(
            name: "HalfTunesTestSupport",
            dependencies: ["HalfTunesCore"],
            path: "Tests/HalfTunesTestSupport"
        ),
        .testTarget(
            name: "HalfTunesUITests",
            dependencies: [
                "HalfTunesTestSupport", "CGio", "CXCB", "half-tunes",
                .product(name: "ferry", package: "Ferry"),
                .product(name: "ferryd", package: "Ferry"),
            ]
        ),
        .testTarget(
            name: "HalfTunesCoreTests",
            dependencies: [
                "HalfTunesCore", "HalfTunesTestSupport", .product(name: "Ferry", package: "Ferry"),
                .product(name: "ferryd", package: "Ferry"),
            ]
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

// swift-tools-version: 6.3

import PackageDescription

let ferry: [Target.Dependency] = [
    .product(name: "Ferry", package: "Ferry"),
    // Programs, which are built beside those here, and not linked with them.
    .product(name: "ferryd", package: "Ferry"), .product(name: "ferry", package: "Ferry"),
]

// One program twice: on Ferry, and on the URLSession that comes with the toolchain. What differs is
// the module that is imported, and that the toolchain's has no background sessions.
let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "Ferry", path: "..")],
    targets: [
        .executableTarget(
            name: "download-ferry",
            dependencies: ferry,
            swiftSettings: [.define("FERRY"), .treatAllWarnings(as: .error)]
        ),
        .executableTarget(
            name: "download-foundation",
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        .executableTarget(
            name: "requests-ferry",
            dependencies: ferry,
            swiftSettings: [.define("FERRY"), .treatAllWarnings(as: .error)]
        ),
        .executableTarget(
            name: "requests-foundation",
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        .executableTarget(
            name: "queue-ferry",
            dependencies: ferry,
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
    ]
)

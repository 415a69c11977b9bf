// swift-tools-version: 6.3

import PackageDescription

// One program twice: on Ferry, and on the URLSession that comes with the toolchain. What differs is
// the module that is imported, and that the toolchain's has no background sessions.
let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "Ferry", path: "..")],
    targets: [
        .executableTarget(
            name: "download-ferry",
            dependencies: [.product(name: "Ferry", package: "Ferry")],
            swiftSettings: [.define("FERRY"), .treatAllWarnings(as: .error)]
        ),
        .executableTarget(
            name: "download-foundation",
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        .executableTarget(
            name: "requests-ferry",
            dependencies: [.product(name: "Ferry", package: "Ferry")],
            swiftSettings: [.define("FERRY"), .treatAllWarnings(as: .error)]
        ),
        .executableTarget(
            name: "requests-foundation",
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        .executableTarget(
            name: "queue-ferry",
            dependencies: [.product(name: "Ferry", package: "Ferry")],
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
    ]
)

// swift-tools-version: 6.3

import PackageDescription

let package = Package(
    name: "BackgroundDownload",
    dependencies: [.package(name: "Ferry", path: "../..")],
    targets: [
        .executableTarget(
            name: "BackgroundDownload",
            dependencies: [
                .product(name: "Ferry", package: "Ferry"),
                // Programs: they are built with the app, and lie beside it.
                .product(name: "ferryd", package: "Ferry"),
                .product(name: "ferry", package: "Ferry"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]
        )
    ]
)

// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "JSONFolderStore",
    platforms: [.macOS(.v13)],
    products: [
        .library(name: "JSONFolderStore", targets: ["JSONFolderStore"])
    ],
    dependencies: [
        .package(name: "MagicalRecord-Swift", path: "../..")
    ],
    targets: [
        .target(
            name: "JSONFolderStore",
            dependencies: [.product(name: "MagicalRecord", package: "MagicalRecord-Swift")],
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        .executableTarget(
            name: "Notebook",
            dependencies: ["JSONFolderStore"],
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
    ]
)

// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "RandomNumbers",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "MagicalRecord-Swift", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "RandomNumbers",
            dependencies: [.product(name: "MagicalRecord", package: "MagicalRecord-Swift")],
            resources: [.process("RandomNumbers.xcdatamodeld")],
            swiftSettings: [.swiftLanguageMode(.v6)],
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "MagicalRecord-Swift")]
        )
    ]
)

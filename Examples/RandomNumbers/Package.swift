// swift-tools-version: 6.1
import PackageDescription

// Xcode compiles models by itself; everywhere else the package's plugin does.
#if canImport(Darwin)
let modelPlugin: [Target.PluginUsage] = []
#else
let modelPlugin: [Target.PluginUsage] = [.plugin(name: "ModelPlugin", package: "MagicalRecord")]
#endif

let package = Package(
    name: "RandomNumbers",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "MagicalRecord", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "RandomNumbers",
            dependencies: [.product(name: "MagicalRecord", package: "MagicalRecord")],
            resources: [.process("RandomNumbers.xcdatamodeld")],
            swiftSettings: [.swiftLanguageMode(.v6)],
            plugins: modelPlugin
        )
    ]
)

// swift-tools-version: 6.1
import PackageDescription

// Xcode compiles models and mapping models by itself; everywhere else the package's plugin does.
#if canImport(Darwin)
let coreData: [Target.Dependency] = []
let modelPlugin: [Target.PluginUsage] = []
#else
let coreData: [Target.Dependency] = [.product(name: "CoreData", package: "MagicalRecord")]
let modelPlugin: [Target.PluginUsage] = [.plugin(name: "ModelPlugin", package: "MagicalRecord")]
#endif

let package = Package(
    name: "Migration",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "MagicalRecord", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "Migration",
            dependencies: coreData,
            resources: [
                .process("Tasks.xcdatamodeld"),
                .process("TasksBack.xcmappingmodel"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)],
            plugins: modelPlugin
        )
    ]
)

// swift-tools-version: 6.1
import PackageDescription

// On Apple's platforms Core Data is part of the system.
#if canImport(Darwin)
let coreData: [Target.Dependency] = []
#else
let coreData: [Target.Dependency] = [.product(name: "CoreData", package: "MagicalRecord-Swift")]
#endif

let package = Package(
    name: "Migration",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "MagicalRecord-Swift", path: "../..")
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
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "MagicalRecord-Swift")]
        )
    ]
)

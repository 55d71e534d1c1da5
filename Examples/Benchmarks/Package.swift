// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6)]

// On Apple's platforms, Core Data is part of the system.
#if canImport(Darwin)
let coreData: [Target.Dependency] = []
#else
let coreData: [Target.Dependency] = [.product(name: "CoreData", package: "MagicalRecord-Swift")]
#endif

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "MagicalRecord-Swift", path: "../.."),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    ],
    targets: [
        .target(name: "Workloads", swiftSettings: strict),
        .target(
            name: "RawEngine",
            dependencies: ["Workloads", .product(name: "GRDBSQLite", package: "GRDB.swift")],
            swiftSettings: strict
        ),
        .target(
            name: "GRDBEngines",
            dependencies: ["Workloads", .product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: strict
        ),
        .target(
            name: "CoreDataEngine",
            dependencies: ["Workloads", .product(name: "MagicalRecord", package: "MagicalRecord-Swift")] + coreData,
            resources: [.process("Model.xcdatamodeld")],
            swiftSettings: strict,
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "MagicalRecord-Swift")]
        ),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "Workloads", "RawEngine", "GRDBEngines", "CoreDataEngine",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict
        ),
    ]
)

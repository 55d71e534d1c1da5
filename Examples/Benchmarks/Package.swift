// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6)]

// On Apple's platforms, Core Data is part of the system.
#if canImport(Darwin)
let coreData: [Target.Dependency] = []
let magicalRecord = Package.Dependency.package(name: "MagicalRecord-Swift", path: "../..")
let traits: Set<Trait> = []
#else
let coreData: [Target.Dependency] = [.product(name: "CoreData", package: "MagicalRecord-Swift")]
let magicalRecord = Package.Dependency.package(
    name: "MagicalRecord-Swift", path: "../..",
    traits: [.defaults, .trait(name: "PostgreSQL", condition: .when(traits: ["PostgreSQL"]))])
let traits: Set<Trait> = [
    .trait(name: "PostgreSQL", description: "The engines libpq and postgresql; needs libpq 14 or later.")
]
#endif

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v13)],
    traits: traits,
    dependencies: [
        magicalRecord,
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
        // Without the trait, modules without content.
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .yum(["libpq-devel"])]),
        .target(
            name: "LibPQEngine",
            dependencies: ["Workloads", .target(name: "CLibPQ", condition: .when(traits: ["PostgreSQL"]))],
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
                "Workloads", "RawEngine", "GRDBEngines", "CoreDataEngine", "LibPQEngine",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict
        ),
    ]
)

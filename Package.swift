// swift-tools-version: 6.1
import PackageDescription

// On Apple's platforms Core Data is part of the system, and Xcode compiles models: there the package
// offers MagicalRecord alone. Everywhere else it brings its own Core Data and the tools around models.
#if canImport(Darwin)
let offersCoreData = false
#else
let offersCoreData = true
#endif

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6)]

var products: [Product] = [
    .library(name: "MagicalRecord", targets: ["MagicalRecord"])
]

var targets: [Target] = [
    .target(
        name: "MagicalRecord",
        dependencies: offersCoreData ? ["CoreData"] : [],
        swiftSettings: strict
    )
]

if offersCoreData {
    products += [
        .library(name: "CoreData", targets: ["CoreData"]),
        .library(name: "PredicateFormat", targets: ["PredicateFormat"]),
        .library(name: "ModelFormat", targets: ["ModelFormat"]),
        .executable(name: "modelc", targets: ["modelc"]),
        .plugin(name: "ModelPlugin", targets: ["ModelPlugin"]),
        .plugin(name: "ModelClassesPlugin", targets: ["ModelClassesPlugin"]),
    ]
    targets += [
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .yum(["sqlite-devel"])]
        ),
        .target(name: "CSwiftRuntime"),
        .target(name: "PredicateFormat", swiftSettings: strict),
        .target(name: "ModelFormat", swiftSettings: strict),
        .target(
            name: "CoreData",
            dependencies: ["PredicateFormat", "ModelFormat", "ModelPredicates", "CSQLite", "CSwiftRuntime"],
            swiftSettings: strict
        ),
        .target(name: "ModelPredicates", dependencies: ["ModelFormat", "PredicateFormat"], swiftSettings: strict),
        .target(
            name: "ModelCompiler", dependencies: ["ModelFormat", "ModelPredicates", "CSQLite"], swiftSettings: strict),
        .executableTarget(name: "modelc", dependencies: ["ModelCompiler"], swiftSettings: strict),
        .plugin(
            name: "ModelPlugin",
            capability: .buildTool(),
            dependencies: ["modelc"],
            path: "Sources/ModelPlugin"
        ),
        .plugin(
            name: "ModelClassesPlugin",
            capability: .command(
                intent: .custom(
                    verb: "generate-model-classes", description: "Write the classes of data models into the sources"),
                permissions: [.writeToPackageDirectory(reason: "It writes the classes beside the models.")]),
            dependencies: ["modelc"],
            path: "Sources/ModelClassesPlugin"
        ),
        .testTarget(name: "PredicateFormatTests", dependencies: ["PredicateFormat"], swiftSettings: strict),
        .testTarget(
            name: "ModelFormatTests", dependencies: ["ModelFormat", "ModelPredicates", "CSQLite", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "ModelCompilerTests",
            dependencies: ["ModelCompiler", "ModelFormat", "ModelPredicates", "CSQLite", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "CoreDataTests",
            dependencies: ["CoreData", "ModelFormat", "ModelPredicates", "ModelCompiler", "TestSupport"],
            swiftSettings: strict),
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
        .testTarget(
            name: "MagicalRecordTests",
            dependencies: ["MagicalRecord", "ModelFormat", "ModelPredicates", "TestSupport"], swiftSettings: strict),
        // Code as applications have it, most of which is in Swift 5's mode.
        .testTarget(
            name: "SourceCompatibilityTests", dependencies: ["MagicalRecord", "TestSupport"],
            resources: [.process("Models")],
            swiftSettings: [.swiftLanguageMode(.v5)], plugins: ["ModelPlugin"]),
        // What the documentation shows.
        .testTarget(
            name: "CookbookTests", dependencies: ["MagicalRecord", "TestSupport"],
            resources: [.process("Model.xcdatamodeld")], swiftSettings: strict, plugins: ["ModelPlugin"]),
        // A process for tests to kill; they find it beside their own program.
        .executableTarget(
            name: "StoreWorker", dependencies: ["CoreData", "CSQLite", "SystemCallFaults"], path: "Tests/StoreWorker",
            swiftSettings: strict),
        .target(name: "SystemCallFaults", path: "Tests/SystemCallFaults", linkerSettings: [.linkedLibrary("dl")]),
    ]
}

let package = Package(
    name: "MagicalRecord",
    platforms: [.macOS(.v12), .iOS(.v15), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: products,
    targets: targets
)

// swift-tools-version: 6.1
import PackageDescription

// On Apple's platforms Core Data is part of the system, and Xcode compiles models: there the package offers
// MagicalRecord alone, and plugins that do nothing. Everywhere else it brings its own Core Data and the tools
// around models. The manifest is evaluated for the host: a Mac that builds for Linux, with `--swift-sdk`, sets
// MAGICALRECORD_OWN_COREDATA=1.
#if canImport(Darwin)
let isMac = true
#else
let isMac = false
#endif
let offersCoreData = !isMac || Context.environment["MAGICALRECORD_OWN_COREDATA"] == "1"

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6)]

/// The package's Core Data where Apple's is missing: a Mac may build for both kinds of platforms.
let coreData: Target.Dependency =
    isMac ? .target(name: "CoreData", condition: .when(platforms: [.linux, .android])) : "CoreData"
/// Errors where Apple's Foundation and Core Data raise exceptions.
let exceptions: Target.Dependency = .target(
    name: "MagicalRecordExceptions",
    condition: .when(platforms: [.macOS, .macCatalyst, .iOS, .tvOS, .watchOS, .visionOS]))

/// The system's SQLite, which Apple's SDKs have as a module of their own.
let sqlite: [Target.Dependency] =
    offersCoreData
    ? [isMac ? .target(name: "CCoreDataSQLite", condition: .when(platforms: [.linux, .android])) : "CCoreDataSQLite"]
    : []

var products: [Product]
var targets: [Target] = [
    .target(
        name: "MagicalRecord", dependencies: (offersCoreData ? [coreData] : []) + (isMac ? [exceptions] : []),
        swiftSettings: strict),
    // For the tests of programs: stacks, samples, and what lies in a store's file.
    .target(name: "MagicalRecordTesting", dependencies: ["MagicalRecord"] + sqlite, swiftSettings: strict),
    .target(name: "MagicalRecordTestSupport", path: "Tests/TestSupport", swiftSettings: strict),
    .testTarget(
        name: "MagicalRecordTests",
        dependencies: ["MagicalRecord", "MagicalRecordTesting", "MagicalRecordTestSupport"]
            + (offersCoreData ? ["ModelFormat", "ModelPredicates", "ModelCompiler", "PostgreSQLTestSupport"] : []),
        swiftSettings: strict),
    // What many threads do at once, for the Thread Sanitizer.
    .testTarget(
        name: "ConcurrencyTests",
        dependencies: ["MagicalRecord", "MagicalRecordTesting", "MagicalRecordTestSupport"]
            + (offersCoreData ? ["CoreDataTestSupport", "CoreData"] : []),
        exclude: offersCoreData ? [] : ["CoreData"], swiftSettings: strict),
]

if offersCoreData {
    products = [
        .library(name: "MagicalRecord", targets: ["MagicalRecord"]),
        .library(name: "MagicalRecordTesting", targets: ["MagicalRecordTesting"]),
        .library(name: "CoreData", targets: ["CoreData"]),
        .library(name: "CoreDataTimeline", targets: ["CoreDataTimeline"]),
        .library(name: "PredicateFormat", targets: ["PredicateFormat"]),
        .library(name: "ModelFormat", targets: ["ModelFormat"]),
        .library(name: "StoreTools", targets: ["StoreTools"]),
        .executable(name: "modelc", targets: ["modelc"]),
        .executable(name: "storetool", targets: ["storetool"]),
        .plugin(name: "CoreDataModelPlugin", targets: ["CoreDataModelPlugin"]),
        .plugin(name: "CoreDataClassesPlugin", targets: ["CoreDataClassesPlugin"]),
        .plugin(name: "CoreDataModelWriterPlugin", targets: ["CoreDataModelWriterPlugin"]),
    ]
    targets += [
        .systemLibrary(
            name: "CCoreDataSQLite",
            // A Mac has SQLite in the SDKs, its own and Linux's; pkg-config would know neither.
            pkgConfig: isMac ? nil : "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .yum(["sqlite-devel"])]
        ),
        .target(name: "CCoreDataRuntime"),
        .target(name: "CoreDataRuntimeSupport", dependencies: ["CCoreDataRuntime"], swiftSettings: strict),
        .target(name: "PredicateSyntax", dependencies: ["CoreDataRuntimeSupport"], swiftSettings: strict),
        .target(
            name: "PredicateFormat", dependencies: ["PredicateSyntax", "CoreDataRuntimeSupport"], swiftSettings: strict),
        .target(name: "CoreDataStoreFiles", dependencies: ["CCoreDataRuntime"], swiftSettings: strict),
        .target(name: "ModelFormat", dependencies: ["CoreDataStoreFiles"], swiftSettings: strict),
        .target(
            name: "CoreDataRowStorage",
            dependencies: [
                "PredicateFormat", "ModelFormat", "CoreDataStoreFiles", "CoreDataRuntimeSupport", "CCoreDataRuntime",
            ],
            swiftSettings: strict),
        .target(
            name: "CoreDataFileStorage",
            dependencies: ["CoreDataRowStorage", "ModelFormat", "CoreDataStoreFiles", "CoreDataRuntimeSupport"],
            swiftSettings: strict),
        .target(
            name: "CoreDataSQLQueries",
            dependencies: ["CoreDataRowStorage", "PredicateFormat", "CoreDataStoreFiles", "CoreDataRuntimeSupport"],
            swiftSettings: strict),
        .target(
            name: "CoreDataSQLiteStorage",
            dependencies: [
                "CoreDataSQLQueries", "CoreDataFileStorage", "CoreDataRowStorage", "PredicateFormat", "ModelFormat",
                "CoreDataStoreFiles", "CoreDataRuntimeSupport", "CCoreDataSQLite",
            ],
            exclude: ["README.md"], swiftSettings: strict),
        // Stores in PostgreSQL databases: without the trait, modules without content.
        .systemLibrary(
            name: "CCoreDataPostgreSQL", pkgConfig: isMac ? nil : "libpq",
            providers: [.apt(["libpq-dev"]), .yum(["libpq-devel"])]),
        .target(
            name: "CoreDataPostgreSQLStorage",
            dependencies: [
                "CoreDataSQLQueries", "CoreDataRowStorage", "PredicateFormat", "ModelFormat", "CoreDataRuntimeSupport",
                .target(name: "CCoreDataPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ],
            exclude: ["README.md"], swiftSettings: strict),
        .target(
            name: "CoreDataMemoryStorage",
            dependencies: ["CoreDataRowStorage", "PredicateFormat", "CoreDataRuntimeSupport"], swiftSettings: strict),
        .target(
            name: "CoreData",
            dependencies: [
                "CoreDataSQLiteStorage", "CoreDataMemoryStorage", "CoreDataFileStorage", "CoreDataRowStorage",
                "PredicateFormat", "ModelFormat", "ModelPredicates", "CoreDataStoreFiles", "CoreDataRuntimeSupport",
                "CCoreDataSQLite", "CCoreDataRuntime",
                .target(name: "CoreDataPostgreSQLStorage", condition: .when(traits: ["PostgreSQL"])),
            ],
            swiftSettings: strict
        ),
        // A page for browsers. Programs that write none do without it.
        .target(
            name: "CoreDataTimeline", dependencies: ["CoreData", "CoreDataRowStorage"],
            resources: [.embedInCode("Page")], swiftSettings: strict),
        .target(
            name: "ModelPredicates", dependencies: ["ModelFormat", "PredicateSyntax"], swiftSettings: strict),
        // What the build plugin runs. Programs compile it a second time, for the host, so it has no more than that takes.
        .target(
            name: "CoreDataModelBuilding", dependencies: ["ModelFormat", "ModelPredicates", "CCoreDataSQLite"],
            swiftSettings: strict),
        .executableTarget(name: "CoreDataModelBuilder", dependencies: ["CoreDataModelBuilding"], swiftSettings: strict),
        // The layouts of a model in a file, without the object graph.
        .target(
            name: "CoreDataModelLayouts", dependencies: ["CoreDataRowStorage", "ModelFormat", "PredicateFormat"],
            swiftSettings: strict),
        .target(
            name: "ModelCompiler",
            dependencies: [
                "CoreDataModelBuilding", "ModelFormat", "CoreDataModelLayouts", "CoreDataSQLQueries",
                "CoreDataRowStorage",
            ],
            swiftSettings: strict),
        .executableTarget(name: "modelc", dependencies: ["ModelCompiler"], swiftSettings: strict),
        // Stores as files: what is in them, what is wrong with them, and what of a damaged one can be saved.
        .target(
            name: "StoreTools",
            dependencies: [
                "ModelFormat", "CoreDataStoreFiles", "CCoreDataSQLite", "CoreDataSQLiteStorage", "CoreDataSQLQueries",
                "CoreDataModelLayouts", "CoreDataRowStorage", "PredicateFormat", "ModelPredicates",
                .target(name: "CoreDataPostgreSQLStorage", condition: .when(traits: ["PostgreSQL"])),
            ],
            swiftSettings: strict),
        .target(
            name: "StoreToolCommands",
            dependencies: [
                "StoreTools", "MagicalRecord", "CoreData", "CoreDataModelBuilding", "ModelFormat", "CoreDataStoreFiles",
                "CCoreDataSQLite",
            ],
            swiftSettings: strict),
        .executableTarget(name: "storetool", dependencies: ["StoreToolCommands"], swiftSettings: strict),
        .testTarget(
            name: "CoreDataRuntimeSupportTests", dependencies: ["CoreDataRuntimeSupport"], swiftSettings: strict),
        .testTarget(
            name: "PredicateFormatTests", dependencies: ["PredicateFormat", "MagicalRecordTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "ModelFormatTests",
            dependencies: ["ModelFormat", "ModelPredicates", "CCoreDataSQLite", "MagicalRecordTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "ModelCompilerTests",
            dependencies: [
                "ModelCompiler", "CoreDataModelBuilding", "CoreDataModelLayouts", "CoreDataSQLQueries", "ModelFormat",
                "ModelPredicates", "CCoreDataSQLite", "MagicalRecordTestSupport", "PostgreSQLTestSupport",
                .target(name: "CoreDataPostgreSQLStorage", condition: .when(traits: ["PostgreSQL"])),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "StoreToolsTests",
            dependencies: [
                "StoreTools", "StoreToolCommands", "ModelCompiler", "CoreDataTestSupport", "CoreData",
                "CoreDataSQLiteStorage",
                "CoreDataRowStorage", "CCoreDataSQLite", "ModelFormat", "ModelPredicates", "MagicalRecord",
                "MagicalRecordTestSupport", "PostgreSQLTestSupport",
                .target(name: "CoreDataPostgreSQLStorage", condition: .when(traits: ["PostgreSQL"])),
            ],
            swiftSettings: strict),
        // What several targets of tests of Core Data need: models, stores, and a look at what lies in files.
        .target(
            name: "CoreDataTestSupport",
            dependencies: [
                "CoreData", "CoreDataSQLiteStorage", "CoreDataSQLQueries", "CoreDataRowStorage", "CCoreDataSQLite",
                "MagicalRecordTestSupport", "PostgreSQLTestSupport",
            ],
            path: "Tests/CoreDataTestSupport", swiftSettings: strict),
        .testTarget(
            name: "CoreDataRowStorageTests",
            dependencies: ["CoreDataRowStorage", "PredicateFormat"],
            swiftSettings: strict),
        // A kind of store that is no file, for tests.
        .target(
            name: "ToyStore", dependencies: ["CoreDataMemoryStorage", "CoreDataRowStorage"], path: "Tests/ToyStore",
            swiftSettings: strict),
        // Schemas in a PostgreSQL server for tests.
        .target(
            name: "PostgreSQLTestSupport",
            dependencies: [.target(name: "CoreDataPostgreSQLStorage", condition: .when(traits: ["PostgreSQL"]))],
            path: "Tests/PostgreSQLTestSupport", swiftSettings: strict),
        // Kinds of stores that programs register.
        .testTarget(
            name: "StoreDriverTests",
            dependencies: [
                "ToyStore", "CoreData", "MagicalRecord", "CoreDataTestSupport", "MagicalRecordTestSupport",
                "CoreDataRowStorage", "PostgreSQLTestSupport",
                .target(name: "CoreDataPostgreSQLStorage", condition: .when(traits: ["PostgreSQL"])),
            ],
            swiftSettings: strict),
        // What every engine must do, asked without a context.
        .testTarget(
            name: "CoreDataContractTests",
            dependencies: [
                "ToyStore", "CoreDataMemoryStorage", "CoreDataSQLiteStorage", "CoreDataRowStorage", "PredicateFormat",
                "CoreDataRuntimeSupport", "PostgreSQLTestSupport",
                .target(name: "CoreDataPostgreSQLStorage", condition: .when(traits: ["PostgreSQL"])),
            ],
            swiftSettings: strict),
        // Connections and sessions of the engine, and what is its own in reading and writing.
        .testTarget(
            name: "CoreDataPostgreSQLStorageTests",
            dependencies: [
                "PostgreSQLTestSupport", "CoreDataMemoryStorage", "CoreDataRowStorage", "CoreDataSQLQueries",
                "CoreDataRuntimeSupport", "PredicateFormat", "MagicalRecordTestSupport",
                .target(name: "CoreDataPostgreSQLStorage", condition: .when(traits: ["PostgreSQL"])),
                .target(name: "CCoreDataPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "CoreDataSQLQueriesTests",
            dependencies: ["CoreDataSQLQueries", "CoreDataRowStorage", "PredicateFormat", "MagicalRecordTestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "CoreDataSQLiteStorageTests",
            dependencies: [
                "CoreDataTestSupport", "CoreData", "CoreDataSQLiteStorage", "CoreDataSQLQueries", "CoreDataFileStorage",
                "CoreDataStoreFiles", "CoreDataRowStorage", "PredicateFormat", "ModelFormat", "ModelPredicates",
                "CCoreDataSQLite", "MagicalRecordTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "CoreDataTests",
            dependencies: [
                "CoreDataTestSupport", "CoreData", "CoreDataSQLiteStorage", "CoreDataRowStorage", "PredicateFormat",
                "ModelFormat", "ModelPredicates", "ModelCompiler", "CoreDataRuntimeSupport", "CCoreDataSQLite",
                "MagicalRecordTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "UnreadableStoreTests",
            dependencies: [
                "CoreDataTestSupport", "CoreData", "MagicalRecord", "CoreDataMemoryStorage", "CoreDataRowStorage",
                "CoreDataSQLiteStorage", "MagicalRecordTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "CoreDataMigrationTests",
            dependencies: [
                "CoreDataTestSupport", "CoreData", "CoreDataSQLiteStorage", "CoreDataFileStorage", "CCoreDataSQLite",
                "CoreDataRowStorage", "ModelFormat", "ModelPredicates", "ModelCompiler", "MagicalRecordTestSupport",
                "PostgreSQLTestSupport",
                .target(name: "CoreDataPostgreSQLStorage", condition: .when(traits: ["PostgreSQL"])),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "CoreDataInstrumentsTests",
            dependencies: [
                "CoreDataTestSupport", "CoreData", "CoreDataSQLiteStorage", "CoreDataRowStorage",
                "CoreDataRuntimeSupport", "CCoreDataSQLite", "MagicalRecordTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "CoreDataTimelineTests",
            dependencies: [
                "CoreDataTimeline", "CoreDataTestSupport", "CoreData", "CoreDataRowStorage", "MagicalRecordTestSupport",
            ],
            swiftSettings: strict),
        // Code as applications have it, most of which is in Swift 5's mode.
        .testTarget(
            name: "SourceCompatibilityTests", dependencies: ["MagicalRecord", "MagicalRecordTestSupport"],
            resources: [.process("Models")],
            swiftSettings: [.swiftLanguageMode(.v5)], plugins: ["CoreDataModelPlugin"]),
        // What the documentation shows.
        .testTarget(
            name: "CookbookTests",
            dependencies: [
                "MagicalRecord", "MagicalRecordTesting", "CoreDataTimeline", "StoreTools", "ModelFormat",
                "MagicalRecordTestSupport",
            ],
            resources: [.process("Model.xcdatamodeld")], swiftSettings: strict, plugins: ["CoreDataModelPlugin"]),
        // A process for tests to kill; they find it beside their own program.
        .executableTarget(
            name: "CoreDataStoreWorker",
            dependencies: ["CoreData", "MagicalRecord", "StoreTools", "CCoreDataSQLite", "CoreDataSystemCallFaults"],
            path: "Tests/StoreWorker", swiftSettings: strict),
        .target(
            name: "CoreDataSystemCallFaults", path: "Tests/SystemCallFaults", linkerSettings: [.linkedLibrary("dl")]),
    ]
} else {
    products = [
        .library(name: "MagicalRecord", targets: ["MagicalRecord", "MagicalRecordObjC"]),
        .library(name: "MagicalRecordTesting", targets: ["MagicalRecordTesting"]),
        .library(name: "ModelFormat", targets: ["ModelFormat"]),
        .library(name: "StoreTools", targets: ["StoreTools"]),
        .plugin(name: "CoreDataModelPlugin", targets: ["CoreDataModelPlugin"]),
        .plugin(name: "CoreDataClassesPlugin", targets: ["CoreDataClassesPlugin"]),
        .plugin(name: "CoreDataModelWriterPlugin", targets: ["CoreDataModelWriterPlugin"]),
    ]
    targets += [
        // The files of stores, without Core Data: for programs that look after a store before they open it.
        .target(name: "CoreDataStoreFiles", swiftSettings: strict),
        .target(name: "ModelFormat", dependencies: ["CoreDataStoreFiles"], swiftSettings: strict),
        .target(name: "StoreTools", dependencies: ["ModelFormat", "CoreDataStoreFiles"], swiftSettings: strict),
        // The header by which Objective-C knows the original.
        .target(name: "MagicalRecordObjC", dependencies: ["MagicalRecord"], publicHeadersPath: "include"),
        .executableTarget(
            name: "MagicalRecordObjectiveCClient", dependencies: ["MagicalRecordObjC"], path: "Tests/ObjectiveCClient"),
    ]
}

if isMac { targets.append(.target(name: "MagicalRecordExceptions")) }

// Both kinds of platforms have the plugins, so that one manifest of a program serves for both.
let modelCompiler: [Target.Dependency] = offersCoreData ? ["CoreDataModelBuilder"] : []
targets += [
    .plugin(
        name: "CoreDataModelPlugin", capability: .buildTool(), dependencies: modelCompiler,
        path: "Sources/CoreDataModelPlugin"),
    .plugin(
        name: "CoreDataClassesPlugin",
        capability: .command(
            intent: .custom(
                verb: "generate-model-classes", description: "Write the classes of data models into the sources"),
            permissions: [.writeToPackageDirectory(reason: "It writes the classes beside the models.")]),
        dependencies: modelCompiler,
        path: "Sources/CoreDataClassesPlugin"
    ),
    .plugin(
        name: "CoreDataModelWriterPlugin",
        capability: .command(
            intent: .custom(
                verb: "generate-model", description: "Write data models from managed object classes"),
            permissions: [.writeToPackageDirectory(reason: "It writes the data models into the sources.")]),
        dependencies: offersCoreData ? ["modelc"] : [],
        path: "Sources/CoreDataModelWriterPlugin"
    ),
]

// MAGICALRECORD_TESTS names the only targets, by commas, that builds are to compile: these, and those that they need.
if let names = Context.environment["MAGICALRECORD_TESTS"]?.split(separator: ",").map(String.init) {
    var needed: Set<String> = []
    func need(_ name: String) {
        guard let target = targets.first(where: { $0.name == name }), needed.insert(name).inserted else { return }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): need(name)
            default: break
            }
        }
        for case .plugin(let name, _) in target.plugins ?? [] { need(name) }
    }
    // They start it as a process.
    let testsOfWorker = [
        "CoreDataMigrationTests", "CoreDataSQLiteStorageTests", "CoreDataTests", "StoreDriverTests", "StoreToolsTests",
        "UnreadableStoreTests",
    ]
    if !Set(names).isDisjoint(with: testsOfWorker) { need("CoreDataStoreWorker") }
    names.forEach(need)
    targets.removeAll { !needed.contains($0.name) }
    products = []
}

// A clean build of the tests takes a quarter less time if each target is compiled as a whole, and a change of one file much more.
if Context.environment["MAGICALRECORD_WHOLE_MODULES"] == "1" {
    for target in targets where target.type == .test {
        target.swiftSettings?.append(
            .unsafeFlags([
                "-whole-module-optimization", "-num-threads", "2", "-no-emit-module-separately-wmo", "-Xfrontend",
                "-gline-tables-only",
            ]))
    }
}

let package = Package(
    name: "MagicalRecord",
    // The tools, which a Mac compiles to build for Linux, use more of the standard library.
    platforms: [.macOS(isMac && offersCoreData ? .v15 : .v12), .iOS(.v15), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: products,
    traits: offersCoreData
        ? [.trait(name: "PostgreSQL", description: "Stores in PostgreSQL databases; needs libpq 14 or later.")] : [],
    targets: targets
)

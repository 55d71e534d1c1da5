// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6)]

// On Apple's platforms Core Data and SQLite are part of the system. The manifest is for both.
#if canImport(Darwin)
let kit: [Target.Dependency] = []
let plainSQLite: [Target.Dependency] = []
let systemLibraries: [Target] = []
#else
let plainSQLite: [Target.Dependency] = ["CInteropSQLite"]
let kit: [Target.Dependency] = [
    .product(name: "CoreData", package: "MagicalRecord-Swift"),
    .product(name: "ModelFormat", package: "MagicalRecord-Swift"),
    "CInteropSQLite",
]
let systemLibraries: [Target] = [
    .systemLibrary(
        name: "CInteropSQLite", pkgConfig: "sqlite3",
        providers: [.apt(["libsqlite3-dev"]), .yum(["sqlite-devel"])])
]
#endif

let package = Package(
    name: "Interop",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "MagicalRecord-Swift", path: "../..")
    ],
    targets: systemLibraries + [
        .target(name: "InteropKit", dependencies: kit, swiftSettings: strict),
        .executableTarget(name: "Interop", dependencies: ["InteropKit"], swiftSettings: strict),
        .testTarget(name: "InteropTests", dependencies: ["InteropKit"] + plainSQLite, swiftSettings: strict),
    ]
)

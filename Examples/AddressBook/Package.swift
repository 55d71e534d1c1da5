// swift-tools-version: 6.1
import PackageDescription

// On Apple's platforms Xcode shows what Core Data does.
#if canImport(Darwin)
let timeline: [Target.Dependency] = []
#else
let timeline: [Target.Dependency] = [.product(name: "CoreDataTimeline", package: "MagicalRecord-Swift")]
#endif

let package = Package(
    name: "AddressBook",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "MagicalRecord-Swift", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "AddressBook",
            dependencies: [.product(name: "MagicalRecord", package: "MagicalRecord-Swift")] + timeline,
            resources: [
                .process("AddressBook.xcdatamodeld"),
                .copy("Resources/contacts.json"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)],
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "MagicalRecord-Swift")]
        )
    ]
)

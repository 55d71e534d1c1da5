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
    products: [.library(name: "AddressBookModel", targets: ["AddressBookModel"])],
    dependencies: [
        .package(name: "MagicalRecord-Swift", path: "../..")
    ],
    targets: [
        // The model and its classes, which Examples/AddressBookServer uses too.
        .target(
            name: "AddressBookModel",
            dependencies: [.product(name: "MagicalRecord", package: "MagicalRecord-Swift")],
            resources: [.process("AddressBook.xcdatamodeld")],
            swiftSettings: [.swiftLanguageMode(.v6)],
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "MagicalRecord-Swift")]
        ),
        .executableTarget(
            name: "AddressBook",
            dependencies: ["AddressBookModel", .product(name: "MagicalRecord", package: "MagicalRecord-Swift")]
                + timeline,
            resources: [.copy("Resources/contacts.json")],
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
    ]
)

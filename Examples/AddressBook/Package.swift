// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "AddressBook",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "MagicalRecord", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "AddressBook",
            dependencies: [.product(name: "MagicalRecord", package: "MagicalRecord")],
            resources: [
                .process("AddressBook.xcdatamodeld"),
                .copy("Resources/contacts.json"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)],
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "MagicalRecord")]
        )
    ]
)

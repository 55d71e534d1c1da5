// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6)]

let package = Package(
    name: "AddressBookServer",
    platforms: [.macOS(.v15)],
    traits: [
        .trait(name: "PostgreSQL", description: "Stores in PostgreSQL databases, over libpq.")
    ],
    dependencies: [
        .package(
            name: "MagicalRecord-Swift", path: "../..",
            traits: [.trait(name: "PostgreSQL", condition: .when(traits: ["PostgreSQL"]))]),
        .package(path: "../AddressBook"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        // Hummingbird's own: the client of the load test.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    ],
    targets: [
        .target(
            name: "AddressBookService",
            dependencies: [
                .product(name: "AddressBookModel", package: "AddressBook"),
                .product(name: "MagicalRecord", package: "MagicalRecord-Swift"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "AddressBookServer",
            dependencies: [
                "AddressBookService",
                .product(name: "MagicalRecord", package: "MagicalRecord-Swift"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "AddressBookLoad",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "AddressBookServiceTests",
            dependencies: [
                "AddressBookService",
                .product(name: "AddressBookModel", package: "AddressBook"),
                .product(name: "MagicalRecord", package: "MagicalRecord-Swift"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ],
            swiftSettings: strict
        ),
    ]
)

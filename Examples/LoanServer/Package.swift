// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6)]

let package = Package(
    name: "LoanServer",
    platforms: [.macOS(.v14)],
    products: [.library(name: "LoanService", targets: ["LoanService"])],
    dependencies: [
        .package(name: "MagicalRecord-Swift", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .target(
            name: "LoanService",
            dependencies: [
                .product(name: "MagicalRecord", package: "MagicalRecord-Swift"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            resources: [.process("Loans.xcdatamodeld")],
            swiftSettings: strict,
            plugins: [.plugin(name: "CoreDataModelPlugin", package: "MagicalRecord-Swift")]
        ),
        .executableTarget(
            name: "LoanServer",
            dependencies: ["LoanService", .product(name: "Hummingbird", package: "hummingbird")],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LoanServiceTests",
            dependencies: [
                "LoanService",
                .product(name: "MagicalRecordTesting", package: "MagicalRecord-Swift"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                // For NameTests alone: GRDB's and MagicalRecord's names do not collide.
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: strict
        ),
    ]
)

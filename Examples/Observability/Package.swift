// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6)]

let package = Package(
    name: "Observability",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(name: "MagicalRecord-Swift", path: "../.."),
        .package(path: "../LoanServer"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    ],
    targets: [
        .target(
            name: "CoreDataObservability",
            dependencies: [
                .product(name: "MagicalRecord", package: "MagicalRecord-Swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "ObservedLoanService",
            dependencies: [
                "CoreDataObservability",
                .product(name: "LoanService", package: "LoanServer"),
                .product(name: "MagicalRecord", package: "MagicalRecord-Swift"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "ObservedLoanServer",
            dependencies: [
                "ObservedLoanService",
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ObservabilityTests",
            dependencies: [
                "ObservedLoanService",
                .product(name: "MagicalRecordTesting", package: "MagicalRecord-Swift"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: strict
        ),
    ]
)

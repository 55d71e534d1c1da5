// swift-tools-version: 6.1
import PackageDescription

// Feeds random formats to the predicate parser: `swift run -c release --package-path Examples/PredicateFuzz PredicateFuzz`
let package = Package(
    name: "PredicateFuzz",
    dependencies: [.package(name: "MagicalRecord-Swift", path: "../..")],
    targets: [
        .executableTarget(
            name: "PredicateFuzz",
            dependencies: [.product(name: "PredicateFormat", package: "MagicalRecord-Swift")],
            swiftSettings: [.swiftLanguageMode(.v6)]
        )
    ]
)

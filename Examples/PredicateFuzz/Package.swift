// swift-tools-version: 6.1
import PackageDescription

// Feeds random formats to the predicate parser: `swift run -c release --package-path Examples/PredicateFuzz PredicateFuzz`
let package = Package(
    name: "PredicateFuzz",
    dependencies: [.package(name: "MagicalRecord", path: "../..")],
    targets: [
        .executableTarget(
            name: "PredicateFuzz",
            dependencies: [.product(name: "PredicateFormat", package: "MagicalRecord")],
            swiftSettings: [.swiftLanguageMode(.v6)]
        )
    ]
)

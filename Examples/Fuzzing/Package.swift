// swift-tools-version: 6.1
import PackageDescription

// Coverage-guided fuzzing of every reader, by libFuzzer: see README.md for the commands. It links with both sanitizers only.
let package = Package(
    name: "Fuzzing",
    dependencies: [.package(name: "MagicalRecord-Swift", path: "../..")],
    targets: [
        .executableTarget(
            name: "Fuzzing",
            dependencies: ["MagicalRecord", "CoreData", "PredicateFormat", "ModelFormat"]
                .map { .product(name: $0, package: "MagicalRecord-Swift") },
            swiftSettings: [.swiftLanguageMode(.v6)],
            // gold, the default, cannot link what the sanitizers leave in Swift's objects.
            linkerSettings: [.unsafeFlags(["-use-ld=lld"])]
        )
    ]
)

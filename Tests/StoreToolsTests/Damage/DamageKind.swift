import CoreDataTestSupport
import Foundation
import Testing

/// A way to damage the closed files of a store.
struct DamageKind: Sendable, CustomTestStringConvertible {
    /// Which findings a check must have.
    enum Expectation: Sendable {
        /// A finding, or a condition other than readable.
        case finding
        /// The same, where SQLite's own `integrity_check` finds something; else it depends on what was hit.
        case findingIfNotIntact
        /// Nothing: the damage is harmless, or cannot be told from a healthy store.
        case anything
    }

    /// What was damaged, and what with.
    struct Target {
        let store: DamageStore
        var files: DamageFiles
        var random: SeededGenerator
        var pages: DamagePages { store.pages }

        mutating func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }
        mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
        mutating func bytes(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        /// Overwrites bytes of the database that are there.
        mutating func write(_ bytes: [UInt8], at place: Int) {
            let end = min(place + bytes.count, files.main.count)
            guard place >= 0, place < end else { return }
            files.main.replaceSubrange(place..<end, with: bytes.prefix(end - place))
        }
        mutating func zero(_ place: Int, _ count: Int) { write([UInt8](repeating: 0, count: count), at: place) }
        mutating func copyPage(_ source: Int, to destination: Int) {
            let start = pages.start(source)
            write(Array(store.files.main[start..<start + pages.pageSize]), at: pages.start(destination))
        }
        /// Changes the database by SQL, as another program could.
        mutating func change(_ body: (DamageSQL) throws -> Void) throws {
            try files.change(keepsLog: store.shape.variant == .logged, body)
        }
    }

    let name: String
    let expectation: Expectation
    /// Damages files; returns false if the store has nothing of the kind.
    let apply: @Sendable (inout Target) throws -> Bool

    init(
        _ name: String, _ expectation: Expectation = .finding,
        _ apply: @escaping @Sendable (inout Target) throws -> Bool
    ) {
        self.name = name
        self.expectation = expectation
        self.apply = apply
    }

    var testDescription: String { name }

    static let all = pages + files + schema + contents

    static func named(_ name: String) -> DamageKind? { all.first { $0.name == name } }

    /// Returns a store's files with this damage; nil if the store has nothing of the kind.
    func damaged(_ store: DamageStore, seed: UInt64) throws -> DamageFiles? {
        var target = Target(store: store, files: store.files, random: SeededGenerator(seed: seed))
        // The pages of a store in its log are not in the file.
        if store.shape.variant == .logged, Self.pages.contains(where: { $0.name == name }) { return nil }
        return try apply(&target) ? target.files : nil
    }
}

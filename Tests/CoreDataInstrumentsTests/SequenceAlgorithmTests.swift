import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

@Suite("Functions that call back for each element", .slow, .enabled(if: Instruments.CodePath.areKnown))
struct SequenceAlgorithmTests {
    private typealias Kind = Instruments.SequenceAlgorithm.Kind

    /// What an operation sees that closures lead to.
    private final class Probe {
        var path: Instruments.CodePath?

        var value: Int { operation() }
        var isPositive: Bool { value > 0 }

        /// A closure calls it directly or by a key path.
        @discardableResult
        func operation() -> Int {
            path = .capture()
            return 1
        }
    }

    private let probe = Probe()
    private var probes: [Probe] { [probe, probe] }

    private func expect(
        _ kind: Kind, _ function: String, line: Int = #line, _ body: ([Probe]) -> Void
    ) throws {
        probe.path = nil
        body(probes)
        let algorithm = try #require(probe.path).enclosingAlgorithm
        #expect(algorithm?.kind == kind && algorithm?.function.contains(function) == true, "\(function)")
        #expect(algorithm?.place.line == line && algorithm?.place.file == #filePath, "\(function)")
    }

    @Test func filters() throws {
        try expect(.filter, "filter") { _ = $0.filter { $0.value > 0 } }
        try expect(.filter, "filter") { _ = $0.filter { probe in helped(probe) } }
        try expect(.filter, "filter") { _ = Set($0.map(ObjectIdentifier.init)).filter { _ in probe.value > 0 } }
        try expect(.filter, "filter") { _ = [1: $0[0]].filter { $1.value > 0 } }
        try expect(.filter, "count") { _ = $0.count { $0.value > 0 } }
        try expect(.filter, "LazyFilterSequence") { _ = $0.lazy.filter { $0.value > 0 }.first }
        try expect(.filter, "LazyFilterSequence") { for probe in $0.lazy.filter({ $0.value > 0 }) { _ = probe } }
        try expect(.filter, "prefix(while:)") { _ = $0.prefix { $0.value > 0 } }
        try expect(.filter, "removeAll(where:)", line: #line + 2) { probes in
            var probes = probes
            probes.removeAll { $0.value > 0 }
        }
    }

    private func helped(_ probe: Probe) -> Bool { probe.value > 0 }

    @Test func searches() throws {
        try expect(.search, "first(where:)") { _ = $0.first { $0.value > 1 } }
        try expect(.search, "firstIndex(where:)") { _ = $0.firstIndex { $0.value > 1 } }
        try expect(.search, "last(where:)") { _ = $0.last { $0.value > 1 } }
        try expect(.search, "contains(where:)") { _ = $0.contains { $0.value > 1 } }
        try expect(.search, "allSatisfy") { _ = $0.allSatisfy { $0.value > 0 } }
    }

    @Test func sorts() throws {
        try expect(.sort, "sorted(by:)") { _ = $0.sorted { $0.value < $1.value } }
        try expect(.sort, "sort(by:)", line: #line + 2) { probes in
            var probes = probes
            probes.sort { $0.value < $1.value }
        }
        try expect(.sort, "sorted") { _ = $0.sorted(using: KeyPathComparator(\Probe.value)) }
        try expect(.extreme, "min(by:)") { _ = $0.min { $0.value < $1.value } }
        try expect(.extreme, "max(by:)") { _ = $0.max { $0.value < $1.value } }
    }

    @Test func others() throws {
        try expect(.map, "map") { _ = $0.map { $0.value } }
        try expect(.map, "compactMap") { _ = $0.compactMap { Optional($0.value) } }
        try expect(.reduce, "reduce") { _ = $0.reduce(0) { $0 + $1.value } }
        try expect(.reduce, "reduce") { _ = $0.reduce(into: 0) { $0 += $1.value } }
        try expect(.group, "init") { _ = Dictionary(grouping: $0) { $0.value } }
        try expect(.forEach, "forEach") { $0.forEach { _ = $0.value } }
    }

    @Test func keyPathsAreFollowed() throws {
        try expect(.map, "map") { _ = $0.map(\.value) }
        try expect(.filter, "filter") { _ = $0.filter(\.isPositive) }
        try expect(.search, "contains(where:)") { _ = $0.contains(where: \.isPositive) }
    }

    @Test func blocksOfContextsInsideAreFollowed() throws {
        let context = try Library().context
        try expect(.filter, "filter") { all in _ = all.filter { probe in context.performAndWait { probe.value > 0 } } }
    }

    @Test func predicatesOfFoundationFilter() throws {
        nonisolated(unsafe) let probe = probe
        let predicate = NSPredicate { _, _ in probe.value > 0 }
        try expect(.filter, "filtered(using:)") { _ in _ = NSArray(array: [1, 2]).filtered(using: predicate) }
    }

    @Test func loopsAndOptionalsAreNone() throws {
        for element in probes { _ = element.value }
        #expect(try #require(probe.path).enclosingAlgorithm == nil)
        _ = probes.first.map { $0.value }
        #expect(try #require(probe.path).enclosingAlgorithm == nil)
        #expect(probe.path?.place != nil)
    }

    @Test func callsOfTheStandardLibraryAreNamed() throws {
        _ = probes.sorted { $0.value < $1.value }
        #expect(try #require(probe.path).standardLibraryCalls.last == "Sequence.sorted(by:)")
        _ = probe.value
        #expect(try #require(probe.path).standardLibraryCalls.isEmpty)
    }

    @Test(arguments: [
        ("Sequence.sorted(by:)", Kind.sort), ("Sequence.count<A>(where:)", .filter), ("Sequence<>.max()", .extreme),
        ("LazyFilterSequence.Iterator.next()", .filter), ("specialized Dictionary.init<A>(grouping:by:)", .group),
        ("Optional.map<A, B>(_:)", nil), ("Sequence.dropFirst(_:)", nil), ("IndexingIterator.next()", nil),
        ("main", nil),
    ])
    func namesTellTheKind(_ function: String, _ kind: Instruments.SequenceAlgorithm.Kind?) {
        #expect(Instruments.SequenceAlgorithm.Kind(function: function) == kind)
    }
}

/// Reserved keys as runs of consecutive numbers, as a database with several writers allocates them.
///
/// Keys ascend within a run; runs are in any order and do not overlap. A single run, the usual case, is stored inline.
@usableFromInline
package struct KeyRuns: Sequence, Sendable {
    /// Empty if there are no keys.
    @usableFromInline let firstRun: Range<Int64>
    @usableFromInline private(set) var otherRuns: [ClosedRange<Int64>] = []

    @inlinable
    package init(_ run: ClosedRange<Int64>) { firstRun = Range(run) }

    /// Creates a single run.
    @inlinable
    package init(first: Int64, count: Int) { firstRun = first..<first + Int64(count) }

    package static let none = KeyRuns(first: 1, count: 0)

    package mutating func append(_ run: ClosedRange<Int64>) { otherRuns.append(run) }

    /// The number of keys in all runs.
    package var count: Int { otherRuns.reduce(firstRun.count) { $0 + $1.count } }

    /// The first key of the first run, which is not empty.
    @inlinable
    package var first: Int64 { firstRun.lowerBound }

    @inlinable
    package func makeIterator() -> Iterator { Iterator(self) }

    /// Iterates over the keys.
    @usableFromInline
    package struct Iterator: IteratorProtocol, Sendable {
        @usableFromInline var key: Int64
        @usableFromInline var last: Int64
        @usableFromInline var runs: ArraySlice<ClosedRange<Int64>>

        @inlinable
        init(_ keys: KeyRuns) {
            (key, last) = (keys.firstRun.lowerBound, keys.firstRun.upperBound - 1)
            runs = keys.otherRuns[...]
        }

        @inlinable
        package mutating func next() -> Int64? {
            if key > last {
                guard let run = runs.popFirst() else { return nil }
                (key, last) = (run.lowerBound, run.upperBound)
            }
            defer { key += 1 }
            return key
        }
    }
}

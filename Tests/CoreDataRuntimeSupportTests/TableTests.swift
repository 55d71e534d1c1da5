import CoreDataRuntimeSupport
import Testing

@Suite("Tables")
struct TableTests {
    private final class Thing {}

    @Test("Objects are found by their keys")
    func objects() {
        let (one, other) = (Thing(), Thing())
        var table = ObjectTable<Int, Thing>(minimumCapacity: 2)
        table[1] = one
        table[2] = other
        #expect(table[1] === one)
        #expect(table[3] == nil)
        #expect(table.count == 2)
        table.keepAll { $0 === other }
        #expect(table.values.map { ObjectIdentifier($0) } == [ObjectIdentifier(other)])
        table[2] = nil
        #expect(table.count == 0)
    }

    @Test("A name is new once")
    func names() {
        var names = NameSet(minimumCapacity: 1)
        let answers = ["name", "other", "name"].map { names.insert($0) }
        #expect(answers == [true, true, false])
    }

    @Test("What is in order already is as long as can be", arguments: 0..<200)
    func increasing(seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func next(_ bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % bound
        }
        let values: [Int?] = (0..<next(12)).map { _ in next(5) == 0 ? nil : Int(next(10)) }
        let positions = IncreasingSubsequence.positions(in: values)
        #expect(positions == positions.sorted() && Set(positions).count == positions.count)
        let found = positions.compactMap { values[$0] }
        #expect(found.count == positions.count)
        #expect(zip(found, found.dropFirst()).allSatisfy { $0 < $1 })
        // All subsequences, by brute force.
        var longest = 0
        for mask in 0..<1 << values.count {
            let chosen = values.indices.filter { mask & 1 << $0 != 0 }.map { values[$0] }
            guard !chosen.contains(nil) else { continue }
            let known = chosen.compactMap { $0 }
            if zip(known, known.dropFirst()).allSatisfy({ $0 < $1 }) { longest = max(longest, known.count) }
        }
        #expect(positions.count == longest)
    }
}

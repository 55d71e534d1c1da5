import CoreDataRowStorage
import Testing

@Suite("Runs of keys") struct KeyRunsTests {
    @Test func oneRun() {
        let keys = KeyRuns(first: 5, count: 3)
        #expect(Array(keys) == [5, 6, 7])
        #expect(keys.count == 3)
        #expect(keys.first == 5)
    }

    @Test func severalRunsInTheirOrder() {
        var keys = KeyRuns(8...9)
        keys.append(3...3)
        keys.append(20...22)
        #expect(Array(keys) == [8, 9, 3, 20, 21, 22])
        #expect(keys.count == 6)
        #expect(keys.first == 8)
    }
}

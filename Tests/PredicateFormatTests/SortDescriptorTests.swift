import PredicateFormat
import Testing

@Suite struct SortDescriptorTests {
    private let people: [[String: Any]] = [
        ["name": "b", "age": 2], ["name": "a", "age": 2], ["name": NSNull(), "age": 1], ["age": 3],
    ]

    private func names(_ descriptors: [NSSortDescriptor]) -> [String] {
        NSArray(array: people).sortedArray(using: descriptors).map { ($0 as? [String: Any])?["name"] as? String ?? "-" }
    }

    @Test func sortsByKeys() {
        #expect(names([NSSortDescriptor(key: "name", ascending: true)]) == ["-", "-", "a", "b"])
        #expect(names([NSSortDescriptor(key: "name", ascending: false)]) == ["b", "a", "-", "-"])
        let two = [NSSortDescriptor(key: "age", ascending: false), NSSortDescriptor(key: "name", ascending: true)]
        #expect(names(two) == ["-", "a", "b", "-"])
    }

    @Test func sortsValuesThemselves() {
        let sorted = NSArray(array: [3, 1, 2]).sortedArray(using: [NSSortDescriptor(key: nil, ascending: true)])
        #expect(sorted as? [Int] == [1, 2, 3])
        let own = NSSortDescriptor(key: "self", ascending: false)
        #expect(NSArray(array: [3, 1, 2]).sortedArray(using: [own]) as? [Int] == [3, 2, 1])
    }

    @Test(arguments: [
        ("compare:", ["A10", "A9", "a2", "b", "é"]), ("caseInsensitiveCompare:", ["A10", "a2", "A9", "b", "é"]),
        ("localizedStandardCompare:", ["a2", "A9", "A10", "b", "é"]),
    ])
    func selectors(_ selector: String, _ expected: [String]) {
        let descriptor = NSSortDescriptor(key: nil, ascending: true, selector: Selector(selector))
        let sorted = NSArray(array: ["b", "A10", "é", "a2", "A9"]).sortedArray(using: [descriptor]) as? [String]
        // Where é falls is up to the locale for the last.
        #expect(sorted?.filter { $0 != "é" } == expected.filter { $0 != "é" })
        #expect(descriptor.selector == Selector(selector))
    }

    @Test func properties() {
        let descriptor = NSSortDescriptor(key: "a.b", ascending: false)
        #expect(descriptor.key == "a.b" && !descriptor.ascending && descriptor.selector == .compare)
        let reversed = descriptor.reversedSortDescriptor as? NSSortDescriptor
        #expect(reversed?.ascending == true && reversed?.key == "a.b")
        #expect(descriptor == NSSortDescriptor(key: "a.b", ascending: false))
        #expect(descriptor != NSSortDescriptor(key: "a.b", ascending: true))
        #expect(descriptor.compare(["a": ["b": 1]], to: ["a": ["b": 2]]) == .orderedDescending)
        #expect(descriptor.comparator(1, 2) == .orderedAscending)
        guard case .natural = descriptor.sortKey.comparison else {
            Issue.record("natural order")
            return
        }
    }

    @Test func comparators() {
        let descriptor = NSSortDescriptor(key: "n", ascending: true) { left, right in
            let (a, b) = (left as? Int ?? 0, right as? Int ?? 0)
            return a % 10 < b % 10 ? .orderedAscending : a % 10 == b % 10 ? .orderedSame : .orderedDescending
        }
        let sorted = NSArray(array: [["n": 12], ["n": 21]]).sortedArray(using: [descriptor]) as? [[String: Int]]
        #expect(sorted == [["n": 21], ["n": 12]])
        #expect(descriptor.selector == nil)
    }

    /// Comparators get what is there as it is; an optional is what they get for nothing.
    @Test(arguments: [nil, "n"]) func comparatorsGetValuesAsTheyAre(key: String?) {
        nonisolated(unsafe) var seen: [String] = []
        let descriptor = NSSortDescriptor(key: key, ascending: true) { left, right in
            seen = ["\(type(of: left)) \(left)", "\(type(of: right)) \(right)"]
            return .orderedSame
        }
        func value(_ value: Any) -> Any { key == nil ? value : ["n": value] }
        _ = descriptor.compare(value(5), to: value("text"))
        #expect(seen == ["Int 5", "String text"])
        guard key != nil else { return }
        _ = descriptor.compare(["m": 1], to: value(2.5))
        #expect(seen == ["Optional<Any> nil", "Double 2.5"])
    }

    @Test func swiftKeyPaths() {
        struct Row {
            var name: String?
            var size: Int
        }
        let optional = NSSortDescriptor(keyPath: \Row.name, ascending: true)
        #expect(optional.key == "name")
        #expect(optional.compare(Row(name: nil, size: 1), to: Row(name: "a", size: 1)) == .orderedAscending)
        let comparable = NSSortDescriptor(keyPath: \Row.size, ascending: false)
        #expect(comparable.key == "size")
        #expect(comparable.compare(Row(name: nil, size: 1), to: Row(name: nil, size: 2)) == .orderedDescending)
    }

    @Test func fromSwiftSortDescriptor() {
        final class Item: NSObject {
            let rank: Int
            init(_ rank: Int) { self.rank = rank }
        }
        let descriptor = NSSortDescriptor(SortDescriptor(\Item.rank, order: .reverse))
        #expect(descriptor.key == "rank" && !descriptor.ascending)
        #expect(descriptor.compare(Item(1), to: Item(2)) == .orderedDescending)
    }
}

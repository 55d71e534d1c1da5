import CoreDataRowStorage

/// Limits and offsets, in every question that has them.
enum LimitCases {
    static let all: [ContractCase] = pairs.map { whole($0.limit, $0.offset) } + matching + unsorted

    private static let order = ["b7", "b5", "b1", "b4", "b2", "b3", "b6", "b8"]

    private static let pairs: [(limit: Int, offset: Int)] = [0, 1, 3, 8, 20].flatMap { limit in
        [0, 1, 5, 8, 30].map { (limit, $0) }
    }

    private static func cut(_ names: [String], _ limit: Int, _ offset: Int) -> [String] {
        let rest = names.dropFirst(offset)
        return Array(limit > 0 ? rest.prefix(limit) : rest)
    }

    private static func whole(_ limit: Int, _ offset: Int) -> ContractCase {
        ContractCase(reading: "Limit \(limit) from offset \(offset)") { subject in
            let fetch = try subject.fetch("Book", sort: ["pages"], limit: limit, offset: offset)
            let expected = cut(order, limit, offset)
            subject.expect(subject.named(try subject.session.fetchReferences(fetch)), is: expected, "references")
            subject.expect(subject.named(try subject.rows(fetch).map(\.reference)), is: expected, "rows")
            subject.expect(try subject.session.countRows(fetch), is: expected.count, "count")
        }
    }

    private static let matching: [ContractCase] = [(1, 0), (2, 1), (2, 4), (10, 3)].map { limit, offset in
        ContractCase(reading: "Limit \(limit) from offset \(offset) of what matches") { subject in
            let fetch = try subject.fetch("Book", "pages >= 120", sort: ["-pages"], limit: limit, offset: offset)
            let expected = cut(["b8", "b6", "b3", "b2", "b4"], limit, offset)
            subject.expect(subject.named(try subject.session.fetchReferences(fetch)), is: expected, "references")
            subject.expect(subject.named(try subject.rows(fetch).map(\.reference)), is: expected, "rows")
            subject.expect(try subject.session.countRows(fetch), is: expected.count, "count")
        }
    }

    private static let unsorted: [ContractCase] = [
        ContractCase(reading: "A limit without an order gives so many of the rows") { subject in
            let found = try subject.session.fetchReferences(subject.fetch("Book", limit: 3))
            subject.expect(Set(found).count, is: 3, "different rows")
            subject.expect(found.count, is: 3, "rows")
        },
        ContractCase(reading: "Pages without an order are the same order's") { subject in
            var found: [RowReference] = []
            for offset in stride(from: 0, to: 8, by: 3) {
                found += try subject.session.fetchReferences(subject.fetch("Book", limit: 3, offset: offset))
            }
            subject.expect(subject.named(found).sorted(), is: order.sorted(), "rows of all pages")
        },
        ContractCase(reading: "A sink that wants no values counts towards the limit") { subject in
            let all = Set(order.map { subject[$0] })
            let found = try subject.collect(unwanted: all) {
                try subject.session.fetchRows(subject.fetch("Book", sort: ["pages"], limit: 2), into: $0)
            }
            subject.expect(subject.named(found.announced), is: ["b7", "b5"], "announced")
        },
    ]
}

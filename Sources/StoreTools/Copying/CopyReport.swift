#if canImport(CoreDataSQLiteStorage)
/// The result of a copy: the rows that were copied, and the comparison of both stores.
package struct CopyReport: Sendable {
    /// The rows of one entity, without those of its subentities.
    package struct Entity: Sendable, Equatable {
        package let name: String
        package let count: Int
        /// The checksum of all values and relationships, equal in both stores.
        package let checksum: UInt64
    }

    package var entities: [Entity] = []
    /// The values that the destination could not hold, and that were written otherwise.
    package var changed = CopyFindings()
    /// The number of dates that were rounded to microseconds.
    package var roundedDates = 0
    /// The row and attribute of such a date.
    package var roundedDate: String?
    /// The entities with derived attributes for which the destination has computed other values than the source had.
    package var recomputed: [String] = []
    /// True if an earlier run had begun the copy.
    package var isContinued = false

    package var count: Int { entities.reduce(0) { $0 + $1.count } }
}

/// A value that the destination cannot hold.
package struct CopyFinding: Sendable, Equatable {
    package let entity: String
    package let key: Int64
    package let property: String
    /// The reason, as the end of a sentence that begins with the property.
    package let reason: String
    /// True if no other value can be written instead.
    package let isFinal: Bool

    package var text: String { "\(entity).\(property) of \(entity)/p\(key) \(reason)" }
}

/// Values that the destination cannot hold: their number, and the first ones.
package struct CopyFindings: Sendable, Equatable {
    package private(set) var count = 0
    package private(set) var first: [CopyFinding] = []
    /// The first value that no other can be written for.
    package private(set) var final: CopyFinding?

    mutating func note(_ finding: CopyFinding) {
        count += 1
        if first.count < 5 { first.append(finding) }
        if finding.isFinal, final == nil { final = finding }
    }

    /// The first values, as one text.
    package var text: String {
        first.map(\.text).joined(separator: "; ") + (count > first.count ? "; and \(count - first.count) more" : "")
    }
}
#endif

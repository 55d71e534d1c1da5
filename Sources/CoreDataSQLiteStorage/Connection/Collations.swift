import CCoreDataSQLite
import PredicateFormat

/// The collations behind sort descriptors with a selector. The names are those of Apple's framework, as far as they are
/// known.
enum Collations {
    private static let names = [
        "NSCollateNoCase", "NSCollateLocaleSensitive", "NSCollateLocaleSensitiveNoCase", "NSCollateFinderlike",
    ]

    /// Returns the collation with the given index in `names`.
    private static func collation(_ place: Int) -> StringCollation {
        switch place {
        case 0: .folded(.caseInsensitive)
        case 1: .localized([])
        case 2: .localized(.caseInsensitive)
        default: .localizedStandard
        }
    }

    static func name(of collation: StringCollation) -> String? {
        names.indices.first { Self.collation($0) == collation }.map { names[$0] }
    }

    /// Registers the collations on a connection and returns SQLite's result code.
    static func register(on handle: OpaquePointer) -> Int32 {
        for (place, name) in names.enumerated() {
            let result = sqlite3_create_collation_v2(
                handle, name, SQLITE_UTF8, UnsafeMutableRawPointer(bitPattern: place + 1),
                { number, leftCount, left, rightCount, right in
                    let collation = Collations.collation(Int(bitPattern: number) - 1)
                    let result = collation.compare(
                        utf8: Collations.bytes(left, leftCount), Collations.bytes(right, rightCount))
                    return Int32(result.rawValue)
                }, nil)
            guard result == SQLITE_OK else { return result }
        }
        return SQLITE_OK
    }

    private static func bytes(_ start: UnsafeRawPointer?, _ count: Int32) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: Int(count))
    }
}

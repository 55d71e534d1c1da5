import CSQLite
import PredicateFormat

/// The orders of text that sort descriptors with a selector ask for. The names are those of Apple's framework, as far as
/// they are known.
enum Collations {
    private struct Named {
        let name: String
        let collation: StringCollation
    }

    private static let all = [
        Named(name: "NSCollateNoCase", collation: .folded(.caseInsensitive)),
        Named(name: "NSCollateLocaleSensitive", collation: .localized([])),
        Named(name: "NSCollateLocaleSensitiveNoCase", collation: .localized(.caseInsensitive)),
        Named(name: "NSCollateFinderlike", collation: .localizedStandard),
    ]

    static func name(of collation: StringCollation) -> String? {
        all.first { $0.collation == collation }?.name
    }

    static func register(on handle: OpaquePointer) {
        for (index, entry) in all.enumerated() {
            let number = UnsafeMutableRawPointer(bitPattern: index + 1)
            sqlite3_create_collation_v2(
                handle, entry.name, SQLITE_UTF8, number,
                { number, leftCount, left, rightCount, right in
                    let collation = Collations.all[Int(bitPattern: number) - 1].collation
                    let result = collation.compare(
                        utf8: Collations.bytes(left, leftCount), Collations.bytes(right, rightCount))
                    return Int32(result.rawValue)
                }, nil)
        }
    }

    private static func bytes(_ start: UnsafeRawPointer?, _ count: Int32) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: Int(count))
    }
}

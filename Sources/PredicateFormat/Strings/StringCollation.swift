import Foundation

/// The string orders: the comparison methods that sort descriptors know by selector, and those of predicates.
///
/// Evaluation in memory and the collations of the SQLite store share them, so that both sort alike. Each is a total preorder,
/// so the result does not depend on the sorting algorithm.
public enum StringCollation: Hashable, Sendable {
    /// By code point: `compare:` in this module, and SQLite's `BINARY`.
    case binary
    /// By code point of the folded strings; `[.caseInsensitive]` is `caseInsensitiveCompare:`.
    case folded(StringComparisonOptions)
    /// By the rules of the current locale: `[]` is `localizedCompare:`, `[.caseInsensitive]` is
    /// `localizedCaseInsensitiveCompare:`.
    case localized(StringComparisonOptions)
    /// As file managers sort, with numbers by value: `localizedStandardCompare:`.
    case localizedStandard

    /// Looks up the order of a comparison method; nil for an unknown method.
    public init?(selector: Selector) {
        switch selector {
        case .compare: self = .binary
        case .caseInsensitiveCompare: self = .folded(.caseInsensitive)
        case .localizedCompare: self = .localized([])
        case .localizedCaseInsensitiveCompare: self = .localized(.caseInsensitive)
        case .localizedStandardCompare: self = .localizedStandard
        default: return nil
        }
    }

    /// Returns the order for the string options of a comparison.
    public init(options: StringComparisonOptions) {
        if options.contains(.normalized) {
            self = .binary
        } else if options.contains(.localeSensitive) {
            self = .localized(options.folding)
        } else {
            self = options.folding.isEmpty ? .binary : .folded(options.folding)
        }
    }

    /// Compares two strings. The locale-sensitive orders cost about two microseconds, the others some nanoseconds.
    public func compare(_ left: String, _ right: String) -> ComparisonResult {
        switch self {
        case .localized(let options):
            LocalizedOrder.compare(left, right, options)
        case .localizedStandard:
            LocalizedOrder.compareStandard(left, right)
        case .binary, .folded:
            StringFolding.withBytes(of: left) { left in
                StringFolding.withBytes(of: right) { right in compare(utf8: left, right) }
            }
        }
    }

    /// Compares two strings given as UTF-8, without creating `String`s where the order allows it.
    public func compare(
        utf8 left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
    ) -> ComparisonResult {
        switch self {
        case .binary:
            return Self.compareBytes(left, right)
        case .folded(let options):
            return Self.compareFolded(left, right, options)
        case .localized, .localizedStandard:
            return compare(String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self))
        }
    }

    private static func compareFolded(
        _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>, _ options: StringComparisonOptions
    ) -> ComparisonResult {
        let lowers = options.folding.contains(.caseInsensitive)
        let count = min(left.count, right.count)
        var index = 0
        while index < count {
            let (l, r) = (left[index], right[index])
            if (l | r) & 0x80 != 0 { break }
            let (a, b) = lowers ? (StringFolding.lowercaseASCII(l), StringFolding.lowercaseASCII(r)) : (l, r)
            if a != b { return a < b ? .orderedAscending : .orderedDescending }
            index += 1
        }
        if index == count, left.count == right.count || isASCII(left, right, index) {
            return order(left.count, right.count)
        }
        return StringFolding.fold(left, options).withUnsafeBufferPointer { left in
            StringFolding.fold(right, options).withUnsafeBufferPointer { right in compareBytes(left, right) }
        }
    }

    /// Returns whether the first byte after the common prefix is ASCII: then the longer string is the greater one. (A combining
    /// mark there may be ignored.)
    private static func isASCII(
        _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>, _ index: Int
    ) -> Bool {
        (left.count > index ? left[index] : right[index]) < 0x80
    }

    static func compareBytes(
        _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
    ) -> ComparisonResult {
        let count = min(left.count, right.count)
        if count > 0, let l = left.baseAddress, let r = right.baseAddress {
            let difference = memcmp(l, r, count)
            if difference != 0 { return difference < 0 ? .orderedAscending : .orderedDescending }
        }
        return order(left.count, right.count)
    }

    private static func order(_ left: Int, _ right: Int) -> ComparisonResult {
        left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
    }
}

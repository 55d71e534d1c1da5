import Foundation

/// A value as a dictionary key. Equal keys are equal values.
///
/// Replaces `AnyHashable`: off Apple's platforms it hashes equal numbers of different types differently, and hashing an
/// `NSDecimalNumber` never returns.
package enum ValueKey: Hashable {
    case null
    case number(PredicateNumber)
    /// The UTF-8 of a string, folded by the comparison's options.
    case string([UInt8])
    case date(TimeInterval)
    case hashable(AnyHashable)

    /// Creates the key of a value; nil for collections and other values that must be compared in full.
    package init?(_ value: PredicateValue, _ options: StringComparisonOptions = []) {
        switch value {
        case .null: self = .null
        case .number(let number): self = .number(number)
        case .string(let string): self = .string(StringFolding.fold(string, options))
        case .date(let date): self = .date(date)
        case .other(let value):
            if let identity = (value as? any PredicateIdentifiable)?.predicateIdentity {
                self = .hashable(identity)
            } else if value is any PredicateCollection || value is any KeyedByString {
                return nil
            } else if let hashable = value as? any Hashable {
                self = .hashable(AnyHashable(hashable))
            } else {
                return nil
            }
        }
    }
}

extension ValueKey {
    /// Creates the key of any value, for grouping and comparing rows.
    package init(ofAny value: Any?) {
        if let value {
            self = ValueKey(PredicateValue(value)) ?? .hashable(value as AnyObject as! NSObject)
        } else {
            self = .null
        }
    }
}

/// The right side of `IN`, prepared for fast lookup by value.
struct ValueSet {
    /// The longest list of one kind that is searched linearly, which is faster than hashing.
    private static let shortList = 8

    private let keys: Set<ValueKey>
    /// The elements, if they are few and all integers.
    private let integers: [Int64]?
    /// The elements, if they are few and all strings.
    private let strings: [SubstringSearch]?
    /// The values that cannot be hashed and are compared one by one.
    private let others: [PredicateValue]
    private let options: StringComparisonOptions

    init(_ elements: [Any], _ options: StringComparisonOptions = []) {
        var keys = Set<ValueKey>(minimumCapacity: elements.count)
        var others: [PredicateValue] = []
        let values = elements.map { PredicateValue($0) }
        for value in values {
            if let key = ValueKey(value, options) {
                keys.insert(key)
            } else {
                others.append(value)
            }
        }
        self.keys = keys
        self.others = others
        self.options = options
        let isShort = values.count <= Self.shortList
        integers = isShort ? Self.all(values) { if case .number(.int(let number)) = $0 { number } else { nil } } : nil
        strings =
            isShort
            ? Self.all(values) {
                if case .string(let text) = $0 { SubstringSearch(text, options.folding) } else { nil }
            } : nil
    }

    private static func all<T>(_ values: [PredicateValue], _ part: (PredicateValue) -> T?) -> [T]? {
        let parts = values.compactMap(part)
        return parts.count == values.count ? parts : nil
    }

    func contains(_ value: PredicateValue) -> Bool {
        switch value {
        case .number(.int(let number)):
            if let integers { return integers.contains(number) }
        case .string(let string):
            if let strings {
                return StringFolding.withBytes(of: string) { text in strings.contains { $0.equals(text) } }
            }
        default: break
        }
        if let key = ValueKey(value, options) { return keys.contains(key) }
        return others.contains { ValueComparison.equal($0, value) }
    }
}

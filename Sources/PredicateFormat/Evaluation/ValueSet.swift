import Foundation

/// The right side of `IN`, prepared for fast look-up by value.
struct ValueSet {
    /// A value as a dictionary key. Equal keys are equal values.
    private enum Key: Hashable {
        case null
        case number(Number)
        /// The bytes of a string, folded by the options.
        case string([UInt8])
        case date(TimeInterval)
        case hashable(AnyHashable)
    }

    private let keys: Set<Key>
    /// Values that cannot be hashed: compared one by one.
    private let others: [Operand]
    private let options: StringComparisonOptions

    init(_ elements: [Any], _ options: StringComparisonOptions = []) {
        var keys = Set<Key>(minimumCapacity: elements.count)
        var others: [Operand] = []
        for element in elements {
            let operand = Operand(element)
            if let key = Self.key(operand, options) {
                keys.insert(key)
            } else {
                others.append(operand)
            }
        }
        self.keys = keys
        self.others = others
        self.options = options
    }

    func contains(_ operand: Operand) -> Bool {
        if let key = Self.key(operand, options) { return keys.contains(key) }
        return others.contains { ValueComparison.equal($0, operand) }
    }

    private static func key(_ operand: Operand, _ options: StringComparisonOptions) -> Key? {
        switch operand {
        case .null: return .null
        case .number(let number): return .number(number)
        case .string(let string): return .string(StringFolding.fold(string, options))
        case .date(let date): return .date(date)
        case .other(let value):
            if let identity = (value as? any PredicateIdentifiable)?.predicateIdentity { return .hashable(identity) }
            if value is any PredicateCollection || value is any KeyedByString { return nil }
            return (value as? any Hashable).map { .hashable(AnyHashable($0)) }
        }
    }
}

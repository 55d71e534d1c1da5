import CoreData

/// A record's value, converted to its attribute's type. Comparisons and lookups need no boxing.
enum ImportedValue {
    case null
    case text(String)
    case integer(Int64)
    case boolean(Bool)
    case double(Double)
    case float(Float)
    case date(Date)
    indirect case other(Any)

    /// The value for key-value coding.
    var boxed: Any? {
        switch self {
        case .null: nil
        case .text(let text): text
        case .integer(let integer): NSNumber(value: integer)
        case .boolean(let truth): NSNumber(value: truth)
        case .double(let number): NSNumber(value: number)
        case .float(let number): NSNumber(value: number)
        case .date(let date): date
        case .other(let value): value
        }
    }

    /// The value for a predicate, which takes Swift integers without boxing them.
    var constant: Any? {
        if case .integer(let integer) = self { return Int(exactly: integer) ?? integer }
        return boxed
    }

    var isNull: Bool { if case .null = self { true } else { false } }

    /// Returns whether the value equals a property's present value.
    func isEqual(to present: Any?) -> Bool {
        guard let present else { return isNull }
        return switch self {
        case .null: false
        case .text(let text): present as? String == text
        case .integer(let integer): (present as? NSNumber)?.int64Value == integer
        case .boolean(let truth): (present as? NSNumber)?.boolValue == truth
        case .double(let number): (present as? NSNumber)?.doubleValue == number
        case .float(let number): (present as? NSNumber)?.floatValue == number
        case .date(let date): present as? Date == date
        case .other(let value): Self.areEqual(value, present)
        }
    }

    private static func areEqual(_ left: Any, _ right: Any) -> Bool {
        switch (left, right) {
        case (let left as NSObject, let right as NSObject): left.isEqual(right)
        case (let left as AnyHashable, let right as AnyHashable): left == right
        default: false
        }
    }

    // Off Apple's platforms `value is NSNull` and `value as? NSNumber` bridge a text before they fail, which takes longer than
    // the rest of its import. Exact types are checked first.
    static func isNull(_ value: Any) -> Bool { type(of: value) == NSNull.self }

    static func isText(_ value: Any) -> Bool { type(of: value) == String.self }

    /// Returns whether the value is a text or a number, which a relationship takes as an identity.
    static func isPlain(_ value: Any) -> Bool {
        isText(value) || type(of: value) != [String: Any].self && (value is NSNumber || value is String)
    }
}

/// A value that identifies an object within its hierarchy. Equal values compare equal regardless of their class.
enum IdentityKey: Hashable {
    case integer(Int64)
    case text(String)
    case other(AnyHashable)

    /// Creates a key from an imported value; nil if the value cannot identify an object.
    init?(_ value: ImportedValue) {
        switch value {
        case .null: return nil
        case .text(let text): self = .text(text)
        case .integer(let integer): self = .integer(integer)
        case .boolean(let truth): self = .integer(truth ? 1 : 0)
        case .double(let number): self = Self.number(number) { Int64(exactly: number) }
        case .float(let number): self = Self.number(Double(number)) { Int64(exactly: number) }
        case .date(let date): self = .other(date)
        case .other(let value): self.init(stored: value)
        }
    }

    /// Creates a key from a property's value; nil if the value cannot identify an object.
    init?(stored value: Any) {
        if !ImportedValue.isText(value), let number = value as? NSNumber {
            self = Self.number(number.doubleValue) { number.int64Value }
        } else if let text = value as? String {
            self = .text(text)
        } else if let hashable = value as? AnyHashable {
            self = .other(hashable)
        } else {
            return nil
        }
    }

    private static func number(_ double: Double, integer: () -> Int64?) -> IdentityKey {
        if abs(double) < 9_007_199_254_740_992, let integer = Int64(exactly: double) { return .integer(integer) }
        if double.rounded() == double, let integer = integer() { return .integer(integer) }
        return .other(AnyHashable(double))
    }
}

import CoreData

/// A value of a record, as its attribute holds it. Kinds are told apart here once, so that comparing a value with what
/// an object has, or finding an object by it, boxes nothing.
enum ImportedValue {
    case null
    case text(String)
    case integer(Int64)
    case boolean(Bool)
    case double(Double)
    case float(Float)
    case date(Date)
    indirect case other(Any)

    /// As key-value coding takes it.
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

    /// As a predicate takes it: whole numbers need no object there.
    var constant: Any? {
        if case .integer(let integer) = self { return Int(exactly: integer) ?? integer }
        return boxed
    }

    var isNull: Bool {
        if case .null = self { return true }
        return false
    }

    /// Whether an object that has `present` has this value already.
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

    static func areEqual(_ left: Any?, _ right: Any?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        case (let left as NSObject, let right as NSObject): left.isEqual(right)
        case (let left as AnyHashable, let right as AnyHashable): left == right
        default: false
        }
    }

    // MARK: Kinds of values in records

    // Off Apple's platforms `value is NSNull` and `value as? NSNumber` bridge a text before they say no, which takes
    // longer than all the rest of importing it. Exact types are asked for first.

    static func isNull(_ value: Any) -> Bool { type(of: value) == NSNull.self }

    static func isText(_ value: Any) -> Bool { type(of: value) == String.self }

    /// Whether the value can be nothing but an id: it is a text or a number.
    static func isPlain(_ value: Any) -> Bool {
        isText(value) || type(of: value) != [String: Any].self && (value is NSNumber || value is String)
    }
}

/// What identifies an object among those of its hierarchy: values that mean the same are equal, whatever class they
/// come in.
enum IdentityKey: Hashable {
    case integer(Int64)
    case text(String)
    case other(AnyHashable)

    /// `nil` when the value cannot identify anything.
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

    /// What a value an object has identifies.
    init?(stored value: Any) {
        if ImportedValue.isText(value), let text = value as? String {
            self = .text(text)
        } else if let number = value as? NSNumber {
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

import CoreData

extension MagicalRecord {
    /// A value that can stand on one side of a condition.
    ///
    /// Numbers, text, dates, data, UUIDs, URLs, managed objects, their IDs and optionals of them conform. An enumeration with a raw
    /// value of these types needs no conformance: conditions compare properties with ``Stored`` by the raw value, as in
    /// `$0.state == .open`. Enumerations that already conform still work.
    public protocol PredicateValue {
        /// The constant in the predicate: a property-list value, date, UUID, URL, managed object or object ID; `nil` for none.
        var predicateConstant: Any? { get }
    }

    /// A value that can be compared with `<`, `<=`, `>` and `>=`.
    public protocol OrderedPredicateValue: MagicalRecord.PredicateValue {}

    /// Text, which can be searched.
    public protocol _TextValue: MagicalRecord.OrderedPredicateValue {}
}

extension MagicalRecord.PredicateValue {
    public var predicateConstant: Any? { self }
}

extension MagicalRecord.PredicateValue where Self: RawRepresentable {
    public var predicateConstant: Any? { rawValue }
}

extension Bool: MagicalRecord.PredicateValue {
    public var predicateConstant: Any? { NSNumber(value: self) }
}
extension Int: MagicalRecord.OrderedPredicateValue {}
extension Int8: MagicalRecord.OrderedPredicateValue {}
extension Int16: MagicalRecord.OrderedPredicateValue {}
extension Int32: MagicalRecord.OrderedPredicateValue {}
extension Int64: MagicalRecord.OrderedPredicateValue {}
extension UInt8: MagicalRecord.OrderedPredicateValue {}
extension UInt16: MagicalRecord.OrderedPredicateValue {}
extension UInt32: MagicalRecord.OrderedPredicateValue {}
extension Double: MagicalRecord.OrderedPredicateValue {}
extension Float: MagicalRecord.OrderedPredicateValue {}
extension Decimal: MagicalRecord.OrderedPredicateValue {
    /// The number as it was written: a literal `19.99` reaches a `Decimal` by way of a double, as 19.98999999999999488.
    public var predicateConstant: Any? { NSDecimalNumber(decimal: literal ?? self) }

    /// The decimal with the fewest digits of the double this one was made from; nil if it was made otherwise.
    private var literal: Decimal? {
        let text = description
        // A double of 17 digits says more than any literal.
        guard text.utf8.count > 17, let nearest = Double(text), nearest.isFinite else { return nil }
        // Neighbouring doubles may become one decimal: the one with the fewest digits was written.
        let lowest = (0..<4).reduce(nearest) { double, _ in double.nextDown }
        return sequence(first: lowest) { $0.nextUp }.prefix(9).filter { NSNumber(value: $0).decimalValue == self }
            .map(\.description).min { $0.utf8.count < $1.utf8.count }.flatMap { Decimal(string: $0) }
    }
}
extension Date: MagicalRecord.OrderedPredicateValue {}
extension String: MagicalRecord._TextValue {}
extension UUID: MagicalRecord.PredicateValue {}
extension URL: MagicalRecord.PredicateValue {}
extension Data: MagicalRecord.PredicateValue {}
extension NSNumber: MagicalRecord.OrderedPredicateValue {}
extension NSString: MagicalRecord._TextValue {}
extension NSManagedObject: MagicalRecord.PredicateValue {}
extension NSManagedObjectID: MagicalRecord.PredicateValue {}

extension Optional: MagicalRecord.PredicateValue where Wrapped: MagicalRecord.PredicateValue {
    public var predicateConstant: Any? { flatMap { $0.predicateConstant } }
}
extension Optional: MagicalRecord.OrderedPredicateValue where Wrapped: MagicalRecord.OrderedPredicateValue {}
extension Optional: MagicalRecord._TextValue where Wrapped: MagicalRecord._TextValue {}

extension MagicalRecord {
    /// The options of text comparison in a condition.
    public struct TextMatching: OptionSet, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Upper and lower case count as equal: `[c]`.
        public static let caseInsensitive = MagicalRecord.TextMatching(rawValue: 1)
        /// Accents are ignored: `[d]`.
        public static let diacriticInsensitive = MagicalRecord.TextMatching(rawValue: 2)
        /// The texts are known to be normalised, so that code units are compared: `[n]`.
        public static let normalized = MagicalRecord.TextMatching(rawValue: 4)
        /// Texts are compared by the rules of the user's locale: `[l]`.
        public static let localeSensitive = MagicalRecord.TextMatching(rawValue: 8)
        /// Neither case nor accents matter: `[cd]`.
        public static let insensitive: MagicalRecord.TextMatching = [.caseInsensitive, .diacriticInsensitive]

        /// As written in a predicate format, or nothing.
        var suffix: String {
            // In the order of their bits.
            let letters = "cdnl".enumerated().filter { rawValue & 1 << $0.offset != 0 }.map(\.element)
            return letters.isEmpty ? "" : "[\(String(letters))]"
        }
    }
}

// Conditions may cross threads: instead of a managed object they hold its ID. Only an object that has never been saved stands
// for itself, since its ID changes with its first save.

extension ConditionNode.Operand {
    /// Returns a value to compare with.
    static func value(_ value: some MagicalRecord.PredicateValue) -> Self {
        .constant(value.predicateConstant.map(held))
    }

    /// Returns the values of an `IN` list, with `NSNull` for nil.
    static func values(_ values: some Sequence<some MagicalRecord.PredicateValue>) -> Self {
        .list(values.map { $0.predicateConstant.map(held) ?? NSNull() })
    }

    /// Returns the values of an `IN` list, leaving out nil.
    static func presentValues(_ values: some Sequence<some MagicalRecord.PredicateValue>) -> Self {
        .list(values.compactMap { $0.predicateConstant.map(held) })
    }

    private static func held(_ value: Any) -> Any {
        let type = Swift.type(of: value)
        if type == Int.self || type == Int64.self || type == Int32.self || type == String.self || type == UUID.self {
            return value
        }
        // Off Apple's platforms a cast of a plain value first makes the object that stands for it.
        let id = type is NSManagedObject.Type ? (value as? NSManagedObject)?.objectID : nil
        guard let id, !id.isTemporaryID else { return value }
        return id
    }
}

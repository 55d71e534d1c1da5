import Foundation

/// The comparison of constants with the values of a managed object where their kinds differ.
///
/// A store converts a constant to the attribute's type: it compares text with a number as texts, a number with text as numbers,
/// and treats an empty to-many relationship as nil. Predicates that evaluate managed objects do the same, so that the result of
/// a fetch does not depend on which of its objects are saved. Other values keep their kinds: the dictionary entry "5" does not
/// equal 5.
struct AttributeComparison {
    private enum Kind: UInt8 {
        case text = 1
        case number = 2
        case collection = 4
    }

    private let kinds: [(kind: Kind, test: ComparisonCompiler.Test)]
    /// The union of all kinds, for a fast first check.
    private let mask: UInt8

    /// Prepares the comparison with a constant; nil if its kind makes no difference.
    init?(_ compiler: ComparisonCompiler, against right: Any?) throws {
        guard let kinds = try Self.kinds(compiler, right), !kinds.isEmpty else { return nil }
        self.kinds = kinds
        mask = kinds.reduce(0) { $0 | $1.kind.rawValue }
    }

    private static func kinds(
        _ compiler: ComparisonCompiler, _ right: Any?
    ) throws -> [(kind: Kind, test: ComparisonCompiler.Test)]? {
        switch compiler.comparison {
        case .equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
            switch PredicateValue(right) {
            case .number(let number):
                return [(.text, try compiler.test(against: FormatPrinter.text(of: number)))]
            case .string(let text):
                guard let number = Self.number(text) else { return nil }
                return [(.number, try compiler.test(against: number))]
            case .null where compiler.comparison == .equalTo || compiler.comparison == .notEqualTo:
                let isEqual = compiler.comparison == .equalTo
                return [
                    (.collection, { ((($0.value as? any PredicateCollection)?.predicateCount ?? 1) == 0) == isEqual })
                ]
            default: return nil
            }
        case .in, .between:
            guard let elements = (right as? any PredicateCollection)?.predicateElements else { return nil }
            let texts = elements.map(Self.asText)
            let numbers = elements.map(Self.asNumber)
            var kinds: [(kind: Kind, test: ComparisonCompiler.Test)] = []
            if texts.contains(where: { $0 != nil }) {
                let list = zip(elements, texts).map { $1 ?? $0 }
                kinds.append((.text, try compiler.test(against: list)))
            }
            if numbers.contains(where: { $0 != nil }) {
                let list = zip(elements, numbers).map { $1 ?? $0 }
                kinds.append((.number, try compiler.test(against: list)))
            }
            return kinds
        default: return nil
        }
    }

    /// Returns the result for a value of another kind than the constant; nil where the ordinary comparison applies.
    @inline(__always)
    func answer(_ value: PredicateValue, in object: Any?) throws -> Bool? {
        let kind: Kind
        switch value {
        case .string: kind = .text
        case .number: kind = .number
        case .other: kind = .collection
        case .null, .date: return nil
        }
        return mask & kind.rawValue == 0 ? nil : try answer(value, kind, in: object)
    }

    @inline(never)
    private func answer(_ value: PredicateValue, _ kind: Kind, in object: Any?) throws -> Bool? {
        if kind == .collection, !(value.value is any PredicateCollection) { return nil }
        guard object is any PredicateIdentifiable else { return nil }
        return try kinds.first { $0.kind == kind }?.test(value)
    }

    private static func asText(_ value: Any) -> String? {
        PredicateNumber(value).map { FormatPrinter.text(of: $0) }
    }

    private static func asNumber(_ value: Any) -> Any? {
        guard case .string(let text) = PredicateValue(value) else { return nil }
        return number(text)
    }

    /// Parses the whole of `text` as a number; nil if it is not one.
    private static func number(_ text: String) -> Any? {
        let text = text.trimmingCharacters(in: .whitespaces)
        if let integer = Int(text) { return integer }
        guard let first = text.utf8.first, first != UInt8(ascii: "n"), first != UInt8(ascii: "i"),
            let double = Double(text), double.isFinite
        else { return nil }
        return double
    }
}

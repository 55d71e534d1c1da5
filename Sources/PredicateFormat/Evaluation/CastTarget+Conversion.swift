import Foundation

extension CastTarget {
    /// Converts a value; nil when it cannot be converted. Dates convert to and from seconds since 2001.
    func convert(_ value: Any?) -> Any? {
        let operand = PredicateValue(value)
        if case .null = operand { return nil }
        switch (self, operand) {
        case (.class, .string(let name)): return ClassReference(name)
        case (.date, .number(let number)): return Self.date(number.double)
        case (.date, .date(let date)): return Date(timeIntervalSinceReferenceDate: date)
        case (.date, .string(let text)):
            return Double(text).flatMap(Self.date)
        case (.number, .number(let number)): return number.value
        case (.number, .date(let date)): return date
        case (.number, .string(let text)): return Int(text) ?? Double(text)
        case (.string, .string(let text)): return text
        case (.string, .number(let number)): return FormatPrinter.text(of: number)
        case (.string, .date(let date)): return FormatPrinter.text(of: .double(date))
        case (.string, .other(let other)):
            if let uuid = other as? UUID { return uuid.uuidString }
            return ValueText.description(of: other)
        case (.decimal, .number(let number)):
            if case .decimal = number { return number.value }
            return Decimal(string: FormatPrinter.text(of: number)).map { NSDecimalNumber(decimal: $0) }
        case (.decimal, .string(let text)): return Decimal(string: text).map { NSDecimalNumber(decimal: $0) }
        case (.uuid, .string(let text)): return UUID(uuidString: text)
        case (.uuid, .other(let other)): return other as? UUID
        default: return nil
        }
    }

    /// Returns the date that many seconds after 2001; nil for an infinite value or NaN, on which Foundation's date functions
    /// crash.
    static func date(_ seconds: TimeInterval) -> Date? {
        seconds.isFinite ? Date(timeIntervalSinceReferenceDate: seconds) : nil
    }
}

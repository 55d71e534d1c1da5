import Foundation

extension KeyedArchiveBuilder {
    /// Adds a constant as the object that Foundation archives for it.
    mutating func add(value: ModelValue?) -> PropertyListNode {
        switch value {
        case nil: return Self.null
        case .bool(let value): return add(.bool(value))
        case .integer(let value): return add(.integer(value))
        case .double(let value): return add(.real(value))
        case .string(let text): return add(string: text)
        case .data(let data): return add(.data(data))
        case .date(let interval): return add(class: "NSDate", ["NS.time": .real(interval)])
        case .decimal(let number): return add(class: "NSDecimalNumberPlaceholder", Self.decimal(number))
        case .uuid(let id):
            let bytes = withUnsafeBytes(of: id.uuid) { Data($0) }
            return add(class: "NSUUID", ["NS.uuidbytes": .data(bytes)])
        case .url(let text):
            return add(class: "NSURL", ["NS.base": Self.null, "NS.relative": add(string: text)])
        case .array(let values):
            let items = values.map { add(value: $0) }
            return add(array: items)
        case .dictionary(let values): return add(values: values)
        case .archive(let data): return add(archive: data)
        }
    }

    /// Adds a dictionary of constants.
    mutating func add(values: [String: ModelValue]) -> PropertyListNode {
        let entries = values.sorted(byText: \.key).map { ($0.key, add(value: $0.value)) }
        return add(dictionary: entries, class: "NSDictionary")
    }

    static func decimal(_ number: Decimal) -> [String: PropertyListNode] {
        if number.isNaN {
            return [
                "NS.mantissa": .data(Data(count: 16)), "NS.mantissa.bo": .integer(1), "NS.length": .integer(0),
                "NS.exponent": .integer(0), "NS.negative": .bool(true), "NS.compact": .bool(true),
            ]
        }
        // From the text: the digits without the point are the mantissa, the number of decimals is the negative exponent.
        let text = "\(number.magnitude)"
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let fraction = parts.count > 1 ? parts[1] : ""
        var digits = (parts.first.map(String.init) ?? "0") + fraction
        var exponent = -fraction.count
        while digits.count > 1, digits.hasSuffix("0") {
            digits.removeLast()
            exponent += 1
        }
        let words = words(ofDigits: digits)
        let length = (words.lastIndex { $0 != 0 } ?? -1) + 1
        return [
            "NS.mantissa": .data(Data(words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] })),
            "NS.mantissa.bo": .integer(1),
            "NS.length": .integer(Int64(length)),
            "NS.exponent": .integer(length == 0 ? 0 : Int64(exponent)),
            "NS.negative": .bool(number.sign == .minus && length > 0),
            "NS.compact": .bool(true),
        ]
    }

    /// Returns a number of up to 38 decimal digits as eight 16-bit words, lowest first.
    private static func words(ofDigits digits: String) -> [UInt16] {
        var words = [UInt16](repeating: 0, count: 8)
        for digit in digits.compactMap(\.wholeNumberValue) {
            var carry = UInt32(digit)
            for index in words.indices {
                let value = UInt32(words[index]) * 10 + carry
                words[index] = UInt16(truncatingIfNeeded: value)
                carry = value >> 16
            }
        }
        return words
    }
}

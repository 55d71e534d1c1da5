import Foundation

/// Reads constants from archives: default values, user-info entries, constants of expressions.
enum ArchivedValue {
    private static let depthLimit = 32

    /// Reads a value; returns `nil` for the null object. A value without a plain form is returned as a separate archive.
    static func read(_ object: ArchivedObject, depth: Int = 0) throws(ModelFormatError) -> ModelValue {
        guard depth < depthLimit else {
            throw ModelFormatError(.limitExceeded, "an archived value is nested more than \(depthLimit) deep")
        }
        if let text = object.text { return .string(text) }
        switch object.plainValue {
        case .bool(let value): return .bool(value)
        case .integer(let value): return .integer(value)
        case .real(let value): return .double(value)
        case .date(let value): return .date(value)
        case .data(let value): return .data(value)
        default: break
        }
        switch object.className {
        case "NSDate"?: return .date(object.real("NS.time") ?? 0)
        case "NSData"?, "NSMutableData"?: return .data(object.data("NS.data") ?? Data())
        case "NSDecimalNumber"?, "NSDecimalNumberPlaceholder"?: return .decimal(decimal(object))
        case "NSUUID"?:
            if let bytes = object.data("NS.uuidbytes"), let id = uuid(bytes) { return .uuid(id) }
        case "NSURL"?:
            if let relative = object.string("NS.relative") {
                let base = object.object("NS.base")?.string("NS.relative")
                let url = base.flatMap { URL(string: $0) }.flatMap { URL(string: relative, relativeTo: $0) }
                return .url(url?.absoluteString ?? relative)
            }
        case "NSArray"?, "NSMutableArray"?:
            var items: [ModelValue] = []
            for element in object.elements ?? [] { items.append(try read(element, depth: depth + 1)) }
            return .array(items)
        case "NSDictionary"?, "NSMutableDictionary"?:
            if let entries = object.entries {
                var values: [String: ModelValue] = [:]
                for (key, value) in entries { values[key] = try read(value, depth: depth + 1) }
                return .dictionary(values)
            }
        default: break
        }
        return .archive(KeyedArchiveBuilder.extract(object))
    }

    /// Reads a dictionary of constants, such as a user-info dictionary.
    static func dictionary(_ object: ArchivedObject?) throws(ModelFormatError) -> [String: ModelValue] {
        guard let entries = object?.entries else { return [:] }
        var values: [String: ModelValue] = [:]
        for (key, value) in entries { values[key] = try read(value) }
        return values
    }

    static func uuid(_ bytes: Data) -> UUID? {
        guard bytes.count == 16 else { return nil }
        let b = [UInt8](bytes)
        return UUID(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            ))
    }

    /// Reads a decimal number, which is archived as a mantissa of 16-bit words, lowest first, in the given byte order, and a
    /// power of ten.
    private static func decimal(_ object: ArchivedObject) -> Decimal {
        let bytes = [UInt8](object.data("NS.mantissa") ?? Data())
        return decimal(
            bytes, words: max(0, min(object.integer("NS.length") ?? 0, bytes.count / 2, 8)),
            exponent: max(-128, min(127, object.integer("NS.exponent") ?? 0)), isNegative: object.flag("NS.negative"),
            isBigEndian: object.integer("NS.mantissa.bo") == 2)
    }

    /// Assembles a decimal number.
    ///
    /// - Parameter words: the number of significant words of the mantissa, at most those in `bytes`.
    static func decimal(_ bytes: [UInt8], words: Int, exponent: Int, isNegative: Bool, isBigEndian: Bool) -> Decimal {
        // NaN has the encoding of a negative zero.
        if words == 0, isNegative { return .nan }
        var mantissa = Decimal(0)
        for index in (0..<words).reversed() {
            let (first, second) = (UInt32(bytes[index * 2]), UInt32(bytes[index * 2 + 1]))
            mantissa = mantissa * 65536 + Decimal(isBigEndian ? first << 8 | second : second << 8 | first)
        }
        return Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: mantissa)
    }
}

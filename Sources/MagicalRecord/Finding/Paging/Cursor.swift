import CoreData

extension MagicalRecord {
    /// The end of a page of a result: the sort keys of its last object, and its ID if none of them is unique.
    ///
    /// A cursor is a value. As text it fits into a URL, so that a server can send it and accept it:
    /// ```swift
    /// let cursor = request.query["after"].flatMap(MagicalRecord.Cursor.init)
    /// let page = try User.sorted(by: \.lastUpdate, .descending).page(after: cursor, size: 20)
    /// let next = page.next?.description
    /// ```
    /// The text is not encrypted: it holds the values of the sort keys.
    public struct Cursor: Hashable, Sendable {
        let contents: Contents

        struct Contents: Codable, Hashable, Sendable {
            /// The entity and the order of the query, which the next query must have as well.
            var query: String
            var values: [Value]
            /// The object, where no sort key is unique.
            var object: URL?
        }

        enum Value: Hashable, Sendable {
            case missing
            case integer(Int64)
            case number(Double)
            case decimal(String)
            case text(String)
            case date(Double)
            case uuid(UUID)
            case url(URL)
        }
    }
}

extension MagicalRecord.Cursor: LosslessStringConvertible {
    /// The cursor as text of letters, digits, `-` and `_`.
    public var description: String {
        let encoder = JSONEncoder()
        // So that equal cursors have equal texts.
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(contents) else { return "" }
        return data.base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    /// Creates a cursor from the text that ``description`` returned. Returns `nil` for any other text.
    public init?(_ text: String) {
        let padded =
            text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
            + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: padded),
            let contents = try? JSONDecoder().decode(Contents.self, from: data)
        else { return nil }
        self.init(contents: contents)
    }
}

extension MagicalRecord.Cursor: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let cursor = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "This is no cursor.")
        }
        self = cursor
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension MagicalRecord.Cursor.Value: Codable {
    private enum Kind: String, CodingKey {
        case integer = "i"
        case number = "n"
        case decimal = "m"
        case text = "t"
        case date = "d"
        case uuid = "u"
        case url = "l"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Kind.self)
        self =
            switch container.allKeys.first {
            case nil: .missing
            case .integer?: .integer(try container.decode(Int64.self, forKey: .integer))
            case .number?: .number(Double(bitPattern: try container.decode(UInt64.self, forKey: .number)))
            case .decimal?: .decimal(try container.decode(String.self, forKey: .decimal))
            case .text?: .text(try container.decode(String.self, forKey: .text))
            case .date?: .date(Double(bitPattern: try container.decode(UInt64.self, forKey: .date)))
            case .uuid?: .uuid(try container.decode(UUID.self, forKey: .uuid))
            case .url?: .url(try container.decode(URL.self, forKey: .url))
            }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Kind.self)
        switch self {
        case .missing: break
        case .integer(let value): try container.encode(value, forKey: .integer)
        // By their bits: a decimal spelling might be rounded, and infinity has none.
        case .number(let value): try container.encode(value.bitPattern, forKey: .number)
        case .decimal(let value): try container.encode(value, forKey: .decimal)
        case .text(let value): try container.encode(value, forKey: .text)
        case .date(let value): try container.encode(value.bitPattern, forKey: .date)
        case .uuid(let value): try container.encode(value, forKey: .uuid)
        case .url(let value): try container.encode(value, forKey: .url)
        }
    }
}

extension MagicalRecord.Cursor.Value {
    /// Creates the value of a sort key from that of an object. Returns `nil` for a type without an order.
    init?(_ value: Any?, of type: NSAttributeType) {
        switch (type, value) {
        case (_, nil), (_, is NSNull): self = .missing
        case (.integer16AttributeType, let number as NSNumber), (.integer32AttributeType, let number as NSNumber),
            (.integer64AttributeType, let number as NSNumber), (.booleanAttributeType, let number as NSNumber):
            self = .integer(number.int64Value)
        case (.doubleAttributeType, let number as NSNumber), (.floatAttributeType, let number as NSNumber):
            self = .number(number.doubleValue)
        case (.decimalAttributeType, let number as NSDecimalNumber): self = .decimal(number.stringValue)
        case (.stringAttributeType, let text as String): self = .text(text)
        case (.dateAttributeType, let date as Date): self = .date(date.timeIntervalSinceReferenceDate)
        case (.UUIDAttributeType, let uuid as UUID): self = .uuid(uuid)
        case (.URIAttributeType, let url as URL): self = .url(url)
        default: return nil
        }
    }

    /// Returns true for a value that a sort key of that type can have. One in an edited cursor may be any other.
    func fits(_ type: NSAttributeType) -> Bool {
        switch (self, type) {
        case (.missing, _), (.text, .stringAttributeType), (.uuid, .UUIDAttributeType), (.url, .URIAttributeType): true
        case (.integer(let value), .integer16AttributeType): Int16(exactly: value) != nil
        case (.integer(let value), .integer32AttributeType): Int32(exactly: value) != nil
        case (.integer, .integer64AttributeType): true
        case (.integer(let value), .booleanAttributeType): value == 0 || value == 1
        case (.number(let value), .doubleAttributeType): !value.isNaN
        case (.number(let value), .floatAttributeType): Double(Float(value)) == value
        case (.decimal(let text), .decimalAttributeType): NSDecimalNumber(string: text).stringValue == text
        case (.date(let interval), .dateAttributeType): !interval.isNaN
        default: false
        }
    }

    /// The value as an argument of a predicate; `nil` for a missing one.
    var argument: Any? {
        switch self {
        case .missing: nil
        case .integer(let value): NSNumber(value: value)
        case .number(let value): NSNumber(value: value)
        case .decimal(let text): NSDecimalNumber(string: text)
        case .text(let text): text
        case .date(let interval): Date(timeIntervalSinceReferenceDate: interval)
        case .uuid(let uuid): uuid
        case .url(let url): url
        }
    }
}

import Foundation

/// The fields of an archived object, read with the types its class requires.
struct ArchivedFields {
    private let fields: [String: PropertyListNode]
    private let archive: KeyedArchive

    init(_ fields: [String: PropertyListNode], _ archive: KeyedArchive) {
        self.fields = fields
        self.archive = archive
    }

    /// Returns a value stored inline in the object or referenced by it.
    private func value(_ key: String) throws(ModelFormatError) -> PropertyListNode {
        guard let value = fields[key] else { throw .damaged("an object has no “\(key)”") }
        guard case .uid(let index) = value else { return value }
        guard archive.indices.contains(index) else { throw .damaged("a reference leads nowhere") }
        return archive.node(index)
    }

    func text(_ key: String) throws(ModelFormatError) -> String {
        guard let text = try value(key).string else { throw .damaged("“\(key)” is no text") }
        return text
    }

    func data(_ key: String) throws(ModelFormatError) -> Data {
        guard let data = try value(key).data else { throw .damaged("“\(key)” is no data") }
        return data
    }

    func real(_ key: String) throws(ModelFormatError) -> Double {
        switch try value(key) {
        case .real(let number), .date(let number): return number
        case let other:
            guard let number = other.integer else { throw .damaged("“\(key)” is no number") }
            return Double(number)
        }
    }

    private func integer(_ key: String) throws(ModelFormatError) -> Int64 {
        guard let number = try value(key).integer else { throw .damaged("“\(key)” is no number") }
        return number
    }

    func uuid() throws(ModelFormatError) -> UUID {
        guard let id = ArchivedValue.uuid(try data("NS.uuidbytes")) else { throw .damaged("a UUID has not 16 bytes") }
        return id
    }

    /// Reads a number from a typed field, as old archives store it.
    func number() throws(ModelFormatError) -> NSNumber {
        if fields["NS.boolval"] != nil { return NSNumber(value: try integer("NS.boolval") != 0) }
        if fields["NS.dblval"] != nil { return NSNumber(value: try real("NS.dblval")) }
        return NSNumber(value: try integer("NS.intval"))
    }

    func decimal() throws(ModelFormatError) -> Decimal {
        let bytes = try data("NS.mantissa")
        let length = try integer("NS.length"), exponent = try integer("NS.exponent")
        guard 0...8 ~= length, bytes.count >= length * 2, -128...127 ~= exponent else {
            throw .damaged("a decimal number has more digits than there can be")
        }
        let isNegative = try integer("NS.negative") != 0
        let byteOrder = fields["NS.mantissa.bo"] == nil ? 1 : try integer("NS.mantissa.bo")
        return ArchivedValue.decimal(
            bytes.bytes, words: Int(length), exponent: Int(exponent), isNegative: isNegative,
            isBigEndian: byteOrder == 2)
    }

    func reference(_ key: String) throws(ModelFormatError) -> Int {
        guard case .uid(let index)? = fields[key] else { throw .damaged("“\(key)” is no reference") }
        return index
    }

    func references(_ key: String) throws(ModelFormatError) -> [Int] {
        guard let items = fields[key]?.array else { throw .damaged("“\(key)” is no list") }
        var references: [Int] = []
        references.reserveCapacity(items.count)
        for item in items {
            guard case .uid(let index) = item else { throw .damaged("a member of “\(key)” is no reference") }
            references.append(index)
        }
        return references
    }

    /// Reads the references to the members of a collection: from an array, or, in ordered sets, from numbered fields.
    func members() throws(ModelFormatError) -> [Int] {
        if fields["NS.objects"] != nil { return try references("NS.objects") }
        var references: [Int] = []
        while fields["NS.object.\(references.count)"] != nil {
            references.append(try reference("NS.object.\(references.count)"))
        }
        return references
    }
}

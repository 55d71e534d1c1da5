import Foundation

/// A property list as a plain tree. `uid` is a reference between the objects of a keyed archive.
enum PropertyListNode: Hashable, Sendable {
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    /// A date, in seconds since 2001-01-01 00:00:00 UTC.
    case date(Double)
    case data(Data)
    case string(String)
    case uid(Int)
    case array([PropertyListNode])
    case dictionary([String: PropertyListNode])

    var string: String? { if case .string(let text) = self { text } else { nil } }
    var data: Data? { if case .data(let bytes) = self { bytes } else { nil } }
    var array: [PropertyListNode]? { if case .array(let items) = self { items } else { nil } }
    var dictionary: [String: PropertyListNode]? { if case .dictionary(let entries) = self { entries } else { nil } }

    /// The value as an integer, from any kind of number; nil for other values.
    var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .bool(let value): value ? 1 : 0
        case .real(let value): Int64(exactly: value.rounded(.towardZero))
        default: nil
        }
    }

    subscript(key: String) -> PropertyListNode? { dictionary?[key] }
}

extension Data {
    /// The bytes as an array.
    var bytes: [UInt8] { withUnsafeBytes { [UInt8]($0) } }
}

enum PropertyList {
    /// Reads a property list, binary or XML.
    ///
    /// - Throws: ``ModelFormatError`` for malformed data; memory is bounded by a small multiple of the input.
    static func read(_ data: Data) throws(ModelFormatError) -> PropertyListNode {
        if data.starts(with: "bplist".utf8) {
            var reader = BinaryPropertyListReader(bytes: data.bytes)
            return try reader.read()
        }
        return try XMLPropertyList.read(data)
    }
}

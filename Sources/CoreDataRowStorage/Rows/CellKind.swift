/// The representation of a value in its 8-byte slot.
@usableFromInline
package enum CellKind: UInt8, Sendable {
    case int16, int32, int64, boolean
    case double, float, date
    case string, uri
    case data, uuid, decimal
    /// The bytes that a value transformer has written; the decoded value is stored beside the row.
    case transformable
    /// A value that is never saved and has no slot representation; stored beside the row.
    case boxed
    /// A to-one relationship: a ``RowReference``.
    case reference

    @inlinable
    package var family: CellFamily {
        switch self {
        case .int16, .int32, .int64, .boolean: .integer
        case .double, .float, .date: .real
        case .string: .text
        case .data: .bytes
        case .uuid: .uuid
        case .uri, .decimal, .transformable, .boxed, .reference: .other
        }
    }

    /// Whether the slot is a ``HeapRange``.
    @inlinable
    package var usesHeap: Bool {
        switch self {
        case .string, .uri, .data, .uuid, .decimal, .transformable: true
        default: false
        }
    }
}

/// The representations that typed accessors read without checking the attribute's exact type.
@usableFromInline
package enum CellFamily: UInt8, Sendable {
    /// An `Int64`.
    case integer
    /// The bits of a `Double`; dates are seconds since 2001.
    case real
    /// UTF-8 text.
    case text
    case bytes
    /// The 16 bytes of a UUID.
    case uuid
    /// A value that can be read only with the attribute's description.
    case other
}

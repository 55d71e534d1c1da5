/// How a value lies in its 8-byte cell.
@usableFromInline
package enum CellKind: UInt8, Sendable {
    case int16, int32, int64, boolean
    case double, float, date
    case string, uri
    case data, uuid, decimal
    /// Bytes as a value transformer wrote them; the value itself is kept beside the row once decoded.
    case transformable
    /// A value that never reaches the store and has no cell representation; kept beside the row.
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

    /// True when the cell is a ``HeapRange``.
    @inlinable
    package var usesHeap: Bool {
        switch self {
        case .string, .uri, .data, .uuid, .decimal, .transformable: true
        default: false
        }
    }
}

/// The cell shapes that typed accessors read without looking at the attribute's exact type.
@usableFromInline
package enum CellFamily: UInt8, Sendable {
    /// An `Int64`.
    case integer
    /// The bits of a `Double`; dates are seconds since 2001.
    case real
    /// UTF-8 text.
    case text
    case bytes
    /// 16 bytes.
    case uuid
    /// Anything that needs the attribute's description to be read.
    case other
}

import CoreDataRowStorage

/// The statement-cache key of a request, which excludes its constants: requests of one shape share their SQL and statement.
package struct RequestShape {
    private let bytes: ContiguousArray<UInt8>
    /// The hash, equal for equal shapes.
    package let digest: Int

    init(_ bytes: ContiguousArray<UInt8>) {
        self.bytes = bytes
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        self.digest = Int(truncatingIfNeeded: digest)
    }

    package static func == (left: RequestShape, right: RequestShape) -> Bool {
        left.digest == right.digest && left.bytes == right.bytes
    }
}

extension StoreFetch {
    /// The properties that determine the SQL beside the entity, the predicate and the order, as flags.
    package var shapeFlags: Int {
        (includesSubentities ? 1 : 0) | (limit > 0 || offset > 0 ? 2 : 0) | (offset > 0 ? 4 : 0) | (isShortPage ? 8 : 0)
    }

    /// Whether the fetch reads so few rows that preparing a more elaborate query costs more.
    package var isShortPage: Bool { limit > 1 && limit <= 100 }
}

extension RequestShape: Hashable {
    package func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

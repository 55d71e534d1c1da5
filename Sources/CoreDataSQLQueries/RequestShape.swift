import CoreDataRowStorage

/// What stays of a request when its constants are taken out: requests of one shape share their SQL and statement.
package struct RequestShape: Equatable {
    private let bytes: ContiguousArray<UInt8>
    /// Equal shapes have equal digests.
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
    /// What decides on the SQL beside the entity, the predicate and the order.
    package var shapeFlags: Int {
        (includesSubentities ? 1 : 0) | (limit > 0 || offset > 0 ? 2 : 0) | (offset > 0 ? 4 : 0) | (isShortPage ? 8 : 0)
    }

    /// A few rows are read before a more elaborate query would have been prepared.
    package var isShortPage: Bool { limit > 1 && limit <= 100 }
}

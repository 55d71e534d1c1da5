import Foundation

/// An order-independent checksum of the rows that an engine has read.
///
/// It is computed within the measured time and therefore costs only a few multiplications per row: a text contributes its
/// length, first and last byte. That detects missing rows, missing columns and wrong signs. *Written* values are compared
/// byte by byte afterwards, outside the measured time.
public struct Checksum: Codable, Equatable, Sendable {
    /// The number of rows.
    public private(set) var rows = 0
    /// The sum of the rows' hashes, modulo 2^64.
    public private(set) var sum: UInt64 = 0

    /// Creates the checksum of no rows.
    public init() {}

    /// Adds a row of one value, such as a count.
    @inlinable
    public mutating func add(_ value: UInt64) {
        count(value &* 0x9E37_79B9_7F4A_7C15)
    }

    /// Adds the three columns of the narrow workloads.
    @inlinable
    public mutating func add(userID: Int64, name: UInt64, balance: Double) {
        count(
            UInt64(bitPattern: userID) &* 0x9E37_79B9_7F4A_7C15
                &+ name &* 0xBF58_476D_1CE4_E5B9
                &+ balance.bitPattern &* 0x94D0_49BB_1331_11EB
        )
    }

    /// Adds the three columns of a message.
    @inlinable
    public mutating func add(messageID: Int64, text: UInt64, sentAt: Double) {
        add(userID: messageID, name: text, balance: sentAt)
    }

    /// Adds a whole row.
    @inlinable
    public mutating func add(
        userID: Int64, name: UInt64, email: UInt64, phone: UInt64, balance: Double, isFriend: Bool, country: Int32,
        lastUpdate: Double, status: Int32, avatar: UInt64, notes: UInt64, createdAt: Double
    ) {
        let texts = name &+ email &* 3 &+ phone &* 5 &+ avatar &* 7 &+ notes &* 11
        let small = UInt64(truncatingIfNeeded: country) &* 13 &+ UInt64(truncatingIfNeeded: status) &* 17
        let reals = balance.bitPattern &+ lastUpdate.bitPattern &* 19 &+ createdAt.bitPattern &* 23
        count(
            UInt64(bitPattern: userID) &* 0x9E37_79B9_7F4A_7C15
                &+ texts &* 0xBF58_476D_1CE4_E5B9
                &+ reals &* 0x94D0_49BB_1331_11EB
                &+ small &+ (isFriend ? 29 : 0)
        )
    }

    @usableFromInline
    mutating func count(_ value: UInt64) {
        rows += 1
        sum = sum &+ value
    }

    /// Returns a hash of a text, made of its length in UTF-8, first and last byte; 0 for nil.
    @inlinable
    public static func mark(_ text: String?) -> UInt64 {
        guard let text else { return 0 }
        // Computed on the bytes as for plain SQLite, so that the cost of `String.UTF8View` is not charged to the engine.
        let bytes = text.utf8
        return bytes.withContiguousStorageIfAvailable { mark($0.baseAddress, count: $0.count) }
            ?? UInt64(bytes.count) &<< 16 | UInt64(bytes.first ?? 0) &<< 8 | UInt64(bytes.last ?? 0)
    }

    /// Returns the same hash of a text in SQLite's memory, without copying it.
    @inlinable
    public static func mark(_ bytes: UnsafePointer<UInt8>?, count: Int) -> UInt64 {
        guard let bytes, count > 0 else { return 0 }
        return UInt64(count) &<< 16 | UInt64(bytes[0]) &<< 8 | UInt64(bytes[count - 1])
    }
}

extension Checksum {
    /// Adds the three columns of the narrow workloads from a row.
    @inlinable
    public mutating func add(three row: borrowing UserRow) {
        add(userID: row.userID, name: Self.mark(row.name), balance: row.balance)
    }

    /// Adds a whole row.
    @inlinable
    public mutating func add(all row: borrowing UserRow) {
        add(
            userID: row.userID, name: Self.mark(row.name), email: Self.mark(row.email), phone: Self.mark(row.phone),
            balance: row.balance, isFriend: row.isFriend, country: row.country,
            lastUpdate: row.lastUpdate.timeIntervalSinceReferenceDate, status: row.status,
            avatar: Self.mark(row.avatar), notes: Self.mark(row.notes),
            createdAt: row.createdAt.timeIntervalSinceReferenceDate
        )
    }
}

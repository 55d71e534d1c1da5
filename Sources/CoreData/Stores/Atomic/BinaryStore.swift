import CoreDataMemoryStorage
import CoreDataRowStorage
import Foundation
import ModelFormat

/// The store of ``NSBinaryStoreType``. See ``BinaryFormat`` for the file.
final class BinaryStore: FileStore, @unchecked Sendable {
    override class var format: any StoreFileFormat.Type { BinaryFormat.self }
    override var type: String { NSBinaryStoreType }
}

/// The file format of binary stores. It differs from Apple's, which is not public, but stores the same data.
///
/// All numbers are little-endian; a text is its length in bytes (32 bits) followed by UTF-8; bytes likewise.
/// ```
/// magic          8 bytes  "CoreDat" and 1, the version of the format
/// metadata       bytes    a binary property list
/// entities       UInt32   how many follow, for each:
///   name         text
///   last key     Int64    the highest key ever allocated in the entity's hierarchy
///   columns      UInt32   how many follow, for each:
///     name       text
///     kind       UInt8    1 integer, 2 real, 3 bytes, 4 reference
///   rows         UInt32   how many follow, for each:
///     key        Int64
///     version    UInt32
///     values     for each column one byte, 0 for nil and 1 for a value, which then follows:
///                integer Int64; real Float64 (dates in seconds since 2001); bytes (text as UTF-8, decimals as their
///                text, UUIDs as 16 bytes); reference UInt32 (index of the entity in this file) and Int64 (key)
///   relationships UInt32  those to-many relationships that are not the reverse of a column, and ordered ones; for each:
///     name       text
///     lists      UInt32   how many follow, for each:
///       key      Int64    the object's
///       members  UInt32   how many follow, each a reference as above
/// checksum       UInt64   FNV-1a of everything before it
/// ```
enum BinaryFormat: StoreFileFormat {
    static let magic = Array("CoreDat".utf8) + [1]

    enum ColumnKind: UInt8 {
        case integer = 1
        case real, bytes, reference

        init?(_ kind: CellKind) {
            switch kind {
            case .int16, .int32, .int64, .boolean: self = .integer
            case .double, .float, .date: self = .real
            case .string, .uri, .data, .uuid, .decimal, .transformable: self = .bytes
            case .reference: self = .reference
            case .boxed: return nil
            }
        }
    }

    /// Returns the slots of an entity that the file stores, with the kinds of their columns.
    static func columns(of layout: EntityLayout) -> [(cell: EntityLayout.Cell, kind: ColumnKind)] {
        layout.cells.compactMap { cell in
            guard !cell.isTransient, let kind = ColumnKind(cell.kind) else { return nil }
            return (cell, kind)
        }
    }

    /// Returns the relationships of an entity that are stored as lists, with the number of the list.
    static func lists(of layout: EntityLayout, in plan: MemoryPlan) -> [(name: String, list: Int)] {
        layout.relationships.compactMap { relationship in
            guard !relationship.isTransient else { return nil }
            switch plan.storage(of: relationship, in: layout) {
            case .cell, .mirror(_, order: nil), .transient: return nil
            case .mirror(_, let order?): return (relationship.name, order)
            case .links(let list, _): return (relationship.name, list)
            }
        }
    }

    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash
    }

    // MARK: Metadata

    static func metadata(in data: Data) throws -> [String: Any] {
        try data.withUnsafeBytes { buffer in
            var reader = try opened(buffer)
            return try metadata(&reader)
        }
    }

    static func replacingMetadata(in data: Data, with metadata: [String: Any]) throws -> Data {
        try data.withUnsafeBytes { buffer in
            try verify(buffer)
            var reader = try opened(buffer)
            _ = try reader.takeBytes()
            var writer = ByteWriter()
            writer.putRaw(magic)
            writer.put(try MetadataList.data(of: metadata))
            writer.putRaw(try reader.takeRaw(reader.remaining - 8))
            writer.put(checksum(writer.bytes))
            return Data(writer.bytes)
        }
    }

    static func opened(_ buffer: UnsafeRawBufferPointer) throws -> ByteReader {
        guard buffer.count > magic.count, buffer.prefix(magic.count - 1).elementsEqual(magic.dropLast()) else {
            throw StoreFileDamage("It is not a binary store of this framework.", isOtherFormat: true)
        }
        guard buffer[magic.count - 1] == magic.last else {
            throw StoreFileDamage(
                "It was written by a newer version of this framework (format \(buffer[magic.count - 1])).",
                isOtherFormat: true)
        }
        var reader = ByteReader(buffer)
        _ = try reader.takeRaw(magic.count)
        return reader
    }

    static func metadata(_ reader: inout ByteReader) throws -> [String: Any] {
        let data = Data(try reader.takeBytes())
        guard let metadata = PropertyListDictionary.read(data) else {
            throw StoreFileDamage("Its metadata cannot be read.")
        }
        return metadata
    }

    static func verify(_ buffer: UnsafeRawBufferPointer) throws {
        guard buffer.count >= magic.count + 12 else { throw StoreFileDamage("The file ends too early.") }
        var tail = ByteReader(UnsafeRawBufferPointer(rebasing: buffer.suffix(8)))
        guard try tail.take(UInt64.self) == checksum(buffer.dropLast(8)) else {
            throw StoreFileDamage("Its checksum is wrong: part of the file was changed or lost.")
        }
    }
}

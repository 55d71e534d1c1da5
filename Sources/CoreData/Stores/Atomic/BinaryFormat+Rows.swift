import CoreDataMemoryStorage
import CoreDataRowStorage
import Foundation

// MARK: - Writing

extension BinaryFormat {
    static func write(_ state: MemoryState, metadata: [String: Any]) throws -> Data {
        var writer = ByteWriter()
        writer.putRaw(magic)
        writer.put(try MetadataList.data(of: metadata))
        let layouts = state.layouts.all
        writer.put(UInt32(layouts.count))
        var indices: [Int: UInt32] = [:]
        for (index, layout) in layouts.enumerated() { indices[layout.number] = UInt32(index) }
        for layout in layouts {
            writer.put(layout.name)
            writer.put(state.lastKey(of: layout))
            putRows(of: layout, in: state, indices, to: &writer)
            putLists(of: layout, in: state, indices, to: &writer)
        }
        writer.put(checksum(writer.bytes))
        return Data(writer.bytes)
    }

    private static func putRows(
        of layout: EntityLayout, in state: MemoryState, _ indices: [Int: UInt32], to writer: inout ByteWriter
    ) {
        let columns = columns(of: layout)
        writer.put(UInt32(columns.count))
        for (cell, kind) in columns {
            writer.put(cell.name)
            writer.put(kind.rawValue)
        }
        let table = state.tables[layout.root.number]
        let positions = table.rows.indices.filter { table.rows[$0].entityNumber == layout.number }
        writer.put(UInt32(positions.count))
        for position in positions {
            let row = table.rows[position]
            writer.put(table.keys[position])
            writer.put(EntityLayout.version(row.row))
            for (cell, kind) in columns {
                guard EntityLayout.isPresent(row.row, cell.index) else {
                    writer.put(0 as UInt8)
                    continue
                }
                writer.put(1 as UInt8)
                put(layout.bits(row.row, cell.index), of: cell, kind, in: row.slab, indices, to: &writer)
            }
        }
    }

    private static func put(
        _ bits: UInt64, of cell: EntityLayout.Cell, _ kind: ColumnKind, in slab: RowSlab, _ indices: [Int: UInt32],
        to writer: inout ByteWriter
    ) {
        switch kind {
        case .integer, .real: writer.put(bits)
        case .bytes where cell.kind == .decimal:
            writer.put(CellCoding.loadDecimal(slab.bytes(HeapRange(bits: bits))).description)
        case .bytes: writer.put(slab.bytes(HeapRange(bits: bits)))
        case .reference: put(RowReference(bits: bits), indices, to: &writer)
        }
    }

    private static func put(_ reference: RowReference, _ indices: [Int: UInt32], to writer: inout ByteWriter) {
        writer.put(indices[reference.entityNumber] ?? UInt32.max)
        writer.put(reference.key)
    }

    private static func putLists(
        of layout: EntityLayout, in state: MemoryState, _ indices: [Int: UInt32], to writer: inout ByteWriter
    ) {
        let lists = lists(of: layout, in: state.plan)
        writer.put(UInt32(lists.count))
        for (name, list) in lists {
            writer.put(name)
            let own = state.lists[list].all
                .filter { state.tables[layout.root.number][$0.key]?.entityNumber == layout.number }
                .sorted { $0.key < $1.key }
            writer.put(UInt32(own.count))
            for (key, members) in own {
                writer.put(key)
                writer.put(UInt32(members.count))
                for member in members { put(member, indices, to: &writer) }
            }
        }
    }
}

// MARK: - Reading

extension BinaryFormat {
    static func read(_ data: Data, into state: inout MemoryState) throws {
        try data.withUnsafeBytes { buffer in
            try verify(buffer)
            var reader = try opened(UnsafeRawBufferPointer(rebasing: buffer.dropLast(8)))
            _ = try metadata(&reader)
            // References identify entities by their index in the file, so the names are read first.
            var names = reader
            let layouts = try entityNames(&names).map { state.layouts.byName[$0] }
            var edit = MemoryEdit()
            _ = try reader.takeCount(ofAtLeast: 20)
            for layout in layouts {
                _ = try reader.takeText()
                let lastKey = try takeKey(&reader, from: 0)
                if let layout { state.skipKeys(to: lastKey, of: layout) }
                try takeRows(of: layout, layouts, from: &reader, into: &edit)
                try takeLists(of: layout, in: state.plan, layouts, from: &reader, into: &edit)
            }
            try edit.tables.values.forEach(requireDifferentKeys)
            state.apply(edit)
        }
    }

    private static func takeKey(_ reader: inout ByteReader, from least: Int64 = 1) throws -> Int64 {
        let key = try reader.take(Int64.self)
        guard (least...RowReference.largestKey).contains(key) else {
            throw StoreFileDamage("The primary key \(key) is out of range.")
        }
        return key
    }

    private static func requireDifferentKeys(_ table: MemoryEdit.Table) throws {
        let keys = table.inserted.map(\.key).sorted()
        if let key = zip(keys, keys.dropFirst()).first(where: ==)?.0 {
            throw StoreFileDamage("Two objects have the primary key \(key).")
        }
    }

    /// Reads the names of all entities in the file and skips their rows.
    private static func entityNames(_ reader: inout ByteReader) throws -> [String] {
        var names: [String] = []
        var ignored = MemoryEdit()
        for _ in 0..<(try reader.takeCount(ofAtLeast: 20)) {
            names.append(try reader.takeText())
            _ = try reader.take(Int64.self)
            try takeRows(of: nil, [], from: &reader, into: &ignored)
            try takeLists(of: nil, in: nil, [], from: &reader, into: &ignored)
        }
        return names
    }

    /// Reads the rows of one entity; skips them if there is no layout.
    private static func takeRows(
        of layout: EntityLayout?, _ layouts: [EntityLayout?], from reader: inout ByteReader, into edit: inout MemoryEdit
    ) throws {
        var columns: [(cell: EntityLayout.Cell?, kind: ColumnKind)] = []
        for _ in 0..<(try reader.takeCount(ofAtLeast: 5)) {
            let name = try reader.takeText()
            guard let kind = ColumnKind(rawValue: try reader.take(UInt8.self)) else {
                throw StoreFileDamage("The column \"\(name)\" is of an unknown kind.")
            }
            let cell = layout?.cell(named: name)
            columns.append((cell.flatMap { ColumnKind($0.kind) == kind ? $0 : nil }, kind))
        }
        var rows = layout.map { RowWriter($0) }
        var inserted: [(key: Int64, row: MemoryRow)] = []
        for _ in 0..<(try reader.takeCount(ofAtLeast: 12 + columns.count)) {
            let key = try takeKey(&reader)
            let version = try reader.take(UInt32.self)
            rows?.begin(version: version)
            for (cell, kind) in columns where try reader.take(UInt8.self) != 0 {
                try takeValue(kind, of: cell, layouts, from: &reader, into: rows)
            }
            if let rows { inserted.append((key, rows.finished)) }
        }
        if let layout { edit.tables[layout.root.number, default: .init()].inserted += inserted }
    }

    private static func takeValue(
        _ kind: ColumnKind, of cell: EntityLayout.Cell?, _ layouts: [EntityLayout?], from reader: inout ByteReader,
        into rows: RowWriter?
    ) throws {
        switch kind {
        case .integer, .real:
            let bits = try reader.take(UInt64.self)
            if let cell { rows?.set(cell, bits: bits) }
        case .bytes:
            let bytes = try reader.takeBytes()
            guard let cell, let rows else { return }
            if cell.kind == .decimal {
                let decimal = Decimal(string: String(decoding: bytes, as: UTF8.self)) ?? .nan
                withUnsafeBytes(of: decimal) { rows.set(cell, bytes: $0) }
            } else if cell.kind == .uuid, bytes.count != MemoryLayout<uuid_t>.size {
                throw StoreFileDamage("\(rows.layout.name).\(cell.name) has a UUID of \(bytes.count) bytes.")
            } else {
                rows.set(cell, bytes: bytes)
            }
        case .reference:
            if let reference = try takeReference(layouts, from: &reader), let cell {
                rows?.set(cell, reference: reference)
            }
        }
    }

    private static func takeReference(
        _ layouts: [EntityLayout?], from reader: inout ByteReader
    ) throws -> RowReference? {
        let index = Int(try reader.take(UInt32.self))
        let key = try takeKey(&reader, from: .min)
        guard index < layouts.count, let layout = layouts[index], key > 0 else { return nil }
        return RowReference(entityNumber: layout.number, key: key)
    }

    private static func takeLists(
        of layout: EntityLayout?, in plan: MemoryPlan?, _ layouts: [EntityLayout?], from reader: inout ByteReader,
        into edit: inout MemoryEdit
    ) throws {
        var known: [String: Int] = [:]
        if let layout, let plan { for (name, list) in lists(of: layout, in: plan) { known[name] = list } }
        for _ in 0..<(try reader.takeCount(ofAtLeast: 8)) {
            let list = known[try reader.takeText()]
            for _ in 0..<(try reader.takeCount(ofAtLeast: 12)) {
                let key = try reader.take(Int64.self)
                var members: ContiguousArray<RowReference> = []
                for _ in 0..<(try reader.takeCount(ofAtLeast: 12)) {
                    if let member = try takeReference(layouts, from: &reader) { members.append(member) }
                }
                if let list { edit.sequences.append((list, key, members)) }
            }
        }
    }
}

import CoreDataMemoryStorage
import CoreDataRowStorage
import Foundation

extension XMLFormat {
    static func write(_ state: MemoryState, metadata: [String: Any]) throws -> Data {
        for layout in state.layouts.all { try checkNames(of: layout) }
        let rows = allRows(of: state)
        let lastKey = state.layouts.all.first.map { state.lastKey(of: $0) } ?? 101
        var text = """
            <?xml version="1.0" standalone="yes"?>
            <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

            <database>
                \(try databaseInfo(metadata, lastKey: max(lastKey, rows.last?.key ?? 0)))

            """
        for (key, row) in rows { put(row, key: key, in: state, to: &text) }
        text += "</database>"
        return Data(text.utf8)
    }

    private static func checkNames(of layout: EntityLayout) throws {
        let names =
            layout.cells.map { $0.name.lowercased() }
            + layout.relationships.filter(\.isToMany).map { $0.name.lowercased() }
        guard Set(names).count < names.count else { return }
        throw CoreDataError.make(
            NSPersistentStoreIncompatibleSchemaError,
            description: "The entity \(layout.name) cannot be kept in an XML store.",
            reason: "XML stores write property names in small letters, and two properties differ in case alone.",
            entity: layout.name)
    }

    private static func allRows(of state: MemoryState) -> [(key: Int64, row: MemoryRow)] {
        var rows: [(key: Int64, row: MemoryRow)] = []
        for layout in state.layouts.all where layout.isRoot {
            let table = state.tables[layout.number]
            rows += table.keys.indices.map { (table.keys[$0], table.rows[$0]) }
        }
        return rows.sorted { $0.key < $1.key }
    }

    private static func put(_ row: MemoryRow, key: Int64, in state: MemoryState, to text: inout String) {
        guard let layout = state.layouts.byNumber[row.entityNumber] else { return }
        text += "    <object type=\"\(escaped(layout.name.uppercased()))\" id=\"z\(key)\">\n"
        for cell in layout.cells where !cell.isTransient && EntityLayout.isPresent(row.row, cell.index) {
            guard let type = typeName(of: cell.kind) else { continue }
            let value = valueText(layout.bits(row.row, cell.index), of: cell, in: row.slab)
            text += "        <attribute name=\"\(escaped(cell.name.lowercased()))\" type=\"\(type)\"\(value.note)>"
            text += value.text
            text += "</attribute>\n"
        }
        for relationship in layout.relationships where !relationship.isTransient {
            var keys: [Int64] = []
            if relationship.isToMany {
                keys = state.related(by: relationship, of: layout, key: key).map(\.key)
            } else if let reference = layout.reference(row.row, relationship.cell) {
                keys = [reference.key]
            }
            let description = relationship.description
            let name = escaped(relationship.name.lowercased())
            let destination = escaped((description.destinationEntity?.name ?? "").uppercased())
            text += "        <relationship name=\"\(name)\" type=\"\(description.minCount)/\(description.maxCount)\""
            text += " destination=\"\(destination)\""
            if !keys.isEmpty { text += " idrefs=\"\(keys.map { "z\($0)" }.joined(separator: " "))\"" }
            text += "></relationship>\n"
        }
        text += "    </object>\n"
    }

    private static func valueText(
        _ bits: UInt64, of cell: EntityLayout.Cell, in slab: RowSlab
    ) -> (text: String, note: String) {
        switch cell.kind {
        case .int16, .int32, .int64: return (String(Int64(bitPattern: bits)), "")
        case .boolean: return (bits == 0 ? "0" : "1", "")
        case .double, .float, .date: return ("\(Double(bitPattern: bits))", "")
        case .decimal: return (CellCoding.loadDecimal(slab.bytes(HeapRange(bits: bits))).description, "")
        case .uuid:
            let bytes = slab.bytes(HeapRange(bits: bits))
            return (bytes.count == 16 ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)).uuidString : "", "")
        case .data, .transformable: return (base64(Data(slab.bytes(HeapRange(bits: bits)))), "")
        case .string, .uri:
            let bytes = slab.bytes(HeapRange(bits: bits))
            let text = String(decoding: bytes, as: UTF8.self)
            guard text.unicodeScalars.allSatisfy(isAllowed) else {
                return (base64(Data(bytes)), " encoding=\"base64\"")
            }
            return (escaped(text), "")
        case .boxed, .reference: return ("", "")
        }
    }

    private static func base64(_ data: Data) -> String {
        data.base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed])
    }

    /// Returns whether XML 1.0 allows a character, escaped or not.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0xD, 0x20...0xFFFD, 0x10000...0x10FFFF: scalar.value < 0xD800 || scalar.value > 0xDFFF
        default: false
        }
    }

    private static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 0x26 || $0 == 0x3C || $0 == 0x3E || $0 == 0x22 || $0 == 0x0D }) else {
            return text
        }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // Parsers normalize an unescaped carriage return to a line feed.
            case "\r": result += "&#13;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

import CoreData
import CoreDataRowStorage
import CoreDataSQLiteStorage
import Foundation

/// Checks a file against the rules every store of Apple's framework keeps.
package struct StoreAuditor {
    private let content: FileContent
    private let layouts: ModelLayouts
    private let schema: SQLSchema

    package init(_ url: URL, _ layouts: ModelLayouts) throws {
        content = try FileContent(url)
        self.layouts = layouts
        schema = try SQLSchema(layouts, numbering: EntityNumbering(layouts))
    }

    /// What is wrong, in words; empty for a sound file.
    package func problems() throws -> [String] {
        var problems: [String] = []
        for table in schema.tables {
            guard let root = layouts.byNumber[table.root] else { continue }
            let family = Set(root.familyNumbers.map { Int64($0) })
            var highest: Int64 = 0
            for row in content.rows(table.name) {
                let key = FileContent.number(row["Z_PK"])
                highest = max(highest, key)
                if !family.contains(FileContent.number(row["Z_ENT"])) {
                    problems.append("\(table.name) \(key): wrong Z_ENT")
                }
                if FileContent.number(row["Z_OPT"]) < 1 { problems.append("\(table.name) \(key): Z_OPT below 1") }
                problems += check(row, table.name, key)
            }
            problems += checkPrimaryKey(table, highest)
        }
        for join in schema.joins { problems += check(join) }
        for layout in layouts.all { problems += checkOrders(layout) }
        if content.rows("Z_METADATA").count != 1 { problems.append("Z_METADATA has not one row") }
        return problems
    }

    private func checkPrimaryKey(_ table: SQLSchema.Table, _ highest: Int64) -> [String] {
        var problems: [String] = []
        for number in layouts.family(of: table.root) {
            guard let row = content.rows("Z_PRIMARYKEY").first(where: { $0["Z_ENT"] == .integer(Int64(number)) }) else {
                problems.append("Z_PRIMARYKEY lacks \(number)")
                continue
            }
            let maximum = FileContent.number(row["Z_MAX"])
            if number == table.root, maximum < highest {
                problems.append("\(table.name): Z_MAX \(maximum) below \(highest)")
            }
            if number != table.root, maximum != 0 { problems.append("\(table.name): Z_MAX of a subentity") }
        }
        return problems
    }

    /// Foreign keys lead to rows; their entity columns say which entity; one-to-one keys agree on both sides.
    private func check(_ row: [String: FileContent.Value], _ table: String, _ key: Int64) -> [String] {
        guard let layout = layouts.byNumber[Int(FileContent.number(row["Z_ENT"]))],
            let columns = schema.entities[layout.number]
        else { return [] }
        var problems: [String] = []
        for cell in layout.cells where cell.kind == .reference {
            guard let column = columns.cells[cell.index].column,
                let destination = layouts.byNumber[layout.relationships[cell.relationshipIndex].destinationNumber],
                let target = schema.entities[destination.number]?.table
            else { continue }
            let value = row[column] ?? .null
            let entity = columns.cells[cell.index].entityColumn.flatMap { row[$0] }
            if value == .null {
                if let entity, entity != .null { problems.append("\(table).\(column) \(key): entity without key") }
                continue
            }
            let other = FileContent.number(value)
            guard let found = content.row(target, other) else {
                problems.append("\(table).\(column) \(key): no row \(other)")
                continue
            }
            if let entity, entity != found["Z_ENT"] {
                problems.append("\(table).\(column) \(key): wrong entity number")
            }
            if let inverse = cell.relationship?.inverseRelationship, !inverse.isToMany,
                case .cell(let back)? = destination.members[inverse.name],
                let backColumn = schema.entities[destination.number]?.cells[back].column,
                found[backColumn] != .integer(key)
            {
                problems.append("\(table).\(column) \(key): the other side of the one-to-one disagrees")
            }
        }
        return problems
    }

    private func check(_ join: JoinTable) -> [String] {
        guard let first = schema.entities[join.first.entity]?.table,
            let second = schema.entities[join.second.entity]?.table
        else { return [] }
        return content.rows(join.name).compactMap { row in
            let (a, b) = (FileContent.number(row[join.firstColumn]), FileContent.number(row[join.secondColumn]))
            return content.row(first, a) == nil || content.row(second, b) == nil
                ? "\(join.name): \(a), \(b) dangles" : nil
        }
    }

    /// Positions of one object's ordered relationship are set and distinct.
    private func checkOrders(_ layout: EntityLayout) -> [String] {
        guard let columns = schema.entities[layout.number] else { return [] }
        var problems: [String] = []
        for cell in layout.ownCells {
            guard let order = columns.cells[cell.index].order, let column = columns.cells[cell.index].column else {
                continue
            }
            var seen: [Int64: Set<Int64>] = [:]
            for row in content.rows(columns.table) where row[column] != .null && row[column] != nil {
                let position = FileContent.number(row[order])
                if position <= 0 { problems.append("\(columns.table).\(order): no position") }
                if !seen[FileContent.number(row[column]), default: []].insert(position).inserted {
                    problems.append("\(columns.table).\(order): position \(position) twice")
                }
            }
        }
        return problems
    }
}

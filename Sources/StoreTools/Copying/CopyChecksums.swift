#if canImport(CoreDataSQLiteStorage)
import CoreDataRowStorage
import Foundation
import PredicateFormat

/// The number of rows and a checksum of the values of each entity of one store, read from it.
///
/// The checksum does not depend on the order in which rows are read, nor on the forms in which databases keep equal values.
struct CopyChecksums {
    struct Entity {
        var count = 0
        var sum: UInt64 = 0
        /// The checksum of derived attributes, which the destination computes itself.
        var derived: UInt64 = 0

        func isEqual(to other: Entity) -> Bool { count == other.count && sum == other.sum }
    }

    /// By the number of the entity.
    private(set) var entities: [Int: Entity] = [:]
    private let plan: CopyPlan
    private let limits: CopyLimits?
    /// The slots that are compared, by the number of the entity.
    private let cells: [Int: [EntityLayout.Cell]]

    /// - Parameter limits: What the destination holds of the values; nil for the destination itself.
    init(_ plan: CopyPlan, _ limits: CopyLimits?) {
        self.plan = plan
        self.limits = limits
        var cells: [Int: [EntityLayout.Cell]] = [:]
        for layout in plan.layouts.all {
            cells[layout.number] = layout.cells.filter { cell in
                !cell.isTransient && cell.kind != .boxed && !Self.isComputedAtWriting(cell, layout)
            }
            if !layout.isAbstract { entities[layout.number] = Entity() }
        }
        self.cells = cells
    }

    /// Returns true for the moment of the last change, which is that of the copying.
    private static func isComputedAtWriting(_ cell: EntityLayout.Cell, _ layout: EntityLayout) -> Bool {
        guard cell.isDerived else { return false }
        if case .function(.now, _)? = layout.traits.derivation(of: cell) { return true }
        return false
    }

    /// Reads everything.
    ///
    /// - Parameter step: Called after each page with its number of rows.
    mutating func read(_ session: any StoreSession, _ step: (Int) throws -> Void) throws {
        for root in plan.roots {
            var pages = CopyPages(plan.rows(of: root), after: 0, most: 1000)
            while let page = pages.nextPage() {
                let rows = CollectedRows()
                try session.readRows(keys: ContiguousArray(page.lazy.map(\.key)), of: root, into: rows)
                var bytes = 0
                for row in rows.rows {
                    guard let layout = plan.layouts.byNumber[row.entityNumber] else { continue }
                    bytes += layout.bytes(of: row.row)
                    let sums = try checksums(row.row, row.key, layout)
                    entities[layout.number, default: Entity()].count += 1
                    entities[layout.number, default: Entity()].sum &+= sums.own
                    entities[layout.number, default: Entity()].derived &+= sums.derived
                }
                pages.note(bytes: bytes)
                try step(page.count)
            }
        }
        for link in plan.links { try read(link, session, step) }
    }

    private mutating func read(_ link: CopyPlan.Link, _ session: any StoreSession, _ step: (Int) throws -> Void) throws
    {
        var pages = CopyPages(plan.rows(ofFamily: link.layout), after: 0, most: 1000)
        while let page = pages.nextPage() {
            let members = try LinkMembers(link, of: page, session)
            for owner in page {
                guard var keys = members.byOwner[owner.key]?.map(\.key), !keys.isEmpty else { continue }
                if !link.relationship.isOrdered { keys.sort() }
                var hash = ValueHash()
                hash.add(UInt64(bitPattern: owner.key))
                link.relationship.name.utf8.withContiguousStorageIfAvailable { hash.add(UnsafeRawBufferPointer($0)) }
                for key in keys { hash.add(UInt64(bitPattern: key)) }
                entities[owner.entityNumber, default: Entity()].sum &+= hash.value
            }
            pages.note(bytes: members.count * 16)
            try step(0)
        }
    }

    private func checksums(
        _ row: UnsafeRawPointer, _ key: Int64, _ layout: EntityLayout
    ) throws -> (own: UInt64, derived: UInt64) {
        var (own, derived) = (ValueHash(), ValueHash())
        own.add(UInt64(bitPattern: key))
        for cell in cells[layout.number] ?? [] {
            if cell.isDerived {
                try add(cell, of: row, key, layout, to: &derived)
            } else {
                try add(cell, of: row, key, layout, to: &own)
            }
        }
        return (own.value, derived.value)
    }

    private func add(
        _ cell: EntityLayout.Cell, of row: UnsafeRawPointer, _ key: Int64, _ layout: EntityLayout,
        to hash: inout ValueHash
    ) throws {
        switch limits?.value(cell, of: row, key, layout) ?? .same {
        case .none: break
        case .bits(let bits):
            hash.add(UInt64(cell.index))
            Self.add(bits, cell, &hash)
        case .bytes(let bytes):
            hash.add(UInt64(cell.index))
            bytes.withUnsafeBytes { Self.add($0, cell, &hash) }
        case .same:
            guard EntityLayout.isPresent(row, cell.index) else { return }
            hash.add(UInt64(cell.index))
            let bits = layout.bits(row, cell.index)
            guard cell.kind.usesHeap else { return Self.add(bits, cell, &hash) }
            let range = HeapRange(bits: bits)
            if let file = range.file {
                try file.contents().withUnsafeBytes { Self.add($0, cell, &hash) }
            } else {
                Self.add(range.bytes, cell, &hash)
            }
        }
    }

    private static func add(_ bits: UInt64, _ cell: EntityLayout.Cell, _ hash: inout ValueHash) {
        switch cell.kind {
        case .boolean: hash.add(bits != 0 ? 1 : 0)
        case .double, .date: add(Double(bitPattern: bits), &hash)
        case .float: add(Double(Float(Double(bitPattern: bits))), &hash)
        case .reference: hash.add(UInt64(bitPattern: RowReference(bits: bits).key))
        default: hash.add(bits)
        }
    }

    /// Adds a number. SQLite has no negative zero, and databases have different forms of NaN.
    private static func add(_ number: Double, _ hash: inout ValueHash) {
        hash.add(number == 0 ? 0 : number.isNaN ? 1 : number.bitPattern)
    }

    private static func add(_ bytes: UnsafeRawBufferPointer, _ cell: EntityLayout.Cell, _ hash: inout ValueHash) {
        guard cell.kind == .decimal else { return hash.add(bytes) }
        // Equal numbers may have different exponents.
        var decimal = CellCoding.loadDecimal(bytes)
        NSDecimalCompact(&decimal)
        Array(decimal.description.utf8).withUnsafeBytes { hash.add($0) }
    }
}
#endif

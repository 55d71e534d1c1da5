#if canImport(CoreDataSQLiteStorage)
import CoreDataRowStorage
import Foundation
import PredicateFormat

/// The values that the destination can hold, and what is written for the others.
final class CopyLimits {
    enum Kind { case sqlite, postgreSQL }

    /// The value of a slot.
    enum Value {
        case none
        /// The value that the row has.
        case same
        case bits(UInt64)
        case bytes([UInt8])
    }

    let kind: Kind
    private let plan: CopyPlan
    /// True for the values as they are compared: dates are rounded.
    private let isComparing: Bool
    private(set) var findings = CopyFindings()
    private(set) var roundedDates = 0
    private(set) var roundedDate: String?
    /// The dates that are rounded, by entity.
    private var rounded: [Int: Set<Int>] = [:]

    init(_ kind: Kind, _ plan: CopyPlan, isComparing: Bool) {
        self.kind = kind
        self.plan = plan
        self.isComparing = isComparing
    }

    /// Returns what the destination holds for a slot, and notes values that it cannot hold.
    func value(_ cell: EntityLayout.Cell, of row: UnsafeRawPointer, _ key: Int64, _ layout: EntityLayout) -> Value {
        guard EntityLayout.isPresent(row, cell.index) else {
            // PostgreSQL's columns of required attributes are NOT NULL in tables of one entity, and of root entities.
            if kind == .postgreSQL, cell.requiresValue, cell.compositeName == nil, !cell.isDerived,
                layout.root.cellCount > cell.index
            {
                note(cell, key, layout, "has no value, which the model requires", isFinal: true)
            }
            return .none
        }
        if cell.isDerived, cell.kind != .date { return .same }
        let bits = layout.bits(row, cell.index)
        switch cell.kind {
        case .reference:
            guard !plan.contains(RowReference(bits: bits)) else { return .same }
            note(cell, key, layout, "refers to a row that does not exist")
            return .none
        case .data: return data(HeapRange(bits: bits), cell, key, layout)
        case _ where kind == .sqlite: return sqlite(bits, cell, key, layout)
        default: return postgreSQL(bits, cell, key, layout)
        }
    }

    private func note(
        _ cell: EntityLayout.Cell, _ key: Int64, _ layout: EntityLayout, _ reason: String, isFinal: Bool = false
    ) {
        findings.note(
            CopyFinding(entity: layout.name, key: key, property: cell.path, reason: reason, isFinal: isFinal))
    }

    private func data(
        _ range: HeapRange, _ cell: EntityLayout.Cell, _ key: Int64, _ layout: EntityLayout
    ) -> Value {
        if let file = range.file {
            let path = file.folder.url(of: file.name).path
            guard FileManager.default.isReadableFile(atPath: path) else {
                note(cell, key, layout, "is in a file that is missing: \(file.name)")
                return .none
            }
            if kind == .postgreSQL, file.byteCount > Self.mostBytes { tooLong(cell, key, layout) }
        } else if kind == .postgreSQL, range.count > Self.mostBytes {
            tooLong(cell, key, layout)
        }
        return .same
    }

    private func tooLong(_ cell: EntityLayout.Cell, _ key: Int64, _ layout: EntityLayout) {
        note(cell, key, layout, "is longer than 1 GB", isFinal: true)
    }

    /// The greatest size of a value in PostgreSQL.
    private static let mostBytes = 1_000_000_000

    // MARK: SQLite

    private func sqlite(_ bits: UInt64, _ cell: EntityLayout.Cell, _ key: Int64, _ layout: EntityLayout) -> Value {
        switch cell.kind {
        case .double, .float, .date:
            guard Double(bitPattern: bits).isNaN else { return .same }
            note(cell, key, layout, "is not a number")
            return .none
        case .decimal:
            let decimal = CellCoding.loadDecimal(HeapRange(bits: bits).bytes)
            guard !decimal.isNaN, Int64(decimal.description) == nil, let double = Double(decimal.description),
                let stored = Decimal(shortest: double), stored != decimal
            else { return .same }
            note(cell, key, layout, "has more digits than a floating-point number: \(decimal)")
            return .bytes(withUnsafeBytes(of: stored) { Array($0) })
        default: return .same
        }
    }

    // MARK: PostgreSQL

    private func postgreSQL(
        _ bits: UInt64, _ cell: EntityLayout.Cell, _ key: Int64, _ layout: EntityLayout
    ) -> Value {
        switch cell.kind {
        case .string, .uri: return text(HeapRange(bits: bits).bytes, cell, key, layout)
        case .date: return date(Double(bitPattern: bits), cell, key, layout)
        case .int16, .int32:
            let value = Int64(bitPattern: bits)
            let narrow =
                cell.kind == .int16 ? Int64(Int16(truncatingIfNeeded: value)) : Int64(Int32(truncatingIfNeeded: value))
            guard narrow != value else { return .same }
            note(cell, key, layout, "is \(value), too large for its type")
            return .bits(UInt64(bitPattern: narrow))
        case .transformable, .uuid:
            if HeapRange(bits: bits).count > Self.mostBytes { tooLong(cell, key, layout) }
            return .same
        default: return .same
        }
    }

    private func text(
        _ bytes: UnsafeRawBufferPointer, _ cell: EntityLayout.Cell, _ key: Int64, _ layout: EntityLayout
    ) -> Value {
        if bytes.count > Self.mostBytes { tooLong(cell, key, layout) }
        let hasZero = bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false
        let isValid = TextValidation.isValid(bytes)
        guard hasZero || !isValid else { return .same }
        note(cell, key, layout, hasZero ? "contains U+0000" : "is no valid UTF-8")
        let text = String(decoding: bytes, as: UTF8.self)
        return .bytes(Array(text.replacingOccurrences(of: "\0", with: "\u{FFFD}").utf8))
    }

    private func date(
        _ seconds: Double, _ cell: EntityLayout.Cell, _ key: Int64, _ layout: EntityLayout
    ) -> Value {
        if rounded[layout.number] == nil { rounded[layout.number] = Set(layout.roundedDates.cells) }
        guard rounded[layout.number]?.contains(cell.index) == true else {
            guard seconds.isNaN else { return .same }
            note(cell, key, layout, "is not a number", isFinal: cell.requiresValue)
            return .none
        }
        guard let whole = MicrosecondDate.rounded(seconds) else {
            guard !seconds.isNaN else {
                note(cell, key, layout, "is not a number", isFinal: cell.requiresValue)
                return .none
            }
            note(cell, key, layout, "is a date that PostgreSQL does not have, \(seconds) seconds after 2001")
            return .bits((seconds < 0 ? Self.firstDate : Self.lastDate).bitPattern)
        }
        guard whole != seconds else { return .same }
        roundedDates += 1
        if roundedDate == nil { roundedDate = "\(layout.name).\(cell.path) of \(layout.name)/p\(key)" }
        // The engine rounds what it writes.
        return isComparing ? .bits(whole.bitPattern) : .same
    }

    /// The first and the last date of PostgreSQL's `timestamptz` that is a whole number of seconds.
    private static let firstDate = MicrosecondDate.seconds(-211_813_488_000_000_000)
    private static let lastDate = MicrosecondDate.seconds(9_223_371_331_199_000_000)
}
#endif

import Foundation

/// The decision whether a log with valid checksums belongs to a database file in its present state.
///
/// SQLite cannot tell: it applies any valid log, and destroys the database. What is known here:
/// 1. The size of pages is the same.
/// 2. Every page that the database has grown by is in the log, as far as it is not in the file.
/// 3. Each write of page 1 to a log sets the change counter to that of page 1 as the connection has last read it, plus 1. So
///    the counter never decreases, and increases in steps of 1: that of the file is at least that of the first page 1 in
///    the log minus 1, and at most that of the last one.
/// 4. The schema cookie never decreases, and while it stays the same, so does the first page of the schema.
/// 5. Without page 1 in the log, no page was allocated or freed: the database has the same number of pages as the file's header
///    states, and no page changes its kind.
///
/// ``LogEvidence`` compares the content. A log that only changes values, in a store of the same model with as many pages, cannot
/// be told from the right one.
struct LogOwnership {
    let layers: ImageLayers
    let base: DatabaseHeader
    let log: WriteAheadLog

    func isForeign(_ logFile: SourceFile?) throws -> Bool {
        guard let logFile else { return false }
        if log.pageSize != base.pageSize || log.hasStrayPages { return true }
        if lacksPages { return true }
        guard let first = log.firstOfPage1, let last = log.lastOfPage1 else { return try changesKinds(logFile) }
        guard let firstHeader = try header(first, logFile), let lastHeader = try header(last, logFile) else {
            return true
        }
        if base.changeCounter + 1 < firstHeader.changeCounter || base.changeCounter > lastHeader.changeCounter {
            return true
        }
        if lastHeader.schemaCookie != base.schemaCookie { return lastHeader.schemaCookie < base.schemaCookie }
        return try logFile.bytes(at: log.offset(ofFrame: last) + 100, count: base.pageSize - 100) != page(1, from: 100)
    }

    /// True if pages are neither in the file nor in the log, although the file has all pages that its own header states.
    private var lacksPages: Bool {
        let inFile = layers.pageCount
        guard inFile >= layers.expectedPageCount, log.pageCount > inFile else { return false }
        guard log.pageCount < inFile + log.frameCount + 2 else { return true }
        let lockPage = Int(FileLocks.pendingByte / Int64(base.pageSize)) + 1
        return (inFile + 1...log.pageCount).contains { $0 != lockPage && log.offset(ofPage: $0) == nil }
    }

    private func header(_ frame: Int, _ logFile: SourceFile) throws -> DatabaseHeader? {
        try logFile.bytes(at: log.offset(ofFrame: frame), count: DatabaseHeader.byteCount)
            .withUnsafeBytes { DatabaseHeader($0) }
    }

    private func page(_ number: Int, from start: Int, count: Int? = nil) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count ?? base.pageSize - start)
        try bytes.withUnsafeMutableBytes { try layers.read(number, from: start, into: $0) }
        return bytes
    }

    private func changesKinds(_ logFile: SourceFile) throws -> Bool {
        if base.isPageCountValid, log.pageCount != base.pageCount { return true }
        let kinds: Set<UInt8> = [2, 5, 10, 13]
        var compared = 0
        for number in log.frames.pages where number > 1 && number <= layers.pageCount && compared < 256 {
            guard let offset = log.offset(ofPage: number) else { continue }
            compared += 1
            let new = try logFile.bytes(at: offset, count: 1), old = try page(number, from: 0, count: 1)
            guard let new = new.first, let old = old.first else { continue }
            if new != old, kinds.contains(new) || kinds.contains(old) { return true }
        }
        return false
    }
}

/// The evidence about a log in the content of its store.
///
/// - The store's UUID does not change.
/// - Each change of an object increases `Z_OPT`: rows with the same key, entity and `Z_OPT` have the same values. Columns of
///   integers are not compared: positions and derived numbers change without the object.
/// - A file with b-trees that are consistent without the log stays so with it. This reads all pages, and is checked for small
///   files only.
struct LogEvidence {
    let file: FileImage
    let log: FileImage

    private static let highestPageCount = 4096
    /// The numbers of rows compared at both ends of a table, and of those that must be other rows.
    private static let sampleCount = 300
    private static let replacedCount = 3

    var isForeign: Bool {
        guard let with = try? Database(log), let without = try? Database(file) else { return false }
        if let old = uuid(without), let new = uuid(with), old != new { return true }
        // A migration may write all rows again.
        let isSameSchema = file.header.schemaCookie == log.header.schemaCookie
        if isSameSchema, (try? hasReplacedRows(without, with)) == true { return true }
        guard log.pageCount <= Self.highestPageCount, !log.isCompleteInLog else { return false }
        return !isConsistent(with) && isConsistent(without)
    }

    private func uuid(_ database: Database) -> String? { try? database.text("SELECT Z_UUID FROM Z_METADATA") }

    /// Returns whether the b-trees and the list of free pages are consistent. Wrong values in them do not count.
    private func isConsistent(_ database: Database) -> Bool {
        do {
            return try database.text("PRAGMA quick_check(1)")?.hasPrefix("*** in database") != true
        } catch {
            return false
        }
    }

    // MARK: Rows

    private func hasReplacedRows(_ old: Database, _ new: Database) throws -> Bool {
        let names = try old.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z*' LIMIT 200")
        var replaced = 0
        while try names.step() {
            guard let name = names.text(0) else { continue }
            for order in ["ASC", "DESC"] {
                let sql = "SELECT Z_PK, Z_ENT, Z_OPT, * FROM \(name.quotedIdentifier) ORDER BY Z_PK \(order)"
                guard let left = try? old.prepare(sql), let right = try? new.prepare(sql) else { continue }
                replaced += (try? Self.replacedRows(left, right, isAscending: order == "ASC")) ?? 0
                if replaced >= Self.replacedCount { return true }
            }
        }
        return false
    }

    /// Compares the rows with the same keys. Returns the number of those in which no text and no bytes are the same.
    private static func replacedRows(_ left: Statement, _ right: Statement, isAscending: Bool) throws -> Int {
        guard left.columnCount == right.columnCount else { return 0 }
        var replaced = 0
        var (hasLeft, hasRight) = (try left.step(), try right.step())
        for _ in 0..<sampleCount * 2 where hasLeft && hasRight {
            let (first, second) = (left.integer(0), right.integer(0))
            if first == second {
                if isReplaced(left, right) { replaced += 1 }
                hasLeft = try left.step()
                hasRight = try right.step()
            } else if (first < second) == isAscending {
                hasLeft = try left.step()
            } else {
                hasRight = try right.step()
            }
        }
        return replaced
    }

    private static func isReplaced(_ left: Statement, _ right: Statement) -> Bool {
        guard left.integer(1) == right.integer(1), left.integer(2) == right.integer(2) else { return false }
        var differs = false
        for column in 3..<left.columnCount {
            let value = left.value(column), other = right.value(column)
            switch (value, other) {
            case (.text, .text), (.blob, .blob):
                if value == other { return false }
                differs = true
            default: continue
            }
        }
        return differs
    }
}

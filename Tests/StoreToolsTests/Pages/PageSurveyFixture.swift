import CCoreDataSQLite
import CoreDataTestSupport
import Foundation

@testable import StoreTools

/// The pages of a file in memory, to be damaged.
final class SurveyedPages: DatabasePages {
    struct Failure: Error {}

    var bytes: [UInt8]
    var pageSize: Int
    var reservedBytes: Int
    var pageCount: Int { bytes.count / pageSize }
    /// The pages that cannot be read.
    var failing: Set<Int> = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        let size = Int(bytes[16]) << 8 | Int(bytes[17])
        pageSize = size == 1 ? 65536 : size
        reservedBytes = Int(bytes[20])
    }

    func withPage<Result>(_ number: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        guard !failing.contains(number) else { throw Failure() }
        return try bytes.withUnsafeBytes {
            try body(UnsafeRawBufferPointer(rebasing: $0[(number - 1) * pageSize..<number * pageSize]))
        }
    }

    func offset(_ page: Int) -> Int { (page - 1) * pageSize }
    func byte(_ page: Int, _ offset: Int = 0) -> UInt8 { bytes[self.offset(page) + offset] }
    func number(_ page: Int, _ offset: Int) -> Int { (0..<4).reduce(0) { $0 << 8 | Int(byte(page, offset + $1)) } }

    func set(_ page: Int, _ offset: Int, _ values: [UInt8]) {
        bytes.replaceSubrange(self.offset(page) + offset..<self.offset(page) + offset + values.count, with: values)
    }

    func fill(_ page: Int, _ range: Range<Int>? = nil, with value: UInt8 = 0) {
        let range = range ?? 0..<pageSize
        set(page, range.lowerBound, [UInt8](repeating: value, count: range.count))
    }

    func swap(_ first: Int, _ second: Int) {
        let size = pageSize
        let one = Array(bytes[offset(first)..<offset(first) + size])
        set(first, 0, Array(bytes[offset(second)..<offset(second) + size]))
        set(second, 0, one)
    }

    /// Returns the pages from the second on that begin with a byte, without pointer maps.
    func pages(beginningWith byte: UInt8) -> [Int] {
        let hasMaps = number(1, 52) != 0
        let interval = (pageSize - reservedBytes) / 5 + 1
        return (2...max(pageCount, 2)).filter { self.byte($0) == byte && !(hasMaps && ($0 - 2) % interval == 0) }
    }

    /// Returns the number of cells of a b-tree's page.
    func cellCount(_ page: Int) -> Int { Int(byte(page, 3)) << 8 | Int(byte(page, 4)) }
}

/// A database, and what SQLite reads from it.
struct SurveyedDatabase {
    /// Rows by table and key, with a null for an INTEGER PRIMARY KEY.
    var rows: [String: [Int64: [StoredValue]]] = [:]
    var roots: [String: Int] = [:]
    var schema: [SchemaEntry] = []
    let bytes: [UInt8]
    var pages: SurveyedPages { SurveyedPages(bytes) }

    init(_ settings: String, reserved: Int32 = 0, _ script: [String]) throws {
        let folder = try TemporaryFolder()
        let file = folder.file("store.sqlite").path
        do {
            let database = try Database(file, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
            var bytes = reserved
            if reserved > 0 { _ = sqlite3_file_control(database.handle, "main", 38, &bytes) }
            for line in settings.split(separator: ";") { try database.execute("PRAGMA \(line)") }
            try database.execute("BEGIN")
            for line in script { try database.execute(line) }
            try database.execute("COMMIT")
            let entries = try database.prepare("SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema")
            while try entries.step() {
                let entry = SchemaEntry(
                    type: entries.text(0) ?? "", name: entries.text(1) ?? "", table: entries.text(2) ?? "",
                    rootPage: Int(entries.integer(3)), sql: entries.text(4))
                schema.append(entry)
                guard entry.type == "table", entry.sql?.contains("WITHOUT ROWID") == false else { continue }
                roots[entry.name] = entry.rootPage
                let table = try database.prepare("SELECT rowid, * FROM \(entry.name.quotedIdentifier)")
                let hasKey = entry.sql?.contains("(id INTEGER PRIMARY KEY") == true
                var found: [Int64: [StoredValue]] = [:]
                while try table.step() {
                    var values = (1..<Int(sqlite3_column_count(table.handle))).map { table.value($0) }
                    if hasKey { values[0] = .null }
                    found[table.integer(0)] = values
                }
                rows[entry.name] = found
            }
        }
        bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    }

    /// Two tables of several levels with long values, an index and deleted rows.
    static func sample(vacuum: String, pageSize: Int = 1024, extraTables: Int = 0) throws -> SurveyedDatabase {
        var script = [
            "CREATE TABLE a (id INTEGER PRIMARY KEY, x, y TEXT)", "CREATE TABLE b (id INTEGER PRIMARY KEY, t TEXT)",
            "CREATE TABLE small (id INTEGER PRIMARY KEY, n)", "CREATE INDEX a_y ON a (y)",
        ]
        for index in 0..<extraTables { script.append("CREATE TABLE extra\(index) (\(columns))") }
        script.append(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
            INSERT INTO a SELECT i, i * 1000003, 'text of ' || i || CASE WHEN i % 100 = 0
            THEN replace(hex(zeroblob(1000)), '0', 'é') ELSE '' END FROM n
            """)
        script.append(
            """
            WITH RECURSIVE n(i) AS (SELECT 5001 UNION ALL SELECT i + 1 FROM n WHERE i < 5400)
            INSERT INTO b SELECT i, 'a longer text of row ' || i || ' of b' FROM n
            """)
        script.append("INSERT INTO small VALUES (1, 'one'), (2, 2), (3, NULL)")
        script.append("DELETE FROM b WHERE id % 10 = 3")
        return try SurveyedDatabase("page_size=\(pageSize);auto_vacuum=\(vacuum)", script)
    }

    private static let columns = (0..<40).map { "column_number_\($0) VARCHAR" }.joined(separator: ", ")
}

/// The rows that a survey finds.
struct SurveyedRows {
    let survey: PageSurvey
    /// Complete rows by root and key, of pages that belong to one, with those of damaged pages.
    var rows: [Int: [Int64: [StoredValue]]] = [:]
    var incomplete: [SalvagedRow] = []
    var damagedCells = 0
    /// The numbers of rows on pages that belong to no table.
    var withoutOwner = 0

    init(_ pages: SurveyedPages) throws {
        survey = try PageSurvey(pages)
        for page in survey.leafPages {
            var found: [SalvagedRow] = []
            damagedCells += try survey.rows(of: page) { found.append($0) }
            take(found, survey.owner(of: page))
        }
        for page in survey.salvageable {
            var found: [SalvagedRow] = []
            try survey.remains(of: page) { found.append($0) }
            take(found, survey.owner(of: page))
        }
    }

    private mutating func take(_ found: [SalvagedRow], _ owner: PageOwner) {
        incomplete += found.filter { !$0.isComplete }
        switch owner {
        case .tree(let root), .pointerMap(let root):
            for row in found where row.isComplete { rows[root, default: [:]][row.key] = row.values }
        case .free: break
        case .unknown: withoutOwner += found.count
        }
    }

    /// Returns whether exactly the rows of all tables were found under their roots.
    func equals(_ database: SurveyedDatabase) -> Bool {
        database.rows.allSatisfy { table, expected in
            guard let root = database.roots[table] else { return false }
            return (rows[root] ?? [:]) == expected
        }
    }
}

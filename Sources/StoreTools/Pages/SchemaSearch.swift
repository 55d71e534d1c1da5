/// Reads the rows of `sqlite_schema`.
struct SchemaSearch {
    private let reader: PageReader
    private let table: PageTable
    private(set) var entries: [SchemaEntry] = []
    private var known: Set<[String]> = []

    init(_ reader: PageReader, _ table: PageTable) {
        self.reader = reader
        self.table = table
    }

    /// Reads the leaves of the schema's tree; returns false if a row could not be read.
    mutating func read(leaves: [Int]) throws -> Bool {
        var isComplete = true
        for page in leaves {
            let damaged = try reader.rows(of: page, isFree: false) { row in
                guard let entry = Self.entry(row, reader.geometry, mustHaveSQL: false) else {
                    isComplete = false
                    return
                }
                add(entry)
            }
            if damaged > 0 { isComplete = false }
        }
        return isComplete
    }

    /// Searches leaves that belong to no known table, and damaged pages, for rows of the schema.
    ///
    /// - Parameter isCandidate: Whether a page may belong to the schema.
    mutating func search(_ isCandidate: (Int) -> Bool) throws {
        var leaves = table.leaves.map { Int($0.page) }.filter { isCandidate($0) && hasFiveColumns($0) }
        // The damaged leaves of the schema come first: a copy elsewhere may be older.
        let damaged = table.kinds.indices.dropFirst().filter {
            table.kinds[$0] == .other && !table.isOverflow[$0] && ($0 == 1 || isCandidate($0))
        }
        leaves.sort { table.map.parent($0) == 1 && table.map.parent($1) != 1 }
        let encodings = table.header == nil ? TextEncoding.allCases : [reader.decoder.encoding]
        for encoding in encodings {
            reader.decoder.encoding = encoding
            let count = entries.count
            for page in leaves {
                _ = try reader.rows(of: page, isFree: false) { addFound($0) }
            }
            for page in damaged.prefix(1000) + leaves {
                try reader.remains(of: page, table.leaf(page)) { addFound($0) }
            }
            if entries.count > count { return }
        }
        reader.decoder.encoding = table.header?.encoding ?? .utf8
    }

    private mutating func addFound(_ row: SalvagedRow) {
        if let entry = Self.entry(row, reader.geometry, mustHaveSQL: true) { add(entry) }
    }

    private mutating func add(_ entry: SchemaEntry) {
        if known.insert([entry.type, entry.name]).inserted { entries.append(entry) }
    }

    /// Returns whether the first readable record of a leaf has five columns.
    private func hasFiveColumns(_ page: Int) -> Bool {
        let count = PageTable.read(reader.pages, page) { bytes -> Int? in
            guard let header = BTreeHeader(bytes, page: page, geometry: reader.geometry) else { return nil }
            for index in 0..<header.cellCount {
                let offset = bytes.short(header.pointers + 2 * index)
                guard offset >= header.pointersEnd, let cell = LeafCell(bytes, at: offset, reader.geometry) else {
                    continue
                }
                let record = PageBytes(bytes.base + cell.content, cell.local)
                if let header = reader.decoder.header(record, payload: cell.payload) { return header.columnCount }
            }
            return nil
        }
        return count == 5
    }

    private static func entry(_ row: SalvagedRow, _ geometry: PageGeometry, mustHaveSQL: Bool) -> SchemaEntry? {
        guard row.columnCount == 5, row.values.count >= 4, case .text(let type) = row.values[0],
            ["table", "index", "trigger", "view"].contains(type), case .text(let name) = row.values[1],
            case .text(let table) = row.values[2]
        else { return nil }
        var sql: String?
        if row.values.count > 4, case .text(let text) = row.values[4] { sql = text }
        if mustHaveSQL {
            let isAutomatic = sql == nil && type == "index" && name.hasPrefix("sqlite_autoindex_")
            guard isAutomatic || sql?.uppercased().hasPrefix("CREATE") == true else { return nil }
        }
        var root = 0
        if case .integer(let number) = row.values[3], number >= 2, number <= Int64(geometry.pageCount) {
            root = Int(number)
        }
        return SchemaEntry(type: type, name: name, table: table, rootPage: root, sql: sql)
    }
}

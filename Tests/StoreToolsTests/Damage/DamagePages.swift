import Foundation

/// The pages of an undamaged database file by what they contain; found with a walk that depends on no code under test.
struct DamagePages: Sendable {
    enum Kind: Sendable { case tableInterior, tableLeaf, indexInterior, indexLeaf, overflow }

    struct Page: Sendable {
        let number: Int
        let kind: Kind
        /// The table, or the table of the index.
        let table: String
    }

    private(set) var pageSize = 4096
    private(set) var reserved = 0
    private(set) var pages: [Page] = []
    private(set) var pageCount = 0
    private(set) var hasPointerMap = false
    private(set) var freelistTrunk = 0
    /// The first pages of overflow chains, with the place of the number that refers to them.
    private(set) var chains: [(page: Int, place: Int)] = []

    init() {}

    init(_ bytes: [UInt8], _ sql: DamageSQL) throws {
        pageSize = Self.integer(bytes, 16, 2)
        if pageSize == 1 { pageSize = 65536 }
        reserved = Int(bytes[20])
        pageCount = bytes.count / pageSize
        hasPointerMap = Self.integer(bytes, 52, 4) != 0
        freelistTrunk = Self.integer(bytes, 32, 4)
        walk(bytes, 1, "sqlite_schema")
        for row in try sql.rows("SELECT rootpage, tbl_name FROM sqlite_schema WHERE rootpage > 0") {
            walk(bytes, Int(row[0]) ?? 0, String(row[1].dropFirst()))
        }
    }

    static func integer(_ bytes: [UInt8], _ place: Int, _ count: Int) -> Int {
        bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
    }

    static func varint(_ bytes: [UInt8], _ place: inout Int) -> Int {
        var value = 0
        for index in 0..<9 {
            let byte = Int(bytes[place])
            place += 1
            if index == 8 { return value << 8 | byte }
            value = value << 7 | byte & 0x7f
            if byte < 0x80 { break }
        }
        return value
    }

    /// The place of a page's first byte.
    func start(_ page: Int) -> Int { (page - 1) * pageSize }
    /// The place of the header of a b-tree page.
    func header(_ page: Int) -> Int { page == 1 ? 100 : start(page) }

    func of(_ kinds: Kind..., table: String? = nil) -> [Page] {
        pages.filter { kinds.contains($0.kind) && (table == nil || $0.table == table) }
    }

    /// Pages of entities and join tables.
    func ofRows(_ kinds: Kind...) -> [Page] {
        pages.filter { page in
            kinds.contains(page.kind) && page.table.hasPrefix("Z")
                && !["Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE"].contains(page.table)
        }
    }

    /// The places of the cells of a b-tree page in the file.
    func cells(_ bytes: [UInt8], _ page: Int) -> [Int] {
        let header = header(page)
        let isLeaf = bytes[header] >= 10
        return (0..<Self.integer(bytes, header + 3, 2)).map {
            start(page) + Self.integer(bytes, header + (isLeaf ? 8 : 12) + $0 * 2, 2)
        }
    }

    private mutating func walk(_ bytes: [UInt8], _ number: Int, _ table: String) {
        let header = header(number)
        let usable = pageSize - reserved
        let kinds: [UInt8: Kind] = [5: .tableInterior, 13: .tableLeaf, 2: .indexInterior, 10: .indexLeaf]
        guard let kind = kinds[bytes[header]] else { return }
        pages.append(Page(number: number, kind: kind, table: table))
        for cell in cells(bytes, number) {
            var place = cell
            if kind == .tableInterior || kind == .indexInterior {
                walk(bytes, Self.integer(bytes, place, 4), table)
                place += 4
            }
            guard kind != .tableInterior else { continue }
            let payload = Self.varint(bytes, &place)
            if kind == .tableLeaf { _ = Self.varint(bytes, &place) }
            let most = kind == .tableLeaf ? usable - 35 : (usable - 12) * 64 / 255 - 23
            guard payload > most else { continue }
            let least = (usable - 12) * 32 / 255 - 23
            let local = least + (payload - least) % (usable - 4)
            follow(bytes, place + (local <= most ? local : least), table)
        }
        if kind == .tableInterior || kind == .indexInterior { walk(bytes, Self.integer(bytes, header + 8, 4), table) }
    }

    private mutating func follow(_ bytes: [UInt8], _ place: Int, _ table: String) {
        var page = Self.integer(bytes, place, 4)
        if table.hasPrefix("Z"), !table.hasPrefix("Z_M") { chains.append((page, place)) }
        while page != 0 {
            pages.append(Page(number: page, kind: .overflow, table: table))
            page = Self.integer(bytes, start(page), 4)
        }
    }
}

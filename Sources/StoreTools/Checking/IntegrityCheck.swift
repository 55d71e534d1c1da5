import Foundation

#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

/// Runs SQLite's own check, and assigns its messages to tables and indexes.
struct IntegrityCheck {
    private let check: CheckRun
    /// The highest number of messages that SQLite is asked for.
    private static let limit = 100

    init(_ check: CheckRun) { self.check = check }

    func run() throws {
        var messages: [String] = []
        do {
            for argument in try arguments() {
                let statement = try check.database.prepare("PRAGMA integrity_check(\(argument))")
                while try statement.step() {
                    for line in (statement.text(0) ?? "").split(separator: "\n") where line != "ok" {
                        messages.append(String(line))
                    }
                }
            }
        } catch is DatabaseError {
            try check.watch.requireGoingOn()
            // SQLite gives up at some kinds of damage. Each table and index by itself tells where it is.
            report(messages, try objects())
            try probe()
            return
        }
        if !messages.isEmpty { report(messages, try objects()) }
    }

    /// Returns the arguments of the checks: one of the whole file, or the tables without expressions that it would compute.
    private func arguments() throws -> [String] {
        guard let trust = check.database.readGuard?.trust, !trust.isComplete else { return ["\(Self.limit)"] }
        let omitted = trust.refused.union(trust.computing)
        return try objects().filter { !$0.isIndex && !omitted.contains($0.name.uppercased()) }
            .map(\.name.quotedIdentifier)
    }

    private func report(_ messages: [String], _ objects: [SchemaObject]) {
        var groups: [(place: Place, messages: [String])] = []
        for message in messages where !message.hasPrefix("***") {
            let place = Place(message, objects)
            if let known = groups.firstIndex(where: { $0.place == place }) {
                groups[known].messages.append(message)
            } else {
                groups.append((place, [message]))
            }
        }
        for group in groups { add(group.place, group.messages) }
    }

    /// Reads each table and index that is not known to be damaged.
    private func probe() throws {
        for object in try objects() where object.root > 0 && !check.isDamaged(object.name) {
            let table = object.table.quotedIdentifier
            do {
                if object.isIndex {
                    guard let column = try firstColumn(object.name) else { continue }
                    let rows = try check.database.prepare(
                        "SELECT \(column) FROM \(table) INDEXED BY \(object.name.quotedIdentifier) ORDER BY \(column)")
                    while try rows.step() {}
                } else {
                    _ = try check.database.integer("SELECT count(*) FROM \(table) NOT INDEXED")
                }
            } catch let error as DatabaseError {
                try check.watch.requireGoingOn()
                // A partial index cannot be read without its condition.
                guard error.primaryCode != SQLITE_ERROR else { continue }
                add(object.isIndex ? .index(object.name, table: object.table) : .table(object.name), [error.message])
            }
        }
        if check.findings.isEmpty {
            check.add(
                StoreFinding(
                    .structure, "SQLite cannot check the file completely.", cause: nil, remedy: .mendedWithLoss))
        }
    }

    private func firstColumn(_ index: String) throws -> String? {
        let statement = try check.database.prepare("SELECT name FROM pragma_index_info(?) ORDER BY seqno LIMIT 1")
        try statement.bind(.text(index), at: 1)
        return try statement.step() ? statement.text(0)?.quotedIdentifier : nil
    }

    private func add(_ place: Place, _ messages: [String]) {
        let first = messages[0]
        switch place {
        case .index(let name, let table):
            check.facts.damaged.insert(name.uppercased())
            check.add(
                StoreFinding(
                    .structure, table: table, count: messages.count,
                    "The index \(name) does not fit its table, or is damaged.", cause: "SQLite: \(first)",
                    remedy: .mended))
        case .table(let name):
            check.facts.damaged.insert(name.uppercased())
            check.add(
                StoreFinding(
                    .structure, table: name, count: messages.count, "Pages of the table \(name) are damaged.",
                    cause: "SQLite: \(first)", remedy: .mendedWithLoss))
        case .value(let name):
            check.add(
                StoreFinding(
                    .structure, table: name, count: messages.count,
                    "The table \(name) has values that its declaration forbids.", cause: "SQLite: \(first)",
                    remedy: .mended))
        case .file:
            check.add(
                StoreFinding(
                    .structure, count: messages.count, "Pages are damaged, or are used twice or not at all.",
                    cause: "SQLite: \(first)", remedy: .mended))
        }
    }

    private func objects() throws -> [SchemaObject] {
        var objects = [SchemaObject(name: "sqlite_master", table: "sqlite_master", root: 1, isIndex: false)]
        try check.reading("sqlite_master") {
            let statement = try check.database.prepare(
                "SELECT name, tbl_name, rootpage, type FROM sqlite_master WHERE type IN ('table', 'index')")
            while try statement.step() {
                objects.append(
                    SchemaObject(
                        name: statement.text(0) ?? "", table: statement.text(1) ?? "", root: statement.integer(2),
                        isIndex: statement.text(3) == "index"))
            }
        }
        return objects
    }

    /// A table or an index.
    struct SchemaObject {
        var name: String
        var table: String
        var root: Int64
        var isIndex: Bool
    }

    /// The subject of a message.
    enum Place: Hashable {
        case table(String)
        case index(String, table: String)
        /// Values of a table.
        case value(String)
        /// The file as a whole.
        case file

        init(_ message: String, _ objects: [SchemaObject]) {
            func place(_ object: SchemaObject) -> Place {
                object.isIndex ? .index(object.name, table: object.table) : .table(object.name)
            }
            // "Page 15: btreeInitPage() returns error code 11" of a root, "Tree 5 page 12 cell 3: …", "On tree page 12 cell 3: …", "row 5 missing from index X",
            // "wrong # of entries in index X", "NULL value in T.C"
            let words = message.split(separator: " ").map(String.init)
            if message.hasPrefix("Tree "), words.count > 1, let root = Int64(words[1]) {
                self = objects.first { $0.root == root }.map(place) ?? .file
            } else if message.hasPrefix("Page "), words.count > 1, !message.hasSuffix("never used") {
                let root = Int64(words[1].filter(\.isNumber))
                self = objects.first { $0.root == root }.map(place) ?? .file
            } else if message.hasPrefix("On tree page "), words.count > 3 {
                let root = Int64(words[3].filter(\.isNumber))
                self = objects.first { $0.root == root }.map(place) ?? .file
            } else if let range = message.range(of: " index ") {
                let name = String(message[range.upperBound...])
                self =
                    objects.first { $0.isIndex && $0.name == name }.map(place)
                    ?? objects.filter { $0.isIndex && name.hasPrefix($0.name) }
                    .max { $0.name.count < $1.name.count }.map(place) ?? .file
            } else if let range = message.range(of: " value in ") {
                let name = message[range.upperBound...]
                let table = objects.filter { !$0.isIndex && name.hasPrefix($0.name + ".") }
                    .max { $0.name.count < $1.name.count }
                self = table.map { .value($0.name) } ?? .file
            } else {
                self = .file
            }
        }
    }
}

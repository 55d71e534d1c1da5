#if PostgreSQL
import CoreDataMemoryStorage
import CoreDataPostgreSQLStorage
import CoreDataRowStorage
import Foundation
import PostgreSQLTestSupport

/// The same random rows in memory and in a PostgreSQL schema.
final class RandomRows {
    /// A row: its values by attribute, to-one relationships as references.
    struct Row {
        var entity: String
        var reference: RowReference
        var values: [String: Any]
    }

    let memory: any StoreEngine
    let server: any StoreEngine
    let identifiers: (memory: String, server: String)
    private(set) var rows: [Row] = []
    private let url: URL
    private let close: () -> Void

    init(seed: UInt64) throws {
        var random = RandomValues(seed: seed)
        let url = try TestServer.makeSchema()
        self.url = url
        let memoryStore = try EngineKind.memory.makeEngine()
        memory = memoryStore.engine
        let found = try PostgreSQLDriver.make(StorePlace(url), for: Model(), Bookshop.layouts)
        let identifier = PostgreSQLDriver.metadata(of: found).identifier
        let engine = try PostgreSQLDriver.open(
            found,
            for: EngineOpening(layouts: Bookshop.layouts, model: nil, required: [], identifier: identifier) {
                StandIn($0, storeUUID: identifier)
            })
        server = engine
        identifiers = (memoryStore.identifier, identifier)
        close = {
            PostgreSQLDriver.close(engine)
            withExtendedLifetime(memoryStore) {}
        }
        try fill(&random)
    }

    deinit {
        close()
        TestServer.removeSchema(url)
    }

    private final class Model: StoredModel {
        var versionMetadata: [String: Any] { [:] }
        func archive() -> Data? { nil }
    }

    // MARK: Filling

    private func fill(_ random: inout RandomValues) throws {
        let builder = SaveBuilder()
        var made: [(entity: String, reference: RowReference, values: [String: Any])] = []
        var links: [(book: RowReference, entity: String, tag: RowReference)] = []
        func add(_ entity: String, _ values: [String: Any?]) -> RowReference {
            let present = values.compactMapValues { $0 }
            let reference = builder.insert(entity, present)
            made.append((entity, reference, present))
            return reference
        }
        for number in 0..<150 { _ = add("Sample", random.sample(number)) }
        let authors = (0..<12).map { _ in
            add("Author", ["name": random.text(), "rating": random.double(), "born": random.date()])
        }
        let tags = (0..<10).map { add("Tag", ["word": "\(random.text() ?? "")\($0)", "weight": random.small()]) }
        for number in 0..<60 {
            let entity = ["Book", "Novel", "Saga"][random.below(3)]
            var values: [String: Any?] = [
                "title": random.text(), "pages": random.small(), "price": random.decimal(),
                "published": Date(timeIntervalSinceReferenceDate: Double(number) * 1000),
                "author": random.below(4) == 0 ? nil : authors[random.below(authors.count)],
            ]
            if entity != "Book" { values["chapters"] = random.small().map { $0 % 100 } }
            if entity == "Saga" { values["volumes"] = random.small() }
            let book = add(entity, values)
            let own = Set((0..<random.below(4)).map { _ in random.below(tags.count) }).sorted().map { tags[$0] }
            guard !own.isEmpty else { continue }
            builder.link(book, entity, "tags", add: own)
            links += own.map { (book, entity, $0) }
        }
        let keys = try withExtendedLifetime(builder) { try memory.session().save(builder.changes) }
        func permanent(_ reference: RowReference) -> RowReference {
            RowReference(entityNumber: reference.entityNumber, key: keys[reference.key] ?? reference.key)
        }
        rows = made.map { entity, reference, values in
            Row(
                entity: entity, reference: permanent(reference),
                values: values.mapValues { ($0 as? RowReference).map(permanent) ?? $0 })
        }
        try insert(links.map { (permanent($0.book).key, permanent($0.tag).key) })
    }

    /// Writes the rows into the server by statements with literals, without the engine.
    private func insert(_ links: [(book: Int64, tag: Int64)]) throws {
        let tables = [
            "Sample": "sample", "Author": "author", "Tag": "tag", "Book": "book", "Novel": "book", "Saga": "book",
        ]
        let schema = url.user ?? ""
        var statements = rows.sorted { $0.entity == "Author" && $1.entity != "Author" }.map { row in
            var columns = ["id": "\(row.reference.key)"]
            if tables[row.entity] == "book" { columns["entity"] = "'\(row.entity)'" }
            for (name, value) in row.values { columns["\"\(name)\""] = Self.literal(value) }
            if row.entity == "Sample", row.values["count"] == nil { columns["count"] = "NULL" }
            let names = columns.keys.sorted()
            return "INSERT INTO \(schema).\(tables[row.entity] ?? "") (\(names.joined(separator: ", "))) "
                + "VALUES (\(names.map { columns[$0] ?? "" }.joined(separator: ", ")))"
        }
        statements += links.map { "INSERT INTO \(schema).book_tags (book, tag) VALUES (\($0.book), \($0.tag))" }
        try TestServer.execute(["BEGIN"] + statements + ["COMMIT"])
    }

    private static func literal(_ value: Any) -> String {
        switch value {
        case let reference as RowReference: return "\(reference.key)"
        case let text as String:
            // By scalars: a quotation mark before a combining mark is no character for itself.
            return "'\(text.unicodeScalars.map { $0 == "'" ? "''" : String($0) }.joined())'"
        case let url as URL: return "'\(url.absoluteString)'"
        case let uuid as UUID: return "'\(uuid.uuidString)'"
        case let data as Data: return "'\\x\(data.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined())'"
        case let date as Date:
            let microseconds = (date.timeIntervalSinceReferenceDate * 1_000_000).rounded()
            return "timestamptz '2001-01-01 00:00:00+00' + interval '\(Int64(microseconds)) microseconds'"
        case let decimal as NSDecimalNumber: return "'\(decimal.description)'"
        case let flag as Bool: return "\(flag)"
        case let float as Float: return "'\(float)'"
        case let double as Double: return "'\(double)'"
        default: return "\(value)"
        }
    }
}
#endif

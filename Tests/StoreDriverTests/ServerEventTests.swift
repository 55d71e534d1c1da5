import CoreData
import CoreDataRowStorage
import CoreDataTestSupport
import Foundation
import Synchronization
import Testing

/// What Instruments shows of stores in servers.
@Suite("Events of stores in servers", .enabled(if: StoreKind.hasServer, StoreKind.needsServer))
struct ServerEventTests {
    private func withContext(_ body: (NSManagedObjectContext) throws -> Void) throws {
        let place = try StoreKind.postgreSQL.makePlace()
        defer { place.remove() }
        let container = try ToyStores.container(Versions.first(), at: #require(place.url))
        let context = container.newBackgroundContext()
        try context.performAndWait { try body(context) }
    }

    private static let secret = "A title that nothing else contains"

    private static func insert(into context: NSManagedObjectContext) {
        NSEntityDescription.insertNewObject(forEntityName: "Company", into: context).setValue(secret, forKey: "title")
    }

    @Test func aFetchHasItsStatementRowsAndTime() throws {
        try withContext { context in
            for _ in 0..<3 { Self.insert(into: context) }
            try context.save()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Company")
            request.predicate = NSPredicate(format: "title == %@", Self.secret)
            context.reset()
            let recording = try Instruments.record { _ = try context.fetch(request) }
            let fetch = try #require(recording.fetches.first)
            #expect(fetch.statementCount == 1)
            let sql = try #require(fetch.statements.first?.sql)
            #expect(sql.hasPrefix("SELECT ") && sql.contains("$1"), "\(sql)")
            #expect(fetch.rows == 3)
            #expect(fetch.sqlDuration > .zero && fetch.sqlDuration <= fetch.duration)
            #expect(recording.totals.queries == 1)
        }
    }

    @Test func aSaveHasItsStatementsInTheirOrder() throws {
        try withContext { context in
            // Keys are reserved before.
            Self.insert(into: context)
            try context.save()
            Self.insert(into: context)
            let recording = try Instruments.record { try context.save() }
            let save = try #require(recording.events.first { $0.kind == .save })
            let texts = save.statements.map(\.sql)
            #expect(texts.first?.hasPrefix("BEGIN") == true)
            #expect(texts.last == "COMMIT")
            #expect(texts.count { $0.contains("INSERT INTO company") } == 1, "\(texts)")
            #expect(save.sqlDuration > .zero)
        }
    }

    @Test func valuesOfParametersAreNotReported() throws {
        try withContext { context in
            let listener = StatementListener()
            Probe.add(listener)
            defer { Probe.remove(listener) }
            let recording = try Instruments.record(plans: true) {
                Self.insert(into: context)
                try context.save()
                _ = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Company"))
            }
            #expect(listener.texts.contains { $0.contains("INSERT INTO company") })
            #expect(!listener.texts.contains { $0.contains(Self.secret) })
            let json = String(decoding: recording.json(), as: UTF8.self)
            #expect(json.contains("INSERT INTO company"))
            #expect(!json.contains(Self.secret))
        }
    }
}

/// Collects what a log of statements with their values and plans would write.
private final class StatementListener: EventListener {
    let needs: Probe.Needs = [.events, .statements, .plans]
    private let lines = Mutex<[String]>([])
    var texts: [String] { lines.withLock { $0 } }

    func ended(_ record: EventRecord) {}

    func begins(_ statement: any ReportedStatement, in record: EventRecord?) {
        lines.withLock { $0 += [statement.sql] + statement.boundValues + statement.queryPlan }
    }
}

#if PostgreSQL
import CoreDataPostgreSQLStorage
import CoreDataRowStorage
import Foundation
import PostgreSQLTestSupport
import Testing

/// Saves over connections that are cut at every message of the protocol, before and after `COMMIT`: each is written once if
/// it returns, and not at all if it throws. Some saves have so many new rows that they are copied. The ledger is what psql
/// would show.
///
/// Some hundred saves; `MAGICALRECORD_LOST_SAVES=10000` for the long form.
@Suite("Saves over lost connections", .enabled(if: TestServer.isAvailable), .serialized)
struct LostConnectionTests {
    private final class BareModel: StoredModel {
        var versionMetadata: [String: Any] { [:] }
        func archive() -> Data? { nil }
    }

    private static let count =
        ProcessInfo.processInfo.environment["MAGICALRECORD_LOST_SAVES"].flatMap { Int($0) } ?? 300

    /// The number of new rows of an entity in a save that copies them.
    private static let copied = 600

    /// A store whose connections pass a proxy.
    private final class Store {
        let proxy: ServerProxy
        let engine: PostgreSQLEngine
        let schema: URL

        init() throws {
            schema = try TestServer.makeSchema()
            proxy = try ServerProxy(to: schema)
            let place = StorePlace(
                proxy.url(for: schema), StoreOptions([NSPersistentStoreConnectionPoolMaxSizeKey: 2]))
            let found = try PostgreSQLDriver.make(place, for: BareModel(), Bookshop.layouts)
            let identifier = PostgreSQLDriver.metadata(of: found).identifier
            engine = try PostgreSQLDriver.open(
                found,
                for: EngineOpening(layouts: Bookshop.layouts, model: nil, required: [], identifier: identifier) {
                    StandIn($0, storeUUID: identifier)
                })
        }

        deinit {
            PostgreSQLDriver.close(engine)
            proxy.stop()
            TestServer.removeSchema(schema)
        }

        /// The rows of an entity, read over a connection that is not cut.
        func rows(_ entity: String) throws -> [StoredRow] {
            proxy.setRule { _ in .pass }
            let collector = RowCollector(unwanted: [])
            let session = try engine.session()
            try session.fetchRows(StoreFetch(layout: Bookshop.layout(entity)), into: collector)
            try session.end()
            return collector.rows
        }
    }

    /// Inserts a row and increments a counter with every save, and cuts at one message of each: of the client's in the first
    /// half, of the server's in the second.
    @Test func savesAreWrittenOnceOrNotAtAll() throws {
        let store = try Store()
        let session = try store.engine.session()
        let counter = SaveBuilder()
        counter.insert("Tag", ["word": "counter", "weight": 0.0])
        _ = try session.save(counter.changes)
        // The messages of one save, counted.
        _ = try save(0, in: store, session)
        store.proxy.setRule { _ in .pass }
        _ = try save(1, in: store, session)
        let usual = store.proxy.messageCounts
        #expect(usual.client > 5 && usual.server > 5)
        store.proxy.setRule { _ in .pass }
        _ = try save(2, in: store, session, copied: Self.copied)
        let large = store.proxy.messageCounts

        var acknowledged: Set<String> = ["0", "1", "2"]
        var copies: Set<Int> = [2]
        var refused: Set<String> = []
        var random = SystemRandomNumberGenerator()
        for number in 3..<Self.count + 3 {
            let isCopy = number % 20 == 0
            let usual = isCopy ? large : usual
            let isServer = Bool.random(using: &random), isAfter = Bool.random(using: &random)
            let place = Int.random(in: 0..<(isServer ? usual.server : usual.client), using: &random)
            let kind: ServerProxy.Message.Sender = isServer ? .server : .client
            store.proxy.setRule { message in
                guard message.sender == kind, message.number == place else { return .pass }
                return isAfter ? .passAndCut : .cut
            }
            do {
                _ = try save(number, in: store, session, copied: isCopy ? Self.copied : 0)
                acknowledged.insert("\(number)")
                if isCopy { copies.insert(number) }
            } catch let error as NSError {
                #expect(error.domain == NSCocoaErrorDomain, "\(error)")
                refused.insert("\(number)")
            }
        }
        let words = try store.rows("Author").compactMap { $0.values["name"] as? String }
        #expect(words.count == Set(words).count, "A save was written twice.")
        #expect(Set(words) == acknowledged, "Lost or half: \(Set(words).symmetricDifference(acknowledged))")
        let longs = Dictionary(grouping: try store.rows("Sample").compactMap { $0.values["long"] as? Int }) { $0 }
        #expect(Set(longs.keys) == copies, "Copies were lost.")
        #expect(longs.values.allSatisfy { $0.count == Self.copied }, "Copies are half.")
        let weight = try store.rows("Tag").first?.values["weight"] as? Double
        #expect(weight == Double(acknowledged.count))
        // Connections that are lost at once are replaced: few saves are refused.
        #expect(refused.count < Self.count / 10, "\(refused.count) saves were refused.")
    }

    @Test func anUnknownOutcomeIsFoundOutOnceTheServerTakesConnectionsAgain() throws {
        let store = try Store()
        let session = try store.engine.session()
        let counter = SaveBuilder()
        counter.insert("Tag", ["word": "counter", "weight": 0.0])
        _ = try session.save(counter.changes)
        store.proxy.setRule { _ in .pass }
        _ = try save(0, in: store, session)
        store.proxy.setRule { _ in .pass }
        _ = try save(1, in: store, session)
        let last = store.proxy.messageCounts.server - 1
        // The answer to COMMIT is lost, and the role may open no connection for a while.
        let role = try #require(store.schema.user)
        store.proxy.setRule { $0.sender == .server && $0.number == last ? .cut : .pass }
        try TestServer.execute("ALTER ROLE \(role) CONNECTION LIMIT 0")
        let opening = Thread {
            Thread.sleep(forTimeInterval: 0.3)
            try? TestServer.execute("ALTER ROLE \(role) CONNECTION LIMIT -1")
        }
        opening.start()
        _ = try save(2, in: store, session)
        let words = try store.rows("Author").compactMap { $0.values["name"] as? String }
        #expect(words.sorted() == ["0", "1", "2"])
    }

    @Test func aReadThatIsLostSaysNothingOfChanges() throws {
        let store = try Store()
        let builder = SaveBuilder()
        builder.insert("Tag", ["word": "a"])
        let session = try store.engine.session()
        _ = try session.save(builder.changes)
        _ = try store.rows("Tag")
        // The rows arrive, and the connection is lost before the server says that it is ready.
        store.proxy.setRule { _ in .pass }
        try session.fetchRows(StoreFetch(layout: Bookshop.layout("Tag")), into: RowCollector(unwanted: []))
        let last = store.proxy.messageCounts.server - 1
        store.proxy.setRule { $0.sender == .server && $0.number == last ? .cut : .pass }
        session.renew()
        let error = #expect(throws: NSError.self) {
            try session.fetchRows(StoreFetch(layout: Bookshop.layout("Tag")), into: RowCollector(unwanted: []))
        }
        #expect(error?.localizedDescription.contains("was lost") == true, "\(String(describing: error))")
        #expect(error?.localizedDescription.contains("changes") == false)
    }

    private func save(
        _ number: Int, in store: Store, _ session: any StoreSession, copied: Int = 0
    ) throws -> SavedKeys {
        let collector = RowCollector(unwanted: [])
        session.renew()
        try session.fetchRows(StoreFetch(layout: Bookshop.layout("Tag")), into: collector)
        let builder = SaveBuilder()
        builder.insert("Author", ["name": "\(number)"])
        for _ in 0..<copied { builder.insert("Sample", ["long": number]) }
        let counter = try #require(collector.rows.first)
        builder.update(counter, ["weight": (counter.values["weight"] as? Double ?? 0) + 1])
        return try session.save(builder.changes)
    }
}
#endif

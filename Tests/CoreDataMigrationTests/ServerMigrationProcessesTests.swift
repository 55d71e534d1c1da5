#if PostgreSQL
import CoreData
import CoreDataTestSupport
import Foundation
import PostgreSQLTestSupport
import Synchronization
import Testing

/// Processes that migrate one PostgreSQL store at the same time, and are killed at any step. What is in the database is asked
/// from the server.
@Suite("Processes that migrate a PostgreSQL store", .serialized, .enabled(if: TestServer.isAvailable))
struct ServerMigrationProcessesTests {
    private static let entries = 60

    /// What the worker does: alters tables, or copies objects into new ones.
    enum Way: String, CaseIterable { case light, objects }

    /// A store of the old version in a schema.
    private final class Store: Sendable {
        let url: URL
        var schema: String { url.user ?? "" }

        init() throws {
            url = try TestServer.makeSchema()
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try Self.model.get())
            let store = try coordinator.addPersistentStore(
                ofType: StoreKind.postgreSQL.type, configurationName: nil, at: url)
            defer { try? coordinator.remove(store) }
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            try context.performAndWait {
                let accounts = ["A", "B"].map { context.insert("Account", ["name": $0]) }
                let labels = ["red", "green", "blue"].map { context.insert("Label", ["word": $0]) }
                for number in 0..<entries {
                    context.insert(
                        "Entry",
                        [
                            "text": "entry \(number)", "position": number, "account": accounts[number % 2],
                            "labels": Set([labels[number % 3]]),
                        ])
                }
                try context.save()
            }
        }

        /// The worker's model, from a store that it has made.
        private static let model = Result<NSManagedObjectModel, any Error> {
            let url = try TestServer.makeSchema()
            defer { TestServer.removeSchema(url) }
            let worker = try Worker("fill", url, ["1"])
            try #require(worker.finish(), "\(worker.lines)")
            return try NSManagedObjectModel(cachedInStoreAt: url)
        }

        deinit { TestServer.removeSchema(url) }

        func texts(_ sql: String) throws -> [String] {
            try ServerCatalogue.texts(sql.replacingOccurrences(of: "SCHEMA", with: schema))
        }

        /// Every entry with its account and labels, whatever the version. Copied objects have other keys.
        func content(isNew: Bool, by way: Way) throws -> [String] {
            let key = way == .objects ? "" : "e.id || ' ' || e.version || ' ' || "
            let (label, column) = isNew ? ("a_tag", "a_tag") : ("label", "label")
            return try texts(
                """
                SELECT \(key)e.text || ' ' || e.position || ' ' || a.name || ' ' || \
                a.entry_count || ' ' || l.word FROM SCHEMA.entry e JOIN SCHEMA.account a ON a.id = e.account \
                JOIN SCHEMA.\(try join()) j ON j.entry = e.id JOIN SCHEMA.\(label) l ON l.id = j.\(column) ORDER BY e.position
                """)
        }

        private func join() throws -> String {
            try texts(
                "SELECT c.relname FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'SCHEMA'::regnamespace "
                    + "AND c.relname LIKE '%entr%' AND c.relname <> 'entry'"
            ).first ?? ""
        }

        /// Counts committed migrations from now on.
        func countMigrations() throws {
            try TestServer.execute(
                "CREATE TABLE \(schema).migrations (pid integer)", "GRANT ALL ON \(schema).migrations TO \(schema)",
                "CREATE FUNCTION \(schema).note() RETURNS trigger LANGUAGE plpgsql AS "
                    + "$$ BEGIN INSERT INTO \(schema).migrations VALUES (pg_backend_pid()); RETURN NULL; END $$",
                "CREATE TRIGGER note AFTER UPDATE OF model ON \(schema).coredata_metadata "
                    + "FOR EACH ROW EXECUTE FUNCTION \(schema).note()")
        }

        func migrations() throws -> [String] { try texts("SELECT count(*) FROM SCHEMA.migrations") }
    }

    /// The catalogue of a store that was migrated without disturbance.
    private static func migrated(_ way: Way) throws -> Set<String> {
        let store = try Store()
        let worker = try Worker("migrate", store.url, [way.rawValue])
        try #require(worker.finish(), "\(worker.lines)")
        return try ServerCatalogue.lines(store.url)
    }

    // MARK: Several processes

    @Test(arguments: Way.allCases) func `Of ten processes one migrates and nine wait`(
        _ way: Way
    ) throws {
        let store = try Store()
        let content = try store.content(isNew: false, by: way)
        #expect(content.count == Self.entries)
        try store.countMigrations()
        let signal = try TemporaryFolder()
        let go = signal.file("go")
        let workers = try (0..<10).map { _ in try Worker("migrate", store.url, [way.rawValue, go.path]) }
        for worker in workers { try worker.wait(for: "ready") }
        try Data().write(to: go)
        for worker in workers {
            #expect(worker.finish(), "\(worker.lines)")
            #expect(worker.last("entries") == Self.entries)
            let milliseconds = try #require(worker.last("milliseconds"))
            // Ten seconds by themselves; other tests use the processors.
            #expect(milliseconds < 60_000)
        }
        #expect(try store.migrations() == ["1"])
        #expect(try store.content(isNew: true, by: way) == content)
    }

    // MARK: Kills

    /// A worker that is killed at one of its messages to the server, which then arrives or does not.
    private static func kill(_ store: Store, at number: Int, passing: Bool, _ way: Way) throws -> Worker {
        let proxy = try ServerProxy(to: store.url)
        defer { proxy.stop() }
        let folder = try TemporaryFolder()
        let go = folder.file("go")
        let worker = try Worker("migrate", proxy.url(for: store.url), [way.rawValue, go.path])
        try worker.wait(for: "ready")
        let process = worker.identifier
        proxy.setRule { message in
            guard message.sender == .client, message.number == number else { return .pass }
            Foundation.kill(process, SIGKILL)
            return passing ? .passAndCut : .cut
        }
        try Data().write(to: go)
        worker.finish()
        return worker
    }

    /// The number of messages of a worker that is not killed.
    private static func messages(_ way: Way) throws -> Int {
        let store = try Store()
        let proxy = try ServerProxy(to: store.url)
        defer { proxy.stop() }
        proxy.setRule { _ in .pass }
        let worker = try Worker("migrate", proxy.url(for: store.url), [way.rawValue])
        try #require(worker.finish(), "\(worker.lines)")
        return proxy.messageCounts.client
    }

    /// What came of a kill.
    private struct Outcome: Sendable {
        var wasKilled = false
        var wasOld = false
        var problem: String?
        var seconds = 0.0
    }

    private static func round(
        _ number: Int, _ passing: Bool, _ catalogue: Set<String>, _ way: Way
    ) throws -> Outcome {
        let store = try Store()
        let content = try store.content(isNew: false, by: way)
        var outcome = Outcome()
        try store.countMigrations()
        let killed = try kill(store, at: number, passing: passing, way)
        // The number of messages varies by some of the lease: at the last ones the process may be done.
        outcome.wasKilled = !killed.lines.contains("done")
        let isOld = try store.migrations() == ["0"]
        let next = try Worker("migrate", store.url, [way.rawValue])
        if !next.finish() { outcome.problem = "the next process: \(next.lines)" }
        outcome.seconds = Double(next.last("milliseconds") ?? 0) / 1000
        outcome.wasOld = isOld
        if next.last("entries") != entries { outcome.problem = "entries: \(next.lines)" }
        if try store.content(isNew: true, by: way) != content { outcome.problem = "another content" }
        if try store.migrations() != ["1"] { outcome.problem = "\(try store.migrations()) migrations" }
        let lines = try ServerCatalogue.lines(store.url).filter {
            !$0.contains("migrations") && $0 != "function note"
        }
        if lines != catalogue { outcome.problem = "\(lines.symmetricDifference(catalogue))" }
        // A process that was killed after COMMIT leaves its lease until it is over.
        let held = try store.texts("SELECT holder FROM SCHEMA.coredata_lease WHERE until > clock_timestamp()")
        if isOld, held != [] { outcome.problem = "the lease is held" }
        return outcome
    }

    @Test(arguments: Way.allCases) func `A killed process leaves nothing half, and the next one finishes`(
        _ way: Way
    ) throws {
        let (count, catalogue) = (try Self.messages(way), try Self.migrated(way))
        // Copying takes five times as many messages.
        let kills = way == .objects ? max(1, Worker.kills / 3) : Worker.kills
        let next = Mutex(0)
        let outcomes = Mutex<[(Int, Outcome)]>([])
        DispatchQueue.concurrentPerform(iterations: min(kills, 4)) { _ in
            while true {
                let index = next.withLock { value in
                    defer { value += 1 }
                    return value
                }
                guard index < kills else { return }
                // Spread over all messages, each before and after it arrives.
                let number = index * count / kills
                do {
                    let outcome = try Self.round(number, index % 2 == 0, catalogue, way)
                    let done = outcomes.withLock { all in
                        all.append((number, outcome))
                        return all.count
                    }
                    // A long run may be ended before it is over.
                    if let problem = outcome.problem { print("killed at message \(number): \(problem)") }
                    if done % 50 == 0 { print("\(done) of \(kills) kills") }
                } catch {
                    outcomes.withLock { $0.append((number, Outcome(problem: "\(error)"))) }
                }
            }
        }
        let all = outcomes.withLock { $0 }
        for (number, outcome) in all {
            #expect(outcome.problem == nil, "killed at message \(number) of \(count): \(outcome.problem ?? "")")
            // The lease is over after some seconds; the machine may be busy with the other processes.
            #expect(outcome.seconds < 60, "message \(number)")
        }
        let slowest = all.map(\.1.seconds).max() ?? 0
        let undone = all.filter(\.1.wasOld).count
        let killed = all.filter(\.1.wasKilled).count
        #expect(killed * 10 >= kills * 9)
        print(
            "\(killed) kills at \(count) messages, \(undone) before the migration was committed; the next process took at most \(slowest) s"
        )
    }
}
#endif

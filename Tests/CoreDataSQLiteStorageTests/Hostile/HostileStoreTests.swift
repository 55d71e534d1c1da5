import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

@testable import CoreData

/// Stores damaged in every way that SQL or a hex editor allows: each may be refused, or opened and used, but no use may end
/// the program, hang, throw an error of an unknown domain or give a value of another type than the attribute's.
///
/// The promise is the one of SECURITY.md. The short form runs with the suite; `COREDATA_HOSTILE_STORES=20000 swift test
/// --filter HostileStoreTests` is the long one, which prints each variant before it runs. Variant n has the seed
/// `COREDATA_RANDOM_SEED` + n, so the seed printed last repeats a crash with `COREDATA_HOSTILE_STORES=1`.
@Suite("Hostile stores", .slow)
struct HostileStoreTests {
    /// The longest that the use of one store may take, in seconds. A sound one takes some 30 ms.
    private static let limit = 20.0

    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// The files of a sound store, with and without a log.
    private struct Sound {
        var files: [String: [UInt8]] = [:]
        var logged: [String: [UInt8]] = [:]
        let sql: HostileSQL

        init() throws {
            let store = try FormatStore(HostileModel.make().entities, options: [NSPersistentHistoryTrackingKey: true])
            try HostileModel.fill(store.context)
            sql = try HostileSQL(store)
            logged = try Self.read(store)
            store.close()
            try store.run("PRAGMA wal_checkpoint(TRUNCATE)")
            files = try Self.read(store)
        }

        private static func read(_ store: FormatStore) throws -> [String: [UInt8]] {
            var files: [String: [UInt8]] = [:]
            let folder = store.folder.url
            for name in FileManager.default.enumerator(atPath: folder.path)?.compactMap({ $0 as? String }) ?? [] {
                let file = folder.appendingPathComponent(name)
                var isFolder: ObjCBool = false
                guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder), !isFolder.boolValue
                else { continue }
                files[name] = [UInt8](try Data(contentsOf: file))
            }
            return files
        }
    }

    private func write(_ files: [String: [UInt8]], to folder: URL) throws {
        for (name, content) in files {
            let file = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(content).write(to: file)
        }
    }

    /// Makes a damaged store in a folder and says what is wrong with it.
    private func damage(_ sound: Sound, in folder: URL, _ random: inout HostileRandom) throws -> String {
        let name = "Format.sqlite"
        var done: [String] = []
        guard random.oneIn(3) else {
            try write(sound.files, to: folder)
            let path = folder.appendingPathComponent(name).path
            for _ in 0..<random.pick([1, 1, 2, 4]) {
                // SQLite refuses some; then another is tried.
                for _ in 0..<10 {
                    let statement = sound.sql.statement(&random)
                    guard let connection = try? SQLiteConnection(path: path, access: .readWrite, busyTimeout: 1)
                    else { break }
                    try? connection.execute("PRAGMA synchronous = OFF")
                    guard (try? connection.executeScript(statement)) != nil else { continue }
                    done.append(statement)
                    break
                }
            }
            return done.joined(separator: "; ")
        }
        var files = random.oneIn(3) ? sound.logged : sound.files
        if random.oneIn(3) {
            done.append(HostileBytes.damageLog(&files[name + "-wal", default: []], &random))
            if random.oneIn(2) { files[name + "-shm"] = (0..<32768).map { _ in UInt8(random.below(256)) } }
        }
        if done.isEmpty || random.oneIn(4) { done.append(HostileBytes.damage(&files[name, default: []], &random)) }
        for external in files.keys where external.contains("SUPPORT") && random.oneIn(6) {
            done.append("without \(external)")
            files[external] = random.oneIn(2) ? nil : []
        }
        try write(files, to: folder)
        return done.joined(separator: "; ")
    }

    @Test("Damaged stores are refused, or used without a crash")
    func damagedStores() throws {
        let count = Self.setting("COREDATA_HOSTILE_STORES")
        let seed = Self.setting("COREDATA_RANDOM_SEED") ?? (count == nil ? 1 : Int.random(in: 0..<1_000_000_000))
        if count != nil { print("HostileStoreTests: COREDATA_RANDOM_SEED=\(seed)") }
        let sound = try Sound()
        let watchdog = HostileWatchdog(limit: Self.limit)
        defer { watchdog.stop() }
        var (opened, errors, saves) = (0, 0, 0)
        let everyday = LongForm.choose(30, long: 120)
        for number in 0..<(count ?? everyday) {
            var random = HostileRandom(seed: UInt64(seed + number))
            let folder = try TemporaryFolder()
            let what = try damage(sound, in: folder.url, &random)
            let modes: [HostileUse.Mode] = [.normal, .normal, .normal, .readOnly, .migrating, .copying]
            var use = HostileUse(folder.file("Format.sqlite"), mode: random.pick(modes))
            let name = "COREDATA_RANDOM_SEED=\(seed + number) \(use.mode): \(what.prefix(1000))"
            if count != nil { FileHandle.standardError.write(Data((name + "\n").utf8)) }
            watchdog.begin(name)
            use.run()
            watchdog.end()
            #expect(use.problems == [], "\(name)")
            opened += use.isOpened ? 1 : 0
            errors += use.errors
            saves += use.saves
        }
        if count != nil { print("HostileStoreTests: \(opened) opened, \(errors) errors, \(saves) saves") }
        // The damage has to be found, and not to be so heavy that nothing is reached.
        if count ?? everyday >= everyday { #expect(errors > 0 && opened > 0 && saves > 0) }
    }

    /// A view may have rows without end, so none is read. An entity's table has to be one for the store to be opened.
    @Test("Views without end are errors", arguments: ["ATRANSACTION", "ACHANGE", "ZTAG", "Z_METADATA"])
    func endlessViews(_ table: String) throws {
        let sound = try Sound()
        let folder = try TemporaryFolder()
        try write(sound.files, to: folder.url)
        let url = folder.file("Format.sqlite")
        do {
            let columns = try #require(sound.sql.tables.first { $0.name == table }?.columns)
            let list = columns.map { "n AS \($0)" }.joined(separator: ", ")
            try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 1).executeScript(
                "ALTER TABLE \(table) RENAME TO Moved; CREATE VIEW \(table) AS "
                    + "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT \(list) FROM c")
        }
        let watchdog = HostileWatchdog(limit: Self.limit)
        defer { watchdog.stop() }
        watchdog.begin(table)
        let error = #expect(throws: NSError.self) {
            let (coordinator, context) = try FormatStore.open(
                url, HostileModel.make(), [NSPersistentHistoryTrackingKey: true])
            defer { withExtendedLifetime(coordinator) {} }
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
            request.resultType = .transactionsAndChanges
            _ = try context.execute(request)
        }
        #expect(error?.domain == NSCocoaErrorDomain)
    }

    /// Keys of rows of another entity, in a to-many with a table of its own and in a to-one that names the entity: generated
    /// accessors take what they get for an object of the declared class.
    @Test("No relationship leads to an object of another entity", arguments: [false, true], [false, true])
    func otherEntities(_ isRegistered: Bool, _ isPrefetched: Bool) throws {
        let sound = try Sound()
        let folder = try TemporaryFolder()
        try write(sound.files, to: folder.url)
        let url = folder.file("Format.sqlite")
        do {
            let columns = try #require(sound.sql.tables.first { $0.name == "ZBASE" }?.columns)
            let entity = try #require(columns.first { $0.hasSuffix("_PARENT") })
            let join = try #require(sound.sql.tables.first { $0.columns.contains { $0.hasSuffix("PICKERS") } })
            let picker = try #require(join.columns.first { $0.hasSuffix("PICKERS") })
            try SQLiteConnection(path: url.path, access: .readWrite, busyTimeout: 1).executeScript(
                "UPDATE OR IGNORE \(join.name) SET \(picker) = (SELECT min(Z_PK) FROM ZBASE b WHERE b.Z_ENT = "
                    + "(SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Base'));"
                    + "UPDATE ZBASE SET ZPARENT = 1, \(entity) = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag')")
        }
        let (coordinator, context) = try FormatStore.open(
            url, HostileModel.make(), [NSPersistentHistoryTrackingKey: true])
        defer { withExtendedLifetime(coordinator) {} }
        let bases = isRegistered ? try context.fetchAll("Base") : []
        for (name, key, family) in [("Tag", "pickers", "Leaf"), ("Base", "parent", "Base")] {
            let request = NSFetchRequest<NSManagedObject>(entityName: name)
            if isPrefetched { request.relationshipKeyPathsForPrefetching = [key] }
            for object in try context.fetch(request) {
                let value = object.value(forKey: key)
                let found = (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? [value as Any]
                for case let other as NSManagedObject in found {
                    let names = sequence(first: other.entity, next: \.superentity).compactMap(\.name)
                    #expect(names.contains(family), "\(name).\(key)")
                }
            }
        }
        withExtendedLifetime(bases) {}
    }

    /// Without damage the use has no error, in each mode.
    @Test("The sound store is used without an error", arguments: HostileUse.Mode.allCases)
    func soundStore(_ mode: HostileUse.Mode) throws {
        let sound = try Sound()
        for files in [sound.files, sound.logged] {
            let folder = try TemporaryFolder()
            try write(files, to: folder.url)
            var use = HostileUse(folder.file("Format.sqlite"), mode: mode)
            use.run()
            #expect(use.problems == [] && use.isOpened)
            #expect(mode == .readOnly ? use.errors > 0 : use.errors == 0)
            #expect(mode == .readOnly ? use.saves == 0 : use.saves == 10)
        }
    }
}

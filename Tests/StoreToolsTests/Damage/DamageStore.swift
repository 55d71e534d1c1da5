import CoreData
import CoreDataTestSupport
import Foundation
import ModelFormat
import Synchronization

/// The files of a store by their names in its folder.
struct DamageFiles: Sendable {
    static let name = "Store.sqlite"

    var files: [String: [UInt8]] = [:]

    /// The bytes of the database itself.
    var main: [UInt8] {
        get { files[Self.name] ?? [] }
        set { files[Self.name] = newValue }
    }
    var log: [UInt8]? {
        get { files[Self.name + "-wal"] }
        set { files[Self.name + "-wal"] = newValue }
    }
    /// The names of the files of external values.
    var external: [String] { files.keys.filter { $0.contains("_EXTERNAL_DATA/") }.sorted() }

    init() {}

    /// Reads the files of a folder, without the -shm.
    init(_ folder: URL) throws {
        for name in FileManager.default.enumerator(atPath: folder.path)?.compactMap({ $0 as? String }) ?? [] {
            let file = folder.appendingPathComponent(name)
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder), !isFolder.boolValue,
                !name.hasSuffix("-shm")
            else { continue }
            files[name] = [UInt8](try Data(contentsOf: file))
        }
    }

    /// Writes the files into a folder, and returns the URL of the database.
    func write(to folder: URL) throws -> URL {
        for (name, content) in files {
            let file = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(content).write(to: file)
        }
        return folder.appendingPathComponent(Self.name)
    }

    /// Changes the database by SQL.
    mutating func change(keepsLog: Bool = false, _ body: (DamageSQL) throws -> Void) throws {
        let folder = try TemporaryFolder()
        let url = try write(to: folder.url)
        do {
            let sql = try DamageSQL(url, keepsLog: keepsLog)
            try body(sql)
        }
        self = try DamageFiles(folder.url)
    }
}

/// An undamaged store of a shape, and what it contains.
final class DamageStore: Sendable {
    let shape: DamageShape
    let files: DamageFiles
    let snapshot: DamageSnapshot
    let rows: DamageRows
    let pages: DamagePages
    /// The table of each many-to-many relationship, by `Entity.name`.
    let joins: [String: String]
    /// The model, as in the file.
    let model: Model

    private static let made = Mutex<[String: Result<DamageStore, any Error>]>([:])
    private static let locks = Mutex<[String: NSLock]>([:])

    /// Returns the store of a shape, which is made once.
    static func of(_ shape: DamageShape) throws -> DamageStore {
        let lock = locks.withLock { locks in
            let lock = locks[shape.name] ?? NSLock()
            locks[shape.name] = lock
            return lock
        }
        return try lock.withLock {
            if let store = made.withLock({ $0[shape.name] }) { return try store.get() }
            let store = Result { try DamageStore(shape) }
            made.withLock { $0[shape.name] = store }
            return try store.get()
        }
    }

    private init(_ shape: DamageShape) throws {
        self.shape = shape
        let folder = try TemporaryFolder()
        var files = try Self.make(shape, in: folder.url)
        switch shape.variant {
        case .rewritten(let pageSize, let autoVacuum):
            try files.change { sql in
                try sql.run("PRAGMA journal_mode = DELETE")
                try sql.run("PRAGMA page_size = \(pageSize); PRAGMA auto_vacuum = \(autoVacuum); VACUUM")
                try sql.run("PRAGMA journal_mode = WAL")
            }
        case .deletions:
            try files.change { sql in
                try sql.run("DELETE FROM ZVISIT WHERE Z_PK % 3 OR Z_PK > 100")
            }
        case .plain, .logged, .rollbackJournal: break
        }
        if let script = shape.script { try files.change { try $0.run(script) } }
        self.files = files
        let second = try TemporaryFolder()
        let copy = try files.write(to: second.url)
        snapshot = try DamageSnapshot(copy, model: shape.model(), options: shape.options, isLarge: shape.isLarge)
        let third = try TemporaryFolder()
        let sql = try DamageSQL(try files.write(to: third.url))
        rows = try DamageRows(sql)
        pages = shape.variant == .logged ? DamagePages() : try DamagePages(files.main, sql)
        joins = Self.joins(shape.model(), rows)
        var cache: Data?
        try sql.forEach("SELECT hex(Z_CONTENT) FROM Z_MODELCACHE") { row in cache = Self.data(row[0].dropFirst()) }
        model = try Model(cacheContent: cache ?? Data())
    }

    /// Determines the tables of many-to-many relationships by the rules of their names.
    private static func joins(_ model: NSManagedObjectModel, _ rows: DamageRows) -> [String: String] {
        var tables: [String: String] = [:]
        for entity in model.entities {
            for (name, relationship) in entity.relationshipsByName {
                guard relationship.isToMany, let inverse = relationship.inverseRelationship, inverse.isToMany else {
                    continue
                }
                let names = [relationship, inverse].flatMap { side in
                    rows.entities.filter { $0.value == side.entity.name }.keys.map {
                        "Z_\($0)\(side.name.uppercased())"
                    }
                }
                tables["\(entity.name ?? "").\(name)"] = names.first { rows.joinTables[$0] != nil }
            }
        }
        return tables
    }

    private static func data(_ hex: Substring) -> Data {
        var data = Data()
        var high: Int?
        for digit in hex.utf8.map({ Int($0 < 58 ? $0 - 48 : $0 - 55) }) {
            if let first = high {
                data.append(UInt8(first * 16 + digit))
                high = nil
            } else {
                high = digit
            }
        }
        return data
    }

    private static func make(_ shape: DamageShape, in folder: URL) throws -> DamageFiles {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: shape.model())
        var options: [AnyHashable: Any] = shape.options
        if shape.variant == .rollbackJournal { options[NSSQLitePragmasOption] = ["journal_mode": "DELETE"] }
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.appendingPathComponent(DamageFiles.name),
            options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        var writer = DamageWriter(seed: 67)
        try context.performAndWait {
            try shape.fill(context, &writer)
            try context.save()
        }
        if shape.variant == .logged { return try DamageFiles(folder) }
        try coordinator.remove(store)
        return try DamageFiles(folder)
    }
}

extension DamageShape {
    /// True if the shape has many rows.
    var isLarge: Bool { name == "many" }
}

import CoreDataFileStorage
import CoreDataRowStorage
import CCoreDataSQLite
import CoreDataStoreFiles
import Foundation
import ModelFormat

/// Opens and creates the file of a store.
package struct StoreFile {
    /// The URL of the file, without symbolic links.
    let url: URL
    let settings: ConnectionSettings
    let path: String

    package init(url: URL, settings: ConnectionSettings) {
        self.url = StoreFiles.resolvingLinks(in: url)
        self.settings = settings
        path = FileAccess.path(of: self.url)
    }

    /// Whether there is a file that is not empty.
    var exists: Bool { StoreFiles.size(path) > 0 }

    /// An open file that contains a store.
    package final class Opened {
        /// The URL of the file, without symbolic links.
        let url: URL
        package let connection: SQLiteConnection
        let settings: ConnectionSettings
        package let metadata: SQLiteMetadata.Row
        /// The tables in the file; nil if it was just created.
        let schema: ActualSchema?
        /// SQLite's schema version at which the rest was read.
        let schemaVersion: Int64

        private let file: FileIdentity?
        /// Whether the file is temporary, until an engine takes over its removal.
        private var isTemporary: Bool

        package init(
            _ file: StoreFile, _ connection: SQLiteConnection, metadata: SQLiteMetadata.Row,
            schema: ActualSchema? = nil, isTemporary: Bool = false, schemaVersion: Int64
        ) {
            self.isTemporary = isTemporary
            self.file = FileIdentity(connection.path)
            url = file.url
            settings = file.settings
            self.connection = connection
            self.metadata = metadata
            self.schema = schema
            self.schemaVersion = schemaVersion
        }

        /// Whether the open file is still the one at its path.
        var isInPlace: Bool { file != nil && FileIdentity(connection.path) == file }

        /// Passes the removal of a temporary file to an engine.
        ///
        /// - Returns: true for a temporary file.
        func passOn() -> Bool {
            defer { isTemporary = false }
            return isTemporary
        }

        deinit { if isTemporary { SQLiteFiles.remove(url) } }
    }

    /// Opens an existing file. Throws if it is no Core Data store, or a destroyed one. The file is not changed.
    package func open() throws -> Opened {
        let connection = try connect()
        guard let opened = try openUnlessEmpty(connection) else { throw EmptiedStore.failure(path) }
        return opened
    }

    /// Opens an existing file; returns nil if there is none, or if it contains a destroyed store.
    package func openUnlessEmpty() throws -> Opened? { exists ? try openUnlessEmpty(connect()) : nil }

    /// Reads the content of an open file again; returns nil if it no longer contains a store.
    func openAgain(_ opened: Opened) throws -> Opened? { try openUnlessEmpty(opened.connection) }

    /// Opens an existing file to read or write its metadata, which a destroyed store has, too.
    package func openForMetadata() throws -> Opened {
        let connection = try connect()
        if let opened = try openUnlessEmpty(connection) { return opened }
        let version = try connection.schemaVersion()
        let actual = try ActualSchema(connection)
        guard actual.hasTable("Z_METADATA") else { throw noStore }
        return Opened(
            self, connection, metadata: try SQLiteMetadata.read(connection), schema: actual, schemaVersion: version)
    }

    private func openUnlessEmpty(_ connection: SQLiteConnection) throws -> Opened? {
        let version = try connection.schemaVersion()
        let actual = try ActualSchema(connection)
        guard actual.hasOnlySystemTables else { return try open(connection, actual, version) }
        if try EmptiedStore.holdsNothing(connection) { return nil }
        // Another process may have created a store there meanwhile.
        let current = try connection.schemaVersion()
        return try open(connection, ActualSchema(connection), current)
    }

    private func connect() throws -> SQLiteConnection {
        try SQLiteConnection(path: path, access: settings.access(to: path), busyTimeout: settings.busyTimeout)
    }

    private func open(
        _ connection: SQLiteConnection, _ actual: ActualSchema, _ version: Int64
    ) throws -> Opened {
        try requireWholeFile(connection)
        guard actual.isCoreDataStore else { throw noStore }
        try settings.configure(connection, writing: false)
        let metadata = try SQLiteMetadata.read(connection)
        let current = try connection.schemaVersion()
        // Another process has migrated the store meanwhile: the tables are of one version, the metadata of another.
        if current != version { return try open(connection, ActualSchema(connection), current) }
        return Opened(self, connection, metadata: metadata, schema: actual, schemaVersion: version)
    }

    private var noStore: NSError {
        SQLiteFailure.storeError(
            CocoaError.fileReadCorruptFile.rawValue, path: path, description: "The file is not a Core Data store.",
            reason: "It is an SQLite database without the tables Z_METADATA and Z_PRIMARYKEY.",
            advice: "Check the URL; the file was left as it is.")
    }

    /// Checks that the file has all pages.
    ///
    /// - Throws: 259 for a file that is shorter than its header states: SQLite would notice only when it needs a missing
    ///   page, after other pages have been written.
    private func requireWholeFile(_ connection: SQLiteConnection) throws {
        // With a log beside it, the size of the file is inconclusive.
        guard StoreFiles.size(path + "-wal") == 0, StoreFiles.size(path + "-journal") == 0,
            let header = connection.fileHeader()
        else { return }
        func number(_ offset: Int, _ bytes: Int) -> Int64 {
            header[offset..<offset + bytes].reduce(0) { $0 << 8 | Int64($1) }
        }
        // The page count is valid only if it was written together with the change counter.
        guard number(24, 4) == number(92, 4) else { return }
        let expected = number(28, 4) * (number(16, 2) == 1 ? 65536 : number(16, 2))
        let size = StoreFiles.size(path)
        guard expected > size else { return }
        throw SQLiteFailure.storeError(
            CocoaError.fileReadCorruptFile.rawValue, path: path, description: "The store is damaged.",
            reason: "The file is cut off: it has \(size) of \(expected) bytes.",
            advice: "Restore it from a backup; the file was left as it is.",
            userInfo: [NSSQLiteErrorDomain: Int(SQLITE_CORRUPT)])
    }

    /// Creates the tables of a new store, also in the file of a destroyed one: a program's entries in its metadata are kept,
    /// its UUID is not. All tables are created, or none.
    package func create(
        _ layouts: ModelLayouts, model: any StoredModel, metadata: [String: Any]
    ) throws -> SQLiteConnection {
        guard !settings.isReadOnly else {
            if let denial = PermissionDenial(lookingFor: path) { throw denial.error(path: path, writing: false) }
            guard !exists else { throw EmptiedStore.failure(path) }
            throw SQLiteFailure.storeError(
                CocoaError.fileReadNoSuchFile.rawValue, path: path, description: "The store does not exist.",
                reason: "A store that is added for reading only is not created.")
        }
        do {
            try StoreFiles.makeFolder(of: url)
        } catch {
            throw PermissionDenial(error)?.folderError(store: path) ?? error
        }
        let connection = try SQLiteConnection(path: path, access: .create, busyTimeout: settings.busyTimeout)
        try layOutPages(connection)
        try settings.configure(connection, writing: true)
        let schema = try SQLSchema(layouts, numbering: EntityNumbering(layouts))
        try connection.execute("BEGIN EXCLUSIVE")
        do {
            // Another process may have created the store while this one waited.
            if try !EmptiedStore.holdsNothing(connection) {
                try connection.execute("ROLLBACK")
                return connection
            }
            let metadata = try EmptiedStore.clear(connection).merging(metadata) { _, new in new }
            for statement in try schema.creationStatements(layouts) { try connection.execute(statement) }
            if SpatialIndexes.areAvailable(connection) {
                for statement in SpatialIndexes(schema: schema, layouts: layouts).creationStatements() {
                    try connection.execute(statement)
                }
            }
            try writePrimaryKeys(layouts, connection)
            try SQLiteMetadata.write(metadata, on: connection)
            try ModelCache.write(model, on: connection)
            try connection.execute("COMMIT")
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
        return connection
    }

    private func layOutPages(_ connection: SQLiteConnection) throws {
        let (size, vacuum) = (settings.pragmas["page_size"], settings.pragmas["auto_vacuum"])
        // The pages of a destroyed store adopt both pragmas when they are rewritten, but not while others have the file open.
        let rewrites = try (size != nil || vacuum != nil) && EmptiedStore.isDestroyed(connection)
        if rewrites { try? connection.execute("PRAGMA journal_mode = DELETE") }
        try connection.execute("PRAGMA page_size = \(size ?? "4096")")
        try connection.execute("PRAGMA auto_vacuum = \(vacuum ?? "2")")
        if rewrites { try? connection.execute("VACUUM") }
    }

    private func writePrimaryKeys(_ layouts: ModelLayouts, _ connection: SQLiteConnection) throws {
        let statement = try connection.prepare(
            "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, ?, ?, 0)")
        for layout in layouts.all {
            try statement.bind(layout.number, at: 1)
            try statement.bind(layout.name, at: 2)
            try statement.bind(layout.superlayout?.number ?? 0, at: 3)
            try statement.run()
        }
    }

    /// Returns the numbering of the model's entities in the file.
    package static func numbering(
        of layouts: ModelLayouts, required: Set<Int>, _ connection: SQLiteConnection
    ) throws -> EntityNumbering {
        let statement = try connection.prepare("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY")
        var numbers = [String: Int](minimumCapacity: layouts.byNumber.count)
        while try statement.step() {
            let name = statement.text(1) ?? ""
            if numbers[name] == nil { numbers[name] = Int(statement.integer(0)) }
        }
        return EntityNumbering(layouts, numbers: numbers, required: required)
    }
}

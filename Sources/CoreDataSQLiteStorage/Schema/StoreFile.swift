import CoreDataFileStorage
import CoreDataRowStorage
import CCoreDataSQLite
import CoreDataStoreFiles
import Foundation
import ModelFormat

/// Opening and creating the file of a store.
package struct StoreFile {
    /// Where the file is, without symbolic links.
    let url: URL
    let settings: ConnectionSettings
    let path: String

    package init(url: URL, settings: ConnectionSettings) {
        self.url = StoreFiles.resolvingLinks(in: url)
        self.settings = settings
        path = FileAccess.path(of: self.url)
    }

    /// True when there is a file with something in it.
    var exists: Bool { StoreFiles.size(path) > 0 }

    /// A file that was found to be a store.
    package final class Opened {
        /// Where the file is, without symbolic links.
        let url: URL
        package let connection: SQLiteConnection
        let settings: ConnectionSettings
        package let metadata: SQLiteMetadata.Row
        /// The tables in the file; nil for one that was just made.
        let schema: ActualSchema?
        /// SQLite's number of the schema, as of which the rest was read.
        let schemaVersion: Int64

        private let file: FileIdentity?
        /// True for a file that goes with the store, until an engine sees to that.
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

        /// True where the file that was found is the one at its path still.
        var isInPlace: Bool { file != nil && FileIdentity(connection.path) == file }

        /// Leaves it to an engine to remove a temporary file.
        ///
        /// - Returns: True for a temporary file.
        func passOn() -> Bool {
            defer { isTemporary = false }
            return isTemporary
        }

        deinit { if isTemporary { SQLiteFiles.remove(url) } }
    }

    /// Opens an existing file; an error for one that is no Core Data store, or was emptied. The file is left as it is.
    package func open() throws -> Opened {
        let connection = try connect()
        guard let opened = try openUnlessEmpty(connection) else { throw EmptiedStore.failure(path) }
        return opened
    }

    /// Opens an existing file; nil if there is none, or one without a store in it, as destroying a store leaves it.
    package func openUnlessEmpty() throws -> Opened? { exists ? try openUnlessEmpty(connect()) : nil }

    /// Reads again what a file that was opened has; nil where there is no store in it any more.
    func openAgain(_ opened: Opened) throws -> Opened? { try openUnlessEmpty(opened.connection) }

    /// Opens an existing file to read or write its metadata, which a store that was destroyed has as well.
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
        // Another process may have made a store there in between.
        let current = try connection.schemaVersion()
        return try open(connection, ActualSchema(connection), current)
    }

    private func connect() throws -> SQLiteConnection {
        try SQLiteConnection(
            path: path, access: settings.isReadOnly ? .reading(path) : .readWrite, busyTimeout: settings.busyTimeout)
    }

    private func open(
        _ connection: SQLiteConnection, _ actual: ActualSchema, _ version: Int64
    ) throws -> Opened {
        try requireWholeFile(connection)
        guard actual.isCoreDataStore else { throw noStore }
        try settings.configure(connection, writing: false)
        let metadata = try SQLiteMetadata.read(connection)
        let current = try connection.schemaVersion()
        // Another process has migrated the store in between: the tables of one version, the metadata of another.
        if current != version { return try open(connection, ActualSchema(connection), current) }
        return Opened(self, connection, metadata: metadata, schema: actual, schemaVersion: version)
    }

    private var noStore: NSError {
        SQLiteFailure.storeError(
            CocoaError.fileReadCorruptFile.rawValue, path: path, description: "The file is not a Core Data store.",
            reason: "It is an SQLite database without the tables Z_METADATA and Z_PRIMARYKEY.",
            advice: "Check the URL; the file was left as it is.")
    }

    /// - Throws: 259 for a file that is shorter than its own header says: SQLite would notice when a page is needed that
    ///   is not there, after other pages were written.
    private func requireWholeFile(_ connection: SQLiteConnection) throws {
        // With a log beside it, the file alone says nothing.
        guard StoreFiles.size(path + "-wal") == 0, StoreFiles.size(path + "-journal") == 0,
            let header = connection.fileHeader()
        else { return }
        func number(_ offset: Int, _ bytes: Int) -> Int64 {
            header[offset..<offset + bytes].reduce(0) { $0 << 8 | Int64($1) }
        }
        // The count of pages is valid only if it was written along with the change counter.
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

    /// Makes the tables of a new store, also in the file of one that was destroyed: what a program has put into that one's
    /// metadata stays, its UUID does not. All tables are there afterwards, or none.
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
            // Another process may have made the store while this one waited.
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
        // The pages of a store that was destroyed take both over when they are written again; not while others have it open.
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

    /// The numbers the file gives to the model's entities.
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

import CoreDataStoreFiles
import Foundation

extension StoreCondition {
    /// Determines the state of a store's files. Changes nothing, and takes a few milliseconds besides reading the log.
    ///
    /// - A cleanly closed store needs no log. ``logMissing`` is reported for a file in the log's journal mode without a log if its
    ///   schema is empty, if its metadata and entity numbers are both empty, or if the index (`-shm`) that is beside it tells of
    ///   frames that were not copied into the file.
    /// - ``logOfAnotherStore`` is reported for a log that cannot continue the state of the file; see `LogOwnership`.
    /// - A log that ends within a transaction is normal: the store is readable in the state of the last commit.
    /// - A rollback journal that a process has left behind is applied in memory: the store is readable.
    package static func of(_ url: URL) -> StoreCondition { StoreDetermination(url.path).run().condition }
}

/// The determination of a store's condition.
struct StoreDetermination {
    let path: String

    init(_ path: String) { self.path = ResolvedPath.resolving(path) ?? path }

    /// Returns the condition; and the image for a store that is readable.
    func run() -> (condition: StoreCondition, image: FileImage?) {
        if OpenDatabases.contains(path) { return (.inUse, nil) }
        let file: SourceFile
        do {
            file = try SourceFile(database: path)
        } catch {
            return (Self.condition(of: error, path), nil)
        }
        if let condition = conditionOfFile(file) ?? conditionOfLocks(file) ?? conditionOfFilesBeside() {
            return (condition, nil)
        }
        do {
            let image = try FileImage(path)
            return (conditionOfContent(image) ?? .readable, image)
        } catch let error as StoreToolError where error.code == .unavailable {
            return (OpenDatabases.contains(path) ? .inUse : .noPermission, nil)
        } catch let error as StoreToolError where error.code == .notAStore {
            return (.headerDamaged, nil)
        } catch {
            // The disk fails: reading tells where.
            return (.readable, nil)
        }
    }

    static func condition(of failure: SourceFile.Failure, _ path: String) -> StoreCondition {
        switch failure {
        case .missing: return .missing
        case .isOpen: return .inUse
        case .notRegular: return .notSQLite(kind: "a folder or device")
        case .system(let code):
            #if canImport(Darwin)
            return code == EPERM && isProtected(path) ? .protected : .noPermission
            #else
            return code == ELOOP ? .missing : .noPermission
            #endif
        }
    }

    #if canImport(Darwin)
    /// Returns true if data protection may keep a file from being opened; a sandbox does that with the same error.
    private static func isProtected(_ path: String) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let protection = attributes?[.protectionKey] as? FileProtectionType else { return false }
        return protection != .none
    }
    #endif

    // MARK: The file

    /// Checks the first bytes.
    private func conditionOfFile(_ file: SourceFile) -> StoreCondition? {
        guard file.size > 0 else { return conditionOfEmptyFile() }
        guard let start = try? file.bytes(at: 0, count: 65_536), !start.isEmpty else { return .noPermission }
        let hasMagic = start.starts(with: DatabaseHeader.magic)
        guard let header = start.withUnsafeBytes({ DatabaseHeader($0) }), header.hasValidFractions else {
            if hasMagic, start.count < DatabaseHeader.byteCount {
                return .cutShort(expectedBytes: 4096, foundBytes: file.size)
            }
            return conditionWithoutHeader(file, start, hasMagic: hasMagic)
        }
        if header.readVersion > 2 { return .tooNew(version: header.readVersion) }
        if header.schemaFormat > 4 { return .tooNew(version: header.schemaFormat) }
        // Encryption may leave the header as it is.
        let kind = start.count > 100 ? start[100] : 0
        if ![2, 5, 10, 13].contains(kind), FileKind.looksRandom(start[100...]) { return .encrypted }
        return nil
    }

    private func conditionOfEmptyFile() -> StoreCondition {
        guard let logFile = try? SourceFile(path + "-wal"),
            case .log(let log)? = try? WriteAheadLog.read(logFile, databaseSize: 0), log.frameCount > 0
        else { return .empty }
        return .cutShort(expectedBytes: Int64(log.pageCount) * Int64(log.pageSize), foundBytes: 0)
    }

    private func conditionWithoutHeader(_ file: SourceFile, _ start: [UInt8], hasMagic: Bool) -> StoreCondition? {
        // A journal or a log may still have the first page.
        if let image = try? FileImage(path), image.header.hasValidFractions, image.pageCount > 0 { return nil }
        if !hasMagic, let kind = FileKind.of(start.prefix(4096)), kind != FileKind.zeros {
            return .notSQLite(kind: kind)
        }
        if !hasMagic, file.size % 512 == 0, FileKind.looksRandom(start[...]) { return .encrypted }
        if let found = try? PageSizeDetection.detect(file), found.isLikely { return .headerDamaged }
        return hasMagic ? .headerDamaged : .notSQLite(kind: FileKind.of(start[...]))
    }

    // MARK: Locks and files beside

    private func conditionOfLocks(_ file: SourceFile) -> StoreCondition? {
        // A commit or a checkpoint locks the file for milliseconds.
        for attempt in 1...4 {
            guard let locks = FileLocks.of(file) else { return nil }
            if locks.level < .exclusive { return .inUse }
            if attempt < 4 { Thread.sleep(forTimeInterval: 0.01) }
        }
        return .locked
    }

    private func conditionOfFilesBeside() -> StoreCondition? {
        for suffix in ["-wal", "-journal"] {
            do {
                _ = try SourceFile(path + suffix)
            } catch {
                if case .system = error { return Self.condition(of: error, path + suffix) }
            }
        }
        return nil
    }

    // MARK: The content

    private func conditionOfContent(_ image: FileImage) -> StoreCondition? {
        switch image.log {
        case .foreign: return .logOfAnotherStore
        case .unreadable: return .logDamaged
        case .none, .empty, .applied, .torn: break
        }
        let expected = Int64(image.expectedPageCount) * Int64(image.pageSize)
        if image.pageCount < image.expectedPageCount || (image.log.frameCount == 0 && image.fileSize < expected) {
            return .cutShort(expectedBytes: expected, foundBytes: image.fileSize)
        }
        let header = image.header
        if header.readVersion > 2 { return .tooNew(version: header.readVersion) }
        if header.schemaFormat > 4 { return .tooNew(version: header.schemaFormat) }
        let needsLog = header.usesLog && image.log.frameCount == 0
        if needsLog, LogIndex.hasFramesBeyondFile(path, pageSize: image.pageSize) { return .logMissing }
        // What cannot be read is damage, which a check examines.
        guard let database = try? Database(image), let tables = try? Self.tables(database) else { return nil }
        if tables.isEmpty, image.log.frameCount == 0 { return header.usesLog ? .logMissing : .notAStore }
        let metadata = tables.contains("Z_METADATA"), numbers = tables.contains("Z_PRIMARYKEY")
        guard metadata || numbers || (try? Self.hasEntityTable(database, tables)) ?? true else { return .notAStore }
        if needsLog, metadata, numbers, Self.isEmpty("Z_METADATA", database), Self.isEmpty("Z_PRIMARYKEY", database) {
            return .logMissing
        }
        if metadata, let version = try? database.integer("SELECT max(Z_VERSION) FROM Z_METADATA"), version > 1 {
            return .tooNew(version: Int(clamping: version))
        }
        return nil
    }

    private static func tables(_ database: Database) throws -> Set<String> {
        var names: Set<String> = []
        let statement = try database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
        while try statement.step() { names.insert(statement.text(0) ?? "") }
        return names
    }

    /// Returns true if a table has the columns of an entity's table.
    private static func hasEntityTable(_ database: Database, _ tables: Set<String>) throws -> Bool {
        for table in tables where table.hasPrefix("Z") {
            let statement = try database.prepare("PRAGMA table_info(\(table.quotedIdentifier))")
            var columns: Set<String> = []
            while try statement.step() { columns.insert(statement.text(1) ?? "") }
            if columns.isSuperset(of: ["Z_PK", "Z_ENT"]) { return true }
        }
        return false
    }

    private static func isEmpty(_ table: String, _ database: Database) -> Bool {
        guard let statement = try? database.prepare("SELECT 1 FROM \(table.quotedIdentifier) LIMIT 1"),
            let hasRow = try? statement.step()
        else { return false }
        return !hasRow
    }
}

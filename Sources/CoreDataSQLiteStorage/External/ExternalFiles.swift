import CoreDataFileStorage
import CoreDataRowStorage
import CoreDataStoreFiles
import Foundation

/// The files beside a store that hold large values of attributes with external storage.
///
/// The columns of such attributes start with a marker byte: 1 and the data itself, or 2 and the name of a file in
/// `.<store>_SUPPORT/_EXTERNAL_DATA`.
package struct ExternalFiles: Sendable {
    private let store: URL
    /// The folder of the files, for rows in memory that refer to them.
    let values: ValueFolder

    /// Values up to this size stay in the table. Apple's limit is not documented; its files hold up to about 100 kB.
    static let inlineLimit = 100 * 1024

    private static let inlineMarker: UInt8 = 1
    private static let fileMarker: UInt8 = 2

    /// Creates the description of a store's external files. Reads nothing.
    ///
    /// - Parameter store: the store's file, without symbolic links.
    package init(store: URL) {
        self.store = store
        values = ValueFolder(
            Self.supportFolder(of: store).appendingPathComponent("_EXTERNAL_DATA", isDirectory: true))
    }

    package var folder: URL { values.url }

    /// The hidden folder beside a store that holds its support files.
    var supportFolder: URL { Self.supportFolder(of: store) }

    private static func supportFolder(of store: URL) -> URL {
        let name = store.deletingPathExtension().lastPathComponent
        return store.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT", isDirectory: true)
    }

    // MARK: Reading

    /// Returns the names of the external files that rows refer to, in the snapshot that the connection reads. Uses no model,
    /// because the program's model may lack tables that other programs have added to the file.
    ///
    /// Cost: scans all tables with blob columns, without reading the blobs.
    ///
    /// - Parameter goesOn: called before each row that refers to a file; returns false to cancel.
    /// - Throws: `CancellationError` if `goesOn` returns false.
    package static func named(
        in connection: SQLiteConnection, while goesOn: () -> Bool = { true }
    ) throws -> Set<String> {
        let columns = try connection.prepare(
            "SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c "
                + "WHERE t.type = 'table' AND c.type = 'BLOB' AND t.name LIKE 'Z%'")
        var names: Set<String> = []
        while try columns.step() {
            let (table, column) = (SQLName.quoted(columns.text(0) ?? ""), SQLName.quoted(columns.text(1) ?? ""))
            let rows = try connection.prepare("SELECT \(column) FROM \(table) WHERE length(\(column)) = 38")
            while try rows.step() {
                guard goesOn() else { throw CancellationError() }
                if let name = rows.bytes(0).flatMap(fileName) { names.insert(name) }
            }
        }
        return names
    }

    /// Returns the name of the file that stored bytes refer to; nil for inline data. Only UUIDs are accepted, so that a
    /// damaged or crafted value cannot refer to a file outside the folder.
    static func fileName(in stored: UnsafeRawBufferPointer) -> String? {
        nameBytes(in: stored).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func nameBytes(in stored: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard stored.count == ValueFile.nameBytes + 2, stored[0] == fileMarker, stored[stored.count - 1] == 0 else {
            return nil
        }
        let name = UnsafeRawBufferPointer(rebasing: stored[1..<stored.count - 1])
        for (position, byte) in name.enumerated() {
            switch (position, byte) {
            case (8, UInt8(ascii: "-")), (13, UInt8(ascii: "-")), (18, UInt8(ascii: "-")), (23, UInt8(ascii: "-")):
                continue
            case (8, _), (13, _), (18, _), (23, _): return nil
            case (_, UInt8(ascii: "0")...UInt8(ascii: "9")), (_, UInt8(ascii: "A")...UInt8(ascii: "F")),
                (_, UInt8(ascii: "a")...UInt8(ascii: "f")):
                continue
            default: return nil
            }
        }
        return name
    }

    /// Returns the bytes that store a value inline.
    static func inlineCell(_ value: some DataProtocol) -> Data {
        var cell = Data(capacity: value.count + 1)
        cell.append(inlineMarker)
        cell.append(contentsOf: value)
        return cell
    }

    /// Appends the value of stored bytes to the slab's heap; the file's name for a value that is in a file.
    func load(_ stored: UnsafeRawBufferPointer, into slab: RowSlab) -> HeapRange {
        guard let marker = stored.first else { return slab.append(nil, count: 0) }
        if let name = Self.nameBytes(in: stored) { return slab.append(fileNamed: name, in: values) }
        // A file written without the flag has no marker: then the bytes are the value.
        let skipped = marker == Self.inlineMarker ? 1 : 0
        return slab.append(stored.baseAddress.map { $0 + skipped }, count: stored.count - skipped)
    }

    /// Returns the value of stored bytes, reading its file if it has one.
    ///
    /// - Throws: ``ValueFolder/Missing`` if the file cannot be read.
    package func data(_ stored: UnsafeRawBufferPointer) throws -> Data {
        if let name = Self.fileName(in: stored) { return try values.contents(of: name) }
        return Data(stored.first == Self.inlineMarker ? stored.dropFirst()[...] : stored[...])
    }

    func url(of name: String) -> URL { values.url(of: name) }

    /// The suffix of a file's name while the file is being copied.
    static let partialSuffix = ".partial"

    /// Returns the names of all external values in the folder, including those of incomplete copies.
    func names() -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { name in
            UUID(
                uuidString: name.hasSuffix(Self.partialSuffix) ? String(name.dropLast(Self.partialSuffix.count)) : name)
                != nil
        }
    }

    /// Whether another database uses the same folder, or may use it: the folder's name does not contain the store's
    /// extension.
    var areShared: Bool {
        let own = store.lastPathComponent
        let stem = store.deletingPathExtension().lastPathComponent
        let parent = store.deletingLastPathComponent()
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: parent.path) else { return true }
        return names.contains { name in
            name != own && (name as NSString).deletingPathExtension == stem
                && !DatabaseFiles.suffixes.dropFirst().contains(where: name.hasSuffix)
                // A linked database has its folder beside the link's destination.
                && !StoreFiles.isLink(parent.appendingPathComponent(name).path)
                && DatabaseFiles.mayBeDatabase(parent.appendingPathComponent(name))
        }
    }

    // MARK: Writing

    /// Returns true if a value of an attribute with external storage is too large for the table.
    static func needsFile(_ value: Any) -> Bool { ((value as? Data)?.count ?? 0) > inlineLimit }

    /// Returns the bytes to store for a value, and the name of the file created for it if it is large.
    ///
    /// - Parameter isDurable: whether the file must be on the disk before this returns.
    func store(_ value: UnsafeRawBufferPointer, isDurable: Bool) throws -> (cell: Data, file: String?) {
        guard value.count > Self.inlineLimit, let start = value.baseAddress else {
            return (Self.inlineCell(Data(value)), nil)
        }
        let name = UUID().uuidString
        let file = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let data = Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: value.count, deallocator: .none)
        do {
            // No row refers to the file yet, so writing it need not be atomic.
            try data.write(to: file, options: .withoutOverwriting)
            if isDurable { try StoreFiles.synchronize(file) }
        } catch {
            remove([name])
            throw error
        }
        return (Self.fileCell(name), name)
    }

    /// Returns the bytes that refer to a file.
    private static func fileCell(_ name: String) -> Data { Data([fileMarker]) + Data(name.utf8) + Data([0]) }

    /// Returns the bytes to store for a value that is in a file of this or another store, and the name of the file created
    /// for it, since rows do not share files. Uses a hard link where the file system has them, without reading the value.
    ///
    /// - Throws: ``ValueFolder/Missing`` if the file cannot be read.
    func store(_ value: ValueFile, isDurable: Bool) throws -> (cell: Data, file: String?) {
        let name = UUID().uuidString
        let (source, file) = (value.folder.url(of: value.name), url(of: name))
        // The destination of a symbolic link may be changed by its creator.
        if StoreFiles.size(source.path) > Self.inlineLimit, !StoreFiles.isLink(source.path) {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            if (try? StoreFiles.link(source, to: file)) != nil {
                do {
                    if isDurable { try StoreFiles.synchronize(file) }
                } catch {
                    remove([name])
                    throw error
                }
                return (Self.fileCell(name), name)
            }
        }
        return try value.contents().withUnsafeBytes { try store($0, isDurable: isDurable) }
    }

    /// Deletes files that this process has just created.
    func remove(_ names: some Sequence<String>) {
        for name in names { try? FileManager.default.removeItem(at: url(of: name)) }
    }

    /// Deletes files that no row of the store refers to, unless the folder is behind a link: then rows of other stores may
    /// refer to them.
    func discard(_ names: some Sequence<String>) {
        if !isBehindLink { remove(names) }
    }

    /// Deletes the support folder with its contents, unless it is behind a link.
    func discardFolder() {
        if !isBehindLink { try? FileManager.default.removeItem(at: supportFolder) }
    }

    /// Whether the folder, or the folder that contains it, is a symbolic link.
    var isBehindLink: Bool { StoreFiles.isLink(supportFolder.path) || StoreFiles.isLink(folder.path) }
}

import CoreDataFileStorage
import CoreDataRowStorage
import CoreDataStoreFiles
import Foundation

/// The files beside a store that hold large values of attributes with external storage.
///
/// Cells of such attributes start with a marker: 1 and the data itself, or 2 and the name of a file in
/// `.<store>_SUPPORT/_EXTERNAL_DATA`.
package struct ExternalFiles: Sendable {
    private let store: URL
    /// Where the files are, for rows in memory that name them.
    let values: ValueFolder

    /// Values up to this size stay in the table. Apple's limit is not documented; its files hold up to about 100 kB.
    static let inlineLimit = 100 * 1024

    private static let inlineMarker: UInt8 = 1
    private static let fileMarker: UInt8 = 2

    /// - Parameter store: the store's file, without symbolic links.
    package init(store: URL) {
        self.store = store
        values = ValueFolder(
            Self.supportFolder(of: store).appendingPathComponent("_EXTERNAL_DATA", isDirectory: true))
    }

    package var folder: URL { values.url }

    /// The hidden folder that holds everything beside a store.
    var supportFolder: URL { Self.supportFolder(of: store) }

    private static func supportFolder(of store: URL) -> URL {
        let name = store.deletingPathExtension().lastPathComponent
        return store.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT", isDirectory: true)
    }

    // MARK: Reading

    /// The file a cell's bytes refer to; nil for data kept inline. Only UUIDs are names: a damaged or crafted cell must
    /// not lead out of the folder.
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

    /// The bytes of a cell that keeps a value inline.
    static func inlineCell(_ value: some DataProtocol) -> Data {
        var cell = Data(capacity: value.count + 1)
        cell.append(inlineMarker)
        cell.append(contentsOf: value)
        return cell
    }

    /// Puts the value behind a cell's bytes on the slab's heap; of one that lies in a file, the name.
    func load(_ stored: UnsafeRawBufferPointer, into slab: RowSlab) -> HeapRange {
        guard let marker = stored.first else { return slab.append(nil, count: 0) }
        if let name = Self.nameBytes(in: stored) { return slab.append(fileNamed: name, in: values) }
        // A file written without the flag has no marker: then the bytes are the value.
        let skipped = marker == Self.inlineMarker ? 1 : 0
        return slab.append(stored.baseAddress.map { $0 + skipped }, count: stored.count - skipped)
    }

    /// The value behind a cell's bytes.
    ///
    /// - Throws: ``ValueFolder/Missing`` where its file cannot be read.
    package func data(_ stored: UnsafeRawBufferPointer) throws -> Data {
        if let name = Self.fileName(in: stored) { return try values.contents(of: name) }
        return Data(stored.first == Self.inlineMarker ? stored.dropFirst()[...] : stored[...])
    }

    func url(of name: String) -> URL { values.url(of: name) }

    /// What the name of a file ends with while it is being copied.
    static let partialSuffix = ".partial"

    /// The files in the folder that have names of external values, incomplete copies among them.
    func names() -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { name in
            UUID(
                uuidString: name.hasSuffix(Self.partialSuffix) ? String(name.dropLast(Self.partialSuffix.count)) : name)
                != nil
        }
    }

    /// Whether another database has the same folder, or may have it where that cannot be told: the name of the folder leaves out
    /// the extension.
    var areShared: Bool {
        let own = store.lastPathComponent
        let stem = store.deletingPathExtension().lastPathComponent
        let parent = store.deletingLastPathComponent()
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: parent.path) else { return true }
        return names.contains { name in
            name != own && (name as NSString).deletingPathExtension == stem
                && !SQLiteFiles.suffixes.dropFirst().contains(where: name.hasSuffix)
                // The file behind a link has its folder where it is itself.
                && !StoreFiles.isLink(parent.appendingPathComponent(name).path)
                && SQLiteFiles.mayBeDatabase(parent.appendingPathComponent(name))
        }
    }

    // MARK: Writing

    /// Whether a value for an attribute with external storage is too large for the table.
    static func needsFile(_ value: Any) -> Bool { ((value as? Data)?.count ?? 0) > inlineLimit }

    /// The bytes to store for a value, and the file made for it if it is large.
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
            // No row names the file yet, so it need not appear at once with all its bytes.
            try data.write(to: file, options: .withoutOverwriting)
            if isDurable { try StoreFiles.synchronize(file) }
        } catch {
            remove([name])
            throw error
        }
        return (Self.fileCell(name), name)
    }

    /// The bytes of a cell that names a file.
    private static func fileCell(_ name: String) -> Data { Data([fileMarker]) + Data(name.utf8) + Data([0]) }

    /// The bytes to store for a value that lies in a file, of this or another store, and the file made for it: rows have a file
    /// each. Where the file system has links, the value is not read for that.
    ///
    /// - Throws: ``ValueFolder/Missing`` where the file cannot be read.
    func store(_ value: ValueFile, isDurable: Bool) throws -> (cell: Data, file: String?) {
        let name = UUID().uuidString
        let (source, file) = (value.folder.url(of: value.name), url(of: name))
        // What a symbolic link leads to may be changed by whoever made the link.
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

    /// Deletes files that this process has just made.
    func remove(_ names: some Sequence<String>) {
        for name in names { try? FileManager.default.removeItem(at: url(of: name)) }
    }

    /// Deletes files that rows of the store no longer name, unless the folder lies behind a link: then rows of other stores
    /// may name them.
    func discard(_ names: some Sequence<String>) {
        if !isBehindLink { remove(names) }
    }

    /// Deletes the folder and all that is in it, unless it lies behind a link.
    func discardFolder() {
        if !isBehindLink { try? FileManager.default.removeItem(at: supportFolder) }
    }

    /// Whether the folder is reached by a symbolic link in place of the folder itself, or of the one around it.
    var isBehindLink: Bool { StoreFiles.isLink(supportFolder.path) || StoreFiles.isLink(folder.path) }
}

import CoreDataRowStorage
import Foundation

/// The files beside a store that hold large values of attributes with external storage.
///
/// Cells of such attributes start with a marker: 1 and the data itself, or 2 and the name of a file in
/// `.<store>_SUPPORT/_EXTERNAL_DATA`.
package struct ExternalFiles: Sendable {
    private let store: URL

    /// Values up to this size stay in the table. Apple's limit is not documented; its files hold up to about 100 kB.
    static let inlineLimit = 100 * 1024

    private static let inlineMarker: UInt8 = 1
    private static let fileMarker: UInt8 = 2

    /// - Parameter store: the store's file, without symbolic links.
    package init(store: URL) { self.store = store }

    package var folder: URL { supportFolder.appendingPathComponent("_EXTERNAL_DATA", isDirectory: true) }

    /// The hidden folder that holds everything beside a store.
    var supportFolder: URL {
        let name = store.deletingPathExtension().lastPathComponent
        return store.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT", isDirectory: true)
    }

    // MARK: Reading

    /// The file a cell's bytes refer to; nil for data kept inline. Only UUIDs are names: a damaged or crafted cell must
    /// not lead out of the folder.
    static func fileName(in stored: UnsafeRawBufferPointer) -> String? {
        guard stored.count == 38, stored[0] == fileMarker, stored[37] == 0 else { return nil }
        let name = String(decoding: stored[1..<37], as: UTF8.self)
        return UUID(uuidString: name) == nil ? nil : name
    }

    /// The bytes of a cell that keeps a value inline.
    static func inlineCell(_ value: some DataProtocol) -> Data {
        var cell = Data(capacity: value.count + 1)
        cell.append(inlineMarker)
        cell.append(contentsOf: value)
        return cell
    }

    /// A row names a file that is not there.
    struct Missing: Error {
        let file: URL
        let underlying: any Error
    }

    /// Puts the value behind a cell's bytes on the slab's heap.
    ///
    /// - Throws: ``Missing`` where its file cannot be read.
    func load(_ stored: UnsafeRawBufferPointer, into slab: RowSlab) throws -> HeapRange {
        guard let marker = stored.first else { return slab.append(nil, count: 0) }
        if let name = Self.fileName(in: stored) {
            return try contents(name).withUnsafeBytes { slab.append($0.baseAddress, count: $0.count) }
        }
        // A file written without the flag has no marker: then the bytes are the value.
        let skipped = marker == Self.inlineMarker ? 1 : 0
        return slab.append(stored.baseAddress.map { $0 + skipped }, count: stored.count - skipped)
    }

    /// The value behind a cell's bytes.
    ///
    /// - Throws: ``Missing`` where its file cannot be read.
    package func data(_ stored: UnsafeRawBufferPointer) throws -> Data {
        if let name = Self.fileName(in: stored) { return try contents(name) }
        return Data(stored.first == Self.inlineMarker ? stored.dropFirst()[...] : stored[...])
    }

    func url(of name: String) -> URL { folder.appendingPathComponent(name) }

    private func contents(_ name: String) throws -> Data {
        let file = url(of: name)
        do {
            return try StoreFiles.contents(file.path)
        } catch {
            throw Missing(file: file, underlying: error)
        }
    }

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

    /// Whether another database has the same folder: the name of the folder leaves out the extension.
    var areShared: Bool {
        let own = store.lastPathComponent
        let stem = store.deletingPathExtension().lastPathComponent
        let parent = store.deletingLastPathComponent()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
        return names.contains { name in
            name != own && (name as NSString).deletingPathExtension == stem
                && !SQLiteFiles.suffixes.dropFirst().contains(where: name.hasSuffix)
                // The file behind a link has its folder where it is itself.
                && !StoreFiles.isLink(parent.appendingPathComponent(name).path)
                && SQLiteFiles.isDatabase(parent.appendingPathComponent(name))
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
        return (Data([Self.fileMarker]) + Data(name.utf8) + Data([0]), name)
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

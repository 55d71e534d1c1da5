import Foundation

/// The files beside a store that hold large values of attributes with external storage.
///
/// Cells of such attributes start with a marker: 1 and the data itself, or 2 and the name of a file in
/// `.<store>_SUPPORT/_EXTERNAL_DATA`.
struct ExternalFiles: Sendable {
    private let store: URL

    /// Values up to this size stay in the table. Apple's limit is not documented; its files hold up to about 100 kB.
    static let inlineLimit = 100 * 1024

    private static let inlineMarker: UInt8 = 1
    private static let fileMarker: UInt8 = 2

    init(store: URL) { self.store = store }

    var folder: URL { supportFolder.appendingPathComponent("_EXTERNAL_DATA", isDirectory: true) }

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

    /// Puts the value behind a cell's bytes on the slab's heap; nil when its file is missing.
    func load(_ stored: UnsafeRawBufferPointer, into slab: RowSlab) throws -> HeapRange? {
        guard let marker = stored.first else { return slab.append(nil, count: 0) }
        if let name = Self.fileName(in: stored) {
            guard let data = try? Data(contentsOf: folder.appendingPathComponent(name), options: .mappedIfSafe) else {
                return nil
            }
            return data.withUnsafeBytes { slab.append($0.baseAddress, count: $0.count) }
        }
        // A file written without the flag has no marker: then the bytes are the value.
        let skipped = marker == Self.inlineMarker ? 1 : 0
        return slab.append(stored.baseAddress.map { $0 + skipped }, count: stored.count - skipped)
    }

    /// The value behind a cell's bytes.
    func data(_ stored: UnsafeRawBufferPointer) -> Data? {
        if let name = Self.fileName(in: stored) { return try? Data(contentsOf: folder.appendingPathComponent(name)) }
        return Data(stored.first == Self.inlineMarker ? stored.dropFirst()[...] : stored[...])
    }

    // MARK: Writing

    /// Whether a value for an attribute with external storage is too large for the table.
    static func needsFile(_ value: Any) -> Bool { ((value as? Data)?.count ?? 0) > inlineLimit }

    /// The bytes to store for a value, and the file made for it if it is large.
    func store(_ value: UnsafeRawBufferPointer) throws -> (cell: Data, file: String?) {
        guard value.count > Self.inlineLimit else { return (Self.inlineCell(Data(value)), nil) }
        let name = UUID().uuidString
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(value).write(to: folder.appendingPathComponent(name), options: .atomic)
        return (Data([Self.fileMarker]) + Data(name.utf8) + Data([0]), name)
    }

    func remove(_ names: some Sequence<String>) {
        for name in names { try? FileManager.default.removeItem(at: folder.appendingPathComponent(name)) }
    }
}

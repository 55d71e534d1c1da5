#if canImport(CoreDataSQLiteStorage)
import CCoreDataSQLite
import CoreDataSQLiteStorage
import Foundation

/// The way in which the storage engine's connections read a store. They can be opened as long as this object lives.
final class EngineSource {
    let source: SQLiteSource
    private let imageName: String?

    /// Creates the source for an image.
    ///
    /// - Throws: ``StoreToolError`` if SQLite does not accept the image's VFS.
    init(_ image: FileImage, of url: URL) throws {
        let name = ImageVFS.add(image)
        imageName = name
        source = SQLiteSource(vfs: ImageVFS.name, uri: "file:\(name)?immutable=1")
        guard ImageVFS.registration == SQLITE_OK else {
            throw StoreToolError(
                .failed, "The store \(url.lastPathComponent) cannot be read: SQLite accepts no further VFS.", url: url,
                underlying: "SQLite \(ImageVFS.registration)")
        }
    }

    /// Creates the source for a store that others have open. The index of its log is mapped for reading only.
    init(storeInUseAt url: URL) {
        imageName = nil
        let path = url.path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? url.path
        source = SQLiteSource(vfs: nil, uri: "file:\(path)?mode=ro&readonly_shm=1")
    }

    deinit { if let imageName { ImageVFS.remove(imageName) } }
}
#endif

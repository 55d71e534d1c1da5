import CoreDataRowStorage
import CoreDataStoreFiles
import Foundation

/// The operations on files of one kind that ``FileReplacement`` is made of. The stores are closed, or may be in use where it says
/// so.
package protocol StoreFileKind {
    /// Makes `destination` a copy of `source`, which may be in use.
    static func copy(_ source: URL, to destination: URL, timeout: Double) throws
    /// Keeps others from changing a store; nil for files that cannot be locked.
    ///
    /// - Parameter successor: Where the successor is to be made. An empty one may be there afterwards.
    /// - Throws: `NSPersistentStoreTimeoutError` when others use the store for longer than the timeout.
    static func hold(_ store: URL, successor: URL, timeout: Double) throws -> (any StoreHolding)?
    /// Moves a store to a place where there is none yet. Killed at any moment, there is a whole store or none.
    ///
    /// - Throws: A Cocoa file error, `NSFileWriteFileExistsError` if a file has come to the place meanwhile.
    static func move(_ url: URL, to place: URL) throws
}

/// Stores that are one file, read and written as a whole.
package enum WholeFiles: StoreFileKind {
    package static func copy(_ source: URL, to destination: URL, timeout: Double) throws {
        try StoreFiles.replace(destination, with: source)
    }

    package static func hold(_ store: URL, successor: URL, timeout: Double) -> (any StoreHolding)? { nil }

    package static func move(_ url: URL, to place: URL) throws {
        try StoreFiles.synchronize(url)
        try StoreFiles.link(url, to: place)
    }
}

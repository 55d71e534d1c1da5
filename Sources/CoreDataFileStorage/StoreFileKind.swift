import CoreDataRowStorage
import CoreDataStoreFiles
import Foundation

/// The file operations of one type of store that ``FileReplacement`` uses. Stores must be closed, unless stated otherwise.
package protocol StoreFileKind {
    /// Replaces `destination` with a copy of `source`, which may be in use.
    static func copy(_ source: URL, to destination: URL, timeout: Double) throws
    /// Blocks other writers of a store; returns nil for files that cannot be locked.
    ///
    /// - Parameter successor: The place for the successor. An empty store may be created there.
    /// - Throws: `NSPersistentStoreTimeoutError` if others use the store for longer than the timeout.
    static func hold(_ store: URL, successor: URL, timeout: Double) throws -> (any StoreHolding)?
    /// Moves a store to a place without a store. Crash-safe: the destination has the whole store or none.
    ///
    /// - Throws: A Cocoa file error, `NSFileWriteFileExistsError` if a file has been created there meanwhile.
    static func move(_ url: URL, to place: URL) throws
}

/// Stores that consist of one file, which is read and written as a whole.
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

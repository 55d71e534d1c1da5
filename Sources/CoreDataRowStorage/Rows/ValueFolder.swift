import CoreDataStoreFiles
import Foundation

/// The folder beside a store that holds large values, one file per value.
///
/// A file is written once and never changed: a new value gets a new file. So a name always identifies the same value, or
/// none. May be used from any thread.
package final class ValueFolder: Sendable {
    package let url: URL

    package init(_ url: URL) { self.url = url }

    package func url(of name: String) -> URL { url.appendingPathComponent(name) }

    /// An error for a row that refers to a file that cannot be read.
    package struct Missing: Error {
        package let file: URL
        package let underlying: any Error

        /// Whether there is no such file; otherwise it exists, or its existence is unknown.
        package var isGone: Bool { (underlying as? CocoaError)?.code == .fileReadNoSuchFile }
    }

    /// Reads the value in a file.
    ///
    /// - Throws: ``Missing``.
    package func contents(of name: String) throws -> Data {
        let file = url(of: name)
        do {
            return try StoreFiles.contents(file.path)
        } catch {
            throw Missing(file: file, underlying: error)
        }
    }
}

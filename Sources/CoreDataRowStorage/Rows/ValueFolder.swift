import CoreDataStoreFiles
import Foundation

/// The folder beside a store that holds large values, each in a file of its own.
///
/// A file is written once and never changed: another value gets another file. So what a name leads to is always the same value, or
/// nothing. May be used from any thread.
package final class ValueFolder: Sendable {
    package let url: URL

    package init(_ url: URL) { self.url = url }

    package func url(of name: String) -> URL { url.appendingPathComponent(name) }

    /// A row names a file that cannot be read.
    package struct Missing: Error {
        package let file: URL
        package let underlying: any Error

        /// Whether there is no such file; else there is one, or the system could not tell.
        package var isGone: Bool { (underlying as? CocoaError)?.code == .fileReadNoSuchFile }
    }

    /// The value in a file.
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

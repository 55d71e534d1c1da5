import Foundation

/// Where a store is, and what it was asked for with.
package struct StorePlace: Sendable {
    package let url: URL
    package let options: StoreOptions

    package init(_ url: URL, _ options: StoreOptions = StoreOptions(nil)) {
        self.url = url
        self.options = options
    }

    /// Seconds to wait for a store that others use.
    package var timeout: Double { options.timeout }
    /// True where the store is not to be written to.
    package var isReadOnly: Bool { options.flag(NSReadOnlyPersistentStoreOption) }
    /// The place in words: the path of a file, else the whole URL.
    package var name: String { url.isFileURL ? url.path : url.absoluteString }
}

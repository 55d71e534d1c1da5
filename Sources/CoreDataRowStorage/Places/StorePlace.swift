import Foundation

/// The location of a store, with the options that it is used with.
package struct StorePlace: Sendable {
    package let url: URL
    package let options: StoreOptions

    package init(_ url: URL, _ options: StoreOptions = StoreOptions(nil)) {
        self.url = url
        self.options = options
    }

    /// The seconds to wait for a store that others use.
    package var timeout: Double { options.timeout }
    /// Whether the store must not be written.
    package var isReadOnly: Bool { options.flag(NSReadOnlyPersistentStoreOption) }
    /// The place in messages: the path of a file, else the URL without passwords.
    package var name: String { url.nameInMessages }
}

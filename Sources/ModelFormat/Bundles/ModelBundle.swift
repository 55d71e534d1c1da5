import Foundation

/// The versions of a model in one `.xcdatamodeld` or `.momd`.
public struct ModelBundle: Sendable {
    /// One version: its name without extension, and the model.
    public struct Version: Sendable {
        /// The name without extension.
        public var name: String
        /// The model itself.
        public var model: Model
        /// The lines of an XML version's parts.
        public var lines = ModelLines()
        /// The file the version was read from.
        public var file: String?
        /// The model cache of the store that the version was read from, if it was.
        package var cacheContent: Data?

        /// Creates a version.
        public init(name: String, model: Model) {
            self.name = name
            self.model = model
        }
    }

    /// The bundle's name without extension.
    public var name: String
    /// The versions, sorted by name with numbers in numeric order. The files record no chronological order: select by hash.
    public var versions: [Version]
    /// The name of the version used for new stores.
    public var currentVersionName: String

    /// Creates a bundle.
    public init(name: String, versions: [Version], currentVersionName: String) {
        self.name = name
        self.versions = versions
        self.currentVersionName = currentVersionName
    }

    /// The version used for new stores.
    public var currentVersion: Version? {
        versions.first { $0.name == currentVersionName }
    }

    static func numericallyPrecedes(_ left: String, _ right: String) -> Bool {
        left.compare(right, options: [.numeric]) == .orderedAscending
    }
}

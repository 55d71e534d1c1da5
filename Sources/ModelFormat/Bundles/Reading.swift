import Foundation

extension ModelBundle {
    /// Reads every version of a model bundle.
    ///
    /// - Parameter url: an `.xcdatamodeld` folder, or an `.xcdatamodel`, which counts as a bundle of one version.
    /// - Throws: ``ModelFormatError`` with the file and line.
    public init(contentsOf url: URL) throws(ModelFormatError) {
        try self.init(sourceAt: url)
    }
}

extension Model {
    /// Reads a model; of a bundle, the current version.
    ///
    /// - Throws: ``ModelFormatError`` with the file, line, entity and property.
    public init(contentsOf url: URL) throws(ModelFormatError) {
        let bundle = try ModelBundle(contentsOf: url)
        guard let version = bundle.currentVersion else {
            throw ModelFormatError(.unknownName, "the bundle has no current version", file: url.path)
        }
        self = version.model
    }
}

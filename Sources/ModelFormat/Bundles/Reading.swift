import Foundation

extension ModelBundle {
    /// Reads every version of a model bundle.
    ///
    /// - Parameter url: an `.xcdatamodeld` or `.momd` folder; or an `.xcdatamodel` folder or `.mom` file, which count as
    ///   bundles of one version.
    /// - Throws: ``ModelFormatError`` with the file and line.
    public init(contentsOf url: URL) throws(ModelFormatError) {
        switch try FormatDetector.format(of: url, path: FileAccess.path(of: url)) {
        case .source: try self.init(sourceAt: url)
        case .compiledBundle: try self.init(compiledAt: url)
        case .compiledFile:
            let version = try Self.compiledVersion(url)
            self.init(name: version.name, versions: [version], currentVersionName: version.name)
        case .xmlFile:
            let document = try ModelDocument(xml: try FileAccess.data(at: url), file: url.path)
            var version = Version(name: url.deletingPathExtension().lastPathComponent, model: document.model)
            version.lines = document.lines
            version.file = url.path
            self.init(name: version.name, versions: [version], currentVersionName: version.name)
        }
    }
}

extension Model {
    /// Reads a model; of a bundle only the current version.
    ///
    /// - Parameter url: an `.xcdatamodeld`, `.xcdatamodel`, `.momd` or `.mom`. The format is detected from the contents, not
    ///   from the name alone: a file is recognized by its first bytes.
    /// - Throws: ``ModelFormatError`` with the file, line, entity and property.
    public init(contentsOf url: URL) throws(ModelFormatError) {
        self = try HashedModel(contentsOf: url).model
    }
}

/// A model, with the version hashes of its entities if they were read with it.
///
/// Compiled bundles made by this module contain hashes in a form that shows whether they belong to the file. Computing them
/// takes a quarter of the time of reading the model.
package struct HashedModel {
    package let model: Model
    package let hashes: EntityHashes?

    init(_ model: Model, _ hashes: EntityHashes? = nil) {
        self.model = model
        self.hashes = hashes
    }

    /// Reads a model as ``Model/init(contentsOf:)`` does.
    package init(contentsOf url: URL) throws(ModelFormatError) {
        let path = FileAccess.path(of: url)
        switch try FormatDetector.format(of: url, path: path) {
        case .source where url.pathExtension == "xcdatamodeld":
            let folders = try FileAccess.contents(of: url).filter { $0.pathExtension == "xcdatamodel" }
            guard !folders.isEmpty else {
                throw ModelFormatError(.missingValue, "the bundle holds no .xcdatamodel", file: url.path)
            }
            let names = folders.map { $0.deletingPathExtension().lastPathComponent }
            let current = try ModelBundle.currentSourceVersion(url, among: names)
            let folder = url.appendingPathComponent(current + ".xcdatamodel")
            self.init(try ModelBundle.sourceVersion(folder).model)
        case .compiledBundle: self = try ModelBundle.currentModel(url, path: path)
        case .source, .compiledFile, .xmlFile:
            let bundle = try ModelBundle(contentsOf: url)
            guard let version = bundle.currentVersion else {
                throw ModelFormatError(.unknownName, "the bundle has no current version", file: url.path)
            }
            self.init(version.model)
        }
    }
}

/// Detects the format of a model.
enum FormatDetector {
    enum Format {
        /// A folder of `.xcdatamodel` folders, or one of these.
        case source
        case compiledBundle
        case compiledFile
        case xmlFile
    }

    static func format(of url: URL, path: String) throws(ModelFormatError) -> Format {
        guard let isFolder = FileAccess.isFolder(path) else {
            throw ModelFormatError(.unreadable, "there is no such file", file: path)
        }
        guard isFolder else {
            let start = try FileAccess.start(ofPath: path, count: 64)
            if start.starts(with: "bplist".utf8) { return .compiledFile }
            let text = String(decoding: start, as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }
            if text.hasPrefix("<") { return .xmlFile }
            throw ModelFormatError(.malformed, "the file is no model", file: path)
        }
        if path.hasSuffix(".momd") { return .compiledBundle }
        switch url.pathExtension {
        case "xcdatamodeld", "xcdatamodel": return .source
        case "momd": return .compiledBundle
        default: break
        }
        let extensions = Set(try FileAccess.contents(of: url).map(\.pathExtension))
        if extensions.contains("mom") { return .compiledBundle }
        if extensions.contains("xcdatamodel") { return .source }
        throw ModelFormatError(
            .malformed, "the folder holds no model", file: url.path,
            advice: "A model is an .xcdatamodeld, .xcdatamodel, .momd or .mom")
    }
}

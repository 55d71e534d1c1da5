import Foundation

extension ModelBundle {
    /// Writes the bundle in source form: an `.xcdatamodeld` with an `.xcdatamodel` per version, or a single `.xcdatamodel`.
    ///
    /// An existing folder is replaced as a whole; if writing fails, it is unchanged.
    ///
    /// - Parameter url: the folder to create. For an `.xcdatamodel` only the current version is written.
    /// - Throws: ``ModelFormatError`` if there is no current version, or the error of writing.
    public func writeSource(to url: URL) throws {
        guard let current = currentVersion else {
            throw ModelFormatError(.unknownName, "the bundle has no version \(currentVersionName)", file: url.path)
        }
        guard url.pathExtension != "xcdatamodel" else {
            return try FileAccess.replaceFolder(at: url, with: [("contents", current.model.xml())])
        }
        var files = versions.map { (name: $0.name + ".xcdatamodel/contents", data: $0.model.xml()) }
        files.append((".xccurrentversion", try Self.currentVersionNote(current.name)))
        try FileAccess.replaceFolder(at: url, with: files)
    }

    /// Writes one version into an `.xcdatamodeld`, which is created if it does not exist, and makes it the current version. The
    /// other versions are unchanged.
    public static func writeSource(_ model: Model, version: String, in url: URL) throws {
        let folder = url.appendingPathComponent(version + ".xcdatamodel")
        try FileAccess.replaceFolder(at: folder, with: [("contents", model.xml())])
        try currentVersionNote(version).write(to: url.appendingPathComponent(".xccurrentversion"), options: .atomic)
    }

    /// Returns the content of `.xccurrentversion`, formatted as by Xcode.
    package static func currentVersionNote(_ version: String) throws -> Data {
        let note = ["_XCCurrentVersionName": version + ".xcdatamodel"]
        return try PropertyListSerialization.data(fromPropertyList: note, format: .xml, options: 0)
    }
}

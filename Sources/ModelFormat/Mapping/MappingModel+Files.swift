import Foundation

extension MappingModel {
    /// Reads a mapping model.
    ///
    /// - Parameter url: a compiled `.cdm` file, or an `.xcmappingmodel` folder (or the `xcmapping.xml` in it), which is
    ///   compiled: see ``MappingDocument/compiled(source:destination:)``. The format is detected from the contents, not the
    ///   name.
    /// - Throws: ``ModelFormatError`` with the file and, in a source file, the line.
    public init(contentsOf url: URL) throws(ModelFormatError) {
        if try Self.isSource(url) {
            self = try MappingDocument(contentsOf: url).compiled()
            return
        }
        do throws(ModelFormatError) {
            try self.init(archive: try FileAccess.data(at: url))
        } catch {
            throw error.inFile(url.path)
        }
    }

    private static func isSource(_ url: URL) throws(ModelFormatError) -> Bool {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            throw ModelFormatError(.unreadable, "there is no such file", file: url.path)
        }
        if isFolder.boolValue { return true }
        return !(try FileAccess.start(ofPath: FileAccess.path(of: url), count: 6).starts(with: Array("bplist".utf8)))
    }

    /// Reads a compiled mapping model: the contents of a `.cdm` file.
    ///
    /// - Throws: ``ModelFormatError`` for any data that is not a mapping model's archive. Damaged or hostile data throws and
    ///   never traps; memory is bounded by a small multiple of its size.
    public init(archive data: Data) throws(ModelFormatError) {
        var reader = try MappingArchiveReader(data)
        self = try reader.read()
    }

    /// Returns the compiled mapping model: the contents of a `.cdm` file.
    public func archive() -> Data {
        MappingArchiveWriter.write(self)
    }
}

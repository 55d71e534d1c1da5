import Foundation

extension Model {
    /// Reads a compiled model: the contents of a `.mom` file.
    ///
    /// - Throws: ``ModelFormatError`` for anything but a model's archive. Damaged or hostile data gives an error, never
    ///   a trap, and memory stays within a small multiple of its size.
    public init(archive data: Data) throws(ModelFormatError) {
        try self.init(archive: data.bytes)
    }

    init(archive bytes: [UInt8]) throws(ModelFormatError) {
        var reader = try ModelArchiveReader(bytes)
        self = try reader.read()
    }

    /// The model compiled, as the contents of a `.mom` file.
    ///
    /// - Parameter parser: reads the text of predicates and expressions. Needed only by models with fetch templates,
    ///   fetched properties, partial indexes, predicates in code, or derivations beyond one function of one key path.
    /// - Throws: ``ModelFormatError`` if the model has problems (see ``problems(lines:file:)``) or its predicates cannot
    ///   be read.
    public func archive(parser: (any PredicateTextParser)? = nil) throws(ModelFormatError) -> Data {
        var writer = ModelArchiveWriter(self, purpose: .file, parser: parser)
        return try writer.write()
    }

    /// Some entities compiled by themselves. What they refer to may be missing, and is there by name.
    ///
    /// - Parameter parser: as in ``archive(parser:)``.
    public func archiveOfPart(parser: (any PredicateTextParser)? = nil) throws(ModelFormatError) -> Data {
        var writer = ModelArchiveWriter(self, purpose: .part, parser: parser)
        return try writer.write()
    }

    /// Reads the model a SQLite store carries in its table `Z_MODELCACHE`: a compressed archive.
    public init(cacheContent data: Data) throws(ModelFormatError) {
        self = try Model(archive: try RawDeflate.expand(data))
    }

    /// The model in the form a SQLite store carries it in its table `Z_MODELCACHE`.
    ///
    /// - Parameter parser: as in ``archive(parser:)``.
    public func cacheContent(parser: (any PredicateTextParser)? = nil) throws(ModelFormatError) -> Data {
        var writer = ModelArchiveWriter(self, purpose: .cache, parser: parser)
        return RawDeflate.compress(try writer.write())
    }
}

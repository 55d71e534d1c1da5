import Foundation

extension Model {
    /// Reads a compiled model: the contents of a `.mom` file.
    ///
    /// - Throws: ``ModelFormatError`` for any data that is not a model's archive. Damaged or hostile data throws and never
    ///   traps; memory is bounded by a small multiple of its size.
    public init(archive data: Data) throws(ModelFormatError) {
        try self.init(archive: data.bytes)
    }

    init(archive bytes: [UInt8]) throws(ModelFormatError) {
        var reader = try ModelArchiveReader(bytes)
        self = try reader.read()
    }

    /// Returns the compiled model: the contents of a `.mom` file.
    ///
    /// - Parameter parser: parses predicates and expressions. Required only for models with fetch templates, fetched
    ///   properties, partial indexes, predicates set in code, or derivations other than one function of one key path.
    /// - Throws: ``ModelFormatError`` if the model has problems (see ``problems(lines:file:)``) or its predicates cannot be
    ///   parsed.
    public func archive(parser: (any PredicateTextParser)? = nil) throws(ModelFormatError) -> Data {
        var writer = ModelArchiveWriter(self, purpose: .file, parser: parser)
        return try writer.write()
    }

    /// Returns an archive of entities from a larger model. References to missing entities are kept by name.
    ///
    /// - Parameter parser: as in ``archive(parser:)``.
    public func archiveOfPart(parser: (any PredicateTextParser)? = nil) throws(ModelFormatError) -> Data {
        var writer = ModelArchiveWriter(self, purpose: .part, parser: parser)
        return try writer.write()
    }

    /// Reads the model that a SQLite store contains in its table `Z_MODELCACHE`: a compressed archive.
    public init(cacheContent data: Data) throws(ModelFormatError) {
        // Archives of models shrink to a tenth. Content that expands to much more is not one.
        let limit = min(64 << 20, max(1 << 20, data.count * 200))
        self = try Model(archive: try RawDeflate.expand(data, limit: limit))
    }

    /// Returns the model in the form that a SQLite store contains in its table `Z_MODELCACHE`.
    ///
    /// - Parameter parser: as in ``archive(parser:)``.
    public func cacheContent(parser: (any PredicateTextParser)? = nil) throws(ModelFormatError) -> Data {
        var writer = ModelArchiveWriter(self, purpose: .cache, parser: parser)
        return RawDeflate.compress(try writer.write())
    }
}

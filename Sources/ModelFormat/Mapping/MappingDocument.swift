import Foundation

/// The uncompiled source of a mapping model: an `.xcmappingmodel`.
///
/// The source omits parts that the compiler generates, such as the expression of a copied attribute;
/// ``compiled(source:destination:)`` fills them in.
public struct MappingDocument: Sendable {
    /// An entity mapping of the source.
    public struct Entry: Sendable, Hashable {
        /// The name; `nil` to generate it from the entities' names.
        public var name: String?
        /// The position in the order of mappings.
        public var number = 0
        /// The entity of the old version; nil if the entity is added.
        public var sourceName: String?
        /// The entity of the new version; nil if the entity is removed.
        public var destinationName: String?
        /// The class of the migration policy; nil for the standard one.
        public var migrationPolicyClassName: String?
        /// The predicate that selects source objects, as text; `nil` for all.
        public var sourceFilter: String?
        /// The mappings of attributes.
        public var attributes: [Property] = []
        /// The mappings of relationships.
        public var relationships: [Property] = []
        /// The developer's user-info dictionary.
        public var userInfo: [String: ModelValue] = [:]
        /// The line of the source file.
        public var line: Int?
    }

    /// A property mapping of the source.
    public struct Property: Sendable, Hashable {
        /// The name of the property.
        public var name: String
        /// The expression, if it is written by hand.
        public var valueExpression: ArchivedExpression?
        /// The source objects of a relationship: `$source.path`.
        public var sourceKeyPath: String?
        /// The entity mapping that creates the related objects.
        public var sourceMappingName: String?
        /// True if an expression is generated when none is given.
        public var generatesExpression = true
        /// The developer's user-info dictionary.
        public var userInfo: [String: ModelValue] = [:]
    }

    /// The path of the old model's source, as recorded by the editor.
    public var sourceModelPath: String?
    /// The path of the new model's source, as recorded by the editor.
    public var destinationModelPath: String?
    /// The old model when the mapping model was last saved, if it is embedded.
    public var sourceModel: Model?
    /// The new model when the mapping model was last saved, if it is embedded.
    public var destinationModel: Model?
    /// The entity mappings, in order.
    public var entries: [Entry] = []
    /// The path of the `xcmapping.xml`, if it was read from one.
    public var file: String?
    /// The parts of the source that were not read.
    var unread: [(name: String, line: Int)] = []

    /// Reads the source of a mapping model.
    ///
    /// - Parameter url: an `.xcmappingmodel` folder, or the `xcmapping.xml` in it.
    /// - Throws: ``ModelFormatError`` with the file and line.
    public init(contentsOf url: URL) throws(ModelFormatError) {
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
        let file = exists && isFolder.boolValue ? url.appendingPathComponent("xcmapping.xml") : url
        try self.init(xml: try FileAccess.data(at: file), file: file.path)
    }

    /// Reads the contents of an `xcmapping.xml`.
    ///
    /// - Throws: ``ModelFormatError`` naming the line.
    public init(xml data: Data, file: String? = nil) throws(ModelFormatError) {
        let root = try XMLTreeReader.read(data, file: file, keepsText: true)
        do throws(ModelFormatError) {
            let reader = try MappingSourceReader(root)
            try reader.fill(&self)
        } catch {
            throw file.map(error.inFile) ?? error
        }
        self.file = file
    }
}

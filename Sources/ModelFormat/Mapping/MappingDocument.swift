import Foundation

/// What the source of a mapping model says: an `.xcmappingmodel`, before it is compiled.
///
/// The source leaves out what the editor would generate anyway, such as the expression of an attribute that is copied;
/// ``compiled(source:destination:)`` fills it in.
public struct MappingDocument: Sendable {
    /// One entity mapping as the source has it.
    public struct Entry: Sendable, Hashable {
        /// `nil` for the name made from the entities'.
        public var name: String?
        /// The place in the order.
        public var number = 0
        /// The entity in the old version; nil for one that is added.
        public var sourceName: String?
        /// The entity in the new version; nil for one that is removed.
        public var destinationName: String?
        /// The class that carries the mapping out; nil for the standard one.
        public var migrationPolicyClassName: String?
        /// Which source objects are meant, as predicate text; `nil` for all.
        public var sourceFilter: String?
        /// How attributes get their values.
        public var attributes: [Property] = []
        /// How relationships get their objects.
        public var relationships: [Property] = []
        /// Notes of the developer's.
        public var userInfo: [String: ModelValue] = [:]
        public var line: Int?
    }

    /// One property mapping as the source has it.
    public struct Property: Sendable, Hashable {
        public var name: String
        /// The expression written by hand.
        public var valueExpression: ArchivedExpression?
        /// The source objects of a relationship: `$source.path`.
        public var sourceKeyPath: String?
        /// The entity mapping that made the related objects.
        public var sourceMappingName: String?
        /// Whether an expression is generated where none is given.
        public var generatesExpression = true
        /// Notes of the developer's.
        public var userInfo: [String: ModelValue] = [:]
    }

    /// The path of the old model's source, as the editor noted it.
    public var sourceModelPath: String?
    /// The path of the new model's source, as the editor noted it.
    public var destinationModelPath: String?
    /// The old model as it was when the mapping model was last saved, if it is embedded.
    public var sourceModel: Model?
    /// The new model as it was when the mapping model was last saved, if it is embedded.
    public var destinationModel: Model?
    /// The entity mappings, in order.
    public var entries: [Entry] = []
    /// The path of the `xcmapping.xml`, if it came from one.
    public var file: String?
    /// What the source says that is not read.
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

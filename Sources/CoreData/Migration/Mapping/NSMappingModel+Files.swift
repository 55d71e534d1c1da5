import Foundation
import ModelFormat
import ModelPredicates
import PredicateFormat

extension NSMappingModel {
    /// Reads the mapping model of a file: a compiled `.cdm`, or the source form `.xcmappingmodel`.
    ///
    /// Returns nil and logs the reason if the file cannot be read.
    public convenience init?(contentsOf url: URL?) {
        guard let url else { return nil }
        self.init()
        do {
            try read(url)
        } catch {
            NSLog("CoreData: error: Failed to load mapping model at %@: %@", url.path, "\(error)")
            return nil
        }
    }

    fileprivate final func read(_ url: URL) throws {
        try MappingBuilder.fill(self, from: try MappingModel(contentsOf: url))
    }

    /// Finds the mapping model in bundles that maps one model to the other, by their entities' version hashes.
    ///
    /// nil searches the main bundle; off Apple's platforms, the main bundle includes the resource bundles beside the program.
    public convenience init?(
        from bundles: [Bundle]?, forSourceModel sourceModel: NSManagedObjectModel?,
        destinationModel: NSManagedObjectModel?
    ) {
        guard let sourceModel, let destinationModel else { return nil }
        let found = MappingSearch.files(in: bundles).lazy.compactMap { NSMappingModel(contentsOf: $0) }
            .first { $0.isMade(for: sourceModel, destinationModel) }
        guard let found else { return nil }
        self.init()
        entityMappings = found.entityMappings
    }

    /// Returns all mapping models in bundles, for chains of migrations, which would otherwise search the bundles for every pair
    /// of versions.
    package class func mappingModels(in bundles: [Bundle]?) -> [NSMappingModel] {
        MappingSearch.files(in: bundles).compactMap { NSMappingModel(contentsOf: $0) }
    }
}

/// Finds mapping models in bundles.
enum MappingSearch {
    /// Returns the compiled mapping models, and the source forms of those that are not compiled.
    static func files(in bundles: [Bundle]?) -> [URL] {
        let ofProgram = ModelSearch.foldersBesideProgram + ModelSearch.resourceBundlesBesideProgram
        let folders =
            bundles?.flatMap { bundle in
                bundle == .main
                    ? ofProgram : [bundle.resourceURL, bundle.bundleURL].compactMap { $0?.standardizedFileURL }
            } ?? ofProgram
        var seen: Set<URL> = []
        return folders.filter { seen.insert($0).inserted }.flatMap(files(inFolder:))
    }

    /// Returns the reasons for which mapping models of the program that may be meant for two models are not used, one sentence
    /// each.
    static func doubts(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) -> [String] {
        files(in: nil).compactMap { url in
            let name = url.lastPathComponent
            let mapping = NSMappingModel()
            do {
                try mapping.read(url)
            } catch {
                return "The mapping model \(name) cannot be read: \(error)."
            }
            return mapping.misfit(source, destination).map { "The mapping model \(name) \($0)." }
        }
    }

    private static func files(inFolder folder: URL) -> [URL] {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
        let compiled = names.filter { $0.hasSuffix(".cdm") }
        let sources = names.filter { name in
            name.hasSuffix(".xcmappingmodel")
                && !compiled.contains((name as NSString).deletingPathExtension + ".cdm")
        }
        return (compiled + sources).map { folder.appendingPathComponent($0) }
    }
}

/// Creates the objects of a mapping model from plain values.
enum MappingBuilder {
    static func fill(_ model: NSMappingModel, from values: MappingModel) throws {
        model.entityMappings = try values.entityMappings.map { value in
            let mapping = NSEntityMapping()
            mapping.name = value.name
            mapping.mappingType = NSEntityMappingType(rawValue: value.kind.rawValue) ?? .undefinedEntityMappingType
            mapping.sourceEntityName = value.sourceEntityName
            mapping.sourceEntityVersionHash = value.sourceEntityVersionHash
            mapping.destinationEntityName = value.destinationEntityName
            mapping.destinationEntityVersionHash = value.destinationEntityVersionHash
            mapping.sourceExpression = try value.sourceExpression.map(expression)
            mapping.entityMigrationPolicyClassName = value.migrationPolicyClassName
            mapping.attributeMappings = try value.attributeMappings.map(property)
            mapping.relationshipMappings = try value.relationshipMappings.map(property)
            mapping.userInfo = userInfo(value.userInfo)
            return mapping
        }
    }

    private static func property(_ value: PropertyMapping) throws -> NSPropertyMapping {
        let mapping = NSPropertyMapping(name: value.name, valueExpression: try value.valueExpression.map(expression))
        mapping.userInfo = userInfo(value.userInfo)
        return mapping
    }

    private static func expression(_ value: ArchivedExpression) throws -> NSExpression {
        NSExpression(node: try ExpressionNode(value))
    }

    private static func userInfo(_ values: [String: ModelValue]) -> [AnyHashable: Any]? {
        guard !values.isEmpty else { return nil }
        return Dictionary(uniqueKeysWithValues: values.map { (AnyHashable($0), $1.foundationValue) })
    }
}

import Foundation

/// The mapping of objects from one version of a model to another.
///
/// Created by Xcode's editor, inferred from the two models, or built in code. Entity mappings are performed in the order of
/// ``entityMappings``.
///
/// Thread rule: edited and used on one thread at a time.
open class NSMappingModel: NSObject, NSCopying, @unchecked Sendable {
    /// The mappings of entities. Names must be unique.
    open var entityMappings: [NSEntityMapping]! = [] {
        didSet { comparison = nil }
    }

    /// The comparison of models from which this mapping model was inferred; nil once it has been edited.
    ///
    /// Stores that can migrate by the comparison need not perform the mappings one by one.
    final var comparison: ModelComparison?

    /// Creates a mapping model without mappings.
    public override init() {
        super.init()
    }

    /// The mappings by name.
    open var entityMappingsByName: [String: NSEntityMapping] {
        Dictionary((entityMappings ?? []).compactMap { mapping in mapping.name.map { ($0, mapping) } }) { first, _ in
            first
        }
    }

    /// Infers a mapping model from the differences of two models, as for "lightweight migration".
    ///
    /// Entities and properties correspond when their renaming identifiers do. See <doc:Migrating> for the rules.
    ///
    /// - Throws: `NSInferredMappingModelError` (134190) with every reason for which no mapping can be inferred.
    open class func inferredMappingModel(
        forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
    ) throws -> NSMappingModel {
        let comparison = ModelComparison(source: sourceModel, destination: destinationModel)
        try comparison.checkInferable()
        return InferredMapping(comparison).make()
    }

    /// Returns whether the mapping can be used between models with these version hashes: every hash it names is the model's.
    final func fits(source: [String: Data], destination: [String: Data]) -> Bool {
        (entityMappings ?? []).allSatisfy { mapping in
            Self.agrees(mapping.sourceEntityName, mapping.sourceEntityVersionHash, source)
                && Self.agrees(mapping.destinationEntityName, mapping.destinationEntityVersionHash, destination)
        }
    }

    private static func agrees(_ name: String?, _ hash: Data?, _ hashes: [String: Data]) -> Bool {
        guard let name else { return true }
        guard let known = hashes[name] else { return false }
        return hash.map { $0 == known } ?? true
    }

    /// Returns whether the mapping was made for these models: it fits, and has a mapping for every entity.
    final func isMade(for source: NSManagedObjectModel, _ destination: NSManagedObjectModel) -> Bool {
        let mappings = entityMappings ?? []
        let from = Set(mappings.compactMap(\.sourceEntityName)), to = Set(mappings.compactMap(\.destinationEntityName))
        func covers(_ names: Set<String>, _ model: NSManagedObjectModel) -> Bool {
            model.entities.allSatisfy { $0.isAbstract || names.contains($0.name ?? "") }
        }
        return covers(from, source) && covers(to, destination)
            && fits(source: source.entityVersionHashesByName, destination: destination.entityVersionHashesByName)
    }

    /// Returns the reason for which a mapping model was not made for two models that have its entities by name, worded to
    /// follow its name; nil if it was made for them, or maps other entities.
    final func misfit(_ source: NSManagedObjectModel, _ destination: NSManagedObjectModel) -> String? {
        let mappings = entityMappings ?? []
        let from = Set(mappings.compactMap(\.sourceEntityName)), to = Set(mappings.compactMap(\.destinationEntityName))
        guard !from.isEmpty, !to.isEmpty, from.allSatisfy({ source.entitiesByName[$0] != nil }),
            to.allSatisfy({ destination.entitiesByName[$0] != nil })
        else { return nil }
        for mapping in mappings {
            let mismatch =
                MappingCheck.mismatch(mapping.sourceEntityName, mapping.sourceEntityVersionHash, source, "source")
                ?? MappingCheck.mismatch(
                    mapping.destinationEntityName, mapping.destinationEntityVersionHash, destination, "destination")
            if let mismatch { return "names \(mismatch)" }
        }
        for (names, model, side) in [(from, source, "source"), (to, destination, "destination")] {
            let missing = model.entities.filter { !$0.isAbstract && !names.contains($0.name ?? "") }.compactMap(\.name)
            if !missing.isEmpty { return "leaves out the \(side) entities \(missing.sorted().joined(separator: ", "))" }
        }
        return nil
    }

    // MARK: NSObject

    /// Returns a copy with copies of the mappings.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSMappingModel()
        copy.entityMappings = (entityMappings ?? []).compactMap { $0.copy() as? NSEntityMapping }
        return copy
    }

    /// Compares mapping models by content: the same entity mappings in the same order, in which they are performed.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSMappingModel else { return false }
        return self === other
            || type(of: self) == type(of: other) && (entityMappings ?? []) == (other.entityMappings ?? [])
    }

    open override var hash: Int { (entityMappings ?? []).hashValue }

    open override var description: String {
        "(<NSMappingModel>) entityMappings {\n"
            + (entityMappings ?? []).map { "    \($0)" }.joined(separator: "\n") + "\n}"
    }
}

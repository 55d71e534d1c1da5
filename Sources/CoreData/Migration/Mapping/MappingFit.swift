import Foundation
import ModelFormat

/// Which versions of which entities a mapping model was made for.
struct MappingFit {
    private typealias Version = (name: String?, hash: Data?)

    private let sources: [Version]
    private let destinations: [Version]

    init(_ model: NSMappingModel) {
        let mappings = model.entityMappings ?? []
        sources = mappings.map { ($0.sourceEntityName, $0.sourceEntityVersionHash) }
        destinations = mappings.map { ($0.destinationEntityName, $0.destinationEntityVersionHash) }
    }

    init(_ model: MappingModel) {
        sources = model.entityMappings.map { ($0.sourceEntityName, $0.sourceEntityVersionHash) }
        destinations = model.entityMappings.map { ($0.destinationEntityName, $0.destinationEntityVersionHash) }
    }

    /// Whether the mapping can be used between models of these hashes: every hash it names is the model's.
    func fits(source: [String: Data], destination: [String: Data]) -> Bool {
        Self.agrees(sources, source) && Self.agrees(destinations, destination)
    }

    private static func agrees(_ versions: [Version], _ hashes: [String: Data]) -> Bool {
        versions.allSatisfy { name, hash in
            guard let name else { return true }
            guard let known = hashes[name] else { return false }
            return hash.map { $0 == known } ?? true
        }
    }

    /// Whether the mapping was made for these models: it fits, and says of every entity what becomes of it.
    func isMade(for source: NSManagedObjectModel, _ destination: NSManagedObjectModel) -> Bool {
        func covers(_ versions: [Version], _ model: NSManagedObjectModel) -> Bool {
            let names = Set(versions.compactMap(\.name))
            return model.entities.allSatisfy { $0.isAbstract || names.contains($0.name ?? "") }
        }
        return covers(sources, source) && covers(destinations, destination)
            && fits(source: source.entityVersionHashesByName, destination: destination.entityVersionHashesByName)
    }
}

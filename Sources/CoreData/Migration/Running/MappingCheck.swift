import CoreDataRowStorage
import Foundation

/// Checks that a mapping model can be performed between two models, before a store is opened.
struct MappingCheck {
    let mapping: NSMappingModel
    let source: NSManagedObjectModel
    let destination: NSManagedObjectModel
    /// The beginning of the error's sentence: the operation that failed.
    let subject: String

    /// Checks every entity mapping.
    ///
    /// - Throws: 134110 naming the entity mapping, the entity and the problem.
    func run() throws {
        var names: Set<String> = []
        for entity in mapping.entityMappings ?? [] {
            if let problem = problem(with: entity) { throw problem }
            guard !names.insert(entity.name ?? "").inserted else { continue }
            throw failure(
                entity, "Two entity mappings are named \"\(entity.name ?? "")\".",
                advice: "Give each a name of its own.")
        }
    }

    private func problem(with mapping: NSEntityMapping) -> NSError? {
        let advice = "Make the mapping model again from these versions of the models."
        let name = mapping.name ?? ""
        let reason =
            Self.mismatch(mapping.sourceEntityName, mapping.sourceEntityVersionHash, source, "source")
            ?? Self.mismatch(
                mapping.destinationEntityName, mapping.destinationEntityVersionHash, destination, "destination")
        if let reason { return failure(mapping, "The entity mapping \"\(name)\" names \(reason).", advice: advice) }
        guard [.copyEntityMappingType, .transformEntityMappingType].contains(mapping.mappingType) else { return nil }
        let sides = [("source", mapping.sourceEntityName), ("destination", mapping.destinationEntityName)]
        guard let side = sides.first(where: { $0.1 == nil })?.0 else { return nil }
        return failure(
            mapping, "The entity mapping \"\(name)\" copies or transforms objects, and names no \(side) entity.",
            advice: "Name its \(side) entity.")
    }

    /// Returns the mismatch between an entity of a mapping and the model, worded to follow "names"; nil if the model has the
    /// entity in that version.
    static func mismatch(_ name: String?, _ hash: Data?, _ model: NSManagedObjectModel, _ side: String) -> String? {
        guard let name else { return nil }
        guard let known = model.entityVersionHashesByName[name] else {
            return "the \(side) entity \"\(name)\", which the \(side) model does not have"
        }
        guard let hash, hash != known else { return nil }
        return "another version of the \(side) entity \"\(name)\": its version hash is \(hash.base64EncodedString()), "
            + "that of the \(side) model is \(known.base64EncodedString())"
    }

    private func failure(_ mapping: NSEntityMapping, _ reason: String, advice: String) -> NSError {
        CoreDataError.make(
            NSMigrationError, description: "\(subject): the mapping model does not fit the models.", reason: reason,
            advice: advice, entity: mapping.destinationEntityName ?? mapping.sourceEntityName,
            userInfo: ["sourceModel": source, "destinationModel": destination])
    }
}

import Foundation
import ModelFormat

/// The objects of a store that an inferred migration cannot preserve.
package struct UnmigratableObjects {
    private let hazard: MigrationHazard
    /// The first of these objects, each with the objects at the other end of the relationship.
    private let examples: [(object: URL, others: [URL])]
    private let count: Int

    package init(hazard: MigrationHazard, examples: [(object: URL, others: [URL])], count: Int) {
        self.hazard = hazard
        self.examples = examples
        self.count = count
    }

    /// The maximum number of objects that an error names.
    package static let limit = 20

    /// Returns the error with which the migration fails. Code and reason are Apple's if its framework has this error.
    package func failure(at store: URL) -> NSError {
        let info = names
        let cause = CoreDataError.make(
            NSMigrationError, description: hazard.reason + ".", reason: reason, userInfo: info)
        var all = info
        all[NSAffectedObjectsErrorKey] = examples.map(\.object)
        all[NSURLErrorKey] = store
        all["reasons"] = [hazard.reason]
        return CoreDataError.make(
            NSMigrationError,
            description: "The store at \(store.nameInMessages) could not be migrated: \(hazard.reason). \(words)",
            reason: "Cannot migrate store in-place: " + reason,
            advice: "Change these objects with the old version of the model, or change the new one: \(hazard.advice).",
            underlying: cause, userInfo: all)
    }

    private var reason: String {
        switch hazard.kind {
        case .missingValue: "Validation error missing attribute values on mandatory destination attribute"
        case .missingObject: "Validation error missing attribute values on mandatory destination relationship"
        case .destination, .place: hazard.reason
        }
    }

    private var names: [String: Any] {
        let key = hazard.kind == .missingValue ? "attribute" : "relationship"
        return ["entity": hazard.entity, "property": hazard.property, key: hazard.property]
    }

    private var words: String {
        let more = count > examples.count ? ", and \(count - examples.count) more" : ""
        let list = examples.map { example in
            let others = example.others.map(\.absoluteString).joined(separator: ", ")
            return example.object.absoluteString
                + (others.isEmpty ? "" : hazard.kind == .place ? " (claimed by \(others))" : " (\(others))")
        }
        let subject =
            switch hazard.kind {
            case .missingValue: "Without a value"
            case .missingObject: "Without an object there"
            case .destination: "Leading to such objects"
            case .place:
                examples.allSatisfy { $0.others.count == 2 }
                    ? "Two owners claim one object" : "Several owners claim one object"
            }
        return "\(subject): \(list.joined(separator: ", "))\(more)."
    }
}

import Foundation
import PredicateFormat

/// The errors for unsupported queries, in SQL or in memory. Apple's framework raises exceptions with these texts.
package enum UnsupportedQuery {
    package static func keyPath(_ path: String, in layout: EntityLayout) -> NSError {
        make("keypath \(path) not found in entity \(layout.name)", entity: layout.name, key: path)
    }

    /// Returns the error for a path over a property that is not stored.
    package static func transient(_ key: String, _ path: String, in layout: EntityLayout) -> NSError {
        make(
            "keypath \(path) not found in entity \(layout.name)",
            advice:
                "\(key) is transient, and the store does not keep it: fetch by other properties, then filter the result.",
            entity: layout.name, key: path)
    }

    /// Returns the error for a key that names different properties in several subentities.
    package static func severalProperties(_ key: String, _ path: String, in layout: EntityLayout) -> NSError {
        make(
            "keypath \(path) has several meanings in entity \(layout.name)",
            advice:
                "Entities below \(layout.name) have properties of different types by the name \(key): fetch these entities "
                + "one by one.", entity: layout.name, key: path)
    }

    package static func toManyKey(_ text: String) -> NSError {
        make(
            "to-many key not allowed here: \(text)",
            advice: "Use ANY, a collection operator such as @count, or SUBQUERY.")
    }

    package static func severalToManyKeys(_ text: String) -> NSError {
        make("multiple to-many keys not allowed here: \(text)", advice: "Use nested SUBQUERY expressions.")
    }

    package static func predicate(_ node: PredicateNode, _ reason: String = "") -> NSError {
        make("unimplemented SQL generation for predicate : (\(node.predicateFormat))\(reason)")
    }

    package static func expression(_ text: String, kind: String = "expression") -> NSError {
        make("Unsupported \(kind) \(text)")
    }

    package static func function(_ text: String) -> NSError { make("Unsupported function expression \(text)") }

    package static func selector(_ node: PredicateNode) -> NSError {
        make(
            "unimplemented SQL generation for predicate : (\(node.predicateFormat))",
            advice: "A fetch cannot call methods; compare \"entity\" for the kind of an object, or filter the result.")
    }

    package static func block() -> NSError {
        make(
            "Problem with subpredicate BLOCKPREDICATE",
            advice: "A predicate made from a block cannot be turned into SQL; fetch first, then filter the result.")
    }

    package static func variable(_ name: String) -> NSError {
        make(
            "unbound variable $\(name) in predicate",
            advice: "Substitute it with predicate.withSubstitutionVariables(_:) before the fetch.")
    }

    package static func sortSelector(_ name: String) -> NSError {
        make("unsupported NSSortDescriptor selector: \(name)")
    }

    package static func sortComparator() -> NSError {
        make(
            "unsupported NSSortDescriptor (comparator blocks are not supported)",
            advice: "Sort by a key and one of the comparison selectors, or sort the result in memory.")
    }

    package static func make(_ text: String, advice: String? = nil, entity: String? = nil, key: String? = nil)
        -> NSError
    {
        CoreDataError.make(
            NSCoreDataError, description: text, reason: text, advice: advice, entity: entity, key: key,
            userInfo: ["NSExceptionName": "NSInvalidArgumentException"])
    }
}

import CoreDataRowStorage
import PredicateFormat

/// Makes expressions that run a fetch request: `FETCH(request, context, countOnly)` of the format language.
///
/// In a fetch from a store such an expression becomes a part of the query, as in `author IN FETCH(…)`; evaluated in memory,
/// it runs the request. Off Apple expressions are all of one class, so this is the name of a factory and not of their
/// class; the parts of such an expression are those of its `node`.
public enum NSFetchRequestExpression {
    /// An expression that fetches.
    ///
    /// - Parameters:
    ///   - fetch: yields the `NSFetchRequest`.
    ///   - context: yields the `NSManagedObjectContext` to fetch in.
    ///   - countFlag: whether the expression yields the number of results, not the results.
    public static func expression(
        forFetch fetch: NSExpression, context: NSExpression, countOnly countFlag: Bool
    ) -> NSExpression {
        NSExpression(
            node: .fetch(request: fetch.node, context: context.node, countOnly: .constant(countFlag)))
    }
}

extension FetchRequestBase: PredicateFetchable {
    /// Runs the request for `FETCH(…)`.
    ///
    /// - Throws: when `context` is no context, and what fetching throws.
    public final func predicateFetch(in context: Any?, countOnly: Bool) throws -> Any {
        guard let context = context as? NSManagedObjectContext else {
            throw CoreDataError.make(
                NSCoreDataError, description: "FETCH needs a managed object context as its second argument.",
                reason: "It is \(context.map { "\($0)" } ?? "nil").", entity: entityName)
        }
        return countOnly ? try context.countResults(of: self) : try context.fetchAny(self)
    }
}

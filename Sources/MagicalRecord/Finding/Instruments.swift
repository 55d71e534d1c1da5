#if canImport(ObjectiveC)
import CoreData

/// Stands in for the instruments of the package's own Core Data, to which the framework reports its work. Apple's has none.
enum Instruments {
    static func withoutFindings<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }

    static func importChunk<Result>(
        of count: Int, as entity: String?, in context: NSManagedObjectContext, _ body: () throws -> Result
    ) rethrows -> Result { try body() }
}
#endif

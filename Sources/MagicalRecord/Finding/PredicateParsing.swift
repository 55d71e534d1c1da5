import CoreData

#if canImport(ObjectiveC)
internal import MagicalRecordExceptions
#endif

/// Format strings to predicates, with an error for those that do not parse.
enum PredicateParsing {
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    static func convert<Root: NSManagedObject>(_ predicate: Predicate<Root>) -> NSPredicate? {
        NSPredicate(predicate)
    }

    static func predicate(_ format: String, _ arguments: [any CVarArg]) throws -> NSPredicate {
        do {
            #if canImport(ObjectiveC)
            return try withVaList(arguments) { list in
                Result { try MRThrowingCalls.predicate(format: format, arguments: list) }
            }.get()
            #else
            return try NSPredicate.parse(format, arguments: arguments)
            #endif
        } catch {
            throw MagicalRecordError(
                .malformedFormat, "The predicate format \"\(format)\" does not parse.",
                advice: "Values belong in arguments (%@), names of keys in %K.", underlying: error)
        }
    }
}

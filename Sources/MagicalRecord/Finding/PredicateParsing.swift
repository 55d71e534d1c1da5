import CoreData

/// Format strings to predicates, with an error instead of a trap where the platform allows it.
///
/// Off Apple's platforms a string that does not parse throws. Apple's own parser raises an Objective-C exception,
/// which Swift cannot catch; there the string must be right.
enum PredicateParsing {
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    static func convert<Root: NSManagedObject>(_ predicate: Predicate<Root>) -> NSPredicate? {
        NSPredicate(predicate)
    }

    static func predicate(_ format: String, _ arguments: [any CVarArg]) throws -> NSPredicate {
        #if canImport(ObjectiveC)
        return withVaList(arguments) { NSPredicate(format: format, arguments: $0) }
        #else
        do {
            return try NSPredicate.parse(format, arguments: arguments)
        } catch {
            throw MagicalRecordError(
                .malformedFormat, "The predicate format \"\(format)\" does not parse.",
                advice: "Values belong in arguments (%@), names of keys in %K.", underlying: error)
        }
        #endif
    }
}

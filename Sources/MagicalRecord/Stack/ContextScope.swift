import CoreData

/// Which context a function means that was given none.
///
/// Inside the closure of one of MagicalRecord's saves it is the context of that save; on the main thread it is the
/// default stack's main context. Anywhere else there is none to assume, and a clear error says so. (The original
/// made up a hidden context per thread there; its objects were not seen by the save block around them.)
enum ContextScope {
    private static let key = "MagicalRecord.currentContext"

    /// The context whose save closure is running on this thread.
    static var current: NSManagedObjectContext? {
        Thread.current.threadDictionary[key] as? NSManagedObjectContext
    }

    /// Runs `body` with `context` as the one that functions without a context argument mean.
    static func with<Result>(_ context: NSManagedObjectContext, _ body: () throws -> Result) rethrows -> Result {
        let dictionary = Thread.current.threadDictionary
        let previous = dictionary[key]
        dictionary[key] = context
        defer {
            if let previous { dictionary[key] = previous } else { dictionary.removeObject(forKey: key) }
        }
        return try body()
    }

    static func resolve(_ context: NSManagedObjectContext?) throws -> NSManagedObjectContext {
        if let context { return context }
        if let current { return current }
        let main = try MagicalRecord.requireStack().mainContext
        guard MainQueue.isCurrent || main.concurrencyType != .mainQueueConcurrencyType else {
            throw MagicalRecordError(
                .missingContext, "No context was given, and this is neither the main thread nor inside a save.",
                advice: "Pass the context (in:), or work inside MagicalRecord.save { context in … }.")
        }
        return main
    }
}

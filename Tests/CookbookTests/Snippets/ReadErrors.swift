#if !canImport(ObjectiveC)
import CoreData

/// What the article on objects and contexts shows of stores that cannot be read.
enum ReadErrorSnippets {
    static func save(_ context: NSManagedObjectContext) throws {
        // snippet
        do {
            try context.save()
        } catch  where context.readError != nil {
            // The unsaved changes are still there. Ends the error, and has what was shown refreshed.
            context.takeReadError()
            try context.save()
        }
        // end
    }
}
#endif

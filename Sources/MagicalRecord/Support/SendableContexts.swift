import CoreData

// Contexts may be passed between threads: what they do is done on their queues. Core Data says so from Xcode 26 on; with
// older SDKs this does, for the whole program.
#if canImport(ObjectiveC) && (compiler(<6.2) || CORE_DATA_OF_XCODE_16)
extension NSManagedObjectContext: @retroactive @unchecked Sendable {}
#endif

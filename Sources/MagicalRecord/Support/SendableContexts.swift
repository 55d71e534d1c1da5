import CoreData

// Contexts may be passed between threads: they work on their queues. Core Data declares this from Xcode 26 on; with older SDKs
// this conformance does, for the whole program.
#if canImport(ObjectiveC) && (compiler(<6.2) || CORE_DATA_OF_XCODE_16)
extension NSManagedObjectContext: @retroactive @unchecked Sendable {}
#endif

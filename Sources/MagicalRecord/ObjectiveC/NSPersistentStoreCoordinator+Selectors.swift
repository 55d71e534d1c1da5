#if canImport(ObjectiveC)
import CoreData

// Objective-C selectors for functions that Swift calls by other names.

#endif

#if canImport(ObjectiveC)
import CoreData

// The names by which Objective-C knows these functions; Swift sees the ones they call.

#endif

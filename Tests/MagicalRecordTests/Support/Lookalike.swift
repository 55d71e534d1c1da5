#if !canImport(Darwin)
import CoreData

/// CoreDataTests has a class of this name as well.
final class Lookalike: NSManagedObject {}
#endif

import MagicalRecord

/// A random number in the store.
final class Event: NSManagedObject {
    @NSManaged var randomNumber: Int16
}

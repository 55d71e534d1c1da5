import MagicalRecord

/// A number that arrived.
final class Event: NSManagedObject {
    @NSManaged var randomNumber: Int16
}

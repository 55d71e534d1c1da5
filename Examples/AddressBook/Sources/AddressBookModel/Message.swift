import Foundation
import MagicalRecord

/// A message to a user, deleted with the user (cascade delete rule).
public final class Message: NSManagedObject {
    /// The text that identifies the message.
    @NSManaged public var message_id: String
    /// The text of the message.
    @NSManaged public var text: String
    /// The time at which it was written.
    @NSManaged public var date: Date
    /// The person that it is for.
    @NSManaged public var user: User?
}

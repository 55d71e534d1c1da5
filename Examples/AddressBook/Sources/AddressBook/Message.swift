import Foundation
import MagicalRecord

/// A message to a user, deleted with the user (cascade delete rule).
final class Message: NSManagedObject {
    @NSManaged var message_id: String
    @NSManaged var text: String
    @NSManaged var date: Date
    @NSManaged var user: User?
}

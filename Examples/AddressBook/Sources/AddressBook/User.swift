import Foundation
import MagicalRecord

/// A person in the address book. The property names are those of the server's records.
final class User: NSManagedObject {
    /// The status of a user. The store has the server's numbers, which are the raw values.
    enum Status: Int32 { case offline, online, away, busy }

    @NSManaged var user_id: Int32
    @NSManaged var user_name: String
    @NSManaged var display_name: String
    @NSManaged var email: String?
    @NSManaged var phone_number: String?
    @NSManaged var sip_number: String?
    @NSManaged var country_code: Int32
    @NSManaged var balance: Double
    @NSManaged var isFriend: Bool
    @Stored("status") var status: Status = .offline
    @NSManaged var avatar: String?
    @NSManaged var last_update: Date?
    @NSManaged var messages: Set<Message>
}

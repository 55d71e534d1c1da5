import Foundation
import MagicalRecord

/// A person in the address book. The property names are those of the server's records.
public final class User: NSManagedObject {
    /// The status of a user. The store has the server's numbers, which are the raw values.
    public enum Status: Int32, Sendable { case offline, online, away, busy }

    /// The number of the person, unique in a store.
    @NSManaged public var user_id: Int32
    /// The name to sign in with.
    @NSManaged public var user_name: String
    /// The name to show, which must not be empty.
    @NSManaged public var display_name: String
    /// The email address.
    @NSManaged public var email: String?
    /// The telephone number, with "+" and the calling code.
    @NSManaged public var phone_number: String?
    /// The address for calls over the internet.
    @NSManaged public var sip_number: String?
    /// The calling code of the country, without "+".
    @NSManaged public var country_code: Int32
    /// The money left for calls.
    @NSManaged public var balance: Double
    /// True if the person is a friend. In records: `is_friend`.
    @NSManaged public var isFriend: Bool
    /// The status.
    @Stored("status") public var status: Status = .offline
    /// The URL of a picture.
    @NSManaged public var avatar: String?
    /// The time of the server's last change.
    @NSManaged public var last_update: Date?
    /// The messages to the person.
    @NSManaged public var messages: Set<Message>
}

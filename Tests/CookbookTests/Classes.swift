// snippet
import MagicalRecord

final class User: NSManagedObject {
    @NSManaged var userID: Int64
    @NSManaged var displayName: String?
    @NSManaged var isFriend: Bool
}
// end

// snippet
extension User {
    @NSManaged var email: String?
    @NSManaged var balance: Double
    @NSManaged var countryCode: Int32
    @NSManaged var lastUpdate: Date?
    @NSManaged var team: Team?
    @NSManaged var messages: Set<Message>
}

final class Team: NSManagedObject {
    @NSManaged var teamID: Int64
    @NSManaged var name: String
    @NSManaged var members: Set<User>
}

final class Message: NSManagedObject {
    @NSManaged var messageID: Int64
    @NSManaged var text: String?
    @NSManaged var length: Int32
    @NSManaged var sentAt: Date?
    @NSManaged var sender: User?
}
// end

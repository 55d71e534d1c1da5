import CoreData
import Foundation

public class User: NSManagedObject {
    @nonobjc public class func fetchRequest() -> NSFetchRequest<User> {
        return NSFetchRequest<User>(entityName: "User")
    }

    @NSManaged public var avatar: String?
    @NSManaged public var balance: Double
    @NSManaged public var country_code: Int32
    @NSManaged public var display_name: String?
    @NSManaged public var email: String?
    @NSManaged public var isFriend: Bool
    @NSManaged public var last_update: Date?
    @NSManaged public var status: Int32
    @NSManaged public var user_id: Int32
    @NSManaged public var user_name: String?
    @NSManaged public var messages: NSSet?

    override public func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue(Date(), forKey: "last_update")
    }

    func map(_ person: DirectoryPerson) {
        user_id = Int32(person.userID)
        user_name = person.userName
        display_name = person.displayName
        isFriend = person.isFriend
        last_update = Date()
    }
}

public class Message: NSManagedObject {
    @NSManaged public var body: String?
    @NSManaged public var sent: Date?
    @NSManaged public var sender: User?
}

/// What the rest of an application sees of a user.
struct DirectoryPerson: Equatable {
    var userID: Int
    var userName: String
    var displayName: String
    var isFriend: Bool

    init(userID: Int, userName: String, displayName: String, isFriend: Bool) {
        self.userID = userID
        self.userName = userName
        self.displayName = displayName
        self.isFriend = isFriend
    }

    init(user: User) {
        userID = Int(user.user_id)
        userName = user.user_name ?? ""
        displayName = user.display_name ?? ""
        isFriend = user.isFriend
    }
}

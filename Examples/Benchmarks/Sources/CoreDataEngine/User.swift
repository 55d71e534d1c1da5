import CoreData
import Foundation
import Workloads

final class User: NSManagedObject {
    @NSManaged var userID: Int64
    @NSManaged var name: String
    @NSManaged var email: String
    @NSManaged var phone: String
    @NSManaged var balance: Double
    @NSManaged var isFriend: Bool
    @NSManaged var country: Int32
    @NSManaged var lastUpdate: Date
    @NSManaged var status: Int32
    @NSManaged var avatar: String?
    @NSManaged var notes: String?
    @NSManaged var createdAt: Date
    @NSManaged var messages: Set<Message>
}

final class Message: NSManagedObject {
    @NSManaged var messageID: Int64
    @NSManaged var text: String
    @NSManaged var sentAt: Date
    @NSManaged var isRead: Bool
    @NSManaged var sender: User?
}

extension User {
    static func request(_ predicate: NSPredicate? = nil) -> NSFetchRequest<User> {
        let request = NSFetchRequest<User>(entityName: "User")
        request.returnsObjectsAsFaults = false
        request.predicate = predicate
        return request
    }

    func take(_ row: UserRow) {
        userID = row.userID
        name = row.name
        email = row.email
        phone = row.phone
        balance = row.balance
        isFriend = row.isFriend
        country = row.country
        lastUpdate = row.lastUpdate
        status = row.status
        avatar = row.avatar
        notes = row.notes
        createdAt = row.createdAt
    }

    func addThree(to checksum: inout Checksum) {
        checksum.add(userID: userID, name: Checksum.mark(name), balance: balance)
    }

    func addAll(to checksum: inout Checksum) {
        checksum.add(
            userID: userID, name: Checksum.mark(name), email: Checksum.mark(email), phone: Checksum.mark(phone),
            balance: balance, isFriend: isFriend, country: country,
            lastUpdate: lastUpdate.timeIntervalSinceReferenceDate, status: status, avatar: Checksum.mark(avatar),
            notes: Checksum.mark(notes), createdAt: createdAt.timeIntervalSinceReferenceDate
        )
    }
}

extension Message {
    func add(to checksum: inout Checksum) {
        checksum.add(
            messageID: messageID, text: Checksum.mark(text), sentAt: sentAt.timeIntervalSinceReferenceDate)
    }
}

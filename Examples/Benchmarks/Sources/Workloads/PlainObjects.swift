import Foundation

/// Plain Swift classes with the same properties, as the lower bound of the cost of objects.
public final class PlainObjects: ObjectEngine {
    /// The name on the command line and in the table.
    public static let name = "class"
    /// The kind of store, which is not opened.
    public static let storeKind = StoreKind.plain

    private let users: [PlainUser]

    /// Creates all objects in memory. The store is not read.
    public init(storeAt url: URL, loaded: Bool) throws {
        users = People.users(0..<People.writers).map { PlainUser($0) }
        for message in People.messages(0..<People.writers * People.messagesPerWriter) {
            users[Int(message.senderID) - 1].messages.append(PlainMessage(message))
        }
    }

    /// Reads three stored properties of each object.
    public func readProperties(times: Int) throws -> Checksum {
        var checksum = Checksum()
        for _ in 0..<times {
            for user in users {
                checksum.add(userID: user.userID, name: Checksum.mark(user.name), balance: user.balance)
            }
        }
        return checksum
    }

    /// Reads the two numbers of each object.
    public func readNumbers(times: Int) throws -> Checksum {
        var checksum = Checksum()
        for _ in 0..<times {
            for user in users { checksum.add(userID: user.userID, name: 0, balance: user.balance) }
        }
        return checksum
    }

    /// Reads the name of each object.
    public func readTexts(times: Int) throws -> Checksum {
        var checksum = Checksum()
        for _ in 0..<times {
            for user in users { checksum.add(Checksum.mark(user.name)) }
        }
        return checksum
    }

    /// Sets two stored properties of each object.
    public func writeProperties(times: Int) throws {
        for round in 0..<times {
            for user in users {
                user.balance = Double(round)
                user.status = Int32(round)
            }
        }
    }

    /// Creates objects.
    public func insertObjects(_ rows: [UserRow]) throws -> Checksum {
        let inserted = rows.map { PlainUser($0) }
        var checksum = Checksum()
        for user in inserted {
            checksum.add(userID: user.userID, name: Checksum.mark(user.name), balance: user.balance)
        }
        return checksum
    }

    /// Reads the messages of each user, which are always in memory.
    public func traverse(prefetching: Bool) throws -> Checksum {
        try traverseAgain()
    }

    /// Reads the messages of each user.
    public func traverseAgain() throws -> Checksum {
        var checksum = Checksum()
        for user in users {
            for message in user.messages {
                checksum.add(
                    messageID: message.messageID, text: Checksum.mark(message.text),
                    sentAt: message.sentAt.timeIntervalSinceReferenceDate)
            }
        }
        return checksum
    }
}

private final class PlainUser {
    var userID: Int64
    var name: String
    var email: String
    var phone: String
    var balance: Double
    var isFriend: Bool
    var country: Int32
    var lastUpdate: Date
    var status: Int32
    var avatar: String?
    var notes: String?
    var createdAt: Date
    var messages: [PlainMessage] = []

    init(_ row: UserRow) {
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
}

private final class PlainMessage {
    var messageID: Int64
    var text: String
    var sentAt: Date
    var isRead: Bool

    init(_ row: MessageRow) {
        messageID = row.messageID
        text = row.text
        sentAt = row.sentAt
        isRead = row.isRead
    }
}

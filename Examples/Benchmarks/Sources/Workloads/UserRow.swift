import Foundation

/// The twelve values of one person, the unit every workload reads and writes.
///
/// Each engine turns it into what it stores: bound parameters, a record, a managed object. It is also what the
/// import workload finds in its JSON.
public struct UserRow: Codable, Equatable, Sendable {
    public var userID: Int64
    public var name: String
    public var email: String
    public var phone: String
    public var balance: Double
    public var isFriend: Bool
    public var country: Int32
    public var lastUpdate: Date
    public var status: Int32
    public var avatar: String?
    public var notes: String?
    public var createdAt: Date

    public init(
        userID: Int64, name: String, email: String, phone: String, balance: Double, isFriend: Bool, country: Int32,
        lastUpdate: Date, status: Int32, avatar: String?, notes: String?, createdAt: Date
    ) {
        self.userID = userID
        self.name = name
        self.email = email
        self.phone = phone
        self.balance = balance
        self.isFriend = isFriend
        self.country = country
        self.lastUpdate = lastUpdate
        self.status = status
        self.avatar = avatar
        self.notes = notes
        self.createdAt = createdAt
    }
}

/// One message, written by the user with the given `userID`.
public struct MessageRow: Equatable, Sendable {
    public var messageID: Int64
    public var text: String
    public var sentAt: Date
    public var isRead: Bool
    public var senderID: Int64
}

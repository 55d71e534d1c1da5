import Foundation

/// The twelve values of one user, which all workloads read and write.
///
/// Each engine converts it to its representation: bound parameters, a record or a managed object. It is also the format of
/// the import workload's JSON.
public struct UserRow: Codable, Equatable, Sendable {
    /// The number, unique in the store.
    public var userID: Int64
    /// The full name.
    public var name: String
    /// The email address.
    public var email: String
    /// The phone number.
    public var phone: String
    /// The balance.
    public var balance: Double
    /// True for one user in four.
    public var isFriend: Bool
    /// The calling code of the country.
    public var country: Int32
    /// The date of the last update.
    public var lastUpdate: Date
    /// The status, from 0 to 9.
    public var status: Int32
    /// The address of an image, for half of the users.
    public var avatar: String?
    /// A note, for one user in four.
    public var notes: String?
    /// The date of creation.
    public var createdAt: Date

    /// Creates a row.
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

/// The values of one message.
public struct MessageRow: Equatable, Sendable {
    /// The number, unique in the store.
    public var messageID: Int64
    /// The text.
    public var text: String
    /// The date when the message was sent.
    public var sentAt: Date
    /// True if the message has been read.
    public var isRead: Bool
    /// The number of the user that sent the message.
    public var senderID: Int64
}

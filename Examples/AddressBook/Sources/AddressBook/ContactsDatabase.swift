import AddressBookModel
import Foundation
import MagicalRecord

/// The queries and changes of this program.
///
/// Each kind of work has a separate context with a private queue; the main context and the others merge its saves. The
/// functions return values instead of managed objects, which may be used on their context's queue only.
final class ContactsDatabase: MagicalRecord.Database, @unchecked Sendable {
    /// Returns the friends with a name that contains the text, sorted by name, or all friends if the text is empty.
    func friends(matching filter: String) async throws -> [Friend] {
        try await read("users") { context in
            try User.findAll(
                where: .friends(matching: filter), sortedBy: [.ascending(\.display_name), .ascending(\.user_id)],
                in: context
            ).map(Friend.init)
        }
    }

    /// Ends a friendship in the background and returns after the main context has merged the change. Does nothing if there
    /// is no such user.
    func unfriend(_ id: Int32) async throws {
        try await save("users", waitingForMerges: true) { context in
            try User.findFirst(where: \.user_id == id, in: context)?.isFriend = false
        }
    }

    /// Adds a message to each user. Idempotent: sending the same text again changes nothing.
    func send(_ text: String, to ids: [Int32]) async throws {
        try await save("messages") { context in
            for user in try User.findAll(where: { $0.user_id.in(ids) }, in: context) {
                let message = try Message.findOrCreate(by: \.message_id, "\(user.user_id): \(text)", in: context)
                guard message.user == nil else { continue }
                message.text = text
                message.date = Date()
                message.user = user
            }
        }
    }

    /// Returns the number of users in each country, largest first. The store counts them with one grouped query.
    func usersByCountry() async throws -> [(country: Country, count: Int)] {
        try await read("users") { context in
            try User.all.count(by: \.country_code, in: context)
                .map { (Country(callingCode: $0.key), $0.value) }
                .sorted { ($1.count, $0.country.name) < ($0.count, $1.country.name) }
        }
    }

    /// Returns the number of friends in each status but offline. Conditions and groups take the enumeration.
    func presentFriendsByStatus() async throws -> [(status: User.Status, count: Int)] {
        try await read("users") { context in
            try User.where { $0.isFriend && $0.status != .offline }.count(by: \.status, in: context)
                .map { ($0.key, $0.value) }
        }
    }
}

/// A friend as a Sendable value, which can be used on any thread.
struct Friend: Sendable {
    var id: Int32
    var name: String
    var phoneNumber: String?
    var objectID: NSManagedObjectID

    init(_ user: User) {
        id = user.user_id
        name = user.display_name
        phoneNumber = user.phone_number
        objectID = user.objectID
    }
}

extension MagicalRecord.Condition<User> {
    /// Returns the condition
    /// `isFriend == 1 AND (display_name CONTAINS[c] text OR user_name CONTAINS[c] text)`.
    static func friends(matching text: String) -> Self {
        let isFriend: Self = \.isFriend == true
        guard !text.isEmpty else { return isFriend }
        return isFriend
            && Self {
                $0.display_name.contains(text, .caseInsensitive) || $0.user_name.contains(text, .caseInsensitive)
            }
    }
}

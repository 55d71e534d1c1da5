import MagicalRecord
import MagicalRecordTesting
import Testing

/// Users with friends, teams and messages: the model most tests work on.
enum AddressBook {
    static func model() -> NSManagedObjectModel {
        let user = Build.entity("User", class: User.self)
        let team = Build.entity("Team", class: Team.self)
        let message = Build.entity("Message", class: Message.self)
        user.properties = [
            Build.attribute("userID", .integer64AttributeType, default: 0),
            Build.attribute("displayName", .stringAttributeType),
            Build.attribute("email", .stringAttributeType),
            Build.attribute("balance", .doubleAttributeType, default: 0.0),
            Build.attribute("isFriend", .booleanAttributeType, default: false),
            Build.attribute("countryCode", .integer32AttributeType, default: 0),
            Build.attribute("lastUpdate", .dateAttributeType),
        ]
        team.properties = [
            Build.attribute("teamID", .integer64AttributeType, default: 0),
            Build.attribute("name", .stringAttributeType, optional: false),
        ]
        message.properties = [
            Build.attribute("messageID", .integer64AttributeType, default: 0),
            Build.attribute("text", .stringAttributeType),
            Build.attribute("length", .integer32AttributeType, default: 0),
        ]
        Build.inverse(
            Build.relationship("team", of: user, to: team),
            Build.relationship("members", of: team, to: user, many: true))
        Build.inverse(
            Build.relationship("messages", of: user, to: message, many: true, rule: .cascadeDeleteRule),
            Build.relationship("sender", of: message, to: user))
        return Build.model(user, team, message)
    }

    /// A stack of its own, on a SQLite file of its own unless told otherwise, or on a schema of the server where
    /// `COREDATA_TEST_STORE` is `postgreSQL`.
    static func stack(
        _ store: MagicalRecord.Store? = nil, shape: MagicalRecord.Shape = .rootSaving
    ) throws -> MagicalRecord.Stack {
        try MagicalRecord.Stack(
            [store ?? ScratchStores.new("AddressBook.sqlite")], shape: shape, model: .model(model()))
    }

    /// Five users of two teams, saved.
    static func fill(_ stack: MagicalRecord.Stack) throws {
        try stack.saveAndWait { context in
            let red = try Team.create(in: context) { team in
                team.teamID = 1
                team.name = "Red"
            }
            let blue = try Team.create(in: context) { team in
                team.teamID = 2
                team.name = "Blue"
            }
            let people: [(Int64, String, Bool, Double, Int32, Team?)] = [
                (1, "Ann", true, 10, 49, red), (2, "Bob", false, 20, 49, red), (3, "Cid", true, 30, 84, blue),
                (4, "Dora", true, 40, 84, nil), (5, "Émile", false, 50, 33, blue),
            ]
            for (id, name, isFriend, balance, country, team) in people {
                let user = try User.create(in: context)
                user.userID = id
                user.displayName = name
                user.email = id == 5 ? nil : "\(name.lowercased())@example.org"
                user.isFriend = isFriend
                user.balance = balance
                user.countryCode = country
                user.team = team
                for number in 0..<Int32(id) {
                    let message = try Message.create(in: context)
                    message.messageID = id * 10 + Int64(number)
                    message.text = "message \(number)"
                    message.length = number * 10
                    message.sender = user
                }
            }
        }
    }
}

final class User: NSManagedObject {
    #if canImport(ObjectiveC)
    @NSManaged var userID: Int64
    @NSManaged var displayName: String?
    @NSManaged var email: String?
    @NSManaged var balance: Double
    @NSManaged var isFriend: Bool
    @NSManaged var countryCode: Int32
    @NSManaged var lastUpdate: Date?
    @NSManaged var team: Team?
    @NSManaged var messages: Set<Message>
    #endif

    /// Not part of the model.
    var kind: String { "user" }
    // Not part of the model either, but read what is.
    var shortName: String? { displayName.map { String($0.prefix(3)) } }
    var title: String? { displayName ?? "Unnamed" }
    var name: String { displayName ?? "" }
    var isStranger: Bool { !isFriend }
    var debt: Double { max(0, -balance) }
    var teamName: String? { team?.name }
    var nameOrEmail: String? { displayName ?? email }
    var longMessages: Set<Message> { messages.filter { $0.length > 100 } }
    /// Another word for an attribute.
    var country: Int32 { countryCode }
}

final class Team: NSManagedObject {
    #if canImport(ObjectiveC)
    @NSManaged var teamID: Int64
    @NSManaged var name: String
    @NSManaged var members: Set<User>
    #endif
}

final class Message: NSManagedObject {
    #if canImport(ObjectiveC)
    @NSManaged var messageID: Int64
    @NSManaged var text: String?
    @NSManaged var length: Int32
    @NSManaged var sender: User?
    #endif
}

extension Trait where Self == TestStackTrait {
    /// An empty stack with the model of the address book for each test.
    static var addressBook: Self { .addressBook(.rootSaving) }

    /// An empty stack with the model of the address book for each test.
    static func addressBook(_ shape: MagicalRecord.Shape) -> Self {
        .testStack(.model(AddressBook.model()), shape: shape)
    }
}

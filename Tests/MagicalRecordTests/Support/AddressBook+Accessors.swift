#if !canImport(ObjectiveC)
import MagicalRecord

// What the model plugin writes for an app's classes.

private let userIDProperty = ManagedProperty("userID")
private let displayNameProperty = ManagedProperty("displayName")
private let emailProperty = ManagedProperty("email")
private let balanceProperty = ManagedProperty("balance")
private let isFriendProperty = ManagedProperty("isFriend")
private let countryCodeProperty = ManagedProperty("countryCode")
private let lastUpdateProperty = ManagedProperty("lastUpdate")
private let teamProperty = ManagedProperty("team")
private let messagesProperty = ManagedProperty("messages")
private let teamIDProperty = ManagedProperty("teamID")
private let nameProperty = ManagedProperty("name")
private let membersProperty = ManagedProperty("members")
private let messageIDProperty = ManagedProperty("messageID")
private let textProperty = ManagedProperty("text")
private let lengthProperty = ManagedProperty("length")
private let senderProperty = ManagedProperty("sender")

extension User {
    var userID: Int64 {
        get { managedValue(userIDProperty) }
        set { setManagedValue(newValue, for: userIDProperty) }
    }
    var displayName: String? {
        get { managedValue(displayNameProperty) }
        set { setManagedValue(newValue, for: displayNameProperty) }
    }
    var email: String? {
        get { managedValue(emailProperty) }
        set { setManagedValue(newValue, for: emailProperty) }
    }
    var balance: Double {
        get { managedValue(balanceProperty) }
        set { setManagedValue(newValue, for: balanceProperty) }
    }
    var isFriend: Bool {
        get { managedValue(isFriendProperty) }
        set { setManagedValue(newValue, for: isFriendProperty) }
    }
    var countryCode: Int32 {
        get { managedValue(countryCodeProperty) }
        set { setManagedValue(newValue, for: countryCodeProperty) }
    }
    var lastUpdate: Date? {
        get { managedValue(lastUpdateProperty) }
        set { setManagedValue(newValue, for: lastUpdateProperty) }
    }
    var team: Team? {
        get { managedValue(teamProperty) }
        set { setManagedValue(newValue, for: teamProperty) }
    }
    var messages: Set<Message> {
        get { managedValue(messagesProperty) }
        set { setManagedValue(newValue, for: messagesProperty) }
    }
}

extension Team {
    var teamID: Int64 {
        get { managedValue(teamIDProperty) }
        set { setManagedValue(newValue, for: teamIDProperty) }
    }
    var name: String {
        get { managedValue(nameProperty) }
        set { setManagedValue(newValue, for: nameProperty) }
    }
    var members: Set<User> {
        get { managedValue(membersProperty) }
        set { setManagedValue(newValue, for: membersProperty) }
    }
}

extension Message {
    var messageID: Int64 {
        get { managedValue(messageIDProperty) }
        set { setManagedValue(newValue, for: messageIDProperty) }
    }
    var text: String? {
        get { managedValue(textProperty) }
        set { setManagedValue(newValue, for: textProperty) }
    }
    var length: Int32 {
        get { managedValue(lengthProperty) }
        set { setManagedValue(newValue, for: lengthProperty) }
    }
    var sender: User? {
        get { managedValue(senderProperty) }
        set { setManagedValue(newValue, for: senderProperty) }
    }
}
#endif

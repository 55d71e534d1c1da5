import AddressBookModel
import Foundation
import MagicalRecord

@main
struct Program {
    let options: Options
    let database = ContactsDatabase.shared

    static func main() async {
        do {
            let options = try Options(CommandLine.arguments.dropFirst())
            if options.wantsHelp {
                print(Options.help)
            } else if let count = options.measured {
                MagicalRecord.setLoggingLevel(.warn)
                try await Measurement(count: count).run()
            } else {
                MagicalRecord.setLoggingLevel(.warn)
                try await Program(options: options).run()
            }
        } catch {
            FileHandle.standardError.write(Data("AddressBook: \(Failure.describe(error))\n".utf8))
            exit(1)
        }
    }

    @MainActor
    private func run() async throws {
        try options.instruments?.begin()
        let contacts = try await Terminal.step("Check \(options.contacts.name)") {
            try await options.contacts.check()
        } outcome: {
            "\($0.count) contacts"
        }
        let store: MagicalRecord.Store = options.store.map { .sqlite(at: $0) } ?? .sqlite(named: "AddressBook")
        try await Terminal.step("Open the store") {
            try open(store)
        } outcome: {
            store.url?.lastPathComponent ?? ""
        }

        try await importContacts(contacts)
        let friends = try await listFriends()
        if let friend = friends.first { try await unfriend(friend) }
        try await greet(friends.dropFirst().prefix(3))
        try await countStatuses()
        try await countCountries()

        try await options.instruments?.end(contacts)
        try await MagicalRecord.tearDown()
        print("The address book is in \(store.url?.path ?? "memory").")
        Terminal.suggestions(options)
    }

    private func open(_ store: MagicalRecord.Store) throws {
        do {
            try MagicalRecord.setUp(store, model: .addressBook)
        } catch {
            throw Failure("The address book \(store.url?.path ?? "") cannot be opened.", because: error)
        }
    }

    @MainActor
    private func importContacts(_ contacts: ContactsSource.Checked) async throws {
        let operation = ContactImport(contacts, delay: options.isSlow ? 0.5 : 0)
        let controls = Controls(operation)
        defer { controls.end() }
        try await Terminal.step("Import in the background") {
            defer { ProgressBar.clear() }
            return try await operation.run(on: OperationQueue())
        } outcome: {
            "\($0.inserted) new, \($0.updated) updated, \($0.unchanged) unchanged"
        }
    }

    @MainActor
    private func listFriends() async throws -> [Friend] {
        let total = try User.count(where: \.isFriend == true)
        let friends = try await Terminal.step("Find friends named “\(options.filter)”") {
            try await database.friends(matching: options.filter)
        } outcome: {
            "\($0.count) of \(total) friends"
        }
        Terminal.list(friends.prefix(5).map { Terminal.padded($0.name, 24) + ($0.phoneNumber ?? "") })
        return friends
    }

    /// Ends a friendship on a background queue and prints the main context's object, which has merged the change.
    @MainActor
    private func unfriend(_ friend: Friend) async throws {
        guard let user = try User.findFirst(where: \.user_id == friend.id) else { return }
        try await Terminal.step("Unfriend \(friend.name)") {
            try await database.unfriend(friend.id)
        } outcome: {
            "on the main thread: isFriend is \(user.isFriend)"
        }
    }

    @MainActor
    private func greet(_ friends: some Collection<Friend>) async throws {
        try await Terminal.step("Write to \(friends.count) friends") {
            try await database.send("Hello from the server!", to: friends.map(\.id))
            return try Message.count()
        } outcome: {
            "\($0) messages in all"
        }
    }

    @MainActor
    private func countStatuses() async throws {
        let statuses = try await Terminal.step("Count friends by status") {
            try await database.presentFriendsByStatus()
        } outcome: { statuses in
            "\(statuses.reduce(0) { $0 + $1.count }) are not offline"
        }
        Terminal.list(statuses.map { status, count in Terminal.padded("\(status)", 24) + String(count) })
    }

    @MainActor
    private func countCountries() async throws {
        let countries = try await Terminal.step("Count by country") {
            try await database.usersByCountry()
        } outcome: {
            "\($0.count) countries"
        }
        Terminal.list(
            countries.prefix(5).map { country, count in
                Terminal.padded("+\(country.callingCode) \(country.name)", 24) + String(count)
            })
    }
}

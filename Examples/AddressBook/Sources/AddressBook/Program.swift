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
            } else {
                try await Program(options: options).run()
            }
        } catch {
            FileHandle.standardError.write(Data("AddressBook: \(Failure.describe(error))\n".utf8))
            exit(1)
        }
    }

    @MainActor
    private func run() async throws {
        let contacts = try await Terminal.step("Read \(options.contacts.lastPathComponent)") {
            "\($0.count) contacts"
        } _: {
            try Contact.read(from: options.contacts)
        }

        let store: MagicalRecord.Store = options.store.map { .sqlite(at: $0) } ?? .sqlite(named: "AddressBook")
        try await Terminal.step("Open the store") { _ in
            store.url?.lastPathComponent ?? ""
        } _: {
            try MagicalRecord.setUp(store, model: .named("AddressBook", in: .module))
        }

        try await importContacts(contacts)
        let friends = try await listFriends()
        if let friend = friends.first { try await unfriend(friend) }
        try await greet(friends.dropFirst().prefix(3))
        try await countCountries()

        try await MagicalRecord.tearDown()
        print("The address book is in \(store.url?.path ?? "memory").")
    }

    @MainActor
    private func importContacts(_ contacts: [Contact]) async throws {
        let operation = ImportOperation(
            contacts, into: database, delay: options.isSlow ? 0.5 : 0, progress: ProgressBar.show)
        let controls = Controls(operation)
        defer { controls.end() }
        try await Terminal.step("Import in the background") { (count: ImportOperation.Count) in
            "\(count.created) new, \(count.updated) updated"
        } _: {
            defer { ProgressBar.clear() }
            return try await operation.run(on: OperationQueue())
        }
    }

    @MainActor
    private func listFriends() async throws -> [Friend] {
        let friends = try await Terminal.step("Find friends named “\(options.filter)”") {
            (found: [Friend]) in
            "\(found.count) of \((try? User.count(where: \.isFriend == true)) ?? 0) friends"
        } _: {
            try await database.friends(matching: options.filter)
        }
        Terminal.list(friends.prefix(5).map { Terminal.padded($0.name, 24) + ($0.phoneNumber ?? "") })
        return friends
    }

    /// The change is made and saved on another queue; the object the main thread holds has it all the same.
    @MainActor
    private func unfriend(_ friend: Friend) async throws {
        guard let user = try User.findFirst(where: \.user_id == friend.id) else { return }
        try await Terminal.step("Unfriend \(friend.name)") { _ in
            "on the main thread: isFriend is \(user.isFriend)"
        } _: {
            try await database.unfriend(friend.id)
            try await database.mainContextHasFollowed()
        }
    }

    @MainActor
    private func greet(_ friends: some Collection<Friend>) async throws {
        try await Terminal.step("Write to \(friends.count) friends") { _ in
            "\((try? Message.count()) ?? 0) messages in all"
        } _: {
            try await database.send("Hello from the server!", to: friends.map(\.id))
        }
    }

    @MainActor
    private func countCountries() async throws {
        let countries = try await Terminal.step("Count by country") {
            "\($0.count) countries"
        } _: {
            try await database.usersByCountry()
        }
        Terminal.list(
            countries.prefix(5).map { country, count in
                Terminal.padded("+\(country.callingCode) \(country.name)", 24) + String(count)
            })
    }
}

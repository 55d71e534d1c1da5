import Foundation

/// The command-line options.
struct Options {
    var contacts: ContactsSource
    var store: URL?
    var filter = "an"
    var isSlow = false
    var wantsHelp = false
    /// The number of contacts to measure imports with. If set, the program does nothing else.
    var measured: Int?
    /// The recording of Core Data's operations, with the folder for its timelines.
    var instruments: Instrumentation?

    static let help = """
        usage: AddressBook [CONTACTS.json] [--from URL] [--store FILE] [--filter TEXT] [--slow] [--instruments FOLDER]

        Imports contacts (2,400 invented ones if you name no file) into a Core Data store, then looks for friends,
        ends a friendship and counts by country. Run it again: contacts are updated, never doubled.

          --from URL     take the contacts of an AddressBookServer, such as http://127.0.0.1:8080
          --store FILE   where to keep the address book, instead of the usual place for application data
          --filter TEXT  which friends to list (by part of the name); \"an\" unless you say otherwise
          --slow         take a rest after each batch: Return pauses and resumes the import, Ctrl-C cancels it
          --instruments FOLDER  write timelines of what Core Data did there, and of three faults with their remedies
          --measure N    only measure how long N contacts take to import, in different ways
        """

    init(_ arguments: some Sequence<String>) throws {
        var source: ContactsSource?
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--from":
                guard source == nil else { throw Failure("One source of contacts at a time.", advice: Self.help) }
                source = .server(try Self.server(try Self.value(of: argument, from: &rest)))
            case "--store": store = URL(fileURLWithPath: try Self.value(of: argument, from: &rest))
            case "--filter": filter = try Self.value(of: argument, from: &rest)
            case "--slow": isSlow = true
            case "--instruments":
                instruments = Instrumentation(folder: URL(fileURLWithPath: try Self.value(of: argument, from: &rest)))
            case "--measure":
                let text = try Self.value(of: argument, from: &rest)
                guard let count = Int(text), count >= 100 else {
                    throw Failure("--measure needs a number from 100 on, not \(text).")
                }
                measured = count
            case "--help", "-h": wantsHelp = true
            case let other where other.hasPrefix("-"):
                throw Failure("There is no option \(other).", advice: Self.help)
            default:
                guard source == nil else { throw Failure("One source of contacts at a time.", advice: Self.help) }
                source = .file(URL(fileURLWithPath: argument))
            }
        }
        contacts = try source ?? .file(Self.shippedContacts())
    }

    private static func server(_ text: String) throws -> URL {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host != nil else {
            throw Failure("\(text) is no URL of a server.", advice: "Write it as http://127.0.0.1:8080.")
        }
        return url
    }

    private static func value(of option: String, from rest: inout ArraySlice<String>) throws -> String {
        guard let value = rest.popFirst() else { throw Failure("\(option) needs a value.", advice: help) }
        return value
    }

    private static func shippedContacts() throws -> URL {
        guard let url = Bundle.module.url(forResource: "contacts", withExtension: "json") else {
            throw Failure("The contacts that come with this program are missing.", advice: "Name a file of your own.")
        }
        return url
    }
}

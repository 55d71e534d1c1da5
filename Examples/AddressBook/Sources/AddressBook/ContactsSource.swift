import AddressBookModel
import Foundation
import MagicalRecord

/// The place that contacts come from: a file, or an AddressBookServer. Both have a JSON array of records.
///
/// The model maps records to users, by the `userInfo` of the entity `User` and its attributes.
enum ContactsSource: Sendable {
    case file(URL)
    case server(URL)

    var name: String {
        switch self {
        case .file(let url): url.lastPathComponent
        case .server(let url): url.host ?? url.absoluteString
        }
    }

    /// Contacts that have passed ``check()``.
    struct Checked: Sendable {
        let data: Data
        let count: Int
    }

    /// Reads the contacts and imports them into a temporary in-memory store, so that malformed JSON and records that fail
    /// validation are reported before the real store is opened.
    ///
    /// - Throws: ``Failure`` if the contacts cannot be read, are no JSON array, or have records that cannot be imported.
    func check() async throws -> Checked {
        let data = try await read()
        let report: MagicalRecord.ImportReport
        do {
            let rehearsal = try MagicalRecord.Stack([.withoutFile], shape: .server, model: .addressBook)
            report = try await rehearsal.importAll(User.self, from: .data(data))
            try await rehearsal.tearDown()
        } catch {
            throw Failure("\(name) is no list of contacts.", because: error, advice: Self.advice)
        }
        guard report.failures.isEmpty else {
            let reasons = report.failures.prefix(3).map { "record \($0.index + 1): \(Failure.describe($0.error))" }
            throw Failure(
                "\(report.failures.count) of the \(report.total) contacts in \(name) cannot be imported.",
                reason: reasons.joined(separator: "\n"), advice: Self.advice)
        }
        return Checked(data: data, count: report.total)
    }

    private func read() async throws -> Data {
        switch self {
        case .file(let url):
            do {
                return try Data(contentsOf: url)
            } catch {
                throw Failure("\(url.path) cannot be read.", because: error, advice: "Give the path of a JSON file.")
            }
        case .server(let url): return try await ContactsServer(url: url).contacts()
        }
    }

    private static let advice = "Nothing was imported. Correct the file and try again."
}

extension MagicalRecord.Store {
    /// A SQLite store in memory. Enforces uniqueness constraints, unlike `inMemory`.
    static var withoutFile: Self { .sqlite(at: URL(fileURLWithPath: "/dev/null")) }
}

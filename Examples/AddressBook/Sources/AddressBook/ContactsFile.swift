import Foundation
import MagicalRecord

/// A file of contacts as a server sends them: a JSON array of records.
///
/// The model maps records to users, by the `userInfo` of the entity `User` and its attributes.
struct ContactsFile: Sendable {
    let url: URL

    var name: String { url.lastPathComponent }

    /// Contacts that have passed ``check()``.
    struct Checked: Sendable {
        let data: Data
        let count: Int
    }

    /// Reads the file and imports it into a temporary in-memory store, so that malformed JSON and records that fail
    /// validation are reported before the real store is opened.
    ///
    /// - Throws: ``Failure`` if the file cannot be read, is no JSON array, or has records that cannot be imported.
    func check() throws -> Checked {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw Failure("\(url.path) cannot be read.", because: error, advice: "Give the path of a JSON file.")
        }
        let report: MagicalRecord.ImportReport
        do {
            let rehearsal = try MagicalRecord.Stack([.withoutFile], shape: .server, model: .addressBook)
            defer { try? rehearsal.tearDownAndWait() }
            report = try rehearsal.importAllAndWait(User.self, from: .data(data))
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

    private static let advice = "Nothing was imported. Correct the file and try again."
}

extension MagicalRecord.Store {
    /// A SQLite store in memory. Enforces uniqueness constraints, unlike `inMemory`.
    static var withoutFile: Self { .sqlite(at: URL(fileURLWithPath: "/dev/null")) }
}

extension MagicalRecord.ModelSource {
    static var addressBook: Self { .named("AddressBook", in: .module) }
}

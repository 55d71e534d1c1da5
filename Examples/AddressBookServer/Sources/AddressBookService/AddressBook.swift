import AddressBookModel
import Foundation
import MagicalRecord

/// The database layer of the service. Its functions take and return values, so that managed objects never leave their
/// context's queue.
///
/// Contacts come and go as JSON. The model's `userInfo` says which key belongs to which attribute, in both directions.
public struct AddressBook: Sendable {
    let stack: MagicalRecord.Stack

    /// Opens a store and creates it if necessary. The store keeps persistent history, for ``changes(after:limit:)``.
    public init(store: MagicalRecord.Store) throws {
        var store = store
        store.options[NSPersistentHistoryTrackingKey] = true
        stack = try MagicalRecord.Stack([store], shape: .server, model: .addressBook)
    }

    /// Waits for running reads and saves, then closes the store.
    public func close() async throws {
        try await stack.tearDown()
    }

    /// Reads one row at most, to find out if the store answers.
    public func check() async throws {
        _ = try await stack.read { context in try User.exists(in: context) }
    }

    // MARK: Reading

    /// Returns one page of the contacts, sorted by name.
    ///
    /// - Parameters:
    ///   - text: a part of the names, compared without regard to case; nil for all contacts.
    ///   - cursor: the cursor of the page before, or nil for the first page.
    public func contacts(
        named text: String?, after cursor: MagicalRecord.Cursor?, size: Int
    ) async throws -> JSONText {
        try await stack.read { context in
            var query = User.all
            if let text { query = query.where { $0.display_name.contains(text, .caseInsensitive) } }
            // The second key tells contacts of one name apart.
            let page = try query.sorted(by: \.display_name).sorted(by: \.user_id)
                .page(after: cursor, size: size, in: context)
            var document: [String: Any] = ["contacts": try page.objects.exported(.contact)]
            document["next"] = page.next?.description
            return try JSONText(document)
        }
    }

    /// Returns the contact with an ID.
    ///
    /// - Throws: ``Failure/noContact(_:)`` if there is none.
    public func contact(_ id: Int32) async throws -> JSONText {
        try await stack.read { context in try JSONText(try Self.user(id, in: context).exported(.contact)) }
    }

    static func user(_ id: Int32, in context: NSManagedObjectContext) throws -> User {
        guard let user = try User.findFirst(where: \.user_id == id, in: context) else { throw Failure.noContact(id) }
        return user
    }

    /// The reason why a request is refused.
    public enum Failure: Error {
        /// There is no contact with this ID.
        case noContact(Int32)
        /// The record has another ID than the contact that it is for.
        case otherID(Int32)
        /// The text is no JSON object.
        case noObject
        /// Records of an import are refused. Nothing was saved.
        case refused([MagicalRecord.ImportReport.Failure])
    }
}

extension MagicalRecord.ExportOptions {
    /// The attributes of a contact, without its messages.
    static let contact = Self(depth: 0, excluding: ["messages"])
}

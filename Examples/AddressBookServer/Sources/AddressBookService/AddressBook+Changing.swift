import AddressBookModel
import Foundation
import MagicalRecord

extension AddressBook {
    /// Creates a contact from a record.
    ///
    /// Looks for no contact of the same ID: the store's uniqueness constraint refuses the second one, also if another server
    /// on the same database creates it in the same moment.
    ///
    /// - Throws: `NSManagedObjectConstraintMergeError` if there is a contact with this ID.
    public func create(from record: Data) async throws -> JSONText {
        try await stack.save(onConflict: .throw) { context in
            let user = try User.create(in: context)
            try user.importValues(from: try Self.values(record))
            return try JSONText(try user.exported(.contact))
        }
    }

    /// Changes the values of a contact that a record has; the others stay.
    ///
    /// - Throws: ``Failure/noContact(_:)`` if there is none, ``Failure/otherID(_:)`` if the record has another ID.
    public func change(_ id: Int32, by record: Data) async throws -> JSONText {
        // Another request may change it in the same moment: then this changes what that has saved.
        try await stack.save(onConflict: .retry(times: 3)) { context in
            let user = try Self.user(id, in: context)
            try user.importValues(from: try Self.values(record))
            guard user.user_id == id else { throw Failure.otherID(id) }
            return try JSONText(try user.exported(.contact))
        }
    }

    /// Deletes a contact.
    ///
    /// - Throws: ``Failure/noContact(_:)`` if there is none.
    public func delete(_ id: Int32) async throws {
        try await stack.save(onConflict: .retry(times: 3)) { context in try Self.user(id, in: context).delete() }
    }

    /// Creates and updates contacts from a JSON list of records, in one save: all of them, or none.
    ///
    /// - Throws: ``Failure/refused(_:)`` if a record cannot be imported.
    public func importAll(from records: Data) async throws -> ImportCount {
        try await stack.save(onConflict: .retry(times: 3)) { context in
            let report = try User.importAll(from: records, in: context)
            guard report.failures.isEmpty else { throw Failure.refused(report.failures) }
            return ImportCount(inserted: report.inserted, updated: report.updated, unchanged: report.unchanged)
        }
    }

    private static func values(_ record: Data) throws -> [String: Any] {
        guard let values = try? JSONSerialization.jsonObject(with: record) as? [String: Any] else {
            throw Failure.noObject
        }
        return values
    }
}

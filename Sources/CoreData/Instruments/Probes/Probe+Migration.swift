import CoreDataRowStorage
import Foundation
import ModelFormat

extension Probe {
    /// Runs the automatic migration of a store as an event.
    static func migration(of url: URL, to model: NSManagedObjectModel, _ body: () throws -> Void) rethrows {
        guard isOn else { return try body() }
        migrates("will attempt automatic schema migration")
        do {
            try measure(.migration) { record in
                record.store = url.nameInMessages
                try body()
            }
        } catch {
            migrates(
                "Automatic schema migration failed for store at \(url.withoutPasswords.absoluteString): "
                    + (error as NSError).localizedDescription)
            throw error
        }
        migrates("Automatic schema migration succeeded for store at \(url.withoutPasswords.absoluteString)")
    }

    /// Runs a step of a migration as an event.
    static func migrationStep(_ name: String, _ body: () throws -> Void) rethrows {
        guard isOn else { return try body() }
        let begin = InstrumentClock.now
        try measure(.migration) { record in
            record.keyPath = name
            try body()
        }
        let seconds = Double(InstrumentClock.now &- begin) / 1e9
        migrates("\(name) completed successfully in \(String(format: "%.2f", seconds)) seconds")
    }

    /// Returns the version hashes of a model's entities, in Base64.
    static func hashes(of model: NSManagedObjectModel) -> String {
        let hashes = model.entityVersionHashesByName.sorted(byText: \.key)
        return "{" + hashes.map { "\($0.key) = \($0.value.base64EncodedString())" }.joined(separator: "; ") + "}"
    }
}

#if canImport(CoreDataSQLiteStorage)
import CoreDataRowStorage
import Foundation

/// The errors of copying.
enum CopyErrors {
    /// Throws if there are values that the destination cannot hold, and that must not be written otherwise.
    static func requireNone(_ findings: CopyFindings, _ kind: CopyLimits.Kind, isLossy: Bool) throws {
        let type = kind == .postgreSQL ? "a PostgreSQL store" : "an SQLite store"
        if let final = findings.final {
            throw StoreToolError(
                .destination, "The objects cannot be copied to \(type): \(final.text).",
                advice: "Change it in the source.")
        }
        guard findings.count > 0, !isLossy else { return }
        let values = findings.count == 1 ? "One value" : "\(findings.count) values"
        throw StoreToolError(
            .destination, "\(values) cannot be held by \(type): \(findings.text).",
            advice: "Change them in the source, or pass --lossy to write the nearest value, or none.")
    }

    static func overtaken(_ place: String) -> StoreToolError {
        StoreToolError(
            .unavailable, "Another process copies to \(place), or has done so meanwhile.",
            advice: "Wait until it has ended. If the copy is unfinished then, run the same command again.")
    }

    static func conflicts(_ conflicts: StoreConflicts, _ place: String) -> StoreToolError {
        if let duplicate = conflicts.duplicates.first {
            let name = duplicate.layout.name
            return StoreToolError(
                .destination,
                "\(name)/p\(duplicate.key) and \(name)/p\(duplicate.existing.key) have the same values of "
                    + "\(duplicate.constraint.joined(separator: ", ")), which the model requires to be unique.",
                advice: "Change one of them in the source.")
        }
        let row = conflicts.changed.first.map { " \($0.layout.name)/p\($0.key)" } ?? ""
        return StoreToolError(
            .changed, "Another process has written the row\(row) in \(place) meanwhile.",
            advice: "Copy again from the beginning: --restart.")
    }

    static func missing(
        _ missing: MissingDestinations, _ layouts: ModelLayouts, _ place: String
    ) -> StoreToolError {
        let rows = missing.references.prefix(5).map { reference in
            "\(layouts.byNumber[reference.entityNumber]?.name ?? "?")/p\(reference.key)"
        }
        return StoreToolError(
            .changed, "The destination \(place) lacks rows that others refer to: \(rows.joined(separator: ", ")).",
            advice: "Copy again from the beginning: --restart.")
    }

    static func difference(
        _ entity: String, _ expected: CopyChecksums.Entity?, _ found: CopyChecksums.Entity?, _ place: String
    ) -> StoreToolError {
        let (expected, found) = (expected ?? CopyChecksums.Entity(), found ?? CopyChecksums.Entity())
        let what =
            expected.count != found.count
            ? "it has \(found.count) objects of \(entity), and the source has \(expected.count)"
            : "the values of \(entity) are not the same"
        return StoreToolError(
            .changed, "The copy in \(place) differs from the source: \(what).",
            advice:
                "The source may have been changed since the copying began. Copy again from the beginning: --restart.")
    }

    /// Returns an error as one of this module.
    static func error(_ error: any Error) -> any Error {
        if error is StoreToolError { return error }
        let error = error as NSError
        guard error.domain == NSCocoaErrorDomain else { return error }
        let parts = [error.localizedDescription, error.localizedFailureReason ?? ""].filter { !$0.isEmpty }
        return StoreToolError(
            .failed, parts.map { $0.hasSuffix(".") ? $0 : $0 + "." }.joined(separator: " "),
            advice: error.localizedRecoverySuggestion, underlying: "\(error.domain) \(error.code)")
    }
}
#endif

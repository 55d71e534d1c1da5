import Foundation
import MagicalRecord

/// What OpenTelemetry's conventions for databases call the parts of an operation.
///
/// Names, numbers and statements with placeholders only: predicates and descriptions of errors hold values of users, and are
/// left out.
extension Instruments.Event {
    /// `db.query.summary`, which names spans: what is done, and to which entity.
    var summary: String { entity.map { "\(kind.rawValue) \($0)" } ?? kind.rawValue }

    /// What tells series of metrics apart.
    var dimensions: [(String, String)] {
        var dimensions = [("db.system.name", "sqlite"), ("db.operation.name", kind.rawValue)]
        if let entity { dimensions.append(("db.collection.name", entity)) }
        if let failureType { dimensions.append(("error.type", failureType)) }
        return dimensions
    }

    /// `db.query.text`: the statements, each once, without those that begin a transaction to read in.
    var queryText: String? {
        let statements = statements.filter { !$0.sql.hasPrefix("BEGIN") && !$0.sql.hasPrefix("PRAGMA") }
        return statements.isEmpty ? nil : statements.map(\.sql).joined(separator: "; ")
    }

    /// `db.namespace`: the file of the store, without the folders it lies in.
    var namespace: String? { store.map { URL(fileURLWithPath: $0).lastPathComponent } }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

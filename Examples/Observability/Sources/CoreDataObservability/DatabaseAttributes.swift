import Foundation
import MagicalRecord

/// The attributes that OpenTelemetry's semantic conventions for databases define for an operation.
///
/// They contain names, numbers and statements with placeholders only. Predicates and error descriptions may contain user
/// data and are left out.
extension Instruments.Event {
    /// The operation and its entity, for `db.query.summary` and the names of spans.
    var summary: String { entity.map { "\(kind.rawValue) \($0)" } ?? kind.rawValue }

    /// The dimensions of metrics.
    var dimensions: [(String, String)] {
        var dimensions = [("db.system.name", "sqlite"), ("db.operation.name", kind.rawValue)]
        if let entity { dimensions.append(("db.collection.name", entity)) }
        if let failureType { dimensions.append(("error.type", failureType)) }
        return dimensions
    }

    /// The distinct SQL statements of the operation, for `db.query.text`, without `BEGIN` and `PRAGMA` statements.
    var queryText: String? {
        let statements = statements.filter { !$0.sql.hasPrefix("BEGIN") && !$0.sql.hasPrefix("PRAGMA") }
        return statements.isEmpty ? nil : statements.map(\.sql).joined(separator: "; ")
    }

    /// The file name of the store, for `db.namespace`.
    var namespace: String? { store.map { URL(fileURLWithPath: $0).lastPathComponent } }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

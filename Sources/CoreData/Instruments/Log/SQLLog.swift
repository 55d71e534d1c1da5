import CoreDataRowStorage
import CoreDataRuntimeSupport
import Foundation

/// Writes operations in the format of Apple's log.
///
/// Levels 1 and 2 follow the output of Apple's framework as published by developers of programs. Levels 3 and 4 differ: Apple's
/// log prints the rows at level 3.
final class SQLLog: EventListener {
    let level: Instruments.LogLevel
    private let receive: @Sendable (String) -> Void

    var needs: Probe.Needs {
        switch level {
        case .off: []
        case .plans: [.events, .statements, .plans]
        default: [.events, .statements]
        }
    }

    init(_ level: Instruments.LogLevel, _ write: @escaping @Sendable (String) -> Void) {
        self.level = level
        receive = write
    }

    // MARK: Statements

    func begins(_ statement: any ReportedStatement, in record: EventRecord?) {
        write("CoreData: sql: \(statement.sql)")
        if level >= .values {
            for (index, value) in statement.boundValues.enumerated() {
                write("CoreData: details: SQLite bind[\(index)] = \(value)")
            }
        }
        guard level >= .plans else { return }
        let plan = statement.queryPlan
        guard !plan.isEmpty else { return }
        write("CoreData: details: SQLite: EXPLAIN QUERY PLAN \(statement.sql)")
        for line in plan { receive("\t" + LogLine.escaped(line)) }
    }

    // MARK: Operations

    func ended(_ record: EventRecord) {
        let event = Instruments.Event(record)
        switch record.kind {
        case .fetch, .objectIDs, .dictionaries:
            guard record.source == .store else { break }
            annotate("sql connection fetch time: \(seconds(event.sqlDuration))")
            if level >= .values, let statement = record.question {
                annotate(
                    "fetch on entity '\(record.entity ?? "")' with sql text '\(statement.sql)' returned "
                        + "\(record.rowCount) rows")
            }
            annotate("total fetch execution time: \(seconds(event.duration)) for \(record.objectCount) rows.")
        case .count:
            guard record.source == .store else { break }
            annotate(
                "total count request execution time: \(seconds(event.duration)) for count of \(record.objectCount).")
        case .fault:
            guard record.source == .store, let id = record.subject else { break }
            if record.objectCount == 0 {
                annotate("fault not fulfilled, its row is gone : \(id)")
            } else {
                annotate("fault fulfilled from database for : \(id)")
            }
        case .relationshipFault:
            guard record.source != .parent, let id = record.subject else { break }
            annotate(
                "to-many relationship fault \"\(record.keyPath ?? "")\" for objectID \(id) fulfilled from "
                    + "\(record.source == .store ? "database" : "cache").  Got \(record.objectCount) rows")
        case .batch:
            annotate(
                "\(record.objectCount) faults fulfilled at once: \(record.rowCount) rows of \(record.entity ?? "").")
        case .prefetch:
            annotate("Prefetching with key '\(record.keyPath ?? "")'.  Got \(record.objectCount) rows.")
        case .save:
            guard record.source == .store, record.statements.first != nil else { break }
            annotate("sql execution time: \(seconds(event.sqlDuration + event.commitDuration))")
            if level >= .rows {
                let changes = record.changes
                annotate(
                    "save of \(record.context?.name ?? "a context"): \(changes.inserted) inserted, "
                        + "\(changes.updated) updated, \(changes.deleted) deleted in \(seconds(event.duration))")
            }
        case .storeOpening:
            annotate("Connected to the store at \(record.store ?? "") in \(seconds(event.duration))")
        case .storeClosing:
            annotate("Disconnected from the store at \(record.store ?? "")")
        case .batchInsert, .batchUpdate, .batchDelete, .history:
            annotate("sql execution time: \(seconds(event.duration))")
        case .merge, .refresh, .permanentIDs, .migration, .importChunk, .work, .maintenance:
            break
        }
        if let failure = record.failure, record.parentNumber == 0 {
            write("CoreData: error: \(record.kind.rawValue) failed: \(failure)")
        }
    }

    private func annotate(_ text: String) { write("CoreData: annotation: \(text)") }

    private func write(_ text: String) { receive(LogLine.escaped(text)) }

    /// Returns seconds with four fractional digits, as in Apple's log.
    private func seconds(_ duration: Duration) -> String {
        let tenths = duration / .microseconds(100)
        let whole = Int64(tenths.rounded())
        let fraction = String(whole % 10000)
        return "\(whole / 10000).\(String(repeating: "0", count: 4 - fraction.count))\(fraction)s"
    }
}

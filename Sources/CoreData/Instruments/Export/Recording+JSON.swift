import CoreDataRowStorage
import Foundation

extension Instruments.Recording {
    /// Returns the recording as a JSON object, for programs that compare or store recordings.
    ///
    /// The object has `start` and `end` on the system's monotonic clock, `duration`, `totals`, `droppedEvents`, `findings` and
    /// `events`. The members of an event have the names of the properties of ``Instruments/Event``; nil, empty and zero values
    /// are omitted, except for `objects` and `rows`. All times are in microseconds, and the `start` of an event is relative to
    /// the start of the recording. A statement of an event refers to its text by the index in `sql`, the last member.
    ///
    /// May be called on any thread. The text contains predicates and IDs of the program's data.
    public func json() -> Data {
        var json = JSONWriter(capacity: 1024 + events.count * 250)
        writeJSON(to: &json)
        return Data(json.bytes)
    }

    /// Writes the object that ``json()`` returns.
    func writeJSON(to json: inout JSONWriter) {
        json.object { json in
            json.field("version", 1)
            json.field("start", microseconds: Int64(clamping: start))
            json.field("end", microseconds: Int64(clamping: end))
            json.field("duration", microseconds: Int64(clamping: end &- start))
            json.field("droppedEvents", droppedEvents)
            json.key("totals")
            json.write(totals)
            json.key("findings")
            json.array(findings) { $0.write($1) }
            var sql = TextIndexes()
            json.key("events")
            json.array(events) { $0.write($1, relativeTo: start, &sql) }
            json.key("sql")
            json.array(sql.all) { $0.write($1) }
        }
    }
}

extension JSONWriter {
    package mutating func write(_ totals: Instruments.Recording.Totals) {
        object { json in
            json.field("events", totals.events)
            json.field("statements", totals.statements)
            json.field("queries", totals.queries)
            json.field("rows", totals.rows)
            json.field("fetches", totals.fetches)
            json.field("faults", totals.faults)
            json.field("relationshipFaults", totals.relationshipFaults)
            json.field("cacheHits", totals.cacheHits)
            json.field("cacheMisses", totals.cacheMisses)
            json.field("saves", totals.saves)
            json.key("changes")
            json.write(totals.changes)
            json.field("duration", microseconds: totals.duration.wholeNanoseconds)
            json.field("waiting", microseconds: totals.waiting.wholeNanoseconds)
        }
    }

    private mutating func write(_ changes: Instruments.Event.Changes) {
        object { json in
            json.field("inserted", changes.inserted)
            json.field("updated", changes.updated)
            json.field("deleted", changes.deleted)
        }
    }

    package mutating func write(_ finding: Instruments.Finding) {
        object { json in
            json.field("kind", finding.kind.rawValue)
            json.optionalField("entity", finding.entity)
            json.optionalField("keyPath", finding.keyPath)
            if let place = finding.place {
                json.key("place")
                json.object { json in
                    json.field("file", place.file)
                    json.field("line", place.line)
                    json.optionalField("function", place.function)
                }
            }
            json.field("message", finding.message)
            json.field("remedy", finding.remedy)
            json.field("repetitions", finding.repetitions)
            json.field("queries", finding.queries)
            json.field("duration", microseconds: finding.duration.wholeNanoseconds)
            json.key("eventIDs")
            json.array(finding.eventIDs) { $0.write($1) }
        }
    }

    fileprivate mutating func write(
        _ event: Instruments.Event, relativeTo start: UInt64, _ sql: inout TextIndexes
    ) {
        let facts = event.facts
        object { json in
            json.field("id", event.id)
            json.optionalField("parentID", event.parentID)
            json.field("kind", event.kind.rawValue)
            json.field("source", event.source.rawValue)
            json.field("start", microseconds: facts.nanoseconds(since: start))
            json.field("duration", microseconds: facts.nanoseconds)
            json.optionalField("waiting", microseconds: facts.waitingNanoseconds)
            json.optionalField("sqlDuration", microseconds: facts.sqlNanoseconds)
            json.optionalField("commitDuration", microseconds: facts.commitNanoseconds)
            json.field("objects", event.objects)
            json.field("rows", event.rows)
            json.optionalField("entity", event.entity)
            json.optionalField("keyPath", event.keyPath)
            json.optionalField("predicate", event.predicate)
            json.optionalField("sortOrder", event.sortOrder)
            json.optionalField("fetchLimit", event.fetchLimit)
            json.optionalField("objectID", event.objectID?.uriText)
            if event.changes.total > 0 {
                json.key("changes")
                json.write(event.changes)
            }
            let statements = facts.statementUses
            if !statements.isEmpty {
                json.key("statements")
                json.array(statements) { json, use in
                    json.object { json in
                        json.field("sql", sql.index(of: use.sql))
                        json.field("count", use.count)
                    }
                }
                json.field("statementCount", statements.reduce(0) { $0 + $1.count })
            }
            json.optionalField("queryPlan", event.queryPlan)
            json.optionalField("context", event.context)
            json.optionalField("contextID", event.contextID)
            json.field("thread", event.thread)
            json.optionalField("task", event.task)
            json.optionalField("store", event.store)
            json.optionalField("failure", event.failure)
        }
    }
}

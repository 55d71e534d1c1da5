import Foundation

extension Instruments.Recording {
    /// Returns the recording in the Trace Event Format, a JSON object that Perfetto, speedscope and `chrome://tracing` open.
    ///
    /// Operations are complete events (`"ph":"X"`) of their threads, with their kind as category. Times are in microseconds
    /// from the start of the recording. May be called on any thread.
    public func traceEvents() -> Data {
        var json = JSONWriter(capacity: 1024 + events.count * 350)
        writeTraceEvents(to: &json)
        return Data(json.bytes)
    }

    /// Writes the object that ``traceEvents()`` returns.
    func writeTraceEvents(to json: inout JSONWriter) {
        let process = Int(ProcessInfo.processInfo.processIdentifier)
        json.object { json in
            // In viewers that round to the unit, short operations would overlap.
            json.field("displayTimeUnit", "ns")
            json.key("otherData")
            json.object { json in
                json.field("droppedEvents", droppedEvents)
                json.field("findings", findings.map { "\($0.place.map { "\($0): " } ?? "")\($0.message)" })
            }
            json.key("traceEvents")
            json.array { json in
                json.write(nameOf: "process_name", process: process, thread: 1, ProcessInfo.processInfo.processName)
                for thread in Set(events.lazy.map(\.facts.thread)).sorted() {
                    let name = thread == 0 ? "main" : "thread \(thread)"
                    json.write(nameOf: "thread_name", process: process, thread: thread + 1, name)
                }
                for event in events {
                    json.write(traceEvent: event, relativeTo: start, process: process)
                    json.passOn()
                }
            }
        }
    }
}

extension JSONWriter {
    /// Writes a metadata event.
    fileprivate mutating func write(nameOf kind: String, process: Int, thread: Int, _ name: String) {
        object { json in
            json.field("name", kind)
            json.field("ph", "M")
            json.field("pid", process)
            json.field("tid", thread)
            json.key("args")
            json.object { $0.field("name", name) }
        }
    }

    fileprivate mutating func write(traceEvent event: Instruments.Event, relativeTo start: UInt64, process: Int) {
        let facts = event.facts
        object { json in
            json.field("name", event.title)
            json.field("cat", event.kind.rawValue)
            json.field("ph", "X")
            json.field("ts", microseconds: facts.nanoseconds(since: start))
            json.field("dur", microseconds: facts.nanoseconds)
            json.field("pid", process)
            // Viewers interpret 0 as the system's idle thread.
            json.field("tid", facts.thread + 1)
            json.key("args")
            json.object { $0.writeArguments(of: event) }
        }
    }

    private mutating func writeArguments(of event: Instruments.Event) {
        let facts = event.facts
        field("id", event.id)
        optionalField("parent", event.parentID)
        field("source", event.source.rawValue)
        optionalField("entity", event.entity)
        optionalField("keyPath", event.keyPath)
        optionalField("predicate", event.predicate)
        optionalField("sortOrder", event.sortOrder)
        optionalField("fetchLimit", event.fetchLimit)
        field("objects", event.objects)
        field("rows", event.rows)
        optionalField("inserted", event.changes.inserted)
        optionalField("updated", event.changes.updated)
        optionalField("deleted", event.changes.deleted)
        optionalField("sql", facts.statementUses.map { $0.count == 1 ? $0.sql : "\($0.sql) (\($0.count) times)" })
        optionalField("queryPlan", event.queryPlan)
        optionalField("context", event.context)
        optionalField("waiting", microseconds: facts.waitingNanoseconds)
        optionalField("sqlDuration", microseconds: facts.sqlNanoseconds)
        optionalField("commitDuration", microseconds: facts.commitNanoseconds)
        optionalField("task", event.task)
        optionalField("store", event.store)
        optionalField("failure", event.failure)
    }
}

extension Instruments.Event {
    /// The kind, the entity and the key path: `relationshipFault Author.books`.
    var title: String {
        let subject = [entity, keyPath].compactMap(\.self).joined(separator: ".")
        return subject.isEmpty ? kind.rawValue : "\(kind.rawValue) \(subject)"
    }
}

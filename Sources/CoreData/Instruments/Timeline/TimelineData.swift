/// The events of a recording as columns of numbers, with each text once: about 50 bytes an event.
///
/// The page's script reads what this writes; see ``TimelinePage/dataScript``.
struct TimelineData {
    private let recording: Instruments.Recording
    private var texts = TextIndexes()
    private var columns: [(name: StaticString, values: [Int])] = []
    private let groups: [Instruments.Recording.OperationGroup]
    /// Lists of texts and numbers that events share: statements, query plans and sort orders.
    private var lists: [[Int]] = []
    private var listIndexes: [[Int]: Int] = [:]

    init(_ recording: Instruments.Recording) {
        self.recording = recording
        let indexes: [Int]
        (groups, indexes) = recording.operationGroups()
        let events = recording.events
        addNumbers(events, indexes)
        addTimes(events)
        addTexts(events)
    }

    // MARK: Columns

    private mutating func addNumbers(_ events: [Instruments.Event], _ groups: [Int]) {
        add("group", groups)
        add("id", differences(events.map(\.id)))
        add("parent", events.map { $0.record.parentNumber })
        add("source", events.map { $0.source == .store ? 0 : $0.source == .memory ? 1 : 2 })
        add("objects", events.map(\.objects))
        add("rows", events.map(\.rows))
        add("inserted", events.map(\.changes.inserted))
        add("updated", events.map(\.changes.updated))
        add("deleted", events.map(\.changes.deleted))
        add("limit", events.map(\.fetchLimit))
        add("contextID", events.map { $0.contextID ?? 0 })
        add("thread", events.map { $0.record.thread })
    }

    /// Nanoseconds.
    private mutating func addTimes(_ events: [Instruments.Event]) {
        add("start", differences(events.map { Int($0.record.nanoseconds(since: recording.start)) }))
        add("duration", events.map { Int($0.record.nanoseconds) })
        add("waiting", events.map { Int($0.record.waitingNanoseconds) })
        add("sql", events.map { Int($0.record.sqlNanoseconds) })
        add("commit", events.map { Int($0.record.commitNanoseconds) })
    }

    /// Indexes that count from 1; 0 for none.
    private mutating func addTexts(_ events: [Instruments.Event]) {
        add("context", events.map { texts.number(of: $0.context) })
        add("predicate", events.map { texts.number(of: $0.predicate) })
        add("store", events.map { texts.number(of: $0.store) })
        add("failure", events.map { texts.number(of: $0.failure) })
        // As text: it is not exact as a number of JavaScript.
        add("task", events.map { texts.number(of: $0.task.map(String.init)) })
        add(
            "statements",
            events.map { event in
                number(of: event.record.statements.flatMap { [texts.number(of: $0.sql), $0.count] })
            })
        add("plan", events.map { event in number(of: event.queryPlan.map { texts.number(of: $0) }) })
        add("sort", events.map { event in number(of: event.sortOrder.map { texts.number(of: $0) }) })
        // Thousands of IDs differ in their last digits only.
        let identifiers = events.map { Self.split($0.objectID?.uriText) }
        add("object", identifiers.map { texts.number(of: $0.text) })
        add("objectKey", identifiers.map(\.number))
    }

    private mutating func add(_ name: StaticString, _ values: [Int]) {
        if values.contains(where: { $0 != 0 }) { columns.append((name, values)) }
    }

    private mutating func number(of list: [Int]) -> Int {
        guard !list.isEmpty else { return 0 }
        if let number = listIndexes[list] { return number }
        lists.append(list)
        listIndexes[list] = lists.count
        return lists.count
    }

    private func differences(_ values: [Int]) -> [Int] {
        var last = 0
        return values.map { value in
            defer { last = value }
            return value - last
        }
    }

    /// What comes before the digits at the end, and these.
    static func split(_ identifier: String?) -> (text: String?, number: Int) {
        guard let identifier else { return (nil, 0) }
        // Up to 15 digits are exact as a number of JavaScript.
        let digits = identifier.utf8.reversed().prefix(15).prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }.count
        let text = identifier.utf8.dropLast(digits)
        guard digits > 0,
            let number = Int(
                identifier.utf8.suffix(digits).reduce(into: "") { $0.unicodeScalars.append(Unicode.Scalar($1)) }),
            String(number).utf8.count == digits, number > 0
        else { return (identifier, 0) }
        return (String(decoding: text, as: UTF8.self), number)
    }

    // MARK: Writing

    func write(to json: inout JSONWriter) {
        var texts = texts
        json.object { json in
            json.field("count", recording.events.count)
            json.field("duration", Int(clamping: recording.end &- recording.start))
            json.field("dropped", recording.droppedEvents)
            json.key("totals")
            json.write(recording.totals)
            json.key("findings")
            json.array(recording.findings) { $0.write($1) }
            json.key("groups")
            json.array(groups) { json, group in
                json.object { json in
                    json.field("title", group.title)
                    json.field("kind", group.question.kind.rawValue)
                    json.optionalField("entity", group.question.entity)
                    json.optionalField("keyPath", group.question.keyPath)
                    json.optionalField("condition", group.question.condition)
                    json.optionalField("sql", texts.number(of: group.question.sql))
                }
            }
            json.key("columns")
            json.object { json in
                for column in columns {
                    json.key(column.name)
                    json.write(column: column.values)
                }
            }
            json.key("lists")
            json.array(lists) { json, list in json.array(list) { $0.write($1) } }
            json.key("texts")
            json.array(texts.texts) { $0.write($1) }
        }
    }
}

extension TextIndexes {
    /// The index of a text, counted from 1; 0 for none.
    fileprivate mutating func number(of text: String?) -> Int {
        text.map { index(of: $0) + 1 } ?? 0
    }
}

extension JSONWriter {
    /// Writes numbers, or where most are zero the indexes and the values of the others.
    fileprivate mutating func write(column values: [Int]) {
        let others = values.indices.filter { values[$0] != 0 }
        guard others.count * 3 < values.count else { return array(values) { $0.write($1) } }
        object { json in
            var last = 0
            json.key("at")
            json.array(others) { json, index in
                json.write(index - last)
                last = index
            }
            json.key("values")
            json.array(others) { $0.write(values[$1]) }
        }
    }
}

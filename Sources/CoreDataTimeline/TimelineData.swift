import CoreData
import CoreDataRowStorage

/// The events of a recording as columns of numbers, with each text stored once: about 50 bytes per event.
///
/// The page's script `Page/data.js` reads this format.
struct TimelineData {
    private let recording: Instruments.Recording
    private var texts = TextIndexes()
    private let groups: [Instruments.Recording.OperationGroup]
    /// The index of the group of each event.
    private let groupIndexes: [Int]
    /// The lists of texts and numbers that events share: statements, query plans and sort orders.
    private var lists: [[Int]] = []
    private var listIndexes: [[Int]: Int] = [:]

    private typealias Facts = any EventFacts

    init(_ recording: Instruments.Recording) {
        self.recording = recording
        (groups, groupIndexes) = recording.operationGroups()
    }

    // MARK: Columns

    // Each column is written before the next one is built.

    private mutating func writeColumns(to json: inout JSONWriter) {
        json.write("group", column: groupIndexes)
        writeNumbers(to: &json)
        writeTimes(to: &json)
        writeTexts(to: &json)
    }

    private mutating func writeNumbers(to json: inout JSONWriter) {
        json.write("id", column: differences(\.number))
        add("parent", to: &json, \.parentNumber)
        add("source", to: &json) { $0.source == .store ? 0 : $0.source == .memory ? 1 : 2 }
        add("objects", to: &json, \.objects)
        add("rows", to: &json, \.rowCount)
        add("inserted", to: &json, \.changes.inserted)
        add("updated", to: &json, \.changes.updated)
        add("deleted", to: &json, \.changes.deleted)
        add("limit", to: &json, \.limit)
        add("contextID", to: &json) { $0.contextNumber ?? 0 }
        add("thread", to: &json, \.thread)
    }

    /// Writes the times in nanoseconds.
    private mutating func writeTimes(to json: inout JSONWriter) {
        let start = recording.start
        json.write("start", column: differences { Int($0.nanoseconds(since: start)) })
        add("duration", to: &json) { Int($0.nanoseconds) }
        add("waiting", to: &json) { Int($0.waitingNanoseconds) }
        add("sql", to: &json) { Int($0.sqlNanoseconds) }
        add("commit", to: &json) { Int($0.commitNanoseconds) }
    }

    /// Writes the indexes of texts, from 1; 0 for none.
    private mutating func writeTexts(to json: inout JSONWriter) {
        addTexts("context", to: &json, \.contextName)
        addTexts("predicate", to: &json, \.predicateText)
        addTexts("store", to: &json, \.store)
        addTexts("failure", to: &json, \.failure)
        // As text, because it may exceed the exact range of JavaScript numbers.
        addTexts("task", to: &json) { $0.task == 0 ? nil : String($0.task) }
        addLists("statements", to: &json) { facts, texts in
            facts.statementUses.flatMap { [texts.number(of: $0.sql), $0.count] }
        }
        addLists("plan", to: &json) { facts, texts in facts.plan.map { texts.number(of: $0) } }
        addLists("sort", to: &json) { facts, texts in facts.sortOrder.map { texts.number(of: $0) } }
        // Thousands of IDs differ in their last digits only.
        addTexts("object", to: &json) { Self.split($0.objectID?.uriText).text }
        add("objectKey", to: &json) { Self.split($0.objectID?.uriText).number }
    }

    private func add(_ name: StaticString, to json: inout JSONWriter, _ value: (Facts) -> Int) {
        json.write(name, column: recording.events.map { value($0.facts) })
    }

    private mutating func addTexts(_ name: StaticString, to json: inout JSONWriter, _ text: (Facts) -> String?) {
        json.write(name, column: recording.events.map { texts.number(of: text($0.facts)) })
    }

    private mutating func addLists(
        _ name: StaticString, to json: inout JSONWriter, _ list: (Facts, inout TextIndexes) -> [Int]
    ) {
        json.write(name, column: recording.events.map { number(of: list($0.facts, &texts)) })
    }

    private func differences(_ value: (Facts) -> Int) -> [Int] {
        var last = 0
        return recording.events.map { event in
            let value = value(event.facts)
            defer { last = value }
            return value - last
        }
    }

    private mutating func number(of list: [Int]) -> Int {
        guard !list.isEmpty else { return 0 }
        if let number = listIndexes[list] { return number }
        lists.append(list)
        listIndexes[list] = lists.count
        return lists.count
    }

    /// Splits an identifier into a prefix and its trailing digits.
    static func split(_ identifier: String?) -> (text: String?, number: Int) {
        guard let identifier else { return (nil, 0) }
        // Numbers of up to 15 digits are exact in JavaScript.
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

    mutating func write(to json: inout JSONWriter) {
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
                writeColumns(to: &json)
            }
            json.key("lists")
            json.array(lists) { $0.array($1) }
            json.key("texts")
            json.array(texts.all) { $0.write($1) }
        }
    }
}

extension TextIndexes {
    /// Returns the index of a text, from 1; 0 for none.
    fileprivate mutating func number(of text: String?) -> Int {
        text.map { index(of: $0) + 1 } ?? 0
    }
}

extension JSONWriter {
    /// Writes a column of numbers: as indexes and values if most are zero, and not at all if all are.
    fileprivate mutating func write(_ name: StaticString, column values: [Int]) {
        let others = values.indices.filter { values[$0] != 0 }
        guard !others.isEmpty else { return }
        key(name)
        guard others.count * 3 < values.count else { return array(values) }
        object { json in
            var last = 0
            json.key("at")
            json.array(others) { json, index in
                json.write(index - last)
                last = index
            }
            json.key("values")
            json.array(others.map { values[$0] })
        }
    }
}

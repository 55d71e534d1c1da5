import CoreDataRowStorage

/// The operations of a recording, about 100 bytes each: a row of numbers for each, and all other properties without duplicates.
///
/// Used by one thread at a time until the recording is finished, and immutable afterwards.
final class EventTable: @unchecked Sendable {
    /// The properties that differ between operations. Indices of texts and rare properties count from 1; 0 is none.
    struct Row {
        var number: Int
        var parentNumber: Int
        var start: UInt64
        var nanoseconds: Int64
        var sqlNanoseconds: Int64
        var objects: Int
        var rowCount: Int
        var task: Int
        /// The key of the object of a fault.
        var key: Int64 = 0
        var thread: Int32
        /// The index of the entity and store of that object.
        var identity: UInt32 = 0
        var predicate: UInt32 = 0
        var context: UInt32 = 0
        var rarity: UInt32 = 0
        var question: UInt32
        var kind: EventKind
        var source: EventSource
    }

    /// The common properties of similar operations.
    struct Question: Hashable {
        var entity: UInt32
        var keyPath: UInt32
        var store: UInt32
        /// The statement of an operation that ran a single one, once.
        var statement: UInt32
        var limit: Int
        var sortOrder: [UInt32]
        var plan: [UInt32]
    }

    /// The properties that few operations have.
    struct Rarity {
        var waitingNanoseconds: Int64
        var commitNanoseconds: Int64
        var changes: EventChanges
        var failure: UInt32
        var failureType: UInt32
        /// The statements of an operation that ran several.
        var statements: [(text: UInt32, count: Int)]
    }

    // Stored in blocks, because a growing array temporarily contains all elements twice.
    private var blocks: ContiguousArray<ContiguousArray<Row>> = []
    private var texts = TextIndexes()
    private(set) var questions: ContiguousArray<Question> = []
    private(set) var rarities: ContiguousArray<Rarity> = []
    private(set) var contexts: ContiguousArray<ContextLabel> = []
    private(set) var identities: ContiguousArray<ObjectIdentity> = []
    private var questionIndexes: [Question: UInt32] = [:]
    private var contextIndexes: [ObjectIdentifier: UInt32] = [:]
    private var identityIndexes: [ObjectIdentifier: UInt32] = [:]
    private(set) var count = 0

    private static let blockBits = 12

    subscript(index: Int) -> Row {
        _read { yield blocks[index >> Self.blockBits][index & (1 << Self.blockBits - 1)] }
    }

    func text(_ index: UInt32) -> String? { index == 0 ? nil : texts[Int(index) - 1] }

    /// Corrects the number of objects of an operation that counts faults.
    func set(objects: Int, at index: Int) {
        blocks[index >> Self.blockBits][index & (1 << Self.blockBits - 1)].objects = objects
    }

    // MARK: Adding

    func append(_ record: EventRecord) {
        var row = Row(
            number: record.number, parentNumber: record.parentNumber, start: record.start,
            nanoseconds: record.nanoseconds, sqlNanoseconds: record.sqlNanoseconds, objects: record.objects,
            rowCount: record.rowCount, task: record.task, thread: Int32(clamping: record.thread),
            question: index(of: question(of: record)), kind: record.kind, source: record.source)
        row.predicate = index(of: record.predicate?.text)
        row.rarity = rarity(of: record)
        if let context = record.context {
            row.context = Self.index(of: context, in: &contexts, &contextIndexes)
        }
        if let id = record.objectID {
            row.key = id.key
            row.identity = Self.index(of: id.identity, in: &identities, &identityIndexes)
        }
        if blocks.last.map({ $0.count == 1 << Self.blockBits }) ?? true {
            var block = ContiguousArray<Row>()
            // The first block starts small, because most recordings are.
            if !blocks.isEmpty { block.reserveCapacity(1 << Self.blockBits) }
            blocks.append(block)
        }
        blocks[blocks.count - 1].append(row)
        count += 1
    }

    /// Drops the data that is needed for adding only.
    func finish() {
        texts.finish()
        questionIndexes = [:]
        contextIndexes = [:]
        identityIndexes = [:]
    }

    private func question(of record: EventRecord) -> Question {
        let statements = record.statements
        let single = statements.count == 1 && statements[0].count == 1 ? statements[0].sql : nil
        return Question(
            entity: index(of: record.entity), keyPath: index(of: record.keyPath), store: index(of: record.store),
            statement: index(of: single), limit: record.limit,
            sortOrder: record.sortDescriptors == nil ? [] : record.sortOrder.map { index(of: $0) },
            plan: record.plan.map { index(of: $0) })
    }

    private func rarity(of record: EventRecord) -> UInt32 {
        let statements = record.statements
        let isSingle = statements.isEmpty || statements.count == 1 && statements[0].count == 1
        guard
            !isSingle || record.waitingNanoseconds != 0 || record.commitNanoseconds != 0 || record.failure != nil
                || record.failureType != nil || record.changes.total != 0
        else { return 0 }
        rarities.append(
            Rarity(
                waitingNanoseconds: record.waitingNanoseconds, commitNanoseconds: record.commitNanoseconds,
                changes: record.changes, failure: index(of: record.failure),
                failureType: index(of: record.failureType),
                statements: isSingle ? [] : statements.map { (index(of: $0.sql), $0.count) }))
        return UInt32(rarities.count)
    }

    private func index(of text: String?) -> UInt32 { text.map { UInt32(texts.index(of: $0) + 1) } ?? 0 }

    private func index(of question: Question) -> UInt32 {
        if let index = questionIndexes[question] { return index }
        let index = UInt32(questions.count)
        questions.append(question)
        questionIndexes[question] = index
        return index
    }

    private static func index<Object: AnyObject>(
        of object: Object, in objects: inout ContiguousArray<Object>, _ indexes: inout [ObjectIdentifier: UInt32]
    ) -> UInt32 {
        if let index = indexes[ObjectIdentifier(object)] { return index }
        objects.append(object)
        let index = UInt32(objects.count)
        indexes[ObjectIdentifier(object)] = index
        return index
    }
}

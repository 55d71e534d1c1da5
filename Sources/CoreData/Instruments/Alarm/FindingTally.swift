import CoreDataRowStorage

/// The number of operations at one place, and their cost.
final class FindingTally {
    let kind: Instruments.Finding.Kind
    let entity: String?
    let keyPath: String?
    /// The call stack of the operation.
    let path: Instruments.CodePath
    /// True if the program's source lines decide whether this is a finding; see ``examined(by:)``.
    let isSupposed: Bool
    private let knownPlaces: [Instruments.Place]?
    /// The relationships through which the program reached the objects, as far as they are known.
    private(set) var ways: [ObjectWay] = []
    var count = 0
    var queries = 0
    var nanoseconds: Int64 = 0
    /// The number of objects or rows.
    var objects = 0
    /// The part of the message that depends on the operation: the predicate, the index.
    var detail = ""
    /// True if a repeated fetch is a count.
    var counts = false
    /// True if a fetch already prefetches the relationship.
    var isPrefetched = false
    /// The object paths that the remedy concerns, if not all.
    var advisedWays: [ObjectWay]?
    var isFound = false
    private(set) var eventIDs: [Int] = []
    private var subjects: Set<Int> = []

    /// The maximum number of events listed by a finding, and of subjects distinguished.
    private static let limit = 1000

    init(
        _ kind: Instruments.Finding.Kind, entity: String?, keyPath: String? = nil,
        path: Instruments.CodePath = Instruments.CodePath(addresses: []), places: [Instruments.Place]? = nil,
        isSupposed: Bool = false
    ) {
        self.kind = kind
        self.entity = entity
        self.keyPath = keyPath
        self.path = path
        knownPlaces = places
        self.isSupposed = isSupposed
    }

    /// True if its places were known when it was created.
    var isLocated: Bool { knownPlaces != nil }

    /// The line and its callers, innermost first. Symbolicated for findings only, because that takes time.
    private(set) lazy var places = knownPlaces ?? path.places(upTo: Self.mostPlaces)

    static let mostPlaces = 3

    /// The number of different objects or values.
    var differentSubjects: Int { subjects.count }

    func add(_ event: Occurrence) {
        count += 1
        queries += event.queries
        nanoseconds += event.nanoseconds
        objects += event.objects
        event.way.map { add([$0]) }
        if subjects.count < Self.limit { subjects.insert(event.subject) }
        if eventIDs.count < Self.limit { eventIDs.append(event.number) }
    }

    /// Adds an operation for a known object or value.
    func addKnown(_ record: EventRecord) {
        count += 1
        queries += record.queries
        nanoseconds += record.nanoseconds
        objects += record.objectCount
        if eventIDs.count < Self.limit { eventIDs.append(record.number) }
    }

    func add(_ other: FindingTally) {
        count += other.count
        queries += other.queries
        nanoseconds += other.nanoseconds
        objects += other.objects
        add(other.ways)
        subjects.formUnion(other.subjects)
        eventIDs += other.eventIDs.prefix(max(0, Self.limit - eventIDs.count))
    }
}

extension FindingTally {
    /// The last relationship that was followed.
    var step: ObjectWay.Step? { ways.first?.lastStep }

    fileprivate func add(_ more: [ObjectWay]) {
        for way in more where !ways.contains(where: { $0.entity == way.entity && $0.path == way.path }) {
            ways.append(way)
        }
    }
}

/// The part of an operation that a tally keeps.
struct Occurrence {
    let number: Int
    let queries: Int
    let nanoseconds: Int64
    let objects: Int
    /// The hash that distinguishes objects or searched values.
    let subject: Int
    let way: ObjectWay?

    init(_ record: EventRecord, subject: Int) {
        number = record.number
        queries = record.queries
        nanoseconds = record.nanoseconds
        objects = record.objectCount
        self.subject = subject
        way = record.way
    }
}

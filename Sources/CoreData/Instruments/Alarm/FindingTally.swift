import CoreDataRowStorage

/// How often something was done at one place, and what it cost.
final class FindingTally {
    let kind: Instruments.Finding.Kind
    let entity: String?
    let keyPath: String?
    /// Where the program did it.
    let path: Instruments.CodePath
    /// True if only the lines of the program can tell whether it is a finding; see ``examined(by:)``.
    let isSupposed: Bool
    private let knownPlaces: [Instruments.Place]?
    /// The ways by which the program came to the objects, as far as it followed relationships.
    private(set) var ways: [ObjectWay] = []
    var count = 0
    var queries = 0
    var nanoseconds: Int64 = 0
    /// Objects or rows that it concerned.
    var objects = 0
    /// Facts for the message: the predicate, the index.
    var detail = ""
    /// Whether a repeated fetch counts.
    var counts = false
    /// Whether a fetch prefetches the relationship already.
    var isPrefetched = false
    /// The ways that the remedy is about, if not all.
    var advisedWays: [ObjectWay]?
    var isFound = false
    private(set) var eventIDs: [Int] = []
    private var subjects: Set<Int> = []

    /// How many events a finding names, and objects it tells apart.
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

    /// Whether its places were known from the beginning.
    var isLocated: Bool { knownPlaces != nil }

    /// The line, and those that led there, innermost first. Looked up for findings only, since that takes time.
    private(set) lazy var places = knownPlaces ?? path.places(upTo: Self.mostPlaces)

    static let mostPlaces = 3

    /// How many different objects or values it was done for.
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

    /// Adds an operation for one of the objects or values that are known.
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
    /// The relationship that was followed.
    var step: ObjectWay.Step? { ways.first?.lastStep }

    fileprivate func add(_ more: [ObjectWay]) {
        for way in more where !ways.contains(where: { $0.entity == way.entity && $0.path == way.path }) {
            ways.append(way)
        }
    }
}

/// What a tally keeps of an operation.
struct Occurrence {
    let number: Int
    let queries: Int
    let nanoseconds: Int64
    let objects: Int
    /// Tells objects or searched values apart.
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

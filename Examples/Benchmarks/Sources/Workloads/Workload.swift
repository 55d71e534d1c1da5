/// The workloads, in the order of the table.
public enum Workload: String, CaseIterable, Codable, Sendable {
    case insert = "W01"
    case insertInBatches = "W02a"
    case insertEach = "W02b"
    case insertInBatchesFull = "W02a-full"
    case insertEachFull = "W02b-full"
    case fetchThree = "W03"
    case fetchTwelve = "W04"
    case fetchIdentifiers = "W05"
    case count = "W06"
    case findTogether = "W07a"
    case findEach = "W07b"
    case findInOneState = "W07c"
    case search = "W08"
    case update = "W09"
    case delete = "W10"
    case deleteNullifying = "W10b"
    case toMany = "W11a"
    case toManyPrefetched = "W11b"
    case importJSON = "W12"
    case importBatch = "W12b"
    case group = "W13"
    case readWhileWriting = "W14"
    case openCold = "W15"
    case hold = "W16a"
    case iterate = "W16b"
    case walk = "W16c"
    case readProperties = "P01"
    case readNumbers = "P01a"
    case readTexts = "P01b"
    case writeProperties = "P02"
    case insertObjects = "P03"
    case traverse = "P04a"
    case traversePrefetched = "P04b"
    case traverseAgain = "P04c"
    case faceFindTogether = "M1a"
    case faceFindEach = "M1b"
    case faceFindInOneRead = "M1c"
    case faceSearch = "M2"
    case faceFindOrCreate = "M3"
    case faceSaveEach = "M4"
    case faceImport = "M5"
    case faceWatch = "M6"
}

extension Workload {
    /// The title in the table.
    public var title: String {
        switch self {
        case .insert: "bulk insert, one save"
        case .insertInBatches: "insert, save every 1,000"
        case .insertEach: "insert, save each"
        case .insertInBatchesFull: "insert, save every 1,000 (FULL)"
        case .insertEachFull: "insert, save each (FULL)"
        case .fetchThree: "fetch all, read 3"
        case .fetchTwelve: "fetch all, read 12"
        case .fetchIdentifiers: "fetch identifiers"
        case .count: "count with predicate ×50"
        case .findTogether: "find 10,000 by key, one access"
        case .findEach: "find 10,000 by key, access each"
        case .findInOneState: "find 10,000 by key, in one state"
        case .search: "filter, sort, limit 50 ×200"
        case .update: "update 1 in 10, save"
        case .delete: "delete 1 in 10, save"
        case .deleteNullifying: "delete 1 in 10 of a to-many, save"
        case .toMany: "to-many of 1,000, one by one"
        case .toManyPrefetched: "to-many of 1,000, prefetched"
        case .importJSON: "find or create 10,000 from JSON"
        case .importBatch: "the same by one batch request"
        case .group: "group by country ×20"
        case .readWhileWriting: "read pages while writing"
        case .openCold: "open cold, first 20"
        case .hold: "fetch all and hold"
        case .iterate: "iterate, 500 at a time"
        case .walk: "walk one result, 500 at a time"
        case .readProperties: "read 3 properties ×1,000,000"
        case .readNumbers: "of these, the 2 numbers"
        case .readTexts: "of these, the text"
        case .writeProperties: "write 2 properties ×1,000,000"
        case .insertObjects: "insert objects, no save"
        case .traverse: "1,000 × 100 objects, one by one"
        case .traversePrefetched: "1,000 × 100 objects, prefetched"
        case .traverseAgain: "1,000 × 100 objects, in memory"
        case .faceFindTogether: "find 10,000 by key, one access"
        case .faceFindEach: "find 10,000 by key, access each"
        case .faceFindInOneRead: "find 10,000 by key, in one read"
        case .faceSearch: "3 conditions, sort, limit 50 ×1,000"
        case .faceFindOrCreate: "find or create 10,000, one save"
        case .faceSaveEach: "save one object, awaited ×1,000"
        case .faceImport: "import 10,000 records of JSON"
        case .faceWatch: "list after one of 10,000 changes ×1,000"
        }
    }

    /// The default number of rows in the store, or to insert.
    public var usualRows: Int {
        switch self {
        case .insertEach, .insertEachFull: 1_000
        case .insertInBatches, .insertInBatchesFull, .search, .faceSaveEach, .faceWatch: 10_000
        case .hold, .iterate, .walk: 1_000_000
        default: 100_000
        }
    }

    /// True if the number of rows is part of the workload and cannot be set on the command line.
    public var hasFixedRows: Bool {
        switch self {
        case .insertInBatches, .insertEach, .insertInBatchesFull, .insertEachFull, .faceWatch: true
        default: false
        }
    }

    /// The durability setting of the workload.
    public var synchronous: Synchronous {
        switch self {
        case .insertInBatchesFull, .insertEachFull: .full
        default: .normal
        }
    }

    /// The contents of the store before the workload.
    public var fixture: Fixture {
        switch self {
        case .insert, .insertInBatches, .insertEach, .insertInBatchesFull, .insertEachFull: .empty
        case .deleteNullifying, .toMany, .toManyPrefetched: .usersAndMessages
        default: isAboutObjects ? .usersAndMessages : .users
        }
    }

    /// True if the workload changes the store, so that each run needs a fresh copy.
    public var writes: Bool {
        switch self {
        case .update, .delete, .deleteNullifying, .importJSON, .importBatch, .readWhileWriting: true
        case .faceFindOrCreate, .faceSaveEach, .faceImport: true
        default: fixture == .empty
        }
    }

    /// True if all engines must leave the same store. False for `readWhileWriting`: its writer stops at an arbitrary row.
    public var comparesStores: Bool {
        writes && self != .readWhileWriting
    }

    /// True for the P… family, property access to objects in memory, compared with a plain Swift class.
    public var isAboutObjects: Bool {
        rawValue.hasPrefix("P")
    }

    /// True for the M… family, called through MagicalRecord, compared with the same work with Core Data's functions.
    public var isAboutFace: Bool {
        rawValue.hasPrefix("M")
    }
}

/// The contents of a prepared store.
public enum Fixture: String, Codable, Sendable {
    case empty, users, usersAndMessages
}

extension Instruments {
    /// A mistake that costs time, with the place in the program's code and what to write instead.
    public struct Finding: Hashable, Sendable {
        /// What the program does.
        public let kind: Kind
        /// The entity whose objects are concerned.
        public let entity: String?
        /// The relationship or attribute that is concerned.
        public let keyPath: String?
        /// Where the program does it; nil in release builds, whose code does not tell.
        public let place: Place?
        /// The lines that led to ``place``, innermost first.
        public let callers: [Place]
        /// What happened, in one sentence with numbers.
        public let message: String
        /// What to write instead.
        public let remedy: String
        /// How often it was done when the finding was made or, in a recording, altogether.
        public let repetitions: Int
        /// How many queries, or saves, it took.
        public let queries: Int
        /// How long these took.
        public let duration: Duration
        /// The ``Event/id`` of the events, as far as they were kept.
        public let eventIDs: [Int]

        package init(
            kind: Kind, entity: String?, keyPath: String?, place: Place?, callers: [Place], message: String,
            remedy: String, repetitions: Int, queries: Int, duration: Duration, eventIDs: [Int]
        ) {
            (self.kind, self.entity, self.keyPath) = (kind, entity, keyPath)
            (self.place, self.callers) = (place, callers)
            (self.message, self.remedy) = (message, remedy)
            (self.repetitions, self.queries, self.duration) = (repetitions, queries, duration)
            self.eventIDs = eventIDs
        }
    }

    /// A line of the program's code.
    public struct Place: Hashable, Sendable, CustomStringConvertible {
        /// The path of the file.
        public let file: String
        /// The line, counted from 1.
        public let line: Int
        /// The function, as the compiler names it; empty if unknown.
        public let function: String

        /// Creates a place.
        public init(file: String, line: Int, function: String = "") {
            (self.file, self.line, self.function) = (file, line, function)
        }

        /// The file's name and the line: `Inbox.swift:42`.
        public var description: String {
            "\(file.split(separator: "/").last.map(String.init) ?? file):\(line)"
        }
    }
}

extension Instruments.Finding {
    /// What a finding is about.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// One query for each object: a relationship that is read object by object.
        case repeatedRelationshipFault
        /// One query for each object: faults that are fulfilled one by one.
        case repeatedFault
        /// One query for each value: the same fetch again and again with another constant.
        case repeatedFetch
        /// Objects that were fetched to be counted.
        case fetchToCount
        /// Objects that were fetched to be deleted.
        case fetchToDelete
        /// A save for each object.
        case saveInLoop
        /// Objects that were fetched to be filtered in memory.
        case filterInMemory
        /// Objects that were fetched to be sorted in memory.
        case sortInMemory
        /// A fetch that goes through a large table, for want of an index.
        case missingIndex
        /// Many unsaved objects in one context.
        case unsavedChanges
    }
}

extension Instruments {
    /// A performance mistake, with its place in the program's source and the recommended replacement.
    public struct Finding: Hashable, Sendable {
        /// The kind of mistake.
        public let kind: Kind
        /// The entity of the objects.
        public let entity: String?
        /// The relationship or attribute, if it concerns one.
        public let keyPath: String?
        /// The line of the program; nil in release builds.
        public let place: Place?
        /// The lines that called ``place``, innermost first.
        public let callers: [Place]
        /// The description of the mistake, in one sentence with numbers.
        public let message: String
        /// The recommended replacement.
        public let remedy: String
        /// The number of repetitions when the finding was made or, in a recording, in total.
        public let repetitions: Int
        /// The number of queries, or saves.
        public let queries: Int
        /// The time that these took.
        public let duration: Duration
        /// The ``Event/id`` of the events, as far as they were recorded.
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

    /// A line of the program's source.
    public struct Place: Hashable, Sendable, CustomStringConvertible {
        /// The path of the file.
        public let file: String
        /// The line, counted from 1.
        public let line: Int
        /// The function in the compiler's notation; empty if unknown.
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
    /// The kind of a mistake.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// One query per object: a relationship is loaded object by object.
        case repeatedRelationshipFault
        /// One query per object: faults are fired one by one.
        case repeatedFault
        /// One query per value: the same fetch is repeated with different constants.
        case repeatedFetch
        /// Objects are fetched to be counted.
        case fetchToCount
        /// Objects are fetched to be deleted.
        case fetchToDelete
        /// One save per object.
        case saveInLoop
        /// Objects are fetched to be filtered in memory.
        case filterInMemory
        /// Objects are fetched to be sorted in memory.
        case sortInMemory
        /// A fetch scans a large table because there is no index.
        case missingIndex
        /// A context has many unsaved objects.
        case unsavedChanges
    }
}

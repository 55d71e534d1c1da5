import Foundation

/// The rows and values that a rescue kept, mended and lost.
public struct RescueReport: Sendable {
    /// The rows of one entity, without its subentities.
    public struct EntityResult: Sendable {
        /// The name of the entity.
        public let entity: String
        /// The number of rows in the new store.
        public internal(set) var kept = 0
        /// The number of those that needed to be changed.
        public internal(set) var mended = 0
        /// The number of rows that were found and could not be kept.
        public internal(set) var lost = 0
        /// The primary keys of the first lost rows, at most ``StoreFinding/keyLimit``.
        public internal(set) var lostKeys: [Int64] = []

        package init(entity: String) { self.entity = entity }
    }

    /// One kind of correction or loss.
    public struct Note: Sendable, Hashable {
        /// The name of the entity; nil for what concerns the whole store.
        public let entity: String?
        /// The name of the property, if it concerns one.
        public let property: String?
        /// The primary keys of the first rows concerned, at most ``StoreFinding/keyLimit``.
        public let keys: [Int64]
        /// The number of rows concerned.
        public let count: Int
        /// The correction or loss, in one sentence.
        public let message: String
        /// True if a value or row was lost.
        public let isLoss: Bool
    }

    /// The new store.
    public internal(set) var url: URL
    /// The results by entity, sorted by name.
    public internal(set) var entities: [EntityResult] = []
    /// The corrections and losses.
    public internal(set) var notes: [Note] = []
    /// The pages of the original that could not be read.
    public internal(set) var unreadablePages: [Int] = []
    /// Files of external values to which no row refers, in the original's folder.
    public internal(set) var orphanedFiles: [URL] = []
    /// A file of newline-delimited JSON with the rows that the new store could not hold; nil if there are none.
    public internal(set) var leftovers: URL?
    /// The number of deleted rows that were found on free pages, and not restored.
    public internal(set) var deletedRows = 0

    package init(url: URL) { self.url = url }
}

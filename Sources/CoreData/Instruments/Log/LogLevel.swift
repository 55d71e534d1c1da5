extension Instruments {
    /// How much the log says: the levels of Apple's launch argument `-com.apple.CoreData.SQLDebug`.
    public enum LogLevel: Int, Comparable, Sendable, CaseIterable {
        /// Nothing.
        case off
        /// Each statement, how long it took, and how many rows fetches read; each fault that the store fulfilled.
        case sql
        /// The values bound to statements as well, and for each fetch its entity.
        case values
        /// The IDs and counts of what saves wrote as well.
        case rows
        /// The query plan of each statement as well.
        case plans

        public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
    }
}

extension Instruments {
    /// The level of detail of the log, as in Apple's launch argument `-com.apple.CoreData.SQLDebug`.
    public enum LogLevel: Int, Comparable, Sendable, CaseIterable {
        /// Logs nothing.
        case off
        /// Logs each statement with its duration and the number of fetched rows, and each fault fulfilled by the store.
        case sql
        /// Also logs the values bound to statements, and the entity of each fetch.
        case values
        /// Also logs the IDs and numbers of objects written by saves.
        case rows
        /// Also logs the query plan of each statement.
        case plans

        public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
    }
}

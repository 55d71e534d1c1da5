import Foundation

/// A registered reader of a store's history: a purge leaves what it has not read.
package struct HistoryReader: Sendable {
    package var name: String
    /// The position up to which it has read.
    package var place: HistoryPlace
    /// When it was registered, or advanced last.
    package var advanced: Date

    package init(name: String, place: HistoryPlace, advanced: Date) {
        self.name = name
        self.place = place
        self.advanced = advanced
    }
}

/// A change of the registered readers of a store's history.
package enum HistoryReaderChange: Sendable {
    /// Registers a reader, unless there is one of its name.
    case register(String, at: HistoryPlace)
    /// Moves a reader, which is registered if there is none of its name. Earlier positions than its own change nothing.
    case advance(String, to: HistoryPlace)
    case remove(String)
}

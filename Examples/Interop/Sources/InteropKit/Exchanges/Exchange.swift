import Foundation

/// The folder that goes from Linux to a Mac and back, and what lies where in it.
public struct Exchange: Sendable {
    /// The state of a store that a Mac leaves, by the name of its folder.
    enum State: String, CaseIterable, Sendable {
        /// Linux's store after the edits.
        case edited
        /// The edited store in the second version of the model.
        case migrated
        /// A store that Apple's framework wrote.
        case own
    }

    /// The folder as a whole.
    public let folder: URL

    /// Creates the description of a folder, which need not be there yet.
    public init(_ folder: URL) { self.folder = folder }

    /// The folder that Linux fills.
    public var fromLinux: URL { folder.appendingPathComponent("from-linux") }
    /// The folder that a Mac fills.
    public var fromMac: URL { folder.appendingPathComponent("from-mac") }
    /// The report as JSON.
    public var report: URL { fromMac.appendingPathComponent("report.json") }
    /// The report as a page for browsers.
    public var page: URL { fromMac.appendingPathComponent("report.html") }

    /// The file with the checksum of the cases that Linux wrote stores of. It is written last.
    var edition: URL { fromLinux.appendingPathComponent("edition.txt") }

    /// Returns the folder of what Linux wrote for a case.
    func given(_ item: Case) -> URL { fromLinux.appendingPathComponent(item.name) }

    /// Returns the folder of a store that a Mac left for a case.
    func made(_ item: Case, _ state: State) -> URL {
        fromMac.appendingPathComponent(item.name).appendingPathComponent(state.rawValue)
    }
}

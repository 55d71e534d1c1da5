import Foundation

/// The layout of the folder that is copied from Linux to a Mac and back.
public struct Exchange: Sendable {
    /// The state of a store that the Mac writes. The raw value is the name of its folder.
    enum State: String, CaseIterable, Sendable {
        /// Linux's store after the edits.
        case edited
        /// The edited store in the second version of the model.
        case migrated
        /// A store that Apple's framework wrote.
        case own
    }

    /// The root folder.
    public let folder: URL

    /// Creates the layout of a folder, which need not exist yet.
    public init(_ folder: URL) { self.folder = folder }

    /// The folder that Linux writes.
    public var fromLinux: URL { folder.appendingPathComponent("from-linux") }
    /// The folder that the Mac writes.
    public var fromMac: URL { folder.appendingPathComponent("from-mac") }
    /// The report as JSON.
    public var report: URL { fromMac.appendingPathComponent("report.json") }
    /// The report as an HTML page.
    public var page: URL { fromMac.appendingPathComponent("report.html") }

    /// The file with the edition of the cases. Linux writes it last.
    var edition: URL { fromLinux.appendingPathComponent("edition.txt") }

    /// Returns the folder that Linux writes for a case.
    func given(_ item: Case) -> URL { fromLinux.appendingPathComponent(item.name) }

    /// Returns the folder of a store that the Mac writes for a case.
    func made(_ item: Case, _ state: State) -> URL {
        fromMac.appendingPathComponent(item.name).appendingPathComponent(state.rawValue)
    }
}

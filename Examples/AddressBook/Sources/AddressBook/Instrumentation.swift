import AddressBookModel
import Foundation
import MagicalRecord

#if canImport(CoreDataTimeline)
import CoreDataTimeline
#endif

/// Timelines of Core Data's operations, written to files as a counterpart of the Core Data template of Xcode's Instruments:
/// one of the program's run, and two of each performance fault, before and after the remedy.
struct Instrumentation {
    let folder: URL

    #if canImport(ObjectiveC)
    func begin() throws {
        throw Failure("--instruments is for the package's own Core Data.", advice: "Use Xcode's Instruments.")
    }

    func end(_ contacts: ContactsSource.Checked) async throws {}
    #else
    func begin() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        Instruments.start()
    }

    /// Writes the recording started by `begin`, then records the performance faults.
    func end(_ contacts: ContactsSource.Checked) async throws {
        let run = Instruments.stop()
        try write(run, "run", of: "import and search")
        print("\n\(run)")
        try await recordFaults(contacts)
        print("Timelines are in \(folder.path): open run.html in a browser.")
    }

    private func write(_ recording: Instruments.Recording, _ name: String, of piece: String) throws {
        try recording.writeTimeline(of: piece, to: folder.appendingPathComponent("\(name).html"))
        try recording.write(.traceEvents, to: folder.appendingPathComponent("\(name).trace.json"))
    }

    /// Records the performance faults on a temporary store, so that the address book is not changed.
    private func recordFaults(_ contacts: ContactsSource.Checked) async throws {
        let stack = try MagicalRecord.Stack([.temporary], shape: .server, model: .addressBook)
        try await stack.importAll(User.self, from: .data(contacts.data))
        print(row("fault", "", "queries", "rows", "saves", "findings"))
        for fault in PerformanceFault.all {
            for (time, work) in [("before", fault.before), ("after", fault.after)] {
                let recording = try await Instruments.record { try await stack.read { try work($0) } }
                let totals = recording.totals
                print(
                    row(
                        fault.name, time, "\(totals.queries)", "\(totals.rows)", "\(totals.saves)",
                        "\(recording.findings.count)"))
                for finding in recording.findings { print("    \(finding)") }
                try write(recording, "\(fault.name)-\(time)", of: "\(fault.name) \(time)")
            }
        }
        try await stack.tearDown()
    }

    private func row(_ columns: String...) -> String {
        columns.map { Terminal.padded($0, 10) }.joined()
    }
    #endif
}

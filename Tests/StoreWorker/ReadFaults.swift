import CoreData
import CoreDataSystemCallFaults
import Foundation

/// Reads and edits a store while the system calls that read it fail, one after the other:
/// `CoreDataStoreWorker reads STORE WORK ERROR once|always EACH`.
///
/// `WORK` is `open`, `read` or `edit`; of the calls one in `EACH` is made to fail. Whatever is answered is what lies in the store, or
/// there is an error, and when the disk works again everything is right. Reports what is not.
struct ReadFaults {
    private let url: URL
    private let work: String
    private let error: Int32
    private let stays: Bool
    private let each: Int

    init(_ url: URL, _ arguments: [String]) {
        self.url = url
        work = arguments[0]
        error = Int32(arguments[1]) ?? EIO
        stays = arguments[2] == "always"
        each = Int(arguments[3]) ?? 1
    }

    private var folder: URL { url.deletingLastPathComponent() }

    func run() throws {
        try makeStore()
        let before = try Trial.picture(url)
        let edited = try copy("edited")
        let context = try Ledger.context(edited, options: Trial.options)
        try context.performAndWait {
            try Trial.change(context)
            try context.save()
        }
        try Trial.close(context)
        let changed = try Trial.picture(edited)
        let calls = try countCalls()
        report("calls \(calls)")
        var errors = 0
        for number in stride(from: 1 + calls % each, through: calls, by: each) {
            let store = try copy("\(number)")
            let trial = Trial(store, number, before: before, changed: changed) {
                report("wrong at call \(number): \($0)")
            }
            switch work {
            case "open": try trial.open { arm(store, number) }
            case "edit": try trial.edit { arm(store, number) }
            default: try trial.read { arm(store, number) }
            }
            errors += trial.errors
            faults_arm("", 0, 0)
            try FileManager.default.removeItem(at: store.deletingLastPathComponent())
        }
        report("errors \(errors)")
        report("done")
    }

    private func arm(_ store: URL, _ number: Int) {
        faults_arm_reads(store.deletingLastPathComponent().path, number, error, stays ? 1 : 0)
    }

    /// Copies the store into a folder of its own.
    private func copy(_ name: String) throws -> URL {
        let files = FileManager.default
        let place = folder.appendingPathComponent(name)
        try files.createDirectory(at: place, withIntermediateDirectories: true)
        for file in try files.contentsOfDirectory(atPath: folder.path)
        where file.hasPrefix(url.lastPathComponent) || file.hasPrefix(".") {
            try files.copyItem(at: folder.appendingPathComponent(file), to: place.appendingPathComponent(file))
        }
        return place.appendingPathComponent(url.lastPathComponent)
    }

    private func makeStore() throws {
        let context = try Ledger.context(url, options: Trial.options)
        try context.performAndWait {
            try Ledger.prepare(context)
            let labels = try Ledger.all("Label", context)
            for (index, account) in try Ledger.all("Account", context).enumerated() {
                account.setValue(100 + index, forKey: "balance")
                for position in 0..<3 {
                    let entry = Ledger.insert(
                        "Entry", ["position": position, "text": "entry \(index)\(position)"], context)
                    entry.setValue(account, forKey: "account")
                    entry.setValue(NSSet(array: Array(labels.dropFirst(position))), forKey: "labels")
                    if position == 1 { entry.setValue(Data(repeating: 7, count: 150_000), forKey: "blob") }
                }
            }
            let journal = try Ledger.all("Journal", context)[0]
            let pages = (0..<5).map { Ledger.insert("Page", ["round": $0], context) }
            journal.setValue(NSOrderedSet(array: pages.reversed()), forKey: "pages")
            // Rows enough to lie on many pages of the file.
            for number in 0..<2000 { Ledger.insert("Trace", ["round": 1, "number": number], context) }
            try context.save()
        }
        try Trial.close(context)
    }

    /// How many calls the work makes where none fails.
    private func countCalls() throws -> Int {
        let store = try copy("counted")
        let trial = Trial(store, 0, before: [], changed: []) { _ in }
        try trial.count(work) { arm(store, 0) }
        defer { faults_arm("", 0, 0) }
        return faults_count()
    }
}

import Foundation
import MagicalRecord

/// Saves through a stack, with changes and without, in every way, and reports what MagicalRecord says to the log at the
/// level it begins with; then, at the highest, that it says something.
func reportLog(_ url: URL) throws {
    MagicalRecord.setLogHandler { kind, message in report("\(kind): \(message)") }
    report("level \(MagicalRecord.loggingLevel())")
    for shape in [MagicalRecord.Shape.rootSaving, .server] {
        let stack = try MagicalRecord.Stack([.sqlite(at: url)], shape: shape, model: .model(Ledger.model()))
        for _ in 0..<2 {
            try stack.saveAndWait { context in _ = Ledger.insert("Trace", ["round": 1], context) }
            try stack.saveAndWait { _ in }
        }
        try stack.tearDownAndWait()
    }
    report("done")
    MagicalRecord.setLoggingLevel(.all)
    let stack = try MagicalRecord.Stack([.sqlite(at: url)], shape: .server, model: .model(Ledger.model()))
    try stack.saveAndWait { context in _ = Ledger.insert("Trace", ["round": 2], context) }
}

import Foundation
import InteropKit

/// The exchange program: on Linux it writes stores and verifies the Mac's results, on a Mac it examines stores and writes the
/// report.
@main
struct Program {
    @MainActor
    static func main() {
        let exchange = Exchange(
            URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appendingPathComponent("Exchange"))
        do {
            exit(try run(exchange) ? 0 : 1)
        } catch {
            FileHandle.standardError.write(Data("Interop: \((error as NSError).localizedDescription)\n".utf8))
            exit(2)
        }
    }

    #if canImport(Darwin)
    /// Examines the stores that Linux wrote. Returns true if there are no differences.
    @MainActor
    private static func run(_ exchange: Exchange) throws -> Bool {
        var examination = try Examination(exchange, framework: "Apple's Core Data")
        let report = try examination.run()
        for item in report.items {
            print("\(item.name): \(item.skipped ?? (item.stages.allSatisfy(\.passed) ? "as expected" : "DIFFERENT"))")
        }
        print("The report: \(exchange.page.path)")
        print("Take the folder back to Linux and run the same command there: \(exchange.folder.path)")
        return report.passed
    }
    #else
    /// Writes the stores and verifies the Mac's results, if there are any. Returns true if there are no differences.
    @MainActor
    private static func run(_ exchange: Exchange) throws -> Bool {
        try LinuxStores(exchange).write()
        print("Stores, models and lists of their values: \(exchange.fromLinux.path)")
        guard FileManager.default.fileExists(atPath: exchange.fromMac.path) else {
            print(
                "Take this folder, hidden files included, to a Mac, and run the same command there: \(exchange.folder.path)"
            )
            return true
        }
        let workshop = FileManager.default.temporaryDirectory.appendingPathComponent("Interop-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: workshop) }
        let verdict = Judge(exchange, workshop: workshop).verdict()
        for line in verdict.lines { print(line) }
        return verdict.passed
    }
    #endif
}

import CoreDataTestSupport
import Foundation
import StoreTools

/// Collects results from several threads.
final class DamageResults: @unchecked Sendable {
    private let lock = NSLock()
    private var results: [Result<DamageResult?, any Error>?]

    init(_ count: Int) throws { results = Array(repeating: nil, count: count) }

    func set(_ index: Int, _ result: Result<DamageResult?, any Error>) { lock.withLock { results[index] = result } }

    func all() throws -> [DamageResult] { try lock.withLock { try results.compactMap { try $0?.get() } } }
}

enum DamageChecks {
    /// Returns the findings in a rescued store that are no fault of the rescue: a required value or object that is lost, or the
    /// store's model, cannot be invented, and the report says so.
    static func unmendable(_ findings: [StoreFinding], _ report: RescueReport) -> [StoreFinding] {
        findings.filter { finding in
            switch finding.rule {
            case .requiredValue:
                report.notes.contains { $0.property == finding.property && $0.entity != nil }
            case .model: report.notes.contains { $0.message.hasPrefix("The model in the store is damaged") }
            default: false
            }
        }
    }

    /// Checks files in a folder, and returns what is in the folder afterwards.
    static func check(_ files: DamageFiles) throws -> (StoreCheck.Report, [String: [UInt8]]) {
        let folder = try TemporaryFolder()
        let report = try StoreCheck(try files.write(to: folder.url)).run()
        return (report, try DamageFiles(folder.url).files)
    }
}

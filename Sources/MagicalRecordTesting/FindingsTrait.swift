#if !canImport(ObjectiveC)
import MagicalRecord
import Testing

/// Fails a test that triggers a performance finding: one query per object, objects fetched only to be counted, a save per
/// object, and similar patterns.
///
/// ```swift
/// @Suite(.testStack, .noFindings) struct InboxTests { … }
/// ```
/// Each finding is recorded as an issue of the test at the responsible line of the program, with advice. Builds without source
/// locations record it at the test. Available off Apple's platforms only, where CoreData is this package's.
public struct FindingsTrait: SuiteTrait, TestTrait, TestScoping {
    let settings: Instruments.AlarmSettings

    /// True: each test of a suite is checked separately.
    public var isRecursive: Bool { true }

    /// Runs a test case and records an issue for each finding. Suites are run unchecked.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let findings = try await Instruments.findings(settings: settings) { try await function() }
        for finding in findings {
            Issue.record("\(finding)", sourceLocation: finding.place?.sourceLocation ?? test.sourceLocation)
        }
    }
}

extension Trait where Self == FindingsTrait {
    /// The trait that fails a test for each performance finding.
    public static var noFindings: Self { .noFindings() }

    /// Returns the trait that fails a test for each performance finding.
    ///
    /// - Parameter settings: the thresholds of the findings.
    public static func noFindings(_ settings: Instruments.AlarmSettings = Instruments.AlarmSettings()) -> Self {
        FindingsTrait(settings: settings)
    }
}

extension Instruments.Place {
    fileprivate var sourceLocation: SourceLocation {
        // An ID consists of a module and a file; the module of a location is unknown.
        let name = file.split(separator: "/").last.map(String.init) ?? file
        return SourceLocation(fileID: "Program/\(name)", filePath: file, line: max(1, line), column: 1)
    }
}
#endif

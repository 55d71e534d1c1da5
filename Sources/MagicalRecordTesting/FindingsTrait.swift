#if !canImport(ObjectiveC)
import MagicalRecord
import Testing

/// Fails a test that makes a mistake that costs time: one query for each object, objects fetched to be counted, a save for each
/// object, and the like.
///
/// ```swift
/// @Suite(.testStack, .noFindings) struct InboxTests { … }
/// ```
/// Each finding is an issue of the test, shown at the line of the program that is at fault, with what to write instead. Builds
/// without places show it at the test. Off Apple's platforms only, where CoreData is this package's.
public struct FindingsTrait: SuiteTrait, TestTrait, TestScoping {
    let settings: Instruments.AlarmSettings

    public var isRecursive: Bool { true }

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
    /// The test makes no mistake that costs time.
    public static var noFindings: Self { .noFindings() }

    /// The test makes no mistake that costs time.
    ///
    /// - Parameter settings: from when on something is a mistake.
    public static func noFindings(_ settings: Instruments.AlarmSettings = Instruments.AlarmSettings()) -> Self {
        FindingsTrait(settings: settings)
    }
}

extension Instruments.Place {
    fileprivate var sourceLocation: SourceLocation {
        // What an ID needs is a module and a file; the module of a line is not known.
        let name = file.split(separator: "/").last.map(String.init) ?? file
        return SourceLocation(fileID: "Program/\(name)", filePath: file, line: max(1, line), column: 1)
    }
}
#endif

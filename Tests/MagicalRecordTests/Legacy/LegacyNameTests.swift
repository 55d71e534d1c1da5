import MagicalRecord
import Testing

/// Every declaration of the original is here, under the name that Swift gives it.
@Suite struct LegacyNameTests {
    @Test func everyDeclarationHasItsSwiftName() {
        #expect(OriginalDeclarations.all.count == 242)
        #expect(Set(OriginalDeclarations.all).count == 242)
        // Set-ups of document storage in iCloud, which Apple has ended, are for Objective-C alone.
        let inSwift = Set(OriginalDeclarations.all).filter {
            !$0.contains("iCloudContainer") && !$0.contains("iCloudChanges")
        }
        #expect(inSwift.count == 226)
        let missing = inSwift.subtracting(LegacyNames.all)
        let unknown = Set(LegacyNames.all).subtracting(inSwift)
        #expect(missing.sorted() == [])
        #expect(unknown.sorted() == [])
        #expect(LegacyNames.all.count == 226)
    }

    /// The list itself, against the reference it was taken from, where that lies beside the package.
    @Test func theListIsTheReferences() throws {
        let reference = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../../shared/reference/magicalrecord.md").standardizedFileURL
        guard let text = try? String(contentsOf: reference, encoding: .utf8) else {
            return print("Skipped: \(reference.path) is not there.")
        }
        guard let first = text.range(of: "### 1.1 "), let last = text.range(of: "### 1.21") else {
            Issue.record("The reference has another form.")
            return
        }
        let listed = Set(OriginalDeclarations.byClass.flatMap(\.methods))
        for match in text[first.lowerBound..<last.lowerBound].matches(of: #/`(?<name>[+-][A-Za-z_:]+)`/#) {
            #expect(listed.contains(String(match.name)), "\(match.name)")
        }
    }
}

import MagicalRecord
import Testing

/// Whether everything the original declared is here.
@Suite struct LegacyNameTests {
    @Test func everyDeclarationHasItsSwiftName() {
        #expect(OriginalDeclarations.all.count == 242)
        #expect(Set(OriginalDeclarations.all).count == 242)
        let missing = Set(OriginalDeclarations.all).subtracting(LegacyNames.all)
        let unknown = Set(LegacyNames.all).subtracting(OriginalDeclarations.all)
        #expect(missing.sorted() == [])
        #expect(unknown.sorted() == [])
        #expect(LegacyNames.all.count == 242)
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

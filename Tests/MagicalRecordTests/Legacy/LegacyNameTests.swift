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

    /// Those Objective-C does not get from us, and why.
    private static let notForObjectiveC: Set<String> = [
        // Every Objective-C class has a method of that name with another result, which Swift cannot replace.
        "MagicalRecord +version",
        // Inherited from NSObject, whose implementation knows numbers and texts.
        "NSNumber -MR_lookupKeyForAttribute:", "NSNumber -MR_relatedValueForRelationship:",
        // Written by the program or by mogenerator; looked for at run time.
        "MagicalRecord_MOGenerator +entityName", "MagicalRecord_MOGenerator -entityInManagedObjectContext:",
        "MagicalRecord_MOGenerator -insertInManagedObjectContext:", "MagicalRecordDataImportProtocol -shouldImport:",
        "MagicalRecordDataImportProtocol -willImport:", "MagicalRecordDataImportProtocol -didImport:",
    ]

    /// The files for Objective-C cannot be compiled off Apple's platforms, but they can be read.
    @Test func everyDeclarationHasItsSelector() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/MagicalRecord/ObjectiveC").standardizedFileURL
        var found: Set<String> = []
        let name = #/@objc\(\s*(?<selector>[A-Za-z_:]+)\s*\)\s*(?<rest>[^{]*?)func/#
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            let parts = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\nextension ")
                .dropFirst()
            for part in parts {
                let type = part.prefix { $0.isLetter || $0 == "_" }
                for match in part.matches(of: name) {
                    found.insert("\(type) \(match.rest.contains("class") ? "+" : "-")\(match.selector)")
                }
            }
        }
        let wanted = Set(OriginalDeclarations.all).subtracting(Self.notForObjectiveC)
        #expect(wanted.subtracting(found).sorted() == [])
        #expect(found.subtracting(wanted).sorted() == [])
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

import CoreData
import Foundation
import MagicalRecord
import Testing

/// The framework has no plain names: with it, Core Data and Foundation imported, each of these means one thing.
@Suite struct NameClashTests {
    /// What is at the top level of the module begins with `MagicalRecord` or `MR`, as the original's names do, so that no name hides
    /// another module's, or a program's.
    @Test func typesAreNested() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/MagicalRecord").standardizedFileURL
        let files = try #require(FileManager.default.enumerator(atPath: sources.path))
        var names: [String] = []
        for case let path as String in files where path.hasSuffix(".swift") {
            let file = sources.appendingPathComponent(path)
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                guard line.hasPrefix("public ") || line.hasPrefix("open ") else { continue }
                let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
                guard let kind = words.firstIndex(where: Self.kinds.contains), kind + 1 < words.count else { continue }
                names.append(String(words[kind + 1]))
            }
        }
        #expect(names.contains("MagicalRecord"))
        let plain = names.filter { !$0.hasPrefix("MagicalRecord") && !$0.hasPrefix("MR") }
        // The type of the original's blocks, and the property wrapper.
        #expect(plain == ["CoreDataBlock", "Stored"])
    }

    private static let kinds: Set<Substring> = ["class", "struct", "enum", "protocol", "actor", "typealias"]

    /// Foundation's type of that name, and the framework's.
    @Test func foundationsSortOrder() {
        let order: SortOrder = .forward
        let own: MagicalRecord.SortOrder<User> = .ascending(\.userID)
        #expect(order == .forward)
        #expect("\(own)" == "userID ascending")
    }

    /// The documentation's example of an enumeration in a condition needs no other import.
    @Test func enumerationsAreValues() {
        let condition: MagicalRecord.Condition<User> = \.isFriend == true
        #expect("\(condition)" == "isFriend == 1")
        #expect("\(Kind.friend.predicateConstant as? Int == 1)" == "true")
    }

    private enum Kind: Int, MagicalRecord.PredicateValue {
        case stranger, friend
    }
}

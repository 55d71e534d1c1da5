import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

/// The order of texts is the same in SQL, in memory, and where both meet: for characters that stand for several, too. (One
/// result has one order; the expectation is the sort descriptor's own comparison.)
@Suite("Order of texts") struct TextOrderTests {
    static let selectors: [Selector?] = [
        nil, .compare, .caseInsensitiveCompare, .localizedCompare, .localizedCaseInsensitiveCompare,
        .localizedStandardCompare,
    ]

    private static let parts = [
        "ﬁ", "fi", "FI", "ﬀ", "ﬃ", "ﬅ", "f", "i", "s", "ß", "ẞ", "ss", "SS", "é", "e\u{301}", "e", "\u{301}", "\u{323}",
        "Å",
        "\u{212B}", "A", "a", "a\u{30A}", "İ", "I", "ı", "i\u{307}", "가", "\u{1100}", "\u{1161}", "ŉ", "ʼn", "ａ", "①",
        "½", "1",
        "2", "10", "", " ", "ǆ", "dž", "ς", "Σ", "Ω", "あ", "😀",
    ]

    private static func texts(_ count: Int, _ random: inout SeededGenerator) -> [String?] {
        (0..<count).map { _ in
            guard Int.random(in: 0..<20, using: &random) > 0 else { return nil }
            return (0..<Int.random(in: 0...3, using: &random)).map { _ in parts.randomElement(using: &random)! }
                .joined()
        }
    }

    /// Neighbours may be equal, never the wrong way round; nor may any that are further apart.
    private static func isSorted(_ objects: [NSManagedObject], by descriptor: NSSortDescriptor) -> Bool {
        objects.indices.allSatisfy { low in
            objects[low...].allSatisfy { descriptor.compare(objects[low], to: $0) != .orderedDescending }
        }
    }

    @Test(arguments: 0..<LongForm.choose(2, long: 4)) func savedAndPendingTextsShareOneOrder(_ seed: UInt64) throws {
        let library = try SQLiteLibrary()
        let context = library.context
        try context.performAndWait {
            var random = SeededGenerator(seed: seed)
            for text in Self.texts(60, &random) { context.insert("Book", text.map { ["title": $0] } ?? [:]) }
            try context.save()
            for selector in Self.selectors {
                for ascending in [true, false] {
                    let descriptor = NSSortDescriptor(key: "title", ascending: ascending, selector: selector)
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                    request.sortDescriptors = [descriptor]
                    let comment = Comment(rawValue: "\(selector?.name ?? "natural") \(ascending)")
                    let saved = try context.fetch(request)
                    #expect(saved.count == 60 && Self.isSorted(saved, by: descriptor), comment)
                    // Equal ones come by key, as in SQL.
                    let inMemory = saved.shuffled(using: &random).sorted {
                        let order = descriptor.compare($0, to: $1)
                        return order == .orderedSame ? Self.key($0) < Self.key($1) : order == .orderedAscending
                    }
                    #expect(inMemory == saved, comment)
                    // Some changed, some new; the rest comes from SQL.
                    for (object, text) in zip(saved.shuffled(using: &random), Self.texts(6, &random)) {
                        object.setValue(text, forKey: "title")
                    }
                    for text in Self.texts(6, &random) { context.insert("Book", text.map { ["title": $0] } ?? [:]) }
                    let mixed = try context.fetch(request)
                    #expect(mixed.count == 66 && Self.isSorted(mixed, by: descriptor), comment)
                    context.rollback()
                }
            }
        }
    }

    private static func key(_ object: NSManagedObject) -> Int {
        Int(object.objectID.uriRepresentation().lastPathComponent.dropFirst())!
    }
}

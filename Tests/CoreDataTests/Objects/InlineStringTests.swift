import CoreData
import CoreDataTestSupport
import Foundation
import Testing

private let wordProperty = ManagedProperty("word")

/// An object with an accessor such as is generated for `@NSManaged var word: String`.
private final class Word: NSManagedObject {
    var word: String {
        get { managedValue(wordProperty) }
        set { setManagedValue(newValue, for: wordProperty) }
    }
}

/// Texts come out of accessors as they went in, however short: equal, equally hashed, with the same bytes.
@Suite("Texts read by accessors")
struct InlineStringTests {
    private func context() throws -> (NSPersistentStoreCoordinator, NSManagedObjectContext) {
        let entity = LibraryModel.entity("Word")
        entity.properties = [LibraryModel.attribute("word", .stringAttributeType)]
        ManagedObjectClassRegistry.register(Word.self, named: "InlineStringTests.Word")
        entity.managedObjectClassName = "InlineStringTests.Word"
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: "/dev/null"))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return (coordinator, context)
    }

    static let alphabets = [
        "abcdefghijklmnopqrstuvwxyz0123456789", "a\u{0}b\u{1}c\u{7F}d\u{0}e\u{0}f\u{7E}g\u{0}\u{0}hijklmn",
        "Straße über Łódź nach Việt Nam und zurück", "e\u{301}a\u{308}o\u{302}e\u{301}a\u{308}o\u{302}xyz",
        "😀👩‍👩‍👧‍👦🇩🇪日本語のテキスト", "aaaaaaaé", "aaaaaaaaaaaaaaé", "\u{FEFF}abc",
    ]

    @Test(arguments: alphabets)
    func comeOutAsTheyWentIn(_ alphabet: String) throws {
        let (coordinator, context) = try context()
        try context.performAndWait {
            var texts: [String] = []
            for count in 0...min(24, alphabet.unicodeScalars.count) {
                for start in [0, 1, 3] where start + count <= alphabet.unicodeScalars.count {
                    var text = String.UnicodeScalarView()
                    text.append(contentsOf: alphabet.unicodeScalars.dropFirst(start).prefix(count))
                    texts.append(String(text))
                }
            }
            for text in texts { (context.insert("Word") as? Word)?.word = text }
            try context.save()
            context.reset()
            let request = NSFetchRequest<Word>(entityName: "Word")
            request.sortDescriptors = [NSSortDescriptor(key: "objectID", ascending: true)]
            let read = try context.fetch(request).map(\.word)
            try #require(read.count == texts.count)
            for (text, read) in zip(texts, read) {
                #expect(read == text)
                #expect(Array(read.utf8) == Array(text.utf8))
                #expect(read.hashValue == text.hashValue)
                #expect([read: 1][text] == 1)
                #expect(read + "!" == text + "!")
                #expect(Array(read.unicodeScalars) == Array(text.unicodeScalars))
            }
        }
        withExtendedLifetime(coordinator) {}
    }
}

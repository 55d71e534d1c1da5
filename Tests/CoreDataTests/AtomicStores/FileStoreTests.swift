import CoreData
import CoreDataTestSupport
import MagicalRecordTestSupport
import Testing

/// What binary and XML stores have in common.
@Suite("Stores that are read and written as a whole")
struct FileStoreTests {
    static let types = [NSBinaryStoreType, NSXMLStoreType]
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ type: String, _ name: String = "store") throws -> Library {
        try Library(type: type, at: folder.file("\(name).\(type)"))
    }

    @Test(arguments: types)
    func everyKindOfValueComesBack(type: String) throws {
        let isbn = UUID()
        let published = Date(timeIntervalSinceReferenceDate: 1_234_567.123456)
        let cover = Data((0..<300).map { UInt8($0 & 255) })
        let values: [String: Any] = [
            "title": "Pride & Prejudice <\"ünïcode\"> \u{1F4D6}\r\n\tend", "pages": 474, "isbn": isbn, "cover": cover,
            "price": NSDecimalNumber(string: "12.500000000000000001"), "inPrint": false,
            "site": URL(string: "https://example.org/a?b=c&d=e")!, "published": published,
        ]
        try open(type).perform { context in
            context.insert("Book", values)
            context.insert("Book", ["title": "nothing else", "inPrint": NSNull()])
            context.insert("Author", ["name": "J. Austen", "rating": 4.1])
            try context.save()
        }
        try open(type).perform { context in
            let books = try context.fetchAll("Book")
            #expect(books.count == 2)
            let book = try #require(books.first { $0.value(forKey: "isbn") != nil })
            for (key, value) in values { #expect(book.value(forKey: key) as? NSObject == value as? NSObject, "\(key)") }
            #expect(book.value(forKey: "published") as? Date == published)
            #expect(book.value(forKey: "title") as? String == values["title"] as? String)
            let other = try #require(books.first { $0.value(forKey: "isbn") == nil })
            #expect(other.value(forKey: "cover") == nil && other.value(forKey: "inPrint") == nil)
            #expect(other.value(forKey: "pages") as? Int == 100)
            #expect(try context.fetchAll("Author").first?.value(forKey: "rating") as? Double == 4.1)
        }
    }

    @Test(arguments: types)
    func textThatIsNoXMLComesBack(type: String) throws {
        let text = "bell \u{7}, escape \u{1B}, ]]>"
        try open(type).perform { context in
            context.insert("Tag", ["word": text])
            context.insert("Tag", ["word": ""])
            context.insert("Tag", ["word": "  spaces  "])
            try context.save()
        }
        try open(type).perform { context in
            let words = try context.fetchAll("Tag").compactMap { $0.value(forKey: "word") as? String }
            #expect(Set(words) == [text, "", "  spaces  "])
        }
    }

    @Test(arguments: types)
    func relationshipsComeBack(type: String) throws {
        try open(type).perform { context in
            let author = context.insert("Author", ["name": "Austen"])
            let books = ["Emma", "Sense", "Pride"].map { context.insert("Book", ["title": $0, "author": author]) }
            let tags = ["novel", "wit"].map { context.insert("Tag", ["word": $0]) }
            books[0].setValue(Set(tags), forKey: "tags")
            books[1].setValue(Set([tags[0]]), forKey: "tags")
            let shelf = context.insert("Shelf", ["label": "A"])
            shelf.setValue(NSOrderedSet(array: [books[2], books[0], books[1]]), forKey: "books")
            try context.save()
        }
        try open(type).perform { context in
            let author = try #require(try context.fetchAll("Author").first)
            #expect(titles(author.value(forKey: "books")) == ["Emma", "Pride", "Sense"])
            let shelf = try #require(try context.fetchAll("Shelf").first)
            let order = (shelf.value(forKey: "books") as? NSOrderedSet)?.array as? [NSManagedObject]
            #expect(order?.map { $0.value(forKey: "title") as? String } == ["Pride", "Emma", "Sense"])
            let novel = try #require(
                try context.fetchAll("Tag").first { $0.value(forKey: "word") as? String == "novel" })
            #expect(titles(novel.value(forKey: "books")) == ["Emma", "Sense"])
            let emma = try #require(order?[1])
            #expect(emma.value(forKey: "author") as? NSManagedObject === author)
            #expect((emma.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 2)
        }
    }

    private func titles(_ books: Any?) -> [String] {
        ((books as? Set<NSManagedObject>) ?? []).compactMap { $0.value(forKey: "title") as? String }.sorted()
    }

    @Test(arguments: types)
    func changesAndDeletionsAreWritten(type: String) throws {
        var id: URL?
        try open(type).perform { context in
            let books = ["a", "b", "c"].map { context.insert("Book", ["title": $0]) }
            try context.save()
            books[0].setValue("changed", forKey: "title")
            context.delete(books[1])
            try context.save()
            id = books[2].objectID.uriRepresentation()
        }
        let again = try open(type)
        try again.perform { context in
            #expect(Set(try context.fetchAll("Book").map { $0.value(forKey: "title") as? String }) == ["changed", "c"])
            let known = try #require(id.flatMap { again.coordinator.managedObjectID(forURIRepresentation: $0) })
            #expect(try context.existingObject(with: known).value(forKey: "title") as? String == "c")
            // A key is never used twice, not even after its object is gone and the store was closed.
            let new = context.insert("Book", ["title": "d"])
            try context.save()
            #expect(new.objectID.uriRepresentation() != id)
            #expect(try context.fetchAll("Book").count == 3)
        }
    }

    @Test(arguments: types)
    func metadataIsKeptWithTheObjects(type: String) throws {
        let url = folder.file("store.\(type)")
        let library = try open(type)
        let store = try #require(library.coordinator.persistentStores.first)
        let identifier: String = store.identifier
        library.coordinator.setMetadata(["mine": "yes", "count": 3], for: store)
        #expect(library.coordinator.metadata(for: store)["mine"] as? String == "yes")
        #expect(library.coordinator.metadata(for: store)[NSStoreUUIDKey] as? String == identifier)
        try library.perform { context in
            context.insert("Tag", ["word": "x"])
            try context.save()
        }
        let read = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
        #expect(read["mine"] as? String == "yes")
        #expect(read["count"] as? Int == 3)
        #expect(read[NSStoreUUIDKey] as? String == identifier)
        #expect(read[NSStoreTypeKey] as? String == type)
        #expect(read[NSStoreModelVersionHashesKey] as? [String: Data] == LibraryModel.make().entityVersionHashesByName)
    }

    @Test(arguments: types)
    func metadataCanBeWrittenWithoutOpeningTheStore(type: String) throws {
        let url = folder.file("store.\(type)")
        try open(type).perform { context in
            context.insert("Tag", ["word": "kept"])
            try context.save()
        }
        try NSPersistentStoreCoordinator.setMetadata(["mine": "now"], forPersistentStoreOfType: type, at: url)
        let read = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
        #expect(read["mine"] as? String == "now")
        try open(type).perform { context in
            let tags = try context.fetchAll("Tag")
            #expect(tags.first?.value(forKey: "word") as? String == "kept")
        }
    }

    /// Foundation's parser would end the program.
    @Test func textThatIsNotUTF8IsRefused() throws {
        let url = folder.file("store.\(NSXMLStoreType)")
        try open(NSXMLStoreType).perform { context in
            context.insert("Tag", ["word": "here"])
            try context.save()
        }
        var bytes = try Data(contentsOf: url)
        let word = try #require(bytes.range(of: Data("here".utf8)))
        bytes.replaceSubrange(word, with: [0xC3, 0x28, 0xFF, 0xFE])
        try bytes.write(to: url)
        #expect(throws: (any Error).self) { try open(NSXMLStoreType) }
    }

    @Test(arguments: types)
    func damagedFilesGiveAnError(type: String) throws {
        let url = folder.file("store.\(type)")
        try open(type).perform { context in
            for number in 0..<20 { context.insert("Tag", ["word": "tag \(number)"]) }
            try context.save()
        }
        let whole = try Data(contentsOf: url)
        for length in stride(from: 1, to: whole.count, by: 37) {
            try whole.prefix(length).write(to: url)
            #expect(throws: (any Error).self) { try open(type) }
        }
        try Data("garbage".utf8).write(to: url)
        #expect { try open(type) } throws: { ($0 as NSError).code == NSPersistentStoreTypeMismatchError }
        #expect(throws: (any Error).self) {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
        }
        #expect {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: folder.file("none"))
        } throws: { ($0 as NSError).code == NSFileReadNoSuchFileError }
    }

    /// Files whose checksum is right all the same, because others wrote them.
    @Test(.slow) func binaryFilesWithExtremeNumbersAreReadOrRefused() throws {
        let url = folder.file("store.\(NSBinaryStoreType)")
        let isbn = UUID()
        try open(NSBinaryStoreType).perform { context in
            let author = context.insert("Author", ["name": "A"]), tag = context.insert("Tag", ["word": "t"])
            for title in ["one", "two"] {
                let values: [String: Any] = ["title": title, "isbn": isbn, "author": author, "tags": Set([tag])]
                context.insert("Book", values)
            }
            try context.save()
        }
        let whole = try Data(contentsOf: url).dropLast(8)
        func read(_ bytes: Data) throws {
            // FNV-1a, at the end of the file.
            let sum = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
            try (bytes + withUnsafeBytes(of: sum.littleEndian) { Data($0) }).write(to: url)
            try open(NSBinaryStoreType).perform { context in
                for name in ["Author", "Book", "Tag"] {
                    for object in try context.fetchAll(name) {
                        _ = object.dictionaryWithValues(forKeys: Array(object.entity.propertiesByName.keys))
                    }
                }
            }
        }
        try read(whole)
        var refused = 0
        // Numbers are two, four and eight bytes long, so every third place meets them at all positions, and every 17th one in
        // each dozen.
        for place in stride(from: 0, to: whole.count - 8, by: LongForm.choose(17, long: 3)) {
            var bytes = whole
            bytes.replaceSubrange(place..<place + 8, with: withUnsafeBytes(of: Int64.max.littleEndian) { Data($0) })
            do { try read(bytes) } catch { refused += 1 }
        }
        #expect(refused > 0)
        var short = whole
        let id = try #require(short.range(of: withUnsafeBytes(of: isbn.uuid) { Data($0) }))
        short.remove(at: id.upperBound - 1)
        short[id.lowerBound - 4] = 15
        #expect(throws: (any Error).self) { try read(short) }
        // The second book's key, with its version after it.
        var twins = whole
        let second = try #require(twins.range(of: Data([2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0])))
        twins[second.lowerBound] = 1
        #expect(throws: (any Error).self) { try read(twins) }
    }

    /// Foundation's reader of property lists off Apple's platforms ends the process for a set.
    @Test func aSetInTheMetadataDoesNoHarm() throws {
        let url = folder.file("store.\(NSBinaryStoreType)")
        let library = try open(NSBinaryStoreType)
        library.coordinator.setMetadata(
            ["list": ["a", "b"], "large": UInt64.max], for: library.coordinator.persistentStores[0])
        try library.perform { context in
            context.insert("Tag", ["word": "x"])
            try context.save()
        }
        func metadata() throws -> [String: Any] {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSBinaryStoreType, at: url)
        }
        #expect(try metadata()["list"] as? [String] == ["a", "b"])
        let whole = try Data(contentsOf: url)
        let list = try #require(whole.range(of: Data("bplist00".utf8))?.lowerBound)
        // The markers of arrays become those of sets.
        var changed = 0
        for index in whole[list...].indices where whole[index] == 0xA2 {
            var bytes = whole
            bytes[index] = 0xC2
            try bytes.write(to: url)
            if (try? metadata()) == nil { changed += 1 }
        }
        #expect(changed > 0)
    }

    @Test(arguments: [NSBinaryStoreType, NSSQLiteStoreType])
    func metadataThatCouldNotBeReadIsNotWritten(type: String) throws {
        var list: [Any] = ["deep"]
        for _ in 0..<200 { list = [list] }
        try open(type).perform { context in
            let coordinator = try #require(context.persistentStoreCoordinator)
            coordinator.setMetadata(["list": list], for: coordinator.persistentStores[0])
            context.insert("Tag", ["word": "x"])
            #expect { try context.save() } throws: { ($0 as NSError).code == NSPersistentStoreSaveError }
        }
        #expect(throws: Never.self) { try open(type) }
    }

    @Test(arguments: types)
    func aSaveThatCannotBeWrittenLeavesTheContextDirty(type: String) throws {
        let sub = folder.file("sub")
        let url = sub.appendingPathComponent("store.\(type)")
        let library = try Library(type: type, at: url)
        try FileManager.default.removeItem(at: sub)
        // A file where the folder was: the store cannot be written.
        try Data().write(to: sub)
        try library.perform { context in
            context.insert("Tag", ["word": "lost"])
            #expect { try context.save() } throws: { ($0 as NSError).code == NSPersistentStoreSaveError }
            #expect(context.hasChanges)
            try FileManager.default.removeItem(at: sub)
            try context.save()
            #expect(!context.hasChanges)
        }
        try Library(type: type, at: url).perform { context in
            let tags = try context.fetchAll("Tag")
            #expect(tags.count == 1)
        }
    }

    @Test(arguments: types)
    func aReadOnlyStoreRefusesSaves(type: String) throws {
        try open(type).perform { context in
            context.insert("Tag", ["word": "x"])
            try context.save()
        }
        let library = try Library(
            type: type, at: folder.file("store.\(type)"), options: [NSReadOnlyPersistentStoreOption: true])
        try library.perform { context in
            let tag = try #require(try context.fetchAll("Tag").first)
            tag.setValue("y", forKey: "word")
            #expect(throws: (any Error).self) { try context.save() }
        }
    }

    @Test(arguments: types)
    func theNextSaveGoesToANewURL(type: String) throws {
        let library = try open(type)
        let store = try #require(library.coordinator.persistentStores.first)
        let moved = folder.file("moved")
        #expect(library.coordinator.setURL(moved, for: store))
        try library.perform { context in
            context.insert("Tag", ["word": "x"])
            try context.save()
        }
        #expect(store.url == moved)
        try Library(type: type, at: moved).perform { context in
            let tags = try context.fetchAll("Tag")
            #expect(tags.count == 1)
        }
        try open(type).perform { context in
            let tags = try context.fetchAll("Tag")
            #expect(tags.isEmpty)
        }
    }

    @Test(arguments: types)
    func storesAreDestroyedAndReplaced(type: String) throws {
        try open(type, "one").perform { context in
            context.insert("Tag", ["word": "one"])
            try context.save()
        }
        try open(type, "two").perform { try $0.save() }
        let (one, two) = (folder.file("one.\(type)"), folder.file("two.\(type)"))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: LibraryModel.make())
        try coordinator.replacePersistentStore(at: two, withPersistentStoreFrom: one, ofType: type)
        try open(type, "two").perform { context in
            let tags = try context.fetchAll("Tag")
            #expect(tags.count == 1)
        }
        try coordinator.destroyPersistentStore(at: one, ofType: type)
        #expect(!FileManager.default.fileExists(atPath: one.path))
    }
}

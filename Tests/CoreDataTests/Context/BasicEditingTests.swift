import CoreData
import CoreDataTestSupport
import Testing

@Suite("Inserting, saving, fetching, changing and deleting")
struct BasicEditingTests {
    @Test(arguments: StoreKind.allCases) func aNewObjectHasDefaultsAndATemporaryID(_ store: StoreKind) throws {
        let library = try Library(store: store)
        let context = library.context
        context.performAndWait {
            let book = context.insert("Book")
            #expect(book.value(forKey: "pages") as? Int == 100)
            #expect(book.value(forKey: "inPrint") as? Bool == true)
            #expect(book.value(forKey: "title") == nil)
            #expect(book.objectID.isTemporaryID)
            #expect(book.isInserted && book.hasChanges && !book.isFault)
            #expect(context.insertedObjects == [book])
        }
    }

    @Test(arguments: StoreKind.allCases) func savedValuesComeBackInAnotherContext(_ store: StoreKind) throws {
        let library = try Library(store: store)
        let context = library.context
        let isbn = UUID()
        try context.performAndWait {
            context.insert(
                "Book",
                [
                    "title": "Emma", "pages": 474, "isbn": isbn, "cover": Data([1, 2, 3]),
                    "price": NSDecimalNumber(string: "12.50"), "inPrint": false,
                    "site": URL(string: "https://example.org/emma")!,
                    "published": Date(timeIntervalSinceReferenceDate: 1000),
                ])
            try context.save()
            #expect(!context.hasChanges)
        }
        let other = library.makeContext()
        try other.performAndWait {
            let book = try #require(try other.fetchAll("Book").first)
            #expect(book.isFault)
            #expect(book.value(forKey: "title") as? String == "Emma")
            #expect(!book.isFault)
            #expect(book.value(forKey: "pages") as? Int == 474)
            #expect(book.value(forKey: "isbn") as? UUID == isbn)
            #expect(book.value(forKey: "cover") as? Data == Data([1, 2, 3]))
            #expect(book.value(forKey: "price") as? NSDecimalNumber == NSDecimalNumber(string: "12.50"))
            #expect(book.value(forKey: "inPrint") as? Bool == false)
            #expect(book.value(forKey: "site") as? URL == URL(string: "https://example.org/emma"))
            #expect(book.value(forKey: "published") as? Date == Date(timeIntervalSinceReferenceDate: 1000))
        }
    }

    @Test(arguments: StoreKind.allCases) func aSaveGivesPermanentIDs(_ store: StoreKind) throws {
        let library = try Library(store: store)
        let context = library.context
        try context.performAndWait {
            let book = context.insert("Book", ["title": "Emma"])
            let temporary = book.objectID
            try context.save()
            #expect(!book.objectID.isTemporaryID)
            #expect(book.objectID != temporary)
            #expect(book.objectID.uriRepresentation().path == "/Book/p1")
            #expect(context.object(with: book.objectID) === book)
            #expect(try context.existingObject(with: book.objectID) === book)
        }
    }

    @Test(arguments: StoreKind.allCases) func relationshipsKeepTheirInverse(_ store: StoreKind) throws {
        let library = try Library(store: store)
        let context = library.context
        try context.performAndWait {
            let author = context.insert("Author", ["name": "Austen"])
            let emma = context.insert("Book", ["title": "Emma", "author": author])
            #expect(author.value(forKey: "books") as? Set<NSManagedObject> == [emma])
            let other = context.insert("Author", ["name": "Brontë"])
            emma.setValue(other, forKey: "author")
            #expect((author.value(forKey: "books") as? Set<NSManagedObject>)?.isEmpty == true)
            #expect(other.value(forKey: "books") as? Set<NSManagedObject> == [emma])
            let tag = context.insert("Tag", ["word": "novel"])
            emma.mutableSetValue(forKey: "tags").add(tag)
            #expect(tag.value(forKey: "books") as? Set<NSManagedObject> == [emma])
            try context.save()
            context.reset()
            let again = try #require(try context.fetchAll("Book").first)
            #expect((again.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") as? String == "Brontë")
            #expect((again.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 1)
            let brontë = try #require(
                try context.fetchAll("Author").first { $0.value(forKey: "name") as? String == "Brontë" })
            #expect(brontë.value(forKey: "books") as? Set<NSManagedObject> == [again])
        }
    }

    @Test(arguments: StoreKind.allCases) func deletingAppliesTheRules(_ store: StoreKind) throws {
        let library = try Library(store: store)
        let context = library.context
        try context.performAndWait {
            let author = context.insert("Author", ["name": "Austen"])
            let emma = context.insert("Book", ["title": "Emma", "author": author])
            context.insert("Award", ["year": 1816, "winner": author])
            try context.save()
            context.delete(author)
            context.processPendingChanges()
            #expect(emma.value(forKey: "author") == nil)
            #expect(context.deletedObjects.count == 2)
            try context.save()
            #expect(author.managedObjectContext == nil)
            #expect(try context.fetchAll("Author").isEmpty)
            #expect(try context.fetchAll("Award").isEmpty)
            #expect(try context.fetchAll("Book") == [emma])
        }
    }

    @Test(arguments: StoreKind.allCases) func rollbackTakesEverythingBack(_ store: StoreKind) throws {
        let library = try Library(store: store)
        let context = library.context
        try context.performAndWait {
            let author = context.insert("Author", ["name": "Austen"])
            let emma = context.insert("Book", ["title": "Emma", "author": author])
            try context.save()
            emma.setValue("Persuasion", forKey: "title")
            emma.setValue(nil, forKey: "author")
            let extra = context.insert("Book")
            context.delete(author)
            context.rollback()
            #expect(!context.hasChanges)
            #expect(emma.value(forKey: "title") as? String == "Emma")
            #expect(emma.value(forKey: "author") as? NSManagedObject === author)
            #expect(author.value(forKey: "books") as? Set<NSManagedObject> == [emma])
            #expect(extra.managedObjectContext == nil)
            #expect(!author.isDeleted)
        }
    }

    @Test(arguments: StoreKind.allCases) func mandatoryValuesAreRequiredInASave(_ store: StoreKind) throws {
        let library = try Library(store: store)
        let context = library.context
        context.performAndWait {
            let author = context.insert("Author")
            #expect {
                try context.save()
            } throws: { error in
                let error = error as NSError
                return error.code == NSValidationMissingMandatoryPropertyError
                    && error.userInfo[NSValidationKeyErrorKey] as? String == "name"
                    && error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === author
            }
            #expect(author.objectID.isTemporaryID && context.hasChanges)
        }
    }

    @Test(arguments: StoreKind.allCases) func orderedRelationshipsKeepTheirOrder(_ store: StoreKind) throws {
        let library = try Library(store: store)
        let context = library.context
        try context.performAndWait {
            let shelf = context.insert("Shelf", ["label": "A"])
            let books = (0..<5).map { context.insert("Book", ["title": "\($0)"]) }
            let ordered = shelf.mutableOrderedSetValue(forKey: "books")
            for book in books.reversed() { ordered.add(book) }
            ordered.insert(context.insert("Book", ["title": "x"]), at: 2)
            try context.save()
            context.reset()
            let again = try #require(try context.fetchAll("Shelf").first)
            let titles = (again.value(forKey: "books") as? NSOrderedSet)?.array.compactMap {
                ($0 as? NSManagedObject)?.value(forKey: "title") as? String
            }
            #expect(titles == ["4", "3", "x", "2", "1", "0"])
        }
    }

    @Test(arguments: StoreKind.allCases) func changesOfAChildReachTheStoreThroughItsParent(_ store: StoreKind) throws {
        let library = try Library(store: store)
        let context = library.context
        let child = library.makeChild()
        try child.performAndWait {
            let author = child.insert("Author", ["name": "Austen"])
            child.insert("Book", ["title": "Emma", "author": author])
            try child.save()
            #expect(!child.hasChanges)
        }
        try context.performAndWait {
            #expect(context.insertedObjects.count == 2)
            let book = try #require(context.insertedObjects.first { $0.entity.name == "Book" })
            #expect((book.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") as? String == "Austen")
            try context.save()
        }
        try child.performAndWait {
            let book = try #require(try child.fetchAll("Book").first)
            #expect((book.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") as? String == "Austen")
            book.setValue("Persuasion", forKey: "title")
            try child.save()
        }
        try context.performAndWait {
            let book = try #require(try context.fetchAll("Book").first)
            #expect(book.value(forKey: "title") as? String == "Persuasion")
            #expect(book.isUpdated)
        }
    }

    @Test(arguments: StoreKind.allCases) func savesAreMergedIntoOtherContexts(_ store: StoreKind) throws {
        let library = try Library(store: store)
        let context = library.context
        try context.performAndWait {
            context.insert("Author", ["name": "Austen"])
            try context.save()
        }
        let other = library.makeContext()
        let seen = try other.performAndWait {
            let author = try #require(try other.fetchAll("Author").first)
            #expect(author.value(forKey: "name") as? String == "Austen")
            return author
        }
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: context, queue: nil
        ) { note in
            other.performAndWait { other.mergeChanges(fromContextDidSave: note) }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try context.performAndWait {
            let author = try #require(try context.fetchAll("Author").first)
            author.setValue("Jane Austen", forKey: "name")
            try context.save()
        }
        other.performAndWait {
            #expect(seen.value(forKey: "name") as? String == "Jane Austen")
            #expect(!other.hasChanges)
        }
    }
}

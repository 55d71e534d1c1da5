import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// Declines records that say so.
final class Hooked: NSManagedObject, MagicalRecordDataImportProtocol {
    func shouldImport(_ data: Any) -> Bool { (data as? [String: Any])?["skip"] == nil }
}

/// The original's names import attribute by attribute: what cannot be read is left out and reported, the rest is imported.
extension DefaultStackTests {
    /// Albums with a date, a number and tracks; an artist by ID.
    private func setUpAlbums() -> Mailbox {
        let album = Build.entity("Album")
        let track = Build.entity("Track")
        let artist = Build.entity("Artist")
        let hooked = Build.entity("Hooked", class: Hooked.self)
        album.properties = [
            Build.attribute("albumID", .integer64AttributeType), Build.attribute("title", .stringAttributeType),
            Build.attribute("year", .integer16AttributeType, default: 1900),
            Build.attribute("price", .decimalAttributeType), Build.attribute("rating", .floatAttributeType),
            Build.attribute("released", .dateAttributeType, default: Date(timeIntervalSince1970: 0)),
            Build.attribute("code", .UUIDAttributeType), Build.attribute("page", .URIAttributeType),
            Build.attribute("cover", .binaryDataAttributeType),
            // Conversion is switched off, so that only a text can be taken.
            Build.attribute("genre", .stringAttributeType, info: ["attributeValueClassName": "NSString"]),
        ]
        track.properties = [
            Build.attribute("trackID", .integer64AttributeType), Build.attribute("name", .stringAttributeType),
            Build.attribute("seconds", .integer32AttributeType),
        ]
        artist.properties = [
            Build.attribute("artistID", .integer64AttributeType), Build.attribute("name", .stringAttributeType),
        ]
        hooked.properties = [Build.attribute("name", .stringAttributeType)]
        Build.relationship("tracks", of: album, to: track, many: true)
        Build.relationship("artist", of: album, to: artist)
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(Build.model(album, track, artist, hooked))
        MagicalRecord.setupCoreDataStackWithStore(at: ScratchFiles.new("Albums.sqlite"))
        let seen = Mailbox()
        MagicalRecord.setErrorHandler { seen.add($0) }
        return seen
    }

    private func fill(_ object: NSManagedObject, _ record: [String: Any]) -> Bool {
        object.mr_importValuesForKeys(with: record)
    }

    private func make(_ entity: String, in context: NSManagedObjectContext) -> NSManagedObject {
        NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    }

    private func keys(_ seen: Mailbox) -> [String] { seen.errors.map { ($0 as? MagicalRecordError)?.key ?? "?" } }

    /// As `doubleValue` and `longLongValue` of `NSString`, which the original used.
    @Test(arguments: [
        ("12 minutes", 12), ("  -3.75 kg", -3.75), ("+8.", 8), (".5x", 0.5), ("-.25", -0.25), ("7..2", 7), ("1e", 1),
        ("\t42\n", 42),
    ])
    func aTextThatBeginsWithANumberIsThatNumber(_ text: String, _ number: Float) {
        let seen = setUpAlbums()
        let context = NSManagedObjectContext.mr_()
        context.runAndWait {
            let album = make("Album", in: context)
            #expect(fill(album, ["rating": text]))
            #expect(album.value(forKey: "rating") as? Float == number)
        }
        #expect(keys(seen) == [])
    }

    @Test(arguments: ["about 12", "-", ".", "+.x", "", "\u{0663}"])
    func aTextThatBeginsOtherwiseIsNoNumber(_ text: String) {
        let seen = setUpAlbums()
        let context = NSManagedObjectContext.mr_()
        context.runAndWait {
            let album = make("Album", in: context)
            album.setValue(Float(4), forKey: "rating")
            #expect(fill(album, ["rating": text]))
            #expect(album.value(forKey: "rating") as? Float == 4)
        }
        #expect(keys(seen) == ["rating"])
    }

    @Test func valuesThatCannotBeConvertedLeaveTheirAttributesAlone() {
        let seen = setUpAlbums()
        let context = NSManagedObjectContext.mr_()
        context.runAndWait {
            let album = make("Album", in: context)
            album.setValue(Float(4), forKey: "rating")
            let imported = fill(
                album,
                [
                    "albumID": "seven", "title": "Kind of Blue", "year": 70_000, "price": "free", "rating": [1],
                    "released": "soon", "code": "x", "cover": "%%%", "genre": 5, "page": "http://example.org",
                ])
            #expect(imported)
            #expect(album.value(forKey: "albumID") == nil)
            #expect(album.value(forKey: "title") as? String == "Kind of Blue")
            #expect(album.value(forKey: "year") as? Int == 1900)
            #expect(album.value(forKey: "price") == nil)
            #expect(album.value(forKey: "rating") as? Float == 4)
            // A date that cannot be read is no date.
            #expect(album.value(forKey: "released") == nil)
            #expect(album.value(forKey: "code") == nil)
            #expect(album.value(forKey: "genre") == nil)
            #expect((album.value(forKey: "page") as? URL)?.host == "example.org")
        }
        #expect(
            keys(seen).sorted() == ["albumID", "code", "cover", "genre", "price", "rating", "released", "year"])
        for error in seen.errors {
            let error = error as? MagicalRecordError
            #expect(error?.code == .unconvertibleValue)
            #expect(error?.entity == "Album")
            #expect(error?.advice?.isEmpty == false)
        }
    }

    /// As the original reads numbers: what the text begins with counts.
    @Test func numbersAtTheBeginningOfATextAreRead() {
        let seen = setUpAlbums()
        let context = NSManagedObjectContext.mr_()
        context.runAndWait {
            let album = make("Album", in: context)
            #expect(fill(album, ["albumID": "12 pieces", "year": "1959.", "price": "9.99 €", "rating": "-3.5x"]))
            #expect(album.value(forKey: "albumID") as? Int == 12)
            #expect(album.value(forKey: "year") as? Int == 1959)
            #expect(album.value(forKey: "price") as? NSDecimalNumber == NSDecimalNumber(string: "9.99"))
            #expect(album.value(forKey: "rating") as? Float == -3.5)
        }
        #expect(seen.errors.isEmpty)
    }

    @Test func childrenAreImportedBesideWhatCannotBeRead() {
        let seen = setUpAlbums()
        let context = NSManagedObjectContext.mr_()
        context.runAndWait {
            let album = make("Album", in: context)
            let imported = fill(
                album,
                [
                    "year": "unknown", "artist": ["artistID": 3, "name": "Miles"],
                    "tracks": [
                        ["trackID": 1, "name": "So What", "seconds": "long"] as [String: Any],
                        ["trackID": "first", "seconds": "long"], "none", 4, NSNull(),
                    ] as [Any],
                ])
            #expect(imported)
            #expect(album.value(forKeyPath: "artist.name") as? String == "Miles")
            let tracks = album.value(forKey: "tracks") as? Set<NSManagedObject> ?? []
            #expect(Set(tracks.map { $0.value(forKey: "trackID") as? Int }) == [1, 4])
            #expect(tracks.contains { $0.value(forKey: "name") as? String == "So What" })
            // Neither the track without a readable value nor the unreadable id became an object.
            #expect(context.insertedObjects.count { $0.entity.name == "Track" } == 2)
        }
        #expect(keys(seen).sorted() == ["seconds", "seconds", "trackID", "trackID", "year"])
    }

    @Test func relationshipsThatCannotBeReadStayAsTheyAre() {
        let seen = setUpAlbums()
        let context = NSManagedObjectContext.mr_()
        context.runAndWait {
            let album = make("Album", in: context)
            let artist = make("Artist", in: context)
            album.setValue(artist, forKey: "artist")
            #expect(fill(album, ["title": "A", "artist": "unknown"]))
            #expect(album.value(forKey: "artist") as? NSManagedObject === artist)
            #expect(fill(album, ["title": "B", "artist": [1, 2]]))
            #expect(album.value(forKey: "artist") as? NSManagedObject === artist)
            #expect(album.value(forKey: "title") as? String == "B")
        }
        #expect(keys(seen) == ["artistID", "artist"])
    }

    /// By class, as programs call it.
    @Test func noBlankObjectAppears() throws {
        setUpLegacyAddressBook()
        let seen = Mailbox()
        MagicalRecord.setErrorHandler { seen.add($0) }
        let lists: [[AnyHashable: Any]] = [
            ["userID": 1, "displayName": "Ann", "balance": "much"], ["userID": "x"],
            ["userID": 2, "team": ["name": "Red"]],
        ]
        MagicalRecord.save(blockAndWait: { context in
            let users = User.mr_import(from: lists, in: context) as? [User]
            #expect(users?.map(\.userID) == [1, 2])
            #expect(users?.first?.balance == 0)
            #expect(users?.last?.team?.name == "Red")
            let ann = User.mr_import(
                from: ["userID": 1, "countryCode": "here", "email": "a@b.c"] as [String: Any], in: context)
            #expect(ann === users?.first)
            #expect(ann.email == "a@b.c")
            // Nothing can be used: the result belongs nowhere.
            for data in [["balance": "much"] as [String: Any], "text", [1, 2], NSNull()] as [Any] {
                let nobody = User.mr_import(from: data, in: context)
                #expect(nobody.managedObjectContext == nil)
                #expect(!nobody.isInserted)
            }
        })
        #expect(try User.count(in: .mr_()) == 2)
        #expect(try Team.count(in: .mr_()) == 1)
        #expect(keys(seen).count == 7)
    }

    @Test func aRecordThatItsObjectDeclinesLeavesNothing() {
        _ = setUpAlbums()
        let context = NSManagedObjectContext.mr_()
        let object = Hooked.mr_import(from: ["name": "A", "skip": true] as [String: Any], in: context)
        #expect(object.managedObjectContext == nil)
        #expect(context.runAndWait { context.insertedObjects.isEmpty })
    }

    func setUpLegacyAddressBook() {
        NSManagedObjectModel.mr_setDefaultManagedObjectModel(AddressBook.model())
        MagicalRecord.setupCoreDataStackWithStore(at: ScratchFiles.new("Legacy.sqlite"))
    }
}
